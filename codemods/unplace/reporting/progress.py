"""Shows how far a run is: on a terminal as a bar, elsewhere as a line of text now and then. Quick runs show nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


class _Shown(Protocol):
    """A way to show the progress: after `patience` seconds, and then every `pause` seconds."""

    patience: float
    pause: float

    def show(self, done: int) -> None:
        """Show how many items are done."""

    def close(self) -> None:
        """End the display."""


def watched(items: Iterable[T], total: int, title: str) -> Iterator[T]:
    """Yield the items unchanged, and show on standard error how many there were, while the next one takes long, too."""
    done = 0
    with _telling(_Bar(total, title) if sys.stderr.isatty() else _Lines(total, title), lambda: done):
        for item in items:
            yield item
            done += 1


@contextmanager
def _telling(shown: _Shown, done: Callable[[], int]) -> Iterator[None]:
    """Show the progress in a thread of its own, which sleeps when the processes of a run are forked."""
    over = threading.Event()

    def tell() -> None:
        pause = shown.patience
        while not over.wait(pause):
            shown.show(done())
            pause = shown.pause

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        shown.close()


class _Bar:
    """A progress bar."""

    patience = 1.0
    pause = 0.1

    def __init__(self, total: int, title: str) -> None:
        self._total = total
        self._title = title
        self._bar: Progress | None = None

    def show(self, done: int) -> None:
        if self._bar is None:
            self._bar = _start(self._total, self._title)
        self._bar.update(self._bar.task_ids[0], completed=done, refresh=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


class _Lines:
    """Lines such as `Checking: 120 of 480 files done`, for a pipe or a log."""

    patience = 8.0
    pause = 10.0

    def __init__(self, total: int, title: str) -> None:
        self._total = total
        self._title = title

    def show(self, done: int) -> None:
        print(f"{self._title}: {done} of {self._total} files done", file=sys.stderr, flush=True)  # noqa: T201

    def close(self) -> None:
        """Leave the lines as they are."""


def _start(total: int, title: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TextColumn("files"), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    bar.add_task("", total=total)
    bar.start()
    return bar
