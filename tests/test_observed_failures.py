"""What one to three runs of each failing script let a rewrite repair without `--unsafe`, annotations left out.

A ninth of the scripts is taken; `PYTHONPATH=codemods:tests python -m observing` takes all.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable

import pytest
import torch

from judging import Outcome
from metamorphic.corpus import Case, failures
from observing import repaired
from sampling import one_in

REPAIRED = 0.95
"""The least share of the scripts that come out repaired."""
QUICK, SLOW = 90, one_in(9)
"""One script of so many is taken."""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcomes(cases: Iterable[Case]) -> dict[str, Outcome]:
    return {case.name: repaired(case)[0].outcome for case in cases}


def test_no_observed_script_is_rewritten_wrongly() -> None:
    found = outcomes(case for case in failures() if case.is_in_sample("observed", QUICK))
    assert Outcome.WRONG not in found.values(), found
    assert Outcome.FIXED in found.values()


@pytest.mark.slow
def test_most_observed_scripts_are_repaired() -> None:
    found = outcomes(case for case in failures() if case.is_in_sample("observed", SLOW))
    counts = Counter(found.values())
    assert not counts[Outcome.WRONG], found
    assert counts[Outcome.FIXED] >= REPAIRED * len(found), counts
