"""Works out the outcomes of a repository's files in processes with a limit on their memory.

No file can take the machine down that way; the limits on time and nesting are those of `runs.limits`.
"""

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
"""The bytes that a process may use for data, on Linux; with the code that it runs, it stays below 1 GiB."""

_FILES_PER_PROCESS = 8
"""Files for which a further process pays: fewer are done sooner than it has started."""

_FILES = 512
"""Files after which processes are replaced, which gives back the memory that they have gathered."""


class Work:
    """A function that works out the outcome of a project's file, in a process that does nothing else."""

    def __init__(self, options: Options, paths: Sequence[str]) -> None:
        """Take the options, and the paths of all files of the project."""
        self._options = options
        self._paths = paths
        self._project = project_of(paths)
        self._is_limited = False

    def __call__(self, path: str) -> Outcome:
        """Return the outcome of a file; one that runs out of memory gets a second try with an empty cache."""
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
    """Yield the outcome of each file, in their order, worked out in up to `jobs` processes.

    `among` are the paths of all files of the project.
    """
    work = Work(options, among)
    jobs = max(1, min(jobs, len(paths) // _FILES_PER_PROCESS))
    for start in range(0, len(paths), _FILES * jobs):
        yield from in_processes(work, paths[start : start + _FILES * jobs], jobs, chunk=1)


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
