"""Migrates a repository in a process of its own: both the side that waits for the process and the one that runs in it.

A process for each repository gives its memory back, has its own current folder, and dies alone. It ends when the
process that waits for it does, however that ended: its standard input is closed then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO
from weakref import WeakSet

import unplace
from unplace.batch.job import job_from
from unplace.batch.record_json import record_to_json
from unplace.batch.standing import Meter

_GRACE = 3.0
"""The seconds that a process has to end in an orderly way, to stop running tests for example."""

_CODE = """
import sys
sys.path = [*filter(None, sys.path), sys.argv[1]]  # the current folder will be that of a repository
from unplace.batch.repository_process import main
main()
"""

_running: WeakSet[subprocess.Popen[bytes]] = WeakSet()


class WorkerLostError(Exception):
    """Raised where the process ended before its work was done; the message has the last line that it printed."""


def perform(job: str) -> str:
    """Do a job (as JSON) in a process of its own, and return the record as JSON.

    Raises `WorkerLostError` where the process fails or is killed.
    """
    command = [sys.executable, "-c", _CODE, str(Path(unplace.__file__).parents[1])]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            cwd=job_from(job).folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        _running.add(process)
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(job.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.read()
            code = process.wait()
        except BrokenPipeError:
            answer, code = b"", process.wait()
        finally:
            _end(process)
        if code != 0:
            raise WorkerLostError(_reason(code, said))
    return answer.decode("ascii")


def stop() -> None:
    """Have the processes end that this process waits for."""
    for process in list(_running):
        if process.stdin is not None:
            process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process and of those that it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _reason(code: int, said: IO[bytes]) -> str:
    said.seek(0)
    lines = [line.strip() for line in said.read().decode(errors="replace").splitlines() if line.strip()]
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return f"its process {how}: {lines[-1] if lines else 'it said nothing (out of memory?)'}"


def main() -> None:
    """Read a job from standard input and write the record to standard output."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever is printed is no part of the answer
    job = job_from(sys.stdin.buffer.readline().decode())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from unplace.batch.repository import migrate

    record = migrate(job, Meter(job.progress))
    with os.fdopen(answer, "w", encoding="ascii") as stream:
        stream.write(record_to_json(record))


def _end_with_parent() -> None:
    os.read(0, 1)  # not by `sys.stdin`, whose lock this thread would hold when the interpreter ends
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
