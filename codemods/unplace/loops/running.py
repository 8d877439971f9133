"""Runs a program again and again, each time in a process of its own, without importing torch anew where that goes.

The process `python -m unplace.loops.running` reads the paths of a request and of a result from each line of its input,
forks, and answers with a line when the fork has ended. Where processes can't fork, it carries out one request itself.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

from unplace.diagnosis.launcher import Program
from unplace.loops.events import Log, log_of
from unplace.loops.recording import Request, record

_CAN_FORK = hasattr(os, "fork")


class Runs:
    """Carries out requests in processes that end with the `with` block; the program's output isn't shown."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            _stream(self._process.stdin).close()
            self._process.wait()

    def __call__(self, request: Request) -> Log:
        """Run a program once; raise `RuntimeError` where its process leaves no result."""
        if self._process is None or self._process.poll() is not None:
            self._process = _started()
        with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
            asked, result = Path(folder, "request.json"), Path(folder, "result.json")
            asked.write_text(json.dumps(asdict(request)), "utf-8")
            _stream(self._process.stdin).write(f"{asked}\t{result}\n")
            _stream(self._process.stdin).flush()
            answer = _stream(self._process.stdout).readline()
            if not result.exists():
                raise RuntimeError(f"the program ended before it could be judged ({answer.strip() or 'no answer'})")
            return log_of(json.loads(result.read_text("utf-8")))


def _started() -> subprocess.Popen[str]:
    command = [sys.executable, "-B", "-m", "unplace.loops.running"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def main() -> None:
    """Carry out requests until the input ends."""
    importlib.import_module("torch._dynamo")  # the first step of an optimizer imports it, which takes seconds
    for line in sys.stdin:
        asked, result = line.rstrip("\n").split("\t")
        if not _CAN_FORK:
            with _silenced() as answers:
                _carry_out(Path(asked), Path(result))
                answers.write("done\n")
            return
        child = os.fork()
        if child == 0:
            with _silenced():
                _carry_out(Path(asked), Path(result))
                os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


@contextmanager
def _silenced() -> Iterator[IO[str]]:
    """Give the program no input, and throw away what it prints; provide the stream for answers."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        yield answers


def _carry_out(asked: Path, result: Path) -> None:
    known = json.loads(asked.read_text("utf-8"))
    given = known.pop("program")
    program = Program(given["name"], tuple(given["arguments"]), given["is_module"])
    until = known.pop("until")
    goal = None if until is None else {int(number): count for number, count in until.items()}
    log = record(Request(program, until=goal, **known))
    result.write_text(json.dumps(log.as_json()), "utf-8")


if __name__ == "__main__":
    main()
