"""Limits on the work on one file, so that none holds up the others or takes the process down."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BYTES = 20 * 2**20
"""The largest size of a file in bytes; its tree takes a hundred times as much memory."""

SECONDS = 120
"""The longest time in seconds: processor time, so that a busy machine makes no difference."""

FRAMES = 10_000 if sys.version_info >= (3, 11) else 5_000
"""The deepest nesting of calls, half a dozen for each level of an expression; before Python 3.11 each uses C stack."""


SPLIT = "split it, or leave it out (`exclude` in the configuration)"


class LimitError(Exception):
    """Raised where the work on a file meets a limit; the message says which one, and what to do."""


class NoMemoryError(LimitError):
    """Raised where a file needs more memory than there is."""


class _OutOfTimeError(BaseException):
    """Raised when the time is up; not an `Exception`, so that no handler on the way takes it for something else."""


@contextmanager
def limited() -> Iterator[None]:
    """Hold the work on one file in the `with` block to the limits on time, nesting and memory; raise `LimitError`.

    Those on time and nesting hold in the main thread of a process. On Windows there is no limit on time.
    """
    try:
        with _more_frames(), _alarm():
            yield
    except _OutOfTimeError:
        raise LimitError(f"not done in {SECONDS} seconds of processor time; nothing written; {SPLIT}") from None
    except RecursionError as error:
        raise LimitError(f"nested too deeply to be worked out; nothing written; {SPLIT}") from error
    except MemoryError as error:
        advice = "give fewer `--jobs`, or leave it out (`exclude` in the configuration)"
        raise NoMemoryError(f"not enough memory to work on it; nothing written; {advice}") from error


@contextmanager
def _more_frames() -> Iterator[None]:
    depth = sys.getrecursionlimit()
    if _in_main_thread():  # others have a stack of unknown size
        sys.setrecursionlimit(max(depth, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)


@contextmanager
def _alarm() -> Iterator[None]:
    if not hasattr(signal, "setitimer") or not _in_main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise _OutOfTimeError


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
