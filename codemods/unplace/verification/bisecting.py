"""Delta debugging: finds the changes that make a check fail, with as few runs of the check as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

Fails = Callable[[Sequence[T]], bool]
"""Runs the check with only these changes made and tells whether it fails."""


def guilty_sets(changes: Sequence[T], fails: Fails[T]) -> list[list[T]]:
    """Return minimal sets of changes that make the check fail; it holds with all other changes made together.

    The check must hold without changes. Changes are assumed not to mend each other: where some make it fail, more do
    too. One guilty change among n is found with about log2(n) + 3 runs, and so is each further one.
    """
    found: list[list[T]] = []
    left = list(changes)
    while left and fails(left):
        guilty = _minimal(left, fails)
        found.append(guilty)
        left = [change for change in left if change not in guilty]
    return found


def _minimal(changes: Sequence[T], fails: Fails[T]) -> list[T]:
    """Return a minimal set of changes that fail together, out of changes that do."""
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
