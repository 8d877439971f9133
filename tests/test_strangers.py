"""Code of strangers is read and never run; its names do nothing to a terminal, nor its repository to the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from samples import MODEL
from unplace.cli import main
from unplace.text.visible import visible, visible_lines

CODEMODS = Path(__file__).parents[1] / "codemods"
MARK = "open({!r}, 'a').write({!r})\n"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CODEMODS), "COLUMNS": "200"}


def modules_before_the_first_line() -> set[str]:
    """What `python -m` imports, with the working folder on the path, before it runs anything of ours."""
    command = [sys.executable, "-c", "import runpy, sys; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder in which every module leaves a mark when it is imported."""
    folder, mark = tmp_path / "trap", str(tmp_path / "mark")
    names = {*sys.stdlib_module_names, "torch", "libcst", "typer", "click", "rich", "pathspec", "conftest", "setup"}
    for name in names - modules_before_the_first_line() - {"__main__", "__future__"}:
        (folder / "pkg").mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(MARK.format(mark, name))
    for name in ("__init__", "__main__", "model"):
        (folder / "pkg" / f"{name}.py").write_text(MARK.format(mark, name) + MODEL)
    (folder / "pyproject.toml").write_text('[tool.unplace]\nexclude = ["../**"]\n[tool.pytest]\naddopts = "-p x"\n')
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["rewrite", "--diff", "--jobs", "2", "."],
        ["rewrite", "pkg"],
        ["check", "."],
        ["explain", "pkg/model.py:7"],
        ["code-action", "pkg/model.py", "--line", "7"],
        ["config"],
    ],
    ids=" ".join,
)
def test_nothing_in_the_folder_is_imported(trap: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "unplace", *arguments]
    done = subprocess.run(command, cwd=trap, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == (arguments[0] == "check"), done.stderr
    assert not (trap.parent / "mark").exists(), (trap.parent / "mark").read_text()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has no safe path")
def test_nor_where_processes_are_not_forked(trap: Path) -> None:
    driver = trap.parent / "driver.py"
    driver.write_text(
        "import multiprocessing, sys\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    from unplace.cli import main\n"
        "    sys.exit(main(['check', '--jobs', '2', '.']))\n"
    )
    command = [sys.executable, str(driver)]
    done = subprocess.run(command, cwd=trap, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("Error")) == (1, 0)
    assert not (trap.parent / "mark").exists(), (trap.parent / "mark").read_text()


def test_a_pipe_for_an_ignore_file_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    os.mkfifo(tmp_path / ".gitignore")
    command = [sys.executable, "-m", "unplace", "check", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, check=False, timeout=60)
    assert done.returncode == 1


# -- terminals --------------------------------------------------------------------------------------------------------


def test_control_characters_are_shown() -> None:
    assert visible("a\tb é 表 😀") == "a\tb é 表 😀"
    assert visible("\x1b]0;x\x07\r\n\x9b31m\x7f\u202e\u2066") == r"\x1b]0;x\x07\r\n\x9b31m\x7f\u202e\u2066"
    assert visible_lines("a\nb\x1b") == "a\nb\\x1b"


NAME = "m\x1b]0;owned\x07\nother.py:1:1: fine.py"


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for variable in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    Path(NAME).write_text(MODEL.replace("x.exp()", "x.exp()  # \x1b[2J\u202e"))
    Path("bad\x1b[31m.py").write_text("x = (\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["rewrite", "--check", "."],
        ["rewrite", "--check", "--output-format", "concise", "."],
        ["check", "."],
        ["check", "--output-format", "github", "."],
        ["check", "--output-format", "junit", "."],
        ["check", "--output-format", "sarif", "."],
        ["check", "--output-format", "gitlab", "."],
        ["check", "missing\x1b[31m.py"],
        ["explain", f"{NAME}:6"],
        ["rewrite", "--check", "--output-format", "json", "."],
    ],
)
@pytest.mark.parametrize("colour", [False, True])
def test_names_and_code_drive_no_terminal(
    odd: Path, arguments: list[str], colour: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if colour:
        monkeypatch.setenv("FORCE_COLOR", "1")
    main(arguments)
    output = capfd.readouterr()
    told = output.out + output.err
    for sequence in ("\x1b]", "\x1b[2J", "\x07", "\u202e") + (() if colour else ("\x1b",)):
        assert sequence not in told
    assert not any(line.startswith("other.py") for line in told.splitlines())
    if "junit" in arguments:
        ElementTree.fromstring(output.out)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_patch_on_a_terminal_is_for_people_and_elsewhere_exact(odd: Path) -> None:
    import pty

    command = [sys.executable, "-m", "unplace", "rewrite", "--diff", NAME]
    plain = subprocess.run(command, env=environment(), capture_output=True, check=True).stdout
    assert b"\x1b[2J" in plain
    ours, theirs = pty.openpty()
    subprocess.run(
        command, env={**environment(), "NO_COLOR": "1"}, stdout=theirs, stderr=subprocess.DEVNULL, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert b"\\x1b[2J" in shown
    assert b"\x1b" not in shown


# -- repositories -----------------------------------------------------------------------------------------------------


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


NAMES = ["a.py", 'q"uote.py', "new\nline.py", "tab\there.py", "é.py", "-n.py", "back\\slash.py", "sp ace.py", NAME]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One whose configuration would run commands."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    for name in NAMES:
        Path(name).write_text("import torch\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    for name in NAMES:
        Path(name).write_text(MODEL)
    Path(".gitattributes").write_text("*.py -diff filter=evil diff=evil\n")
    for key, command in {
        "filter.evil.clean": "touch clean; cat",
        "filter.evil.process": "touch process",
        "filter.evil.required": "true",
        "diff.evil.textconv": "touch textconv; cat",
        "diff.evil.command": "touch command",
        "diff.external": "touch external",
        "core.fsmonitor": "touch fsmonitor",
        "core.pager": "touch pager",
    }.items():
        git("config", key, command)
    hook = Path(".git/hooks/post-index-change")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hook\n")
    hook.chmod(0o755)
    return tmp_path


def test_since_runs_nothing_of_a_repository_and_knows_every_name(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = set(repository.iterdir())
    assert main(["check", "--since", "HEAD", "--output-format", "concise", "."]) == 1
    assert set(repository.iterdir()) == before
    assert capfd.readouterr().err.startswith(f"Found {len(NAMES)} in-place operations in {len(NAMES)} files")


@pytest.mark.parametrize("revision", ["--output=taken", "-h", "HEAD:a.py", "HEAD --output=taken", ""])
def test_a_revision_is_no_option(repository: Path, revision: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--since", revision, "a.py"]) == 2
    assert "Git knows no revision" in capfd.readouterr().err
    assert not Path("taken").exists()


def test_a_patch_names_every_file_as_git_does(repository: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Path(".gitattributes").unlink()
    assert main(["rewrite", "--diff", "."]) == 0
    patch = capfdbinary.readouterr().out
    assert patch.count(b"\n--- ") + 1 == len(NAMES)
    git("config", "--unset", "core.fsmonitor")
    subprocess.run(["git", "apply"], input=patch, check=True)
    assert all("y = y + 1" in Path(name).read_text() for name in NAMES)
