"""Shows the progress of a migration: a line for each repository, and on a terminal a progress bar below them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unplace.batch.records import RepositoryRecord, Result
from unplace.diagnostics.findings import Status
from unplace.reporting.summary import number
from unplace.reporting.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from unplace.batch.run_state import Progress
    from unplace.batch.standing import Standing

_SHOWN = 3
"""The largest number of repositories in work that the bar names."""


def sentence(record: RepositoryRecord, *, dry_run: bool) -> str:
    """Return one line that tells the result for a repository."""
    counts = dict.fromkeys(Status, 0)
    for found in record.found:
        for site in found.sites:
            counts[Status(site.status)] += 1
    changed = sum(found.after is not None for found in record.found)
    parts = [f"{record.name}: {said(record.result, dry_run=dry_run)}"]
    reason = [visible(" ".join(record.reason.split()))] if record.reason else []
    if record.result is not Result.MIGRATED:
        parts += reason
    else:
        parts.append(f"{number(counts[Status.REWRITTEN], 'operation')} in {number(changed, 'file')} of {record.files}")
    if counts[Status.REFUSED]:
        parts.append(f"{counts[Status.REFUSED]} refused")
    left_out = sum(site.left_out for found in record.found for site in found.sites)
    if left_out and record.result is not Result.SKIPPED:
        parts.append(f"{left_out} left out by the verification")
    if record.verification is not None and record.verification.flaky:
        parts.append(number(len(record.verification.flaky), "flaky test"))
    if record.errors:
        parts.append(f"{number(len(record.errors), 'file')} could not be handled")
    if record.result is Result.MIGRATED:
        parts += reason
    return f"{', '.join(parts)} ({record.seconds:.1f} s)"


def status(progress: Progress, *, is_active: bool, dry_run: bool) -> Iterator[str]:
    """Yield the state of a run, for a process that is not the run itself (`--status`)."""
    yield f"{summary(progress, dry_run=dry_run)}."
    if progress.errors:
        yield f"{number(progress.errors, 'file')} could not be handled."
    for name, standing in progress.running.items():
        yield f"{'in work' if is_active else 'interrupted'}: {name}, {_step(standing) or _files(standing)}"
    if not is_active and progress.done < progress.total:
        yield "No run is active; `unplace migrate --resume` goes on."


def _files(standing: Standing) -> str:
    return f"{standing.done} of {standing.total} files"


def _step(standing: Standing) -> str:
    """Return the step behind the analysis in words; an empty string before it."""
    if standing.run > standing.most:
        return f"{standing.step}, run {standing.run}, as several edits are to blame"
    return f"{standing.step}, run {standing.run} of at most {standing.most}" if standing.step else ""


def summary(progress: Progress, *, dry_run: bool) -> str:
    """Return the state of a run in one line."""
    counts = [f"{count} {said(r, dry_run=dry_run)}" for r in Result if (count := progress.results.get(r))]
    done = f"{progress.done} of {progress.total} {'repository' if progress.total == 1 else 'repositories'} done"
    return f"{done}{': ' if counts else ''}{', '.join(counts)}; {number(progress.files, 'file')} read"


def said(result: Result, *, dry_run: bool) -> str:
    """Return a result in words: a dry run migrates nothing."""
    return "would be migrated" if dry_run and result is Result.MIGRATED else result.value


class Display:
    """Shows a run while it goes on; where standard error is no terminal, it prints only the lines."""

    def __init__(self, *, dry_run: bool) -> None:
        self._dry_run = dry_run
        self._bar: Bar | None = None
        self._start = time.monotonic()
        self._files_before: int | None = None

    def show(self, record: RepositoryRecord, progress: Progress) -> None:
        """Print the line of a repository that is done."""
        if self._bar is not None:
            self._bar.stop()
        print(f"[{progress.done}/{progress.total}] {sentence(record, dry_run=self._dry_run)}", flush=True)  # noqa: T201
        if self._bar is not None:
            self._bar.start()

    def update(self, progress: Progress) -> None:
        """Refresh the progress bar."""
        if not sys.stderr.isatty():
            return
        files = progress.files_so_far
        if self._files_before is None:
            self._files_before = files
        rate = max(0, files - self._files_before) / max(time.monotonic() - self._start, 0.1)
        if self._bar is None:
            self._bar = _bar(progress.total)
        description = f"{rate:.0f} files/s, {number(progress.errors, 'error')}"
        names = [f"{name} {_step(at) or f'{at.done}/{at.total}'}" for name, at in progress.running.items()]
        shown = ", ".join([*names[:_SHOWN], *([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])])
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=progress.done, description=description, running=shown, refresh=True)

    def close(self) -> None:
        """Remove the progress bar."""
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def displayed(*, dry_run: bool) -> Iterator[Display]:
    """Provide a display for the block, and close it at the end."""
    display = Display(dry_run=dry_run)
    try:
        yield display
    finally:
        display.close()


def _bar(total: int) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("repositories, {task.description}"),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[running]}"),
    )
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False)
    bar.add_task("", total=total, running="")
    bar.start()
    return bar
