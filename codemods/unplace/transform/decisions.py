"""Decisions: a site with its rule and its verdict."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from unplace.config.options import Options
from unplace.diagnostics.reasons import Reason
from unplace.observation.facts import OperationFacts
from unplace.transform import casts
from unplace.transform.emit.snippet import Change
from unplace.transform.observed import Called, Seen
from unplace.transform.rule import Rule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Inline, Keep, Rebind, Refuse, Split, Verdict

_NO_RECIPES = (Keep, Refuse)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A site, its rule, the verdict about it, and the change of its call if it is one.

    `chain` has the calls of `y.mul_(2).add_(1)`, innermost first, which share one verdict; it is empty for other
    operations.
    """

    site: Site
    rule: Rule
    verdict: Verdict
    change: Change | None = None
    chain: tuple[Site, ...] = ()

    def becoming(self, verdict: Verdict) -> Decision:
        """Return the decision with another verdict."""
        return replace(self, verdict=verdict)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The operations that share the verdict."""
        return self.chain or (self.site,)

    @property
    def facts(self) -> OperationFacts | None:
        """What runs showed of the operation."""
        return self.site.facts

    @property
    def fate(self) -> Hashable:
        """The key that decisions share if they are made together: all calls of a chain, with one verdict."""
        return self.chain or self.site, self.verdict

    @property
    def assumptions(self) -> tuple[Reason, ...]:
        """The assumptions that the recipe rests on, each once, but for those that runs confirmed."""
        if all(site.facts is None for site in self.sites):
            return self._assumed
        return tuple(each for each in self._assumed if self.confirmed(each) is None)

    @property
    def observed(self) -> tuple[Reason, ...]:
        """What the recipe rests on because runs confirmed it."""
        return tuple(told for each in self._assumed if (told := self.confirmed(each)) is not None)

    @property
    def notes(self) -> tuple[Reason, ...]:
        """What the recipe takes for granted of dtypes, without being held back by it."""
        noted = casts.assumption(self.site) if isinstance(self.verdict, Rebind | Inline | Split) else ()
        return tuple(note for note in noted if note not in self._assumed)

    @property
    def contradicted(self) -> Reason | None:
        """The refusal where a run contradicts an assumption of the recipe or one of its notes."""
        assumed = (*self._assumed, *self.notes) if any(seen.facts is not None for seen in self._seen) else ()
        return next((refusal for seen in self._seen if (refusal := seen.contradicting(assumed)) is not None), None)

    def confirmed(self, assumption: Reason) -> Reason | None:
        """Return in words what runs of the operation, or of another call of its chain, showed about an assumption."""
        return next((told for seen in self._seen if (told := seen.confirmed(assumption)) is not None), None)

    @property
    def _seen(self) -> tuple[Seen, ...]:
        """The facts about the operations that share the verdict, with which assumptions are compared."""
        function = Called(self.site.run.scope.name, self.site.handles)
        return tuple(Seen(site.facts, site.name, function) for site in self.sites)

    @property
    def _assumed(self) -> tuple[Reason, ...]:
        return tuple(dict.fromkeys(getattr(self.verdict, "assumptions", ())))

    @property
    def is_recipe(self) -> bool:
        """Tell whether there is something to rewrite."""
        return not isinstance(self.verdict, _NO_RECIPES)

    def is_beside_others(self, options: Options) -> bool:
        """Tell whether a run makes the rewrite even where other operations of the statement stay in place."""
        return isinstance(self.verdict, Inline) and self.is_applied(options)

    def is_applied(self, options: Options) -> bool:
        """Tell whether a run makes the rewrite."""
        return self.is_recipe and options.accepts(self.assumptions)
