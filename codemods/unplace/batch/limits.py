"""Files worked on within a limit of memory, so that none takes the machine down; `runs.limits` has the others."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence

from unplace.config.options import Options
from unplace.diagnostics.findings import Trouble
from unplace.runs.many import project_of
from unplace.runs.outcome import Outcome, rewrite_file
from unplace.runs.parallel import in_processes

MEMORY = 960 * 2**20
"""Bytes that a process may have for its data, on Linux; with the code that it runs it stays below 1 GiB."""

_FILES_PER_PROCESS = 8
"""Fewer are handled sooner than a further process has started."""

_FILES = 512
"""Files until processes are made anew, which gives back what they have gathered."""


class Work:
    """Works out what becomes of a file of a project, in a process that does nothing else."""

    def __init__(self, options: Options, paths: Sequence[str]) -> None:
        """`paths` are all files of the project."""
        self._options = options
        self._paths = paths
        self._project = project_of(paths)
        self._is_limited = False

    def __call__(self, path: str) -> Outcome:
        """What becomes of the file."""
        if not self._is_limited:
            _limit_memory()
            self._is_limited = True
        outcome = self._outcome(path)
        if outcome.problem is not None and outcome.problem.trouble is Trouble.NO_MEMORY:
            return self._outcome(path)  # with what was gathered before forgotten
        return outcome

    def _outcome(self, path: str) -> Outcome:
        outcome = rewrite_file(path, self._options, self._project)
        if outcome.problem is not None and outcome.problem.line is None:
            self._forget()  # it may have been left in the middle of something
        return outcome

    def _forget(self) -> None:
        """Forget what was gathered about other files."""
        self._project = project_of(self._paths)
        gc.collect()


def outcomes(paths: Sequence[str], options: Options, jobs: int, among: Sequence[str]) -> Iterator[Outcome]:
    """What becomes of each file, in their order, in up to `jobs` processes; `among` are all files of the project."""
    work = Work(options, among)
    jobs = max(1, min(jobs, len(paths) // _FILES_PER_PROCESS))
    for start in range(0, len(paths), _FILES * jobs):
        yield from in_processes(work, paths[start : start + _FILES * jobs], jobs, chunk=1)


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
