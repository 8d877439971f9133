"""Runs a program once in a process of its own, for `--fix`: `python -m unplace.diagnosis.observed_run REQUEST RESULT`.

Both files are JSON. A request names the program and the `limit`: the calls of backward after which to stop (null: run
to the end). The result has the first diagnosis, if the program failed, and checksums of what backward was called with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from unplace.diagnosis import Diagnosed
from unplace.diagnosis.contents import checksums
from unplace.diagnosis.launcher import Program, report_exception
from unplace.diagnosis.places import Place

_REMEMBERED = 64
"""The number of first calls of backward whose values are compared."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run.

    `backwards` has checksums of the tensors that the first calls of backward were given; `calls` counts all calls, the
    failing one included. `diagnosis` is that of the first failure (see `Diagnosis.document`), `text` the same as text,
    and `culprit` the place of its first write.
    """

    exit_code: int
    backwards: list[list[int]]
    calls: int
    diagnosis: dict[str, Any] | None = None
    text: str = ""
    culprit: Place | None = None


class Runner(Protocol):
    """A function that runs a program once, to its end or until `limit` calls of backward; `quiet` hides its output."""

    def __call__(self, limit: int | None, *, quiet: bool) -> RunResult: ...  # noqa: D102


class _Enough(BaseException):
    """Raised to end the program once enough of it has been seen."""


def run(program: Program, limit: int | None, *, quiet: bool) -> RunResult:
    """Run a program in a process of its own; `quiet` hides what it prints.

    Raises `RuntimeError` where the process ends without a result.
    """
    with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
        request, result = Path(folder, "request.json"), Path(folder, "result.json")
        request.write_text(json.dumps({"program": asdict(program), "limit": limit}), "utf-8")
        command = [sys.executable, "-B", "-m", "unplace.diagnosis.observed_run", str(request), str(result)]
        output = subprocess.DEVNULL if quiet else None
        done = subprocess.run(command, stdout=output, stderr=output, check=False)
        if not result.exists():
            raise RuntimeError(f"the program ended with {done.returncode} before it could be judged")
        return _result(json.loads(result.read_text("utf-8")))


def observe(program: Program, limit: int | None) -> RunResult:
    """Run a program in this process, to its end or until `limit` calls of backward."""
    backwards: list[list[int]] = []
    calls = 0

    def before_backward(outputs: Sequence[Any]) -> None:
        nonlocal calls
        if calls == limit:
            raise _Enough
        calls += 1
        if len(backwards) < _REMEMBERED:
            backwards.append(checksums(outputs))

    exit_code = 0
    escaped: BaseException | None = None
    with Diagnosed(before_backward=before_backward, reports=False) as diagnosed:
        try:
            program.run()
        except _Enough:
            pass
        except BaseException as error:  # the program's own end, whatever it is
            escaped = error
            exit_code = report_exception(error)
    sys.stderr.writelines(f"{diagnosis.text}\n" for diagnosis in diagnosed.unseen(escaped))
    if not diagnosed.diagnoses:
        return RunResult(exit_code, backwards, calls)
    first = diagnosed.diagnoses[0]
    culprit = next((write.place for write in first.incident.writes), None)
    return RunResult(exit_code, backwards, calls, first.document(), first.text, culprit)


def main(request: str, result: str) -> None:
    """Carry out the request in one file and write the result to the other."""
    wanted = json.loads(Path(request).read_text("utf-8"))
    given = wanted["program"]
    program = Program(given["name"], tuple(given["arguments"]), given["is_module"])
    outcome = observe(program, wanted["limit"])
    Path(result).write_text(json.dumps(_fields(outcome)), "utf-8")


def _fields(result: RunResult) -> dict[str, Any]:
    place = result.culprit
    names = [field.name for field in fields(RunResult)]
    known = {name: getattr(result, name) for name in names if name != "culprit"}
    return {**known, "culprit": place and [place.path, place.line, place.function, place.through]}


def _result(known: dict[str, Any]) -> RunResult:
    place = known.pop("culprit")
    return RunResult(**known, culprit=place and Place(place[0], place[1], place[2], tuple(place[3])))


if __name__ == "__main__":
    main(*sys.argv[1:])
