"""`tests/diagnose/programs/` fail with an in-place error each; the diagnosis names the right lines and cause.

The first line of a program gives the kind of error (`overwritten` where it is left out), the cause that is to be
recognised and what must be rewritten (`none`: nothing is to be; left out: as the rules can); comments in it mark the
lines of the victim and of the culprits.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from unplace.diagnosis import Diagnosed, Diagnosis
from unplace.diagnosis.launcher import Program

pytestmark = pytest.mark.filterwarnings("ignore")
PROGRAMS = sorted((Path(__file__).parent / "diagnose/programs").glob("*.py"))
SILENT = sorted((Path(__file__).parent / "diagnose/silent").glob("*.py"))
each_program = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)


class Expected(NamedTuple):
    kind: str
    cause: str
    fix: str | None
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
    return Expected(head.get("kind", "overwritten"), head.get("cause", ""), head.get("fix"), victim, marked["culprit"])


@cache
def run(path: Path) -> tuple[Diagnosis, BaseException]:
    """The first diagnosis of a program, and how the program ended."""
    torch.manual_seed(0)
    with Diagnosed() as diagnosed, pytest.raises((RuntimeError, SystemExit)) as raised:
        Program(str(path)).run()
    torch.autograd.set_detect_anomaly(False)
    return diagnosed.diagnoses[0], raised.value


@pytest.fixture(autouse=True)
def _keep_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What running a program changes in `sys` is taken back."""
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setattr("sys.excepthook", sys.excepthook)
    torch.set_num_threads(1)


def test_there_are_enough() -> None:
    causes = {expected(path).cause for path in PROGRAMS}
    assert len(PROGRAMS) >= 60
    assert len({expected(path).kind for path in PROGRAMS}) >= 14
    outside = {
        "averaging", "backward-hook", "buffer", "checkpoint-input", "clip-gradients", "detached", "embedding-max-norm",
        "gradient", "hidden-state", "initialisation", "load-state", "optimizer-step", "reused-input", "shared-graph",
        "weight-update",
    }  # fmt: skip
    assert outside <= causes


@each_program
def test_victim_culprits_and_cause(path: Path) -> None:
    diagnosis, _ = run(path)
    incident = diagnosis.incident
    wanted = expected(path)
    assert incident.kind.value == wanted.kind
    assert sorted({write.place.line for write in incident.writes}) == wanted.culprits
    assert (None if incident.saved is None else incident.saved.place.line) == wanted.victim
    assert diagnosis.advice.cause == wanted.cause
    offered = diagnosis.fix.applicability.value if diagnosis.fix.files else "none"
    assert wanted.fix in (None, offered) or (wanted.fix, offered) == ("unsafe", "safe")
    assert {write.place.path for write in incident.writes} <= {str(path)}


@each_program
def test_the_error_is_torchs_own(path: Path) -> None:
    """The same class and words as without observation, and the diagnosis is attached."""
    if path.stem == "under_the_programs_own_anomaly_mode":
        torch.autograd.set_detect_anomaly(False)
    torch.manual_seed(0)
    with pytest.raises((RuntimeError, SystemExit)) as plain:
        Program(str(path)).run()
    torch.autograd.set_detect_anomaly(False)
    diagnosis, observed = run(path)
    assert (type(observed), str(observed)) == (type(plain.value), str(plain.value))
    failure = observed.__cause__ if isinstance(observed, SystemExit) else observed
    assert getattr(failure, "unplace", None) is diagnosis
    assert not torch.is_anomaly_enabled()


@pytest.mark.parametrize("path", SILENT, ids=lambda path: path.stem)
def test_what_changes_without_an_error(path: Path) -> None:
    wanted = expected(path)
    torch.manual_seed(0)
    with Diagnosed(silent=True, reports=False) as diagnosed:
        Program(str(path)).run()
    if wanted.kind == "none":
        assert diagnosed.diagnoses == []
        return
    diagnosis = diagnosed.diagnoses[0]
    assert diagnosis.incident.kind.value == wanted.kind
    assert sorted({write.place.line for write in diagnosis.incident.writes}) == wanted.culprits
    assert (None if diagnosis.incident.saved is None else diagnosis.incident.saved.place.line) == wanted.victim
    assert diagnosis.advice.cause == wanted.cause


@pytest.mark.slow
@each_program
def test_silent_finds_nothing_more_than_the_error(path: Path) -> None:
    with Diagnosed(silent=True, reports=False) as diagnosed, pytest.raises((RuntimeError, SystemExit)):
        Program(str(path)).run()
    torch.autograd.set_detect_anomaly(False)
    assert [diagnosis.incident.kind.value for diagnosis in diagnosed.diagnoses] == [expected(path).kind]
