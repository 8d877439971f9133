"""When Python collects garbage: a parsed file is many long-lived objects, and each collection goes through them again.

Python's own threshold costs a third of a run.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ALLOCATIONS = 50_000
"""Allocations between two collections in a process that keeps the files it has parsed."""

IN_ONE_FILE = 1_000_000
"""Allocations between two collections while one file is worked out: most files make less than that, and nearly all of
it is needed until the file is done.
"""


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
        gc.set_threshold(threshold, *older)
