"""`tests/diagnose/programs/` fail with an in-place error each; the diagnosis names the right lines and cause.

The first line of a program gives the kind of error (`overwritten` where it is left out), the cause that is to be
recognised and what can be rewritten; comments in it mark the lines of the victim and of the culprits.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from unplace.diagnosis import Diagnosed, Diagnosis
from unplace.diagnosis.program import Program

PROGRAMS = sorted((Path(__file__).parent / "diagnose/programs").glob("*.py"))
each_program = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)


class Expected(NamedTuple):
    kind: str
    cause: str
    fix: str
    victim: int | None
    culprits: list[int]


def expected(path: Path) -> Expected:
    lines = path.read_text("utf-8").splitlines()
    head = dict(item.split(": ") for item in lines[0].removeprefix("# ").split(", "))
    marked = {
        word: [number for number, line in enumerate(lines, 1) if re.search(rf"  # .*\b{word}\b", line)]
        for word in ("victim", "culprit")
    }
    (victim,) = marked["victim"] or [None]
    return Expected(head.get("kind", "overwritten"), head["cause"], head["fix"], victim, marked["culprit"])


def run(path: Path) -> tuple[Diagnosis, BaseException]:
    """The first diagnosis of a program, and how the program ended."""
    anomaly = torch.is_anomaly_enabled()
    torch.manual_seed(0)
    with Diagnosed() as diagnosed, pytest.raises((RuntimeError, SystemExit)) as raised:
        Program(str(path)).run()
    torch.set_anomaly_enabled(anomaly)
    return diagnosed.diagnoses[0], raised.value


def test_there_are_enough() -> None:
    causes = {expected(path).cause for path in PROGRAMS}
    assert len(PROGRAMS) >= 60
    assert len({expected(path).kind for path in PROGRAMS}) >= 14
    outside = {
        "averaging", "backward-hook", "buffer", "clip-gradients", "ddp-buffers", "embedding-max-norm", "gradient",
        "hidden-state", "initialisation", "load-state", "optimizer-step", "reused-input", "shared-graph",
        "weight-update",
    }  # fmt: skip
    assert outside <= causes


@each_program
def test_victim_culprits_and_cause(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["unplace"])
    diagnosis, _ = run(path)
    incident = diagnosis.incident
    wanted = expected(path)
    assert incident.kind.value == wanted.kind
    assert sorted({write.place.line for write in incident.writes}) == wanted.culprits
    assert (None if incident.saved is None else incident.saved.place.line) == wanted.victim
    assert diagnosis.advice.cause == wanted.cause
    assert (diagnosis.fix.applicability.value if diagnosis.fix.files else "none") == wanted.fix
    assert {write.place.path for write in incident.writes} <= {str(path)}
