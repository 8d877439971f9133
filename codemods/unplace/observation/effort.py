"""The time that the search for holders and savers may take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of a program's own time the search may take, beside `free` seconds.

    `first` is the share for operations of which no run was examined yet, `again` that for all others.
    """

    free: float = 1.0
    first: float = 0.25
    again: float = 0.05


USUAL = Effort()
UNLIMITED = Effort(free=inf)
"""The effort that hardly slows a program, and one that has every wanted run examined."""


class Budget:
    """The time that a search has taken, against that of the program itself."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._began = time.perf_counter()
        self._spent = 0.0

    def spend(self, seconds: float) -> None:
        """Note time that was taken."""
        self._spent += seconds

    def allows(self, *, is_first: bool) -> bool:
        """Tell whether there is time to search, for an operation without an examined run or for another one."""
        own = time.perf_counter() - self._began - self._spent
        return self._spent < self._effort.free + (self._effort.first if is_first else self._effort.again) * own
