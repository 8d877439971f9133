"""Delta debugging: which of many changes make a check fail, with as few runs of the check as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

Fails = Callable[[Sequence[T]], bool]
"""Runs the check with some of the changes made."""


def guilty_sets(changes: Sequence[T], fails: Fails[T]) -> list[list[T]]:
    """Minimal sets of changes that make the check fail, until it holds with all that are left.

    The check must hold without changes. It is taken for granted that changes don't mend each other: where some make
    it fail, more do too. One guilty change among n is found with about log2(n) + 3 runs, and so is each further one.
    """
    found: list[list[T]] = []
    left = list(changes)
    while left and fails(left):
        guilty = _minimal(left, fails)
        found.append(guilty)
        left = [change for change in left if change not in guilty]
    return found


def _minimal(changes: Sequence[T], fails: Fails[T]) -> list[T]:
    """A set of which no element can be spared, out of changes that fail together."""
    needed: list[T] = []
    candidates = list(changes)
    while True:
        # The shortest beginning that fails together with what is needed: its last element is needed, too.
        low, high = 0, len(candidates)
        while high - low > 1:
            middle = (low + high) // 2
            if fails([*needed, *candidates[:middle]]):
                high = middle
            else:
                low = middle
        needed.append(candidates[high - 1])
        candidates = candidates[: high - 1]
        if not candidates or fails(needed):
            return needed
