"""What the README and the pages that it leads to show is what the tool does: commands, a diff, JSON, tables."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unplace import rules
from unplace.cli import main
from unplace.config.configuration import KEYS, load
from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def page(name: str) -> str:
    return (ROOT / f"docs/{name}.md").read_text("utf-8")


def fenced(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def steps(command: str) -> list[str]:
    return command.strip().split(" && ")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line in which `unplace` is this one."""
    line = re.sub(r"(\S+/)?unplace(?= (rewrite|check|explain|rule) )", f"{sys.executable} -m unplace", line)
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment["PYTHONPATH"] = str(ROOT / "codemods")
    return subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_each_command_is_one_line() -> None:
    assert len(fenced("sh")) == 2
    assert all(command.count("\n") == 1 and "\\" not in command for command in fenced("sh"))


def test_the_first_command_shows_a_diff_of_every_example() -> None:
    *setup, tool = steps(fenced("sh")[0])
    assert setup == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    assert tool.startswith(".venv/bin/unplace ")
    done = shell(tool)
    assert done.returncode == 0, done.stderr
    examples = sorted(path.as_posix() for path in Path("examples").glob("*.py"))
    assert re.findall(r"^\+\+\+ \./(.*)$", done.stdout, re.MULTILINE) == examples


def test_the_second_command_is_what_ci_runs() -> None:
    wanted = [step.replace(".venv", ".venv-ci") for step in steps(fenced("sh")[1])]
    lines = [line.removeprefix("check ") for line in (ROOT / ".ci/run").read_text("utf-8").splitlines()]
    assert [line for line in lines if line in wanted] == wanted


