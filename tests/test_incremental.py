"""Later rounds leave out what is settled; `test_rounds.py` sees that they find what whole rounds would find."""

from __future__ import annotations

import pytest

from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.text.positions import LineRanges
from unplace.transform.incremental import Settled
from unplace.transform.rewriter import rewrite_text


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[LineRanges | None]:
    """The lines that each round looks at; None for a whole one."""
    found: list[LineRanges | None] = []
    begin = Settled.begin

    def noted(settled: Settled, program: Program) -> LineRanges | None:
        found.append(begin(settled, program))
        return found[-1]

    monkeypatch.setattr(Settled, "begin", noted)
    return found


EDITED = """import torch


def edited(x: torch.Tensor):
    y = x.exp()
    y += 1
    return y
"""


def test_other_functions_are_settled(looked_at: list[LineRanges | None]) -> None:
    other = "\n\ndef other(x: torch.Tensor):\n    x += 1\n"
    rewrite_text(EDITED + other, "m.py", Options())
    assert looked_at == [None, ((4, 7),)]


def test_a_function_is_not_settled_where_an_edited_one_calls_it(looked_at: list[LineRanges | None]) -> None:
    called = "\n\ndef called(x: torch.Tensor):\n    x += 1\n"
    rewrite_text(EDITED.replace("return y", "called(y)\n    return y") + called, "m.py", Options())
    assert looked_at == [None, ((4, 8), (11, 12))]


def test_a_caller_is_not_settled_where_its_call_has_another_effect(looked_at: list[LineRanges | None]) -> None:
    text = """import torch


def _shifted(x: torch.Tensor):
    y = x.exp()
    y += 1
    x += y
    return x


def caller(x: torch.Tensor):
    y = x.tanh()
    return _shifted(y)


def other(x: torch.Tensor):
    x += 1
"""
    rewrite_text(text, "m.py", Options())
    assert looked_at == [None, ((4, 8), (11, 13))]


@pytest.mark.parametrize(
    "read",
    ["print(BOX.held)", "getattr(BOX, 'held')", "getattr(BOX, name)", "vars(BOX)", "BOX.held += 1"],
    ids=["name", "text", "any", "vars", "augmented"],
)
def test_a_function_is_not_settled_where_it_may_read_an_attribute_that_an_edited_one_stores(
    read: str, looked_at: list[LineRanges | None]
) -> None:
    text = EDITED.replace("    y += 1", "    y += 1\n    BOX.held = y")
    reader = f"\n\ndef reader(x: torch.Tensor, name):\n    {read}\n    x += 1\n"
    other = "\n\ndef other(x: torch.Tensor):\n    print(BOX.kept, getattr(BOX, 'kept'))\n    x += 1\n"
    rewrite_text(f"{text}{reader}{other}", "m.py", Options(unsafe=True))
    assert looked_at == [None, ((4, 8), (11, 13))]


def test_readers_of_other_attributes_are_settled_where_an_edit_is_within_an_assignment(
    looked_at: list[LineRanges | None],
) -> None:
    text = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.scale = 2

    def forward(self, x):
        y = x.sigmoid()
        return self.act(y)

    def scaled(self, x: torch.Tensor):
        x += self.scale
"""
    rewrite_text(text, "m.py", Options())
    assert looked_at == [None, ((6, 9), (11, 13))]


@pytest.mark.parametrize("line", ["setattr(BOX, 'held', y)", "global held; held = y"], ids=["setattr", "global"])
def test_nothing_is_settled_where_an_edited_function_stores_outside(
    line: str, looked_at: list[LineRanges | None]
) -> None:
    text = EDITED.replace("    y += 1", f"    y += 1\n    {line}")
    rewrite_text(f"{text}\n\ndef other(x: torch.Tensor):\n    x += 1\n", "m.py", Options(unsafe=True))
    assert len(looked_at) > 1
    assert set(looked_at) == {None}


def test_nothing_is_settled_where_an_edit_is_outside_of_functions(looked_at: list[LineRanges | None]) -> None:
    rewrite_text(f"{EDITED}\n\nz = torch.ones(3, requires_grad=True).exp()\nz += 1\n", "m.py", Options())
    assert len(looked_at) > 1
    assert set(looked_at) == {None}
