"""What other tools read of the repository: the hooks for pre-commit and the example workflow."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from unplace.cli import main

ROOT = Path(__file__).parents[1]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
MODEL = "import torch\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"


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
