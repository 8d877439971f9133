"""Modules made with `inplace=True`: the plan for the flag, and for the calls that then take a new tensor."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from unplace.analysis.domain.values import Saved
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.catalogue import Refusal, Rewrite
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit.snippet import Snippet
from unplace.transform.emit.statements import Statements
from unplace.transform.filter import Wanted
from unplace.transform.recipes import modules
from unplace.transform.report import Report
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Inline, Refuse


@dataclass(frozen=True, slots=True)
class Constructors:
    """Plans the rewriting of constructor calls with `inplace=True` in one file."""

    program: Program
    text: Text
    unsafe: bool
    rule: CallRule
    reports: Report

    def report(self, made: Sequence[tuple[Scope, ast.Call, str]], sites: list[Site], wanted: Wanted) -> None:
        """Report the outcome for each constructor that the run handles; `sites` are the known operations."""
        calls, judge = modules.calls_of(sites), modules.Judge(self.program)
        busy = {site.statement for site in sites if site.write.kind is not WriteKind.MODULE}
        done = self.reports.made()
        for scope, node, qualified in made:
            own = calls.get(node, [])
            harm, by = _harm_of_calls(own)
            if not wanted(self.rule.code, harm, node):
                continue
            verdict = judge.decide(scope, node, qualified, own)
            taking = judge.at_calls(node, qualified, own, self.rule, busy) if isinstance(verdict, Refuse) else []
            if taking:
                assumptions = tuple(dict.fromkeys(a for decision in taking for a in decision.assumptions))
                verdict = Inline((*judge.of_uses(node), *assumptions))
            edits = self._without_flag(node, qualified, taking) if isinstance(verdict, Inline) else ()
            if any(edit.start < e.end and e.start < edit.end for edit in edits for e in done):
                verdict, edits = Refuse(Refusal.LATER_AROUND()), ()
            assumptions = verdict.assumptions if isinstance(verdict, Inline) else ()
            applied = isinstance(verdict, Inline) and (self.unsafe or not assumptions)
            done += edits if applied else ()
            message = Rewrite.FLAG_DROPPED(name=ast.unparse(node.func))
            self.reports.add(
                node,
                self.rule.code,
                Form.INPLACE_ARGUMENT,
                verdict,
                applied,
                harm,
                by,
                message,
                assumptions,
                self.reports.number(),
                edits,
            )

    def _without_flag(self, node: ast.Call, qualified: str, taking: list[Decision]) -> tuple[Edit, ...]:
        """Return the edits of a module's constructor and of the calls that take the module's new tensor."""
        edits: list[Edit] = []
        for decision in taking:
            edits += Statements(self.text).edits(decision.site.statement, [decision])
        if not any(decision.change is not None for decision in taking):
            snippet = Snippet(self.text, node)
            snippet.change(node, modules.without_flag(qualified))
            edits.append(Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))
        return tuple(edits)


def _harm_of_calls(calls: list[Site]) -> tuple[Harm, Saved | None]:
    """Return the known harm that a module with `inplace=True` does in the calls that the file shows."""
    harms = [site.harm() for site in calls]
    harmful = next((found for found in harms if found[0] is Harm.HARMFUL), None)
    if harmful is not None:
        return harmful
    is_harmless = bool(harms) and all(harm is Harm.HARMLESS for harm, _ in harms)
    return (Harm.HARMLESS if is_harmless else Harm.UNKNOWN), None
