"""Work on long files in which one thing is repeated, counted in calls: seconds depend on the machine.

Twice as much of it takes about twice the work, or up to three times where each is compared with those before.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType

import pytest

from unplace.config.options import Options
from unplace.runs.outcome import rewrite_bytes

FEWER = 8
"""How many times fewer than in the benchmark."""

NESTED = "`for` in each other"
STORES = "`x[:, i] = x[:, i + 1] * i`"
"""Each store is compared with all views so far: the one that grows with the square."""


def _generated() -> ModuleType:
    path = Path(__file__).parents[1] / "scripts" / "generated.py"
    spec = importlib.util.spec_from_file_location("generated", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED: dict[str, tuple[int, Callable[[int], str]]] = _generated().GENERATED


def calls(text: str) -> int:
    """Count the calls of Python functions while a file is worked out."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        outcome = rewrite_bytes(text.encode(), "generated.py", Options())
    finally:
        sys.setprofile(before)
    assert outcome.problem is None
    return count


@pytest.mark.parametrize("name", [name for name in GENERATED if name != NESTED])
def test_twice_as_much_takes_no_more_than_three_times_the_work(name: str) -> None:
    times, make = GENERATED[name]
    size = times // FEWER
    calls(make(2))  # imports what is needed
    assert calls(make(2 * size)) < (4 if name == STORES else 3) * calls(make(size))


def test_loops_in_each_other_cost_little_more_than_one() -> None:
    _, make = GENERATED[NESTED]
    calls(make(2))
    assert calls(make(12)) < 3 * calls(make(6))
