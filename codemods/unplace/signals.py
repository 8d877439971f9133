"""Handles the signals that end the process: turns them into an exception, so that cleanup runs, or delays them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class EndedError(KeyboardInterrupt):
    """Raised where a signal asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Raise `EndedError` in the block where a signal would end the process at once; ignored signals stay ignored."""
    numbers = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL] if _in_main_thread() else []
    for number in numbers:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def put_off() -> Iterator[None]:
    """Delay the signals that end the process until the block is done."""
    arrived: list[int] = []
    known = {number: signal.getsignal(number) for number in _ENDING} if _in_main_thread() else {}
    before = {number: handler for number, handler in known.items() if handler is not None}  # None: not set by Python
    for number in before:
        signal.signal(number, lambda number, _: arrived.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise EndedError(number)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
