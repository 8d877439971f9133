"""No rewrite brings in an operation in place: an underscore method, `out=` or `inplace=True` where none stood.

`test_rounds.py` counts them in all programs of the tests.
"""

from __future__ import annotations

import ast

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import Status
from unplace.text.edits import Edit
from unplace.transform.emit.statements import Statements
from unplace.transform.report import introduces_writes
from unplace.transform.rewriter import rewrite_text


def writes(text: str) -> int:
    """How many operations in place a program holds, stores into subscripts and attributes aside."""
    count = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AugAssign):
            count += 1
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            count += name.endswith("_") and not name.endswith("__")
            for keyword in node.keywords:
                is_set = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                count += keyword.arg == "out" or (keyword.arg == "inplace" and is_set)
    return count


@pytest.mark.parametrize(
    ("replaced", "replacement", "is_introduced"),
    [
        ("self.relu(y)", "y.copy_(self.relu(y))", True),
        ("torch.add(a, b)", "torch.add(a, b, out=c)", True),
        ("nn.ReLU()", "nn.ReLU(inplace=True)", True),
        ("y.add_(1)", "y.copy_(y.add(1)).mul_(2)", True),
        ("sigmoid_", "copy_(y.sigmoid", True),
        (" **= ", ".copy_(y ** ", True),
        ("y.sigmoid_()", "y[...] = y.sigmoid()", False),
        ("out = torch.relu_(out)", "out=torch.relu(out)", False),
        ("y.normal_()", "y = torch.empty_like(y).normal_()", False),
        ("F.relu(y, inplace=True)", "y.copy_(F.relu(y))", False),
    ],
)
def test_an_edit_that_brings_one_in_is_told(replaced: str, replacement: str, is_introduced: bool) -> None:
    assert introduces_writes(f"z = {replaced}", [Edit(4, 4 + len(replaced), replacement)]) is is_introduced


def test_a_recipe_that_brings_one_in_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
    start = before.index("y += 1")
    edits = (Edit(start, start + len("y += 1"), "y = y.copy_(y + 1)"),)
    monkeypatch.setattr(Statements, "edits", lambda *arguments: edits)
    report = rewrite_text(before, "before.py", Options())
    assert report.after == before
    assert [finding.status for finding in report.findings] == [Status.REFUSED]
