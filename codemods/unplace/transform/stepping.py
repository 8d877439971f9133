"""Reports what changes weights before a backward that needs them, and repairs it if people choose to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unplace.analysis.domain.values import Saved
from unplace.analysis.queries.early_steps import EarlyStep
from unplace.analysis.queries.early_steps import Steps as Found
from unplace.analysis.queries.update_orders import RETAINING, Order
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Rewrite
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit, meet
from unplace.text.keywords import with_keyword, without_keyword
from unplace.text.lines import moved, whole_lines
from unplace.text.positions import Text
from unplace.transform.filter import Filter
from unplace.transform.report import Report
from unplace.transform.verdicts import Aside


@dataclass(frozen=True, slots=True)
class _Repair:
    """A repair of a backward that finds weights changed: `number` is that of all findings that it belongs to."""

    number: int
    edits: tuple[Edit, ...]
    done: Reason


@dataclass(slots=True)
class Steps:
    """Reports the steps of one file; `forms` are those of the operations that write weights in another way."""

    text: Text
    report_to: Report
    forms: Mapping[ast.AST, Form]
    by_form: Mapping[Form, Any]
    options: Options
    _repairs: dict[ast.AST, _Repair | None] = field(default_factory=dict)

    def report(self, found: Found, wanted: Filter) -> None:
        """Report what is wrong with the steps of a file."""
        for early in found.early:
            form = self.forms.get(early.step, Form.OPTIMIZER_STEP)
            harm = Harm.HARMFUL if early.is_certain else Harm.POSSIBLE
            is_wanted = self._is_wanted(form, harm, early.step, wanted)
            if is_wanted is not None:
                inputs, order = found.inputs.get(early.backward), found.orders.get(early.backward)
                repair = self._repair(early.backward, inputs, order) if is_wanted and early.is_certain else None
                assumed = Assumption.GRADIENTS_UNUSED(line=_line(early.backward))
                self._add(early.step, form, harm, early.saved, _told(early, form), assumed, repair)
        for mixed in found.mixed:
            form, harm = Form.OPTIMIZER_STEP, Harm.POSSIBLE
            is_wanted = self._is_wanted(form, harm, mixed.step, wanted)
            if is_wanted is not None:
                reason = Refusal.STEP_MIXED(step=ast.unparse(mixed.step), line=_line(mixed.backward))
                by = Saved(ast.unparse(mixed.backward), _line(mixed.backward).number)
                repair = self._repair(mixed.backward, mixed.inputs, None) if is_wanted else None
                assumed = Assumption.GRADIENTS_NOT_MEANT(step=ast.unparse(mixed.step), line=_line(mixed.backward))
                self._add(mixed.step, form, harm, by, reason, assumed, repair)

    def _is_wanted(self, form: Form, harm: Harm, step: ast.AST, wanted: Filter) -> bool | None:
        """Tell whether the run handles a step; False for one that it only counts, None for any other."""
        code = self.by_form[form].code
        if wanted(code, harm, step):
            return True
        return False if self.options.counts and wanted.counts(code, step) else None

    def _add(
        self,
        step: ast.AST,
        form: Form,
        harm: Harm,
        by: Saved,
        reason: Reason,
        assumed: Reason,
        repair: _Repair | None,
    ) -> None:
        code = self.by_form[form].code
        if repair is None:
            self.report_to.refused(step, code, form, harm, by, reason)
            return
        is_applied = self.options.accepts((assumed,))
        told = repair.done if is_applied else reason
        verdict = Aside(repair.edits, told, (assumed,))
        self.report_to.add(
            step, code, form, verdict, is_applied, harm, by, told, (assumed,), repair.number, repair.edits
        )

    def _repair(self, backward: ast.AST, inputs: str | None, order: Order | None) -> _Repair | None:
        """Return the repair of a backward; None where there is none, or another edit is in the way."""
        if backward not in self._repairs:
            edits = self._edits(backward, inputs, order)
            if inputs is not None or (order is not None and order.is_behind):
                done = Rewrite.RESTRICTED if inputs is not None else Rewrite.RESTRICTED_BEFORE
            else:
                done = Rewrite.SWAPPED
            is_free = edits and not any(meet(edits, finding.edits) for finding in self.report_to.findings)
            repair = _Repair(self.report_to.number(), edits, done(line=_line(backward))) if is_free else None
            self._repairs[backward] = repair
        return self._repairs[backward]

    def _edits(self, backward: ast.AST, inputs: str | None, order: Order | None) -> tuple[Edit, ...]:
        if inputs is not None and isinstance(backward, ast.Call):
            return (with_keyword(self.text, backward, f"inputs={inputs}"),)
        if order is None or not isinstance(backward, ast.Call):
            return ()
        lines = whole_lines(self.text, order.moved, order.block)
        target = whole_lines(self.text, [order.target], order.block)
        if lines is None or target is None:
            return ()
        if order.is_behind:
            restricted = with_keyword(self.text, backward, f"inputs={order.inputs}")
            return (restricted, *moved(self.text, lines, target[1] + 1))
        taken, given = self._handed(order) if order.handed else ((), ())
        return (*taken, *moved(self.text, lines, target[0], given))

    def _handed(self, order: Order) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
        """Return the edits by which one backward doesn't keep its graph any more, and another one does."""
        earlier, later = order.handed
        taken = without_keyword(self.text, earlier, RETAINING)
        given = with_keyword(self.text, later, f"{RETAINING}=True")
        return ((taken,) if taken is not None else ()), (given,)


def _told(early: EarlyStep, form: Form) -> Reason:
    """Return what a step, or another change of weights, does, and what to do about it."""
    step, line = ast.unparse(early.step), _line(early.backward)
    if early.carried is not None:
        reason = Refusal.STEP_CARRIED(step=step, module=early.module, name=early.carried)
    elif form is Form.OPTIMIZER_STEP:
        reason = Refusal.STEP_BETWEEN(step=step, module=early.module, line=line)
    else:
        reason = Refusal.WEIGHTS_BETWEEN(step=step, module=early.module, line=line)
    if early.is_certain:
        return reason
    return Refusal.STEP_OF_UNKNOWN(optimizer=early.optimizer, module=early.module, refusal=reason)


def _line(node: ast.AST) -> Line:
    return Line(getattr(node, "lineno", 0))
