"""`--fix`: programs whose culprits can be rewritten run afterwards, with the same values; others stay as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from test_diagnose import PROGRAMS, expected
from unplace.diagnosis import observed_run
from unplace.diagnosis.launcher import Program
from unplace.diagnosis.repair import Repair, RepairError, repair
from unplace.loops.running import Runs
from unplace.loops.search import search
from unplace.observation.facts import Observations

ROOT = Path(__file__).parents[1]

QUICK = {"in_a_module", "leaf", "module_relu_in_place", "optimizer_between_two_backwards", "recurrence_over_rows"}
LOOPS = {("adversarial_training", ("swap",)), ("hidden_state_retained", ("detach",))}
"""The programs whose order is repaired where no write can be rewritten."""
each_program = pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow) for path in PROGRAMS],
)
pytestmark = pytest.mark.filterwarnings("ignore")


def in_process(program: Program, limit: int | None, *, quiet: bool) -> observed_run.Result:
    torch.manual_seed(0)
    torch.set_anomaly_enabled(False)
    return observed_run.observe(program, limit)


def repaired(script: Path, *, unsafe: bool, tell: Callable[[str], None] = lambda text: None) -> Repair:
    program = Program(str(script))
    runner = partial(in_process, program)
    with Runs() as runs:
        reorder = partial(search, program, runs)
        return repair(runner, lambda: Observations(str(script.parent)), reorder, unsafe=unsafe, tell=tell)


@pytest.fixture(autouse=True)
def _keep_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setattr("sys.excepthook", sys.excepthook)


@pytest.fixture
def script(path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(path, tmp_path))


@each_program
def test_what_can_be_rewritten_is_repaired(path: Path, script: Path) -> None:
    fix = expected(path).fix
    before = script.read_bytes()
    try:
        done = repaired(script, unsafe=fix != "safe")
    except RepairError:
        assert fix in (None, "none")
        assert script.read_bytes() == before
        return
    if done.training is None:
        assert fix != "none"
    else:
        assert (path.stem, done.training.names) in LOOPS
    assert list(done.changes) == [str(script)]
    result = in_process(Program(str(script)), None, quiet=True)
    assert (result.exit_code, result.diagnosis) == (0, None)


def test_unsafe_rewrites_are_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    text = (ROOT / "tests/failures/effect_running_mean_centres.py").read_text("utf-8")
    text += "\n\nrun, arguments = example()\nrun(*arguments).sum().backward()\n"
    script.write_text(text, "utf-8")
    told: list[str] = []
    with pytest.raises(RepairError, match=r"the program runs\..* It assumes: .*`--unsafe` applies it"):
        repaired(script, unsafe=False, tell=told.append)
    assert script.read_text("utf-8") == text
    done = repaired(script, unsafe=True)
    assert list(done.changes) == [str(script)]
    assert told[-1] == done.diff()


def test_what_the_text_cannot_tell_a_run_shows(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(OPEN)
    command = [sys.executable, "-m", "unplace", "diagnose", "--fix", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert script.read_text() == OPEN.replace("inplace=True", "inplace=False")
    assert "The rewrite rests on what the run showed: in the observed run: nobody reads the input" in done.stderr


OPEN = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.act = act_layer(inplace=True)

    def forward(self, x):
        return self.act(torch.tanh(self.lin(x)))


torch.manual_seed(0)
net = Block(getattr(nn, "".join(["Re", "LU"])))
for _ in range(3):
    net(torch.rand(2, 3)).sum().backward()
"""
