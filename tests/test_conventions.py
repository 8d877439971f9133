"""Conventions: assumptions that runs of packages kept are made by default, said so, and left out with `--strict`."""

from __future__ import annotations

from typing import Any

import pytest

from unplace.config.options import Options
from unplace.diagnostics import conventions, measured
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.findings import Applicability, Finding, Status
from unplace.documents import rewrite
from unplace.reporting import sentences

LAYER = """\
import torch
from torch import nn
from layers import build


class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.act = build(cfg)

    def forward(self, x: torch.Tensor):
        y = self.act(x)
        z = y.exp()
        y.add_(1)
        return y * z
"""
IMPORTS = "import torch\nimport layers\n"
KEPT = {"result-held-alone": (2_000, 1)}


def finding(text: str, **options: Any) -> Finding:
    (found,) = rewrite(text, "net.py", Options(**options)).findings
    return found


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    """Return the table of places, empty at first."""
    places: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(conventions, "PLACES", places)
    return places


@pytest.mark.parametrize(
    ("places", "violated", "is_kept"),
    [(0, 0, False), (99, 0, False), (100, 0, True), (1_000, 1, False), (2_001, 2, True)],
)
def test_a_convention_is_violated_in_fewer_than_one_of_a_thousand_places(
    world: dict[str, tuple[int, int]], places: int, violated: int, is_kept: bool
) -> None:
    world["tensor"] = places, violated
    assert conventions.is_convention(Assumption.TENSOR(name="y")) is is_kept


def test_what_says_the_same_counts_together(world: dict[str, tuple[int, int]]) -> None:
    world.update({"result-held-alone": (90, 0), "not-kept": (10, 0)})
    assert conventions.is_convention(Assumption.LAYER_HELD_ALONE(layer="f"))
    world["not-kept"] = 10, 1
    assert not conventions.is_convention(Assumption.LAYER_HELD_ALONE(layer="f"))


def test_what_rests_on_conventions_alone_is_rewritten_by_default(world: dict[str, tuple[int, int]]) -> None:
    assert finding(LAYER).status is Status.REFUSED
    world.update(KEPT)
    found = finding(LAYER)
    assert (found.status, found.applicability) == (Status.REWRITTEN, Applicability.CONVENTIONAL)
    assert sentences.advice_lines(found)[-1] == (
        "by convention",
        "the result of `self.act(...)` is a tensor that nothing else holds, as in 1,999 of 2,000 places of packages "
        "that were run",
    )


@pytest.mark.parametrize(
    ("made", "is_alone"),
    [
        ("y = self.act(x)", True),
        ("_, y = self.act(x)", True),
        ("y = self.act(x).weight", False),
        ("y = layers.Act(x)", False),
        ("y = eval('x')", False),
    ],
)
def test_what_an_object_goes_on_holding_is_no_result(
    world: dict[str, tuple[int, int]], made: str, is_alone: bool
) -> None:
    world.update(KEPT)
    text = LAYER.replace("y = self.act(x)", f"y: torch.Tensor\n        {made}").replace("import torch\n", IMPORTS, 1)
    assert (finding(text).applicability is Applicability.CONVENTIONAL) is is_alone


def test_strict_leaves_conventions_out(world: dict[str, tuple[int, int]]) -> None:
    world.update(KEPT)
    found = finding(LAYER, strict=True)
    assert (found.status, found.applicability) == (Status.REFUSED, Applicability.CONVENTIONAL)
    assert found.message == (
        "left out by --strict: it rests on the convention that the result of `self.act(...)` is a tensor that nothing "
        "else holds"
    )
    assert finding(LAYER, strict=True, unsafe=True).status is Status.REFUSED


def test_a_convention_beside_another_assumption_waits_for_unsafe(world: dict[str, tuple[int, int]]) -> None:
    world.update(KEPT)
    found = finding(LAYER.replace("y = self.act(x)", "y = self.act(x) if self.training else x"))
    assert (found.status, found.applicability) == (Status.REFUSED, Applicability.UNSAFE)
    assert "no caller reads the argument" in found.message
    assert "nothing else holds" not in found.message


def test_the_table_names_assumptions() -> None:
    codes = {assumption.code for assumption in Assumption}
    assert measured.PLACES.keys() <= codes
    assert all(0 <= violated <= places for places, violated in measured.PLACES.values())
