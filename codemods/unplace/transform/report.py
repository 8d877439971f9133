"""Findings of a module: its verdicts in the words of reports."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from unplace.analysis.domain.values import Origin, Saved
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.project.module import ModuleIndex, path_from_folder
from unplace.diagnostics.catalogue import Assumption, Rewrite, Saver
from unplace.diagnostics.conventions import counted, is_convention
from unplace.diagnostics.findings import Applicability, Awaited, Elsewhere, Finding, Harm, SavedBy, Status
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.observed import how_often
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, CopySaved, Keep, Recipe, Refuse, Verdict


@dataclass(slots=True)
class Report:
    """Gathers the findings of one module."""

    text: Text
    module: ModuleIndex
    findings: list[Finding] = field(default_factory=list)
    later: set[Site] = field(default_factory=set)  # what edits of several files may rewrite
    _fixes: int = 0

    def number(self) -> int:
        """Return a number for findings that are fixed together."""
        self._fixes += 1
        return self._fixes

    def made(self, since: int = 0) -> list[Edit]:
        """Return the edits made by the findings from index `since` on, each once for every finding that has it."""
        return [edit for f in self.findings[since:] if f.status is Status.REWRITTEN for edit in f.edits]

    def decided(
        self, decision: Decision, applied: bool, fix: int, edits: tuple[Edit, ...], elsewhere: Elsewhere = ()
    ) -> None:
        """Report the decision about a site, and whether this run carries it out, by edits here and in other files."""
        site = decision.site
        harm, by = site.harm()
        rule: Any = decision.rule
        verdict, forbidden = decision.verdict, site.forbidden()
        if isinstance(verdict, Refuse) and forbidden is not None and not verdict.reason.holds(forbidden.reason):
            verdict = Refuse(Refusal.FORBIDDEN(forbidden=forbidden.reason, refusal=verdict.reason))
        message = _done(site, verdict, rule) if not isinstance(verdict, Keep | Refuse) else verdict.reason
        notes = [decision.confirmed(note) or note for note in decision.notes]
        node = site.node
        awaited = site.awaited()
        harm = harm_of(site) if decision.is_recipe or _is_made_here(site) else in_sight(harm, awaited)
        self.add(
            node,
            rule.code,
            site.form,
            verdict,
            applied,
            harm,
            by,
            message,
            decision.assumptions,
            fix,
            edits,
            notes,
            elsewhere,
            observed=decision.observed,
            may_span=site in self.later and not applied,
            ran=tuple(how_often(decision.facts)) if decision.facts is not None else (),
            awaited=awaited if harm is Harm.POSSIBLE else None,
        )

    def refused(self, node: ast.AST, code: str, form: Form, harm: Harm, by: Saved, reason: Reason) -> None:
        """Report an operation that isn't among the sites and can't be rewritten."""
        self.add(node, code, form, Refuse(reason), False, harm, by, reason, (), self.number(), ())

    def add(
        self,
        node: ast.AST,
        code: str,
        form: Form,
        verdict: Verdict,
        applied: bool,
        harm: Harm,
        by: Saved | None,
        message: Reason,
        assumptions: tuple[Reason, ...],
        fix: int,
        edits: tuple[Edit, ...],
        notes: Iterable[Reason] = (),
        elsewhere: Elsewhere = (),
        *,
        observed: tuple[Reason, ...] = (),
        may_span: bool = False,
        ran: tuple[Reason, ...] = (),
        awaited: Awaited | None = None,
    ) -> None:
        """Report a verdict about a node; edits that would introduce an in-place operation are refused."""
        assumptions = _summed_up(assumptions)
        if introduces_writes(self.text.text, edits):
            verdict = Refuse(Refusal.NEW_WRITE())
        start, end = self.text.span(node)
        line, column = self.text.place(start)
        end_line, end_column = self.text.place(end)
        applicability: Applicability | None = None
        status = Status.REFUSED
        if isinstance(verdict, Keep):
            status, message = Status.KEPT, verdict.reason
        elif isinstance(verdict, Refuse):
            message = verdict.reason
        else:
            applicability = _applicability(assumptions, observed)
            status, message = (Status.REWRITTEN, message) if applied else (status, _offered(message, assumptions))
        self.findings.append(
            Finding(
                line,
                column,
                end_line,
                end_column,
                code,
                form,
                status,
                applicability,
                harm,
                message,
                (*map(_told, assumptions), *observed, *notes) if applicability is not None else (),
                fix if applicability is not None else None,
                edits if applicability is not None else (),
                saver(self.module, by) if by is not None else None,
                elsewhere=elsewhere if applicability is not None else (),
                may_span=may_span,
                ran=ran,
                awaited=awaited,
            )
        )


def saver(module: ModuleIndex, by: Saved) -> SavedBy:
    """Return an operation that saved memory, where it stands: not the call that leads there."""
    if by.inside is None:
        return SavedBy(by.operation, by.line, file=by.file)
    path, line = by.inside
    is_elsewhere = module.place is not None and path not in ("", module.place.path)
    file = path_from_folder(module.place.path, path) if module.place is not None and is_elsewhere else None
    return SavedBy(by.operation.partition(INSIDE)[0], line, file=file)


def _is_made_here(site: Site) -> bool:
    """Tell whether the function made the written tensor: what it is given may be a parameter that it initialises."""
    return all(root.origin is Origin.FRESH for root in site.roots()) and not site.is_leaf()


def harm_of(site: Site) -> Harm:
    """Return the harm of an operation, which can make backward fail or give wrong gradients.

    What isn't known to be a tensor may be a parameter, whose `.data` is written on purpose.
    """
    is_cut = site.cuts_gradient() and site.value.is_tensor
    return in_sight(Harm.HARMFUL if is_cut else site.harm()[0], site.awaited())


def in_sight(harm: Harm, awaited: Awaited | None) -> Harm:
    """Return the harm as it is reported: a hazard that waits for a graph is possible."""
    return Harm.POSSIBLE if awaited is not None else harm


def _applicability(assumptions: tuple[Reason, ...], observed: tuple[Reason, ...]) -> Applicability:
    """Return how sure an edit is that rests on assumptions, and on what runs confirmed."""
    if assumptions:
        return Applicability.CONVENTIONAL if all(map(is_convention, assumptions)) else Applicability.UNSAFE
    return Applicability.OBSERVED if observed else Applicability.SAFE


def _told(assumption: Reason) -> Reason:
    return counted(assumption) if is_convention(assumption) else assumption


def _summed_up(assumptions: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Return the assumptions with those about what one tensor doesn't share memory with in one sentence."""
    pairs = {a: [str(name) for _, name in a.parts] for a in assumptions if a.kind is Assumption.NOT_SHARED}
    counted = Counter(name for pair in pairs.values() for name in dict.fromkeys(pair))
    if len(pairs) < 2:
        return assumptions
    ((subject, _),) = counted.most_common(1)
    together = [assumption for assumption, pair in pairs.items() if subject in pair]
    others = dict.fromkeys(f"`{name}`" for a in together for name in pairs[a] if name != subject)
    if len(others) > 1:
        *most, last = others
        joined = Assumption.SHARES_NONE(name=subject, others=f"{', '.join(most)} or {last}")
    else:
        joined = together[0]
    rest = [assumption for assumption in assumptions if assumption not in together]
    return (*rest[: assumptions.index(together[0])], joined, *rest[assumptions.index(together[0]) :])


