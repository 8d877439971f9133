"""A run over many repositories: hands them out to an engine, collects the records and retries what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from pathlib import Path

from unplace.batch.engines import Engine, EngineError
from unplace.batch.job import Job, Settings, to_json
from unplace.batch.origin import identity, is_url
from unplace.batch.record_json import record_from_json
from unplace.batch.records import RepositoryRecord, Result
from unplace.batch.repository_process import perform
from unplace.batch.run_state import RunState
from unplace.batch.targets import Target
from unplace.batch.unattended_git import git
from unplace.files.git import GitError

_ATTEMPTS = 3
"""The number of times that a repository is handed out whose process is lost each time."""

_TICK = 0.5
"""Seconds between two looks at the progress."""


def dispatch(state: RunState, engine: Engine, settings: Settings) -> Iterator[RepositoryRecord | None]:
    """Migrate the repositories that have no record yet; yield each record once it is stored.

    While it waits it yields None about twice a second, so that progress can be shown. Raises `EngineError` where the
    whole engine is lost.
    """
    waiting = _by_size(state.open_targets(), engine)
    total = sum(size for _, size in waiting)
    running: dict[Future[str], tuple[Target, int, int]] = {}
    while waiting or running:
        free = None if engine.processes is None else engine.processes - sum(share for _, _, share in running.values())
        while waiting and (free is None or free > 0):
            target, size = waiting.pop(0)
            share = 1
            if engine.processes is not None and free is not None:
                # In proportion to what is left, so that no large one is left over for a single process at the end.
                share = max(1, min(free, round(engine.processes * size / total)))
                free -= share
            total -= size
            state.note_attempt(target.name)
            running[_submit(engine, _job(target, state.folder, settings, share))] = target, size, share
        done, _ = wait(running, _TICK, FIRST_COMPLETED)
        for future in done:
            target, size, _ = running.pop(future)
            record = _record(future, target, state)
            if record is None:
                waiting.insert(0, (target, size))
                total += size
            else:
                state.keep(record)
                yield record
        yield None


def _submit(engine: Engine, job: Job) -> Future[str]:
    try:
        return engine.executor.submit(perform, to_json(job))
    except Exception as error:
        raise EngineError(f"the engine takes no more work: {type(error).__name__}: {error}") from error


def _record(future: Future[str], target: Target, state: RunState) -> RepositoryRecord | None:
    """Return the record of an attempt that has ended; None where the repository is to be tried again."""
    try:
        return record_from_json(future.result())
    except CancelledError:
        raise EngineError("the engine is gone, and what it was at with it") from None
    except Exception as error:  # whatever an engine raises for a worker that is lost
        problems = state.note_problem(target.name, " ".join(f"{type(error).__name__}: {error}".split()))
        if len(problems) < _ATTEMPTS:
            return None
        reason = f"given up after {len(problems)} attempts: {problems[-1]}"
        return RepositoryRecord(target.name, target.location, Result.FAILED, reason)


def _job(target: Target, folder: Path, settings: Settings, share: int) -> Job:
    command = settings.verify_command if target.verify_command is None else target.verify_command
    timeout = settings.timeout if target.timeout is None else target.timeout
    own = replace(settings, verify_command=command or None, timeout=timeout)
    try:
        name = identity(target.location)  # here, because the machines of a cluster seldom know
    except GitError:
        name = {}
    return Job(target.name, target.location, str(folder), own, share, name)


def _by_size(targets: Sequence[Target], engine: Engine) -> list[tuple[Target, int]]:
    """Return the repositories with their numbers of files, large ones first.

    They keep their order, with a number of 1 each, where one process does all or the engine places the work itself.
    """
    if engine.processes in (None, 1) or len(targets) < 2:
        return [(target, 1) for target in targets]
    known = {target: size for target in targets if (size := _size(target.location)) is not None}
    usual = max(1, sum(known.values()) // len(known)) if known else 1
    return sorted(((target, known.get(target, usual)) for target in targets), key=lambda pair: -pair[1])


def _size(location: str) -> int | None:
    """Return the number of Python files that Git knows in a folder, plus 1; None where that can't be told."""
    if is_url(location):
        return None
    try:
        return 1 + git("ls-tree", "-r", "-z", "--name-only", "HEAD", folder=Path(location)).count(b".py\0")
    except GitError:
        return None
