"""Shows a progress bar on the terminal for runs that take noticeably long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

_PATIENCE = 1.0
_REFRESH = 0.1


def watched(items: Iterable[T], total: int, title: str) -> Iterator[T]:
    """Yield the items unchanged; after a second, show the progress on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    bar: Progress | None = None
    due = time.monotonic() + _PATIENCE
    try:
        for done, item in enumerate(items, 1):
            yield item
            if time.monotonic() > due:
                if bar is None:
                    bar = _start(total, title)
                bar.update(bar.task_ids[0], completed=done, refresh=True)
                due = time.monotonic() + _REFRESH
    finally:
        if bar is not None:
            bar.stop()


def _start(total: int, title: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TextColumn("files"), TimeRemainingColumn())
    # Refreshed by hand: a refresh thread would be alive while processes are forked.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    bar.add_task("", total=total)
    bar.start()
    return bar
