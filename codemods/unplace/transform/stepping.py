"""Reports what changes weights before a backward that needs them, and restricts that backward if people choose to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unplace.analysis.domain.values import Saved
from unplace.analysis.queries.early_steps import EarlyStep
from unplace.analysis.queries.early_steps import Steps as Found
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Rewrite
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.keywords import with_keyword
from unplace.text.positions import Text
from unplace.transform.filter import Filter
from unplace.transform.report import Report
from unplace.transform.verdicts import Aside


@dataclass(slots=True)
class Steps:
    """Reports the steps of one file; `forms` are those of the operations that write weights in another way."""

    text: Text
    report_to: Report
    forms: Mapping[ast.AST, Form]
    by_form: Mapping[Form, Any]
    options: Options
    _numbers: dict[ast.AST, int] = field(default_factory=dict)

    def report(self, found: Found, wanted: Filter) -> None:
        """Report what is wrong with the steps of a file."""
        for early in found.early:
            form = self.forms.get(early.step, Form.OPTIMIZER_STEP)
            harm = Harm.HARMFUL if early.is_certain else Harm.POSSIBLE
            inputs = found.inputs.get(early.backward) if early.is_certain else None
            self._add(early.step, form, harm, early.saved, _told(early, form), early.backward, inputs, wanted)
        for mixed in found.mixed:
            reason = Refusal.STEP_MIXED(step=ast.unparse(mixed.step), line=_line(mixed.backward))
            by = Saved(ast.unparse(mixed.backward), _line(mixed.backward).number)
            self._add(mixed.step, Form.OPTIMIZER_STEP, Harm.POSSIBLE, by, reason, mixed.backward, mixed.inputs, wanted)

    def _add(
        self,
        step: ast.AST,
        form: Form,
        harm: Harm,
        by: Saved,
        reason: Reason,
        backward: ast.AST,
        inputs: str | None,
        wanted: Filter,
    ) -> None:
        code = self.by_form[form].code
        if not wanted(code, harm, step):
            return
        if inputs is None or not isinstance(backward, ast.Call):
            self.report_to.refused(step, code, form, harm, by, reason)
            return
        assumptions = (Assumption.GRADIENTS_UNUSED(line=_line(backward)),)
        edits = (with_keyword(self.text, backward, f"inputs={inputs}"),)
        if backward not in self._numbers:
            self._numbers[backward] = self.report_to.number()
        number, is_applied = self._numbers[backward], self.options.unsafe
        told = Rewrite.RESTRICTED(line=_line(backward)) if is_applied else reason
        verdict = Aside(edits, told, assumptions)
        self.report_to.add(step, code, form, verdict, is_applied, harm, by, told, assumptions, number, edits)


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