def _offered(message: Reason, assumptions: tuple[Reason, ...]) -> Reason:
    """Return what `--unsafe` would do about a site, in place of the message about a recipe; a refusal stays."""
    if isinstance(message.kind, Refusal):
        return message
    if message.kind in (Rewrite.UNRECORDED, Rewrite.UNRECORDED_UPDATE):
        parts = dict(message.parts)
        return Rewrite.UNRECORDED_UNSAFE(forbidden=parts["forbidden"], assumptions=assumptions)
    unusual = tuple(assumption for assumption in assumptions if not is_convention(assumption))
    if not unusual:
        return Rewrite.LEFT_OUT_BY_STRICT(assumptions=assumptions)
    return Rewrite.NEEDS_UNSAFE(assumptions=unusual)


def copies_saved(recipe: CopySaved) -> Reason:
    """Return which operations get a copy to save, or which calls pass one."""
    if all(operation.kind is Saver.PASSED for operation in recipe.operations):
        return Rewrite.COPY_PASSED(calls=recipe.operations)
    *others, last = recipe.operations
    return Rewrite.COPIES_SAVED(others=tuple(others), last=last) if others else Rewrite.COPY_SAVED(last=last)


def _done(site: Site, recipe: Recipe, rule: Any) -> Reason:
    """Return what is done about a site, and the failure that it prevents."""
    said: Reason = recipe.message if isinstance(recipe, Aside) else rule.message(site, recipe)
    forbidden, by = site.forbidden(), site.harm()[1]
    if isinstance(recipe, CopySaved):
        said = copies_saved(recipe)
    elif by is not None and not isinstance(recipe, Aside):
        saved = saver(site.program.module, by)
        said = Rewrite.SAVED(rewrite=said, operation=saved.operation, line=Line(saved.line, file=saved.file))
    elif forbidden is not None and not isinstance(recipe, Aside):
        said = Rewrite.FORBIDDEN(rewrite=said, forbidden=forbidden.reason)
    is_hidden = site.write.data is not None or (isinstance(recipe, Aside) and site.form is Form.DATA_STORE)
    return Rewrite.GRADIENT_REPAIRED(rewrite=said) if is_hidden else said


_CALL = re.compile(r"[a-z0-9]_(?=\()|[(,]\s*out\s*=(?!=)|\binplace\s*=\s*True\b")


def introduces_writes(text: str, edits: Iterable[Edit]) -> bool:
    """Tell whether the edits of one rewrite contain more in-place calls than the text that they replace.

    A store into a clone stood there before: `x = x.clone(); x[i] = value`.
    """
    own = [*edits]
    replaced = sum(len(_CALL.findall(text[edit.start : edit.end])) for edit in own)
    return sum(len(_CALL.findall(edit.replacement)) for edit in own) > replaced
