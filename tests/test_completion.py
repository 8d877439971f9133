"""Completion in the shells themselves: what `unplace --show-completion` prints is loaded, and a word is completed."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unplace.cli import main

ROOT = Path(__file__).parents[1]
BASH, FISH, ZSH = (
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}"))
    for name in ("bash", "fish", "zsh")
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which the command is on the path, as it is where the package is installed."""
    command = tmp_path / "bin/unplace"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unplace "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    more = {"PATH": path, "PYTHONPATH": str(ROOT / "codemods"), "HOME": str(tmp_path), "TERM": "xterm"}
    return {**os.environ, **more}


def script(shell: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    assert main(["--show-completion", shell]) == 0
    path = folder / f"completion.{shell}"
    path.write_text(capfd.readouterr().out)
    return path


def typed(command: list[str], environment: dict[str, str], *lines: str, until: str) -> str:
    """What a shell on a terminal shows once it has shown `until`; each line waits for the answer to the last one."""
    import pty

    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], command, environment)
    shown = b""
    end = time.monotonic() + 60
    try:
        for line in (*lines, None):
            awaited = (until if line is None else "ready> ").encode()
            start = 0 if line is None else len(shown)
            while awaited not in shown[start:] and time.monotonic() < end:
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 10_000)
            if line is not None:
                os.write(terminal, line.encode())
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)
    return shown.decode(errors="replace")


@pytest.mark.parametrize("shell", [ZSH, BASH])
@pytest.mark.parametrize(
    ("words", "completed"),
    [("unplace dia", "unplace diagnose"), ("unplace check --stat", "unplace check --statistics")],
)
def test_on_a_terminal(
    shell: str,
    words: str,
    completed: str,
    tmp_path: Path,
    environment: dict[str, str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = script(shell, tmp_path, capfd)
    if shell == "zsh":
        begin = f"autoload -U compinit; compinit -u -D; source {path}\n"
        command = ["zsh", "-f", "-i"]
    else:
        begin = f"bind 'set bell-style none'; source {path}\n"
        command = ["bash", "--norc", "-i"]
    shown = typed(command, {**environment, "PS1": "ready> "}, begin, f"{words}\t", until=completed)
    assert completed in shown


@pytest.mark.parametrize("shell", [FISH])
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("unplace re", {"rewrite"}),
        ("unplace check --stat", {"--statistics"}),
        ("unplace check --output-format gi", {"github", "gitlab"}),
        ("unplace check model", {"model.py"}),
    ],
)
def test_fish(
    shell: str,
    words: str,
    completed: set[str],
    tmp_path: Path,
    environment: dict[str, str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "model.py").write_text("")
    path = script(shell, tmp_path, capfd)
    command = ["fish", "--no-config", "-c", f"source {path}; complete -C '{words}'"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert {line.partition("\t")[0] for line in done.stdout.splitlines()} == completed


def test_no_such_shell(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--show-completion", "tcsh"]) == 2
    assert "tcsh isn't one of bash, zsh, fish, powershell, pwsh." in capfd.readouterr().err
