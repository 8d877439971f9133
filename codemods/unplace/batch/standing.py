"""How far the work on a repository is: written by its process about three times a second, read by anybody."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from unplace.batch.state_folder import replace_file

_PAUSE = 0.3
"""Seconds between two notes about files."""

OBSERVING, VERIFYING = "observing", "verifying"
"""The steps in which the repository's command is run."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The number of files done and of all files; then the step, and the run of the command that is under way.

    `most` is the number of runs that the step takes where one edit at most is to blame for a failure.
    """

    done: int
    total: int
    step: str = ""
    run: int = 0
    most: int = 0


class Meter:
    """Notes the standing of a repository in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = (0, 0)
        self._due = 0.0

    def files(self, done: int, total: int) -> None:
        """Note the number of files done and of all files."""
        self._files = done, total
        if time.monotonic() >= self._due or done == total:
            self._write()
            self._due = time.monotonic() + _PAUSE

    def runs(self, step: str, run: int, most: int) -> None:
        """Note that a run of the repository's command begins."""
        self._write(step, run, most)

    def _write(self, *step: object) -> None:
        replace_file(self._path, " ".join(map(str, (*self._files, *step))).encode("ascii"))


def standing(path: Path) -> Standing | None:
    """Return the standing that a file tells; None where there is no such file."""
    try:
        done, total, *rest = path.read_text("ascii").split()
    except FileNotFoundError:
        return None
    if not rest:
        return Standing(int(done), int(total))
    step, run, most = rest
    return Standing(int(done), int(total), step, int(run), int(most))
