"""A site with what was decided about it."""

from __future__ import annotations

from dataclasses import dataclass

from unplace.diagnostics.reasons import Reason
from unplace.transform.emit.snippet import Change
from unplace.transform.rule import Rule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Keep, Refuse, Verdict


@dataclass(slots=True, eq=False)
class Decision:
    """A site, its rule, its verdict, and the change of its call where it has one."""

    site: Site
    rule: Rule
    verdict: Verdict
    change: Change | None = None
    instead: Verdict | None = None  # what was decided before the write was let stay

    @property
    def assumptions(self) -> tuple[Reason, ...]:
        """What the recipe rests on."""
        return tuple(dict.fromkeys(getattr(self.verdict, "assumptions", ())))

    @property
    def is_recipe(self) -> bool:
        """Whether there is something to rewrite."""
        return not isinstance(self.verdict, Keep | Refuse)

    def is_applied(self, unsafe: bool) -> bool:
        """Whether a run makes the rewrite, given whether it may rest on assumptions."""
        return self.is_recipe and (unsafe or not self.assumptions)
