"""What other tools read of the repository: the hooks for pre-commit and the example workflow."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from unplace.cli import main

ROOT = Path(__file__).parents[1]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
MODEL = "import torch\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
MODEL += "f(torch.ones(3, requires_grad=True))\n"


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_fails_or_changes_files_that_break_autograd(
    hook: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    program, *arguments = shlex.split(str(hook["entry"]))
    assert program == "unplace"
    assert hook["language"] == "python"
    code = main([*arguments, "model.py"])
    capfd.readouterr()
    assert code == 1 or (code == 0 and Path("model.py").read_text() != MODEL)
    Path("model.py").write_text("x = 1\n")
    assert main([*arguments, "model.py"]) == 0
    capfd.readouterr()


def test_the_workflow_runs_a_command_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    workflow = yaml.safe_load((ROOT / "docs/ci/github-workflow.yml").read_text("utf-8"))
    (check,) = [step for step in workflow["jobs"]["check"]["steps"] if step.get("name") == "Check"]
    command, rest = check["run"].split(" > ")
    assert rest == "unplace.sarif || test $? -eq 1"
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    assert main(shlex.split(command)[1:]) == 1
    assert '"version": "2.1.0"' in capfd.readouterr().out


ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """What the action's first steps leave: a folder with an environment in which `unplace` is installed."""
    command = tmp_path / "temp/unplace/bin/unplace"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m unplace "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="the step is written for bash on Unix")
@pytest.mark.parametrize(("args", "code"), [("", 1), ("--exit-zero", 0), ("--exclude model.py", 0)])
def test_the_action_annotates_and_writes_sarif(args: str, code: int, installed: Path) -> None:
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Check"]
    given = {name: declared["default"] for name, declared in ACTION["inputs"].items()}
    given |= {"args": args, "sarif": "found.sarif"}
    work = installed / "work"
    work.mkdir()
    (work / "model.py").write_text(MODEL)
    wanted = {name: given[re.fullmatch(r"\${{ inputs\.(\S+) }}", text)[1]] for name, text in step["env"].items()}  # type: ignore[index]
    environment = {**os.environ, **wanted, "RUNNER_TEMP": str(installed / "temp"), "PYTHONPATH": str(ROOT / "codemods")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("::error title=unplace UNP001,file=model.py,line=4" in done.stdout) == (args != "--exclude model.py")
    assert '"version": "2.1.0"' in (work / "found.sarif").read_text()
