"""What one to three runs of each failing script let a rewrite repair without `--unsafe`, annotations left out."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable

import pytest
import torch

from judging import Outcome
from metamorphic.corpus import failures
from observing import repaired

REPAIRED = 0.95
"""The least share of the scripts that come out repaired."""
ONE_OF = 60


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    torch.set_num_threads(1)
    monkeypatch.setattr("unplace.observation.recorder._FREE", 1000.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcomes(one_of: int) -> dict[str, Outcome]:
    sample = [case for case in failures() if case.is_in_sample("observed", one_of)]
    return {case.name: repaired(case)[0].outcome for case in sample}


def test_no_observed_script_is_rewritten_wrongly() -> None:
    found = outcomes(ONE_OF)
    assert Outcome.WRONG not in found.values(), found
    assert Outcome.FIXED in found.values()


@pytest.mark.slow
def test_most_observed_scripts_are_repaired() -> None:
    found = outcomes(1)
    counts = Counter(found.values())
    assert not counts[Outcome.WRONG], found
    assert counts[Outcome.FIXED] >= REPAIRED * len(found), counts
