"""Handles the signals that end the process: turns them into an exception, so that cleanup runs, or puts them off."""

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


@contextmanager
def blocked() -> Iterator[None]:
    """Block the signals that end the process until the block is done, in processes started in it until `as_usual`.

    So a new process is never ended half-way through its start, by a handler that it inherited.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def as_usual() -> None:
    """Let signals end this process at once, but for those that are ignored; one that was `blocked` takes effect."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise EndedError(number)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
