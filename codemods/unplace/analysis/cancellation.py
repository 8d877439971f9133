"""Cancellation: ends work from within that nobody waits for any more, such as an editor's after the next keystroke."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class CancelledError(Exception):
    """Nobody waits for the answer any more."""


def _never() -> bool:
    return False


_is_cancelled: ContextVar[Callable[[], bool]] = ContextVar("_is_cancelled", default=_never)


@contextmanager
def cancelled_where(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Have work in the block end with `CancelledError` as soon as `is_cancelled` says so, which is asked often."""
    token = _is_cancelled.set(is_cancelled)
    try:
        yield
    finally:
        _is_cancelled.reset(token)


def go_on() -> None:
    """Raise `CancelledError` where the work under way is cancelled."""
    if _is_cancelled.get()():
        raise CancelledError
