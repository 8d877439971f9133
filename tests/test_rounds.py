"""What the findings say was done for them is what was done, in however many rounds."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

from unplace.config.options import Options
from unplace.diagnostics.catalogue import Refusal
from unplace.diagnostics.findings import Status
from unplace.text.edits import Edit, apply_edits
from unplace.transform.decisions import Decision
from unplace.transform.emit.statements import Statements
from unplace.transform.rewriter import first_round, rewrite_text

TESTS = Path(__file__).parent
CASES = [
    *sorted(TESTS.glob("fixtures/*/*/before.py")),
    *sorted(TESTS.glob("regressions/*.py"))[::2],
    *sorted(TESTS.glob("failures/*.py"))[::2],
]


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_the_findings_have_all_edits(case: Path, unsafe: bool) -> None:
    before = case.read_bytes().decode()
    report = rewrite_text(before, "m.py", Options(unsafe=unsafe))
    rewritten = [f for f in report.findings if f.status is Status.REWRITTEN]
    assert sorted({edit for finding in rewritten for edit in finding.edits}) == sorted(set(report.edits))
    assert all(finding.edits for finding in rewritten)
    for finding in rewritten:
        assert [f.edits for f in rewritten if f.fix == finding.fix] == [
            finding.edits for f in rewritten if f.fix == finding.fix
        ]


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
