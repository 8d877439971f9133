"""`--fix`: programs whose culprits can be rewritten run afterwards, with the same values; others stay as they are."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path

import pytest
import torch

from test_diagnose import PROGRAMS, expected
from unplace.diagnosis import trial
from unplace.diagnosis.program import Program
from unplace.diagnosis.repair import Repair, RepairError, repair

QUICK = {"in_a_module", "leaf", "module_relu_in_place", "optimizer_between_two_backwards", "recurrence_over_rows"}
each_program = pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow) for path in PROGRAMS],
)
pytestmark = pytest.mark.filterwarnings("ignore")


def in_process(program: Program, limit: int | None, *, quiet: bool) -> trial.Result:
    torch.manual_seed(0)
    torch.set_anomaly_enabled(False)
    return trial.observe(program, limit)


def repaired(script: Path, *, unsafe: bool) -> Repair:
    return repair(partial(in_process, Program(str(script))), unsafe=unsafe, tell=lambda text: None)


@pytest.fixture
def script(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    return Path(shutil.copy(path, tmp_path))


@each_program
def test_what_can_be_rewritten_is_repaired(path: Path, script: Path) -> None:
    fix = expected(path).fix
    before = script.read_bytes()
    if fix == "none":
        with pytest.raises(RepairError):
            repaired(script, unsafe=True)
        assert script.read_bytes() == before
        return
    if fix == "unsafe":
        with pytest.raises(RepairError, match="--unsafe"):
            repaired(script, unsafe=False)
        assert script.read_bytes() == before
    done = repaired(script, unsafe=fix == "unsafe")
    assert list(done.changes) == [str(script)]
    result = in_process(Program(str(script)), None, quiet=True)
    assert (result.exit_code, result.diagnosis) == (0, None)
