"""The verifier itself is tested by mutation: it must call wrong rewrites different, and right ones equal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
import torch

from sabotage import MISTAKES, Run, differ, misspelt, wrapped
from sampling import one_in
from test_fixtures import CASES, Case
from unplace.verification.examples import maker
from unplace.verification.proof import Proof, Verdict, prove

REWRITTEN = [case for case in CASES if case.changes]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def proof_of(case: Case, before: str, after: str) -> Proof:
    return prove(maker(before, "before.py"), maker(after, "after.py"), repairs_gradient=case.repairs_gradient)


def spoilt(case: Case) -> Iterator[tuple[str, str, str]]:
    """What was done wrong, the original and the wrong rewrite, for each mistake that shows on a program."""
    try:
        run = Run.of(case.after)
        run.gradients()
    except RuntimeError:  # what is refused may go on failing
        return
    for mistake in MISTAKES:
        if mistake.shows(run):
            yield mistake.name, wrapped(case.before), wrapped(case.after, mistake.call)
    for name, wrong in misspelt(case.before, case.after):
        if differ(case.after, wrong):
            yield name, case.before, wrong


def missed(case: Case, some: slice) -> Iterator[str | None]:
    """For each wrong rewrite its description where it is not called different, None where it is."""
    for name, before, after in islice(spoilt(case), some.start, some.stop, some.step):
        found = proof_of(case, before, after).verdict
        yield None if found is Verdict.DIFFERENT else f"{case.name}: {name}: {found.value}"


def test_wrong_rewrites_are_called_different() -> None:
    found = [result for number, case in enumerate(CASES) for result in missed(case, slice(number % 13, None, 13))]
    assert len(found) >= 100
    assert [result for result in found if result is not None] == []


@pytest.mark.slow
def test_many_wrong_rewrites_are_called_different() -> None:
    part = one_in(18)
    found = [result for number, case in enumerate(CASES) for result in missed(case, slice(number % part, None, part))]
    assert len(found) > 6000 / part
    assert [result for result in found if result is not None] == []


@pytest.mark.slow
def test_every_mistake_is_made() -> None:
    made = {name.split(",")[0] for case in CASES for name, _, _ in spoilt(case)}
    assert made == {mistake.name for mistake in MISTAKES} | {"write-back", "operator", "clone"}


def equal(cases: list[Case]) -> dict[str, Verdict]:
    return {case.name: proof_of(case, wrapped(case.before), wrapped(case.after)).verdict for case in cases}


def test_right_rewrites_are_called_equal() -> None:
    """Wrapped as the wrong ones are; `test_fixtures` judges the same pairs, more than 100, as they are."""
    assert set(equal(REWRITTEN[::4]).values()) == {Verdict.EQUAL}


@pytest.mark.slow
def test_all_right_rewrites_are_called_equal() -> None:
    verdicts = equal(REWRITTEN)
    assert len(verdicts) >= 100
    assert set(verdicts.values()) == {Verdict.EQUAL}
