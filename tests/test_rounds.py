"""What the findings say was done for them is what was done, in however many rounds; what is settled is left out.

A third of the programs is taken, or all with `EVERY_VARIANT` in the environment.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sampling import one_in
from test_introduced import writes
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Harm, Status
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import LineRanges
from unplace.transform.decisions import Decision
from unplace.transform.emit.statements import Statements
from unplace.transform.incremental import Settled
from unplace.transform.rewriter import first_round, rewrite_text

TESTS = Path(__file__).parent
CASES = [
    *sorted(TESTS.glob("fixtures/*/*/before.py")),
    *sorted(TESTS.glob("regressions/*.py")),
    *sorted(TESTS.glob("failures/*.py")),
]


@pytest.mark.parametrize("case", CASES[:: one_in(3)], ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_rounds(case: Path, unsafe: bool) -> None:
    before, options = case.read_bytes().decode(), Options(unsafe=unsafe)
    report, leaves_out = rewritten(before, options)
    have_all_edits(report)
    assert not report.changed or writes(report.after) <= writes(before), "more operations in place than before"
    if leaves_out:
        assert rewritten(before, options, whole=True)[0] == report


@pytest.mark.parametrize("case", CASES[:: one_in(6)], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_counted_changes_nothing(case: Path) -> None:
    """`check` counts what it doesn't list: the list is that of `check --fix`, and all operations are there."""
    text, options = case.read_bytes().decode(), Options(only=frozenset([Harm.HARMFUL]))
    fixed, counted = rewrite_text(text, "m.py", options), rewrite_text(text, "m.py", replace(options, counts=True))
    assert counted.after == fixed.after
    told = {(f.line, f.column, f.code, f.harm, f.status, f.message) for f in counted.findings}
    assert {(f.line, f.column, f.code, f.harm, f.status, f.message) for f in fixed.findings} <= told
    every = {(f.line, f.column, f.code) for f in rewrite_text(text, "m.py", Options()).findings}
    assert {place[:3] for place in told} == every


def rewritten(text: str, options: Options, *, whole: bool = False) -> tuple[FileReport, bool]:
    """The report of a program, by whole rounds where that is asked for, and whether a round leaves something out."""
    looked_at: list[LineRanges | None] = []
    begin = Settled.begin

    def noted(settled: Settled, program: Program) -> LineRanges | None:
        looked_at.append(None if whole else begin(settled, program))
        return looked_at[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Settled, "begin", noted)
        return rewrite_text(text, "m.py", options), any(lines is not None for lines in looked_at)


def have_all_edits(report: FileReport) -> None:
    """Each edit belongs to findings, and the findings of a fix have the same ones."""
    found = [f for f in report.findings if f.status is Status.REWRITTEN]
    assert sorted({edit for finding in found for edit in finding.edits}) == sorted(set(report.edits))
    assert all(finding.edits for finding in found)
    for finding in found:
        assert all(other.edits == finding.edits for other in found if other.fix == finding.fix)


def test_what_a_later_round_does_is_part_of_the_fix() -> None:
    before = """import torch


def f(x: torch.Tensor):
    y = x.exp()
    for row in y:
        row += 1
    return y


def g(x: torch.Tensor):
    z = x.exp()
    z += 1
    return z
"""
    report = rewrite_text(before, "m.py", Options())
    rows, other = report.findings
    assert len(rows.edits) > len(first_round(before, "m.py", Options()).findings[0].edits)
    assert apply_edits(before, [*rows.edits, *other.edits]) == report.after
    assert rows.fix != other.fix
    assert not set(rows.edits) & set(other.edits)
    assert "x.exp().clone()" in apply_edits(before, rows.edits)


def test_a_later_round_speaks_of_the_lines_as_they_were() -> None:
    before = """import torch


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.act = torch.nn.ReLU(inplace=True)

    def forward(self, v):
        u = v.tanh()
        return self.act(u) + u


x = torch.ones(3, requires_grad=True)
y = x.exp()
while input():
    if input():
        lst[0] += 1
    if input():
        a, y = y, x.tanh()
        lst = [y]
        y = torch.relu_(y)
        print(y)
"""
    found = {f.line: f for f in rewrite_text(before, "m.py", Options()).findings}
    assert len(first_round(before, "m.py", Options()).after.splitlines()) > len(before.splitlines())
    assert found[18].saved_by is not None
    assert found[18].saved_by.line == 22
    assert "relu() in line 22" in found[18].message


def test_copies_that_call_for_others_come_to_an_end() -> None:
    before = """import torch


def run(x):
    h = x.abs()
    flat, window = (h[:, 0], h)
    flat *= flat
    h.exp_()
    flat.mul_(2)
    return flat.sum() + window.sum() * 2
"""
    report = rewrite_text(before, "model.py", Options(unsafe=True))
    assert [f.status for f in report.findings] == [Status.REWRITTEN] * 3
    assert rewrite_text(report.after, "model.py", Options(unsafe=True)).after == report.after


def test_a_rewrite_that_calls_for_another_one_in_every_round_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rule makes such edits: here, each adds a comment and leaves the operation as it is."""

    def commented(self: Statements, statement: ast.stmt, decisions: Sequence[Decision]) -> tuple[Edit, ...]:
        end = self.text.span(statement)[1]
        return (Edit(end, end, "  # again"),)

    monkeypatch.setattr(Statements, "edits", commented)
    before = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
    report = rewrite_text(before, "m.py", Options())
    assert report.after == before
    assert [(f.status, f.message) for f in report.findings] == [(Status.REFUSED, str(Refusal.NEVER_ENDS()))]
