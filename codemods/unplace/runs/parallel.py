"""Does the same work on many files in several processes, and returns the results in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from unplace.files.discovery import shown
from unplace.runs.outcome import Outcome, failed
from unplace.signals import as_usual, blocked

Work = Callable[[str], Outcome]

_work: Work  # of a worker process, kept from one file to the next


def in_processes(work: Work, paths: Sequence[str], jobs: int, chunk: int | None = None) -> Iterator[Outcome]:
    """Do the work on each file in `jobs` processes, each given `chunk` files at a time; yield outcomes in order.

    The work must have no effects outside its process: when the caller stops early, the processes are killed.
    """
    done = 0
    if chunk is None:
        chunk = max(1, min(16, len(paths) // (jobs * 4)))
    while done < len(paths):
        try:
            with _pool(work, jobs) as pool:
                with blocked():
                    outcomes = pool.map(_do, paths[done:], chunksize=chunk)
                for outcome in outcomes:
                    yield outcome
                    done += 1
        except BrokenProcessPool:  # noqa: PERF203
            # A file killed its process: run each file in progress in a process of its own until the culprit shows.
            for outcome in _one_by_one(work, paths[done : done + 2 * jobs * chunk]):
                yield outcome
                done += 1


def _one_by_one(work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
    """Do the work on one file after the other, up to and including the first that kills its process.

    There may be no such file: then the memory was only too small for all of them together.
    """
    for path in paths:
        try:
            with _pool(work, 1) as pool:
                with blocked():
                    future = pool.submit(_do, path)
                yield future.result()
        except BrokenProcessPool:  # noqa: PERF203
            reason = "its process died (out of memory, or a crash of the interpreter)"
            yield failed(shown(path), f"internal error, nothing written: {reason}; please report it with this file")
            return


@contextmanager
def _pool(work: Work, jobs: int) -> Iterator[ProcessPoolExecutor]:
    with _safe_path():
        pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(work,))
        try:
            yield pool
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep Python from starting processes with the working folder on the path, as it does where it doesn't fork."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        if before is not None:
            os.environ["PYTHONSAFEPATH"] = before


def _begin(work: Work) -> None:
    """Prepare a worker process: it leaves interrupts to its parent, can be terminated, and ends with its parent."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    as_usual()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _do(path: str) -> Outcome:
    return _work(path)
