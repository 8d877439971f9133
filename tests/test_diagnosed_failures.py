"""How many of the failing scripts `diagnose --fix` repairs, annotations left out: a sample of them.

`PYTHONPATH=codemods:tests python -m diagnosing` takes all.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

import pytest
import torch

from diagnosing import diagnosed, raising
from judging import Outcome

QUICK, SLOW = 60, 8
"""One script of so many is taken."""
MISSED = 0.05
"""The largest share of the scripts that may stay as they are."""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    torch.set_num_threads(1)
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setattr("sys.excepthook", sys.excepthook)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("one_of", [QUICK, pytest.param(SLOW, marks=pytest.mark.slow)])
def test_most_programs_run_after_the_fix_and_none_computes_anything_else(one_of: int) -> None:
    found = {case.name: diagnosed(case) for case in raising() if case.is_in_sample("diagnosed", one_of)}
    assert [name for name, verdict in found.items() if verdict.outcome is Outcome.WRONG] == []
    missed = [name for name, verdict in found.items() if verdict.outcome is not Outcome.FIXED]
    assert len(missed) <= max(1, MISSED * len(found)), missed