def test_the_second_command_installs_the_torch_that_the_constraints_name() -> None:
    (pinned,) = re.findall(r"^torch==.*$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert f"pip install -q {pinned} -c constraints.txt && " in fenced("sh")[1]


def test_the_diff(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--fix", "--diff", "examples/attention.py"]) == 1
    assert capfd.readouterr().out == fenced("diff")[0]
    assert "`unplace check --fix --diff examples/attention.py` prints" in README


def test_the_json(capfd: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(fenced("json", page("json"))[0])
    assert main(["rewrite", "--check", "--output-format", "json", *shown["files"]]) == 1
    printed = json.loads(capfd.readouterr().out)
    assert keys(shown) == keys(printed)
    assert shown == printed


def test_the_comments_that_leave_operations_alone() -> None:
    shown, *_ = fenced("python", page("check"))
    *ignoring, skipping = shown.splitlines()
    head = "import torch\ny = torch.ones(2, requires_grad=True).exp()\n"
    assert len(rewrite_text(f"{head}y += 1\n", "model.py", Options()).findings) == 1
    assert all(not rewrite_text(f"{head}{line}\n", "model.py", Options()).findings for line in ignoring)
    assert not rewrite_text(f"{head}y += 1\n{skipping}\n", "model.py", Options()).findings


def test_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(fenced("toml", page("configuration"))[0])
    (tmp_path / "ours.toml").write_text("")  # files of models are read along
    assert load(str(path)).given == set(KEYS)


def keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: keys(inner) for key, inner in value.items()}
    return [keys(inner) for inner in value] if isinstance(value, list) else None


def test_the_table_of_rules_agrees_with_the_rules() -> None:
    rows = dict(re.findall(r"^\| (UNP\d+) \| (.*) \|$", README, re.MULTILINE))
    assert rows == {code: rules.documentation(code).splitlines()[0].removesuffix(".") for code in rules.codes()}
    assert tuple(rows) == rules.codes()


def test_the_number_of_fixtures() -> None:
    (shown,) = re.findall(r"holds more than (\d+) pairs", page("how-it-works"))
    assert int(shown) < len(list((ROOT / "tests/fixtures").glob("*/*/before.py")))


# The commands on the pages of `rewrite` and `check`

USE = re.findall(r"^    (unplace rewrite .*?)(?:  +# .*)?$", page("rewrite"), re.MULTILINE)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Git repository with a `model.py` and `models/`."""
    shutil.copytree(ROOT / "examples", tmp_path / "models")
    shutil.copy(ROOT / "examples/rnn_state.py", tmp_path / "model.py")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


CHECK = re.findall(r"^    (unplace (?:check|explain|rule) .*?) +# .*$", page("check"), re.MULTILINE)


@pytest.mark.parametrize("command", CHECK)
def test_the_commands_under_check_and_explain(command: str, models: Path) -> None:
    assert len(CHECK) == 9
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True, cwd=models)
    done = shell(command)
    finds = "--since" not in command and ("--fix" not in command or "--diff" in command)
    assert done.returncode == (1 if f"{command} ".startswith("unplace check ") and finds else 0), done.stderr
    assert bool(done.stdout) == finds


EXAMPLES = {f"models/{path.name}" for path in (ROOT / "examples").glob("*.py")}
WRITTEN = {
    "unplace rewrite models/": EXAMPLES,
    "unplace rewrite --select UNP003 model.py": {"model.py"},
    "unplace rewrite --only harmful models/": EXAMPLES,
    "unplace rewrite --functional models/": EXAMPLES,
    "unplace rewrite --all models/": EXAMPLES,
    "unplace rewrite --diff . > fix.patch && git apply fix.patch": {"model.py", *EXAMPLES},
}


@pytest.mark.parametrize("command", USE)
def test_the_commands_under_use(command: str, models: Path) -> None:
    before = {path.relative_to(models).as_posix(): path.read_bytes() for path in models.rglob("*.py")}
    done = shell(command)
    assert done.returncode == (1 if "--check" in command else 0), done.stderr
    written = {name for name, data in before.items() if (models / name).read_bytes() != data}
    assert written == WRITTEN.get(command, set())
    assert ("+++ ./" in done.stdout) == ("--diff" in command and ">" not in command)


def test_the_examples_under_use_are_those_of_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "--help"]) == 0
    printed = capfd.readouterr().out
    assert len(USE) == 11
    shown = [re.split("  +", line.strip())[0] for line in printed.splitlines()]
    assert [command for command in USE if command not in shown] == USE[-1:]  # with `git apply`: only here


# The verification


def test_the_table_of_a_verification(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shown,) = [block for block in fenced("text", page("rewrite")) if block.startswith("arguments made")]
    old, new = (str(shutil.copy(ROOT / "examples/attention.py", tmp_path / name)) for name in ("old.py", "model.py"))
    assert main(["rewrite", new]) == 0
    capfd.readouterr()
    assert main(["verify", old, new, "--entry", "CausalAttention"]) == 0
    printed = capfd.readouterr().out
    numbers = re.compile(r"at most .*")  # the last digits of a rounding error are the machine's
    assert numbers.sub("", printed).startswith(numbers.sub("", shown))


def test_the_code_of_the_verification() -> None:
    import torch

    class Net(torch.nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(width, width)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x)

    inputs, test = fenced("python", page("rewrite"))[-2:]
    scope: dict[str, Any] = {"torch": torch, "old_loss": lambda x: (x**2).sum(), "loss": lambda x: (x * x).sum()}
    exec(inputs + test, scope)
    module, arguments = scope["example"](Net)
    assert module(*arguments).shape == (2, 8)
    scope["test_the_rewritten_loss"]()


@pytest.mark.slow
def test_the_commands_of_the_verification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [block for block in fenced("text", page("rewrite")) if block.startswith("unplace verify")]
    source = (ROOT / "examples/attention.py").read_text("utf-8").replace("CausalAttention", "Net")
    monkeypatch.chdir(tmp_path)
    for command in block.splitlines():
        for name in ("old.py", "model.py"):
            Path(name).write_text(source)
        Path("tests").mkdir(exist_ok=True)
        Path("tests/test_model.py").write_text("def test_it():\n    import model\n")
        line = command.replace("pytest", f"{sys.executable} -m pytest").replace(
            "unplace", f"{sys.executable} -m unplace"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "codemods")}
        done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == (1 if "verify old.py" in command else 0), done.stderr
        assert ("masked_fill" in Path("model.py").read_text()) == ("rewrite" in command)
