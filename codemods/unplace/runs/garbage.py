"""When Python collects garbage: a parsed file is many long-lived objects, and each collection goes through them again.

Python's own threshold costs a third of a run.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

ALLOCATIONS = 50_000
"""Allocations between two collections in a process that keeps the files it has parsed."""

IN_ONE_FILE = 1_000_000
"""Allocations between two collections while one file is worked out: most files make less than that, and nearly all of
it is needed until the file is done.
"""

_AT_FIRST = 2_000_000
"""Objects that files leave behind before garbage is collected: a package of 40,000 lines leaves fewer."""


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Let the work on one file in the `with` block go on for `IN_ONE_FILE` allocations between two collections.

    Thresholds belong to the process, so that those of other threads than the main one stay.
    """
    threshold, *older = gc.get_threshold()
    if threshold == 0 or threading.current_thread() is not threading.main_thread():
        yield
        return
    gc.set_threshold(max(threshold, IN_ONE_FILE), *older)
    try:
        yield
    finally:
        _survivors.let_age()
        gc.set_threshold(threshold, *older)


@dataclass(slots=True)
class _Survivors:
    """What the files worked out so far have left behind: their trees, and a little garbage among them."""

    _uncollected: int = 0
    _most: int = _AT_FIRST

    def let_age(self) -> None:
        """Count all objects among the long-lived ones, unseen; collect garbage once they are half as many again.

        The end of each file would be a collection else, which goes through its tree and finds next to nothing. Where
        even that finds next to nothing, since no file was given up yet, the next one comes once they are twice as many.
        """
        self._uncollected += gc.get_count()[0]
        is_time = self._uncollected >= self._most
        found = gc.collect() if is_time else 0
        gc.freeze()
        if is_time:
            left = gc.get_freeze_count()
            self._uncollected, self._most = 0, max(_AT_FIRST, left if found < left // 20 else left // 2)
        gc.unfreeze()


_survivors = _Survivors()
