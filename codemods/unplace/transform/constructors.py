"""Flags such as `inplace=True`: the plan for the flag, and for the calls that then take a new tensor."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from unplace.analysis.domain.values import Saved
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Awaited, Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.observation.facts import OperationFacts
from unplace.text.edits import Edit, meet
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit.snippet import Snippet
from unplace.transform.emit.statements import Statements
from unplace.transform.filter import Filter
from unplace.transform.flags import Flag, grouped
from unplace.transform.observed import Seen, how_often
from unplace.transform.recipes import modules
from unplace.transform.recipes.saved import copy_saved
from unplace.transform.report import Report, copies_saved, in_sight
from unplace.transform.sites import Site
from unplace.transform.verdicts import CopySaved, Inline, Refuse, Verdict

_FORM = Form.INPLACE_ARGUMENT


@dataclass(frozen=True, slots=True)
class Constructors:
    """Plans the clearing of the flags in one file; `perhaps` are the calls that write in place if a flag says so."""

    program: Program
    text: Text
    options: Options
    rules: Mapping[Form, Any]
    reports: Report
    perhaps: Mapping[ast.AST, list[Site]]

    def report(self, made: list[Flag], sites: list[Site], wanted: Filter) -> None:
        """Report the outcome for each flag that the run handles; `sites` are the known operations."""
        calls, judge = modules.calls_of(sites), modules.Judge(self.program)
        busy = {site.statement for site in sites if site.write.kind is not WriteKind.MODULE}
        done = self.reports.made()
        for group in grouped(made):
            plans = [self._plan(flag, calls.get(flag.node, []), judge, busy, wanted) for flag in group]
            edits = tuple(dict.fromkeys(edit for plan in plans for edit in plan.edits))
            stopped = next((plan for plan in plans if not isinstance(plan.verdict, Inline)), None)
            meets = any(edit.start < e.end and e.start < edit.end for edit in edits for e in done)
            assumptions = tuple(dict.fromkeys(a for plan in plans for a in plan.assumptions))
            observed = tuple(dict.fromkeys(told for plan in plans for told in plan.observed))
            applied = stopped is None and not meets and self.options.accepts(assumptions)
            done += edits if applied else ()
            fix = self.reports.number()
            for plan in plans:
                copied = self._copied(plan.calls, done) if isinstance(plan.verdict, Refuse) else None
                if copied is not None:
                    self._report(replace(plan, verdict=copied), True, self.reports.number(), copied.edits, ())
                    done += copied.edits
                    continue
                if stopped is not None and isinstance(plan.verdict, Inline):
                    plan = plan.refused(Refusal.FLAG_SHARED(line=Line(stopped.flag.node.lineno)))
                elif stopped is None:
                    plan = plan.refused(Refusal.LATER_AROUND()) if meets else replace(plan, verdict=Inline(assumptions))
                if plan.verdict is not None:
                    own = edits if applied or (not meets and stopped is None) else ()
                    self._report(plan, applied, fix, own, observed)
                elif plan.counted is not None:
                    self._report(replace(plan, verdict=plan.counted), False, self.reports.number(), (), ())

    def _asked(self, flag: Flag) -> list[Site]:
        """Return the calls that a literal True elsewhere has write in place, if that is seen to do harm."""
        calls = self.perhaps.get(flag.node, []) if flag.literals else []
        return calls if any(site.harm()[0] is Harm.HARMFUL for site in calls) else []

    def _plan(
        self,
        flag: Flag,
        known: list[Site],
        judge: modules.Judge,
        busy: set[ast.stmt],
        wanted: Filter,
    ) -> _Plan:
        """Return what can be done about a flag; `known` are the calls of its module that surely write in place."""
        own = known or self._asked(flag)
        facts = wanted.facts(flag.node) if isinstance(flag.node, ast.Call | ast.Assign) else None
        harm, by, awaited = _harm_of_calls(own)
        if facts is not None and facts.is_harmful and not wanted.is_edited:
            harm, awaited = Harm.HARMFUL, None
        if not wanted(self.rules[_FORM].code, harm, flag.node):
            is_counted = self.options.counts and wanted.counts(self.rules[_FORM].code, flag.node)
            return _Plan(flag, harm, by, awaited, None, own, counted=judge.decide(flag, own) if is_counted else None)
        verdict = judge.decide(flag, own)
        taking: list[Decision] = []
        if known and isinstance(verdict, Refuse) and flag.other_use is None:
            taking = judge.at_calls(flag.node, flag.qualified, known, self.rules[_FORM], busy)
        if taking:
            assumptions = tuple(dict.fromkeys(a for decision in taking for a in decision.assumptions))
            verdict = Inline((*judge.of_uses(flag.node), *assumptions))
        assumed = verdict.assumptions if isinstance(verdict, Inline) else ()
        otherwise = Seen(facts).contradicting(assumed)
        verdict = verdict if otherwise is None else Refuse(otherwise)
        edits = self._cleared(flag, taking) if isinstance(verdict, Inline) else ()
        return _Plan(flag, harm, by, awaited, verdict, own, edits, facts)

    def _copied(self, calls: list[Site], done: list[Edit]) -> CopySaved | None:
        """Return the copies that let a module overwrite what its calls pass; None where one call would still fail."""
        failing = [site for site in calls if site.harm()[0] is Harm.HARMFUL]
        found = [copy_saved(site, self.rules, self.text) for site in failing]
        copies = [each for each in found if each is not None and not each.elsewhere and not each.assumptions]
        edits = tuple(dict.fromkeys(edit for each in copies for edit in each.edits))
        if not failing or len(copies) < len(failing) or meet(edits, done):
            return None
        copied = frozenset(node for each in copies for node in each.copied)
        operations = dict.fromkeys(operation for each in copies for operation in each.operations)
        return CopySaved(copied, tuple(operations), edits)

    def _report(
        self, plan: _Plan, applied: bool, fix: int, edits: tuple[Edit, ...], observed: tuple[Reason, ...]
    ) -> None:
        """Report what becomes of a flag."""
        assert plan.verdict is not None
        node, first = plan.flag.node, plan.flag.literals
        message = Rewrite.FLAG_CLEARED(line=Line(first[0].lineno)) if first else _dropped(node)
        message = copies_saved(plan.verdict) if isinstance(plan.verdict, CopySaved) else message
        self.reports.add(
            node,
            self.rules[_FORM].code,
            _FORM,
            plan.verdict,
            applied,
            plan.harm,
            plan.by,
            message,
            plan.assumptions,
            fix,
            edits,
            observed=observed,
            ran=tuple(how_often(plan.facts)) if plan.facts is not None else (),
            awaited=plan.awaited,
        )

    def _cleared(self, flag: Flag, taking: list[Decision]) -> tuple[Edit, ...]:
        """Return the edits of a flag and of the calls that take the new tensor of its module."""
        edits: list[Edit] = []
        for decision in taking:
            edits += Statements(self.text).edits(decision.site.statement, [decision])
        if flag.literals:
            edits += (Edit(*self.text.span(literal), "False") for literal in flag.literals)
        elif isinstance(flag.node, ast.Call) and not any(decision.change is not None for decision in taking):
            snippet = Snippet(self.text, flag.node)
            snippet.change(flag.node, modules.without_flag(flag.qualified))
            edits.append(Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))
        return tuple(edits)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What can be done about a flag; without a verdict where the run doesn't handle it, but perhaps counts it."""

    flag: Flag
    harm: Harm
    by: Saved | None
    awaited: Awaited | None
    verdict: Verdict | None
    calls: list[Site]
    edits: tuple[Edit, ...] = ()
    facts: OperationFacts | None = None
    counted: Verdict | None = None

    @property
    def assumptions(self) -> tuple[Reason, ...]:
        """The assumptions of the rewrite, but for those that runs confirmed."""
        return Seen(self.facts).left_open(self._assumed)

    @property
    def observed(self) -> tuple[Reason, ...]:
        """What the rewrite rests on because runs confirmed it."""
        return Seen(self.facts).confirming(self._assumed)

    @property
    def _assumed(self) -> tuple[Reason, ...]:
        return self.verdict.assumptions if isinstance(self.verdict, Inline) else ()

    def refused(self, reason: Reason) -> _Plan:
        """Return the plan without its rewrite."""
        return replace(self, verdict=Refuse(reason), edits=())


def _dropped(node: ast.AST) -> Reason:
    assert isinstance(node, ast.Call)
    return Rewrite.FLAG_DROPPED(name=ast.unparse(node.func))


def _harm_of_calls(calls: list[Site]) -> tuple[Harm, Saved | None, Awaited | None]:
    """Return the known harm that a module with `inplace=True` does in the calls that the file shows."""
    harms = [(*site.harm(), site.awaited()) for site in calls]
    harmful = [found for found in harms if found[0] is Harm.HARMFUL]
    if harmful:
        _, by, awaited = next((found for found in harmful if found[2] is None), harmful[0])
        return in_sight(Harm.HARMFUL, awaited), by, awaited
    is_harmless = bool(harms) and all(harm is Harm.HARMLESS for harm, *_ in harms)
    return (Harm.HARMLESS if is_harmless else Harm.POSSIBLE), None, None
