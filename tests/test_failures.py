"""Real in-place failures, as they are asked about in forums: how many come out fixed, and that none comes out wrong.

Each script under `tests/failures/` says in its docstring what torch says about it (see `tests/failures/README.md`).
`expected.json` there records what becomes of each: fixed in default mode (`safe`), with `--unsafe` (`unsafe`), or not
(`refused`). A script that isn't fixed may go on failing, but what its forward computes must not change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import pytest
import torch

from generator.oracle import IN_PLACE
from unplace.rewriter import Options, rewrite_text
from unplace.verification.compare import Difference, compare_gradients, compare_notes, compare_random_state
from unplace.verification.observe import observe
from unplace.verification.program import Maker, maker
from unplace.verification.proof import prove
from unplace.verification.reference import autograd_gradients, finite_differences, forward_only

FAILURES = Path(__file__).parent / "failures"
SILENT = "nothing, the gradient is wrong"


class Outcome(str, Enum):
    """What rewriting does for a script."""

    FIXED = "fixed"
    NOT_FIXED = "not fixed"
    WRONG = "wrong"


@dataclass(frozen=True)
class Failure:
    """A script exactly as it is on disk, and what torch says about it (`SILENT`: no error, a wrong gradient)."""

    name: str
    text: str
    complaint: str

    @property
    def is_silent(self) -> bool:
        return self.complaint == SILENT


@dataclass(frozen=True)
class Verdict:
    """What became of a script in one mode; `details` say what is wrong or why it still fails."""

    outcome: Outcome
    details: tuple[str, ...] = ()


def load(path: Path) -> Failure:
    text = path.read_bytes().decode()
    complaint = re.search(r"^Torch: (.+)$", text, re.MULTILINE)
    assert complaint is not None, f"{path} doesn't say what torch says"
    return Failure(path.stem, text, complaint[1])


CASES = [load(path) for path in sorted(FAILURES.glob("*.py"))]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@cache
def verdict(case: Failure, unsafe: bool) -> Verdict:
    """Rewrite a script and judge the result."""
    after = rewrite_text(case.text, f"{case.name}.py", Options(unsafe=unsafe)).after
    if after == case.text:
        return Verdict(Outcome.NOT_FIXED, ("not changed",))
    if unsafe and after == rewrite_text(case.text, f"{case.name}.py", Options()).after:
        return verdict(case, False)
    return judge(case, maker(case.text, f"{case.name}.py"), maker(after, f"{case.name}.py"), unsafe)


def judge(case: Failure, before: Maker, after: Maker, unsafe: bool) -> Verdict:
    """Fixed: the proof holds. Not fixed: autograd goes on failing as before, and the forward computes the same."""
    proof = prove(before, after, repairs_gradient=case.is_silent)
    found = counted(proof.differences, unsafe)
    if not found:
        return Verdict(Outcome.FIXED)
    left = prove(before, after).differences if case.is_silent else still_raising(before, after)
    if left is None or counted(left, unsafe):
        return Verdict(Outcome.WRONG, tuple(map(str, found)))
    return Verdict(Outcome.NOT_FIXED, tuple(map(str, found)))


def counted(differences: tuple[Difference, ...], unsafe: bool) -> list[Difference]:
    """With `--unsafe` no caller is assumed to look at what the function wrote to, so only outputs and gradients count."""
    return [difference for difference in differences if not (unsafe and difference.place.startswith("state"))]


def still_raising(before: Maker, after: Maker) -> tuple[Difference, ...] | None:
    """What the forwards differ in when autograd still complains about the rewritten program, None if it doesn't."""
    original, rewritten = observe(before), observe(after)
    error = rewritten.error or rewritten.backward_error
    if error is None or not IN_PLACE.search(error) or (rewritten.error is not None and original.error is None):
        return None
    a, b = forward_only(before), forward_only(after)
    return (*compare_notes(a.outputs, b.outputs), *compare_notes(a.state, b.state), *compare_random_state(a, b))


def category(case: Failure) -> str:
    """The word of `expected.json`."""
    if verdict(case, unsafe=False).outcome is Outcome.FIXED:
        return "safe"
    return "unsafe" if verdict(case, unsafe=True).outcome is Outcome.FIXED else "refused"


# -- the scripts fail ------------------------------------------------------------------------------------------------


@each_case
def test_the_script_fails_as_it_says(case: Failure) -> None:
    program = maker(case.text, case.name)
    seen = observe(program)
    error = seen.error or seen.backward_error
    if not case.is_silent:
        assert case.complaint in (error or "no error")
        return
    assert error is None
    assert list(compare_gradients(finite_differences(program), autograd_gradients(program).gradients))


# -- none comes out wrong, and most come out fixed --------------------------------------------------------------------


@pytest.mark.parametrize("unsafe", [False, True], ids=["default", "unsafe"])
@each_case
def test_the_rewritten_script_is_not_wrong(case: Failure, unsafe: bool) -> None:
    found = verdict(case, unsafe)
    assert found.outcome is not Outcome.WRONG, "\n".join(found.details)


@each_case
def test_a_second_run_changes_nothing(case: Failure) -> None:
    for options in (Options(), Options(unsafe=True)):
        after = rewrite_text(case.text, f"{case.name}.py", options).after
        assert rewrite_text(after, f"{case.name}.py", options).after == after


def test_what_becomes_of_each_script() -> None:
    expected = json.loads((FAILURES / "expected.json").read_text("utf-8"))
    assert {case.name: category(case) for case in CASES} == expected
