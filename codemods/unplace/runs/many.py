"""Runs over many files: computes their outcomes, in this process or several, and writes the changes."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from unplace.config.options import Options
from unplace.runs.garbage import ALLOCATIONS
from unplace.runs.outcome import Outcome, failed, rewrite_file

if TYPE_CHECKING:
    from unplace.analysis.project.files import Project
    from unplace.runs.cache import Results

_FILES_PER_PROCESS = 8
"""Files for which a process pays: fewer are done sooner than it has started and imported LibCST."""


def rewrite_files(
    paths: Sequence[str],
    options: Options,
    jobs: int | None,
    results: Results | None = None,
    project: Callable[[], Project | None] | None = None,
) -> Generator[Outcome, None, None]:
    """Yield the outcome of each file, in their order, worked out in up to `jobs` processes; nothing is written.

    `project` gives all files of the run, where the paths are only those for which the options hold.
    Outcomes that earlier `results` hold are taken from there, and new ones are added to them.
    """
    project = functools.partial(project_of, paths) if project is None else project
    if results is None:
        yield from _worked_out(paths, project, options, jobs)
        return
    known = {path: outcome for path in paths if (outcome := results.outcome(path)) is not None}
    with contextlib.closing(_worked_out([p for p in paths if p not in known], project, options, jobs)) as new:
        for path in paths:
            outcome = known.pop(path, None)
            if outcome is None:
                outcome = next(new)
                results.keep(path, outcome)
            yield outcome


def _worked_out(
    paths: Sequence[str], project: Callable[[], Project | None], options: Options, jobs: int | None
) -> Generator[Outcome, None, None]:
    """Yield the outcome of each file; `project` gives all files of the run."""
    if not paths:
        return
    work = functools.partial(rewrite_file, options=options, project=project())
    wanted = min(processors(), -(-len(paths) // _FILES_PER_PROCESS)) if jobs is None else min(jobs, len(paths))
    if wanted > 1:
        from unplace.runs.parallel import in_processes  # only now: it costs a fifth of a small run

        yield from in_processes(work, paths, wanted)
    else:
        yield from map(work, paths)


def project_of(paths: Sequence[str]) -> Project | None:
    """Return the project that the files look each other up in; None where there is only one file."""
    if len(paths) < 2:
        return None
    gc.set_threshold(ALLOCATIONS)
    from unplace.analysis.project.files import Project  # only now: one file needs none of it

    return Project(paths)


def together(outcomes: Sequence[Outcome]) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes in groups that have to be written together, each at the place of its first file."""
    done: set[str] = set()
    for outcome in outcomes:
        if not outcome.along:
            yield [outcome]
        elif outcome.path not in done:
            group = [one for one in outcomes if one.path in outcome.along | {outcome.path}]
            done.update(one.path for one in group)
            yield group


def written(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Write the files that changed, all or none, and return their outcomes, with the problem where one isn't."""
    changed = [outcome for outcome in outcomes if outcome.change is not None]
    if not changed:
        return list(outcomes)
    from unplace.files.writing import WriteError, replace_contents  # only now: most files are left as they are

    done: list[Outcome] = []
    try:
        for outcome in changed:
            assert outcome.change is not None
            replace_contents(outcome.path, outcome.change.before.data, outcome.change.after.data)
            done.append(outcome)
    except WriteError as error:
        for outcome in done:
            assert outcome.change is not None
            with contextlib.suppress(WriteError):
                replace_contents(outcome.path, outcome.change.after.data, outcome.change.before.data)
        culprit = changed[len(done)].path
        left = f"not written, because {culprit} wasn't, which has to change with it"
        return [failed(o.path, str(error) if o.path == culprit else left) if o in changed else o for o in outcomes]
    return list(outcomes)


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
