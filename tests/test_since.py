"""`--since` in repositories that aren't simple: branches, renames, hooks, submodules, repositories in one another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from test_configuration import MODEL, found, git
from unplace.cli import main

Capture = pytest.CaptureFixture[str]

TWICE = MODEL.replace("y.mul_(2)", "y.mul_(3)")
ALL = ["UNP001", "UNP002", "UNP001"]


@pytest.fixture(autouse=True)
def _in_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "top").mkdir()
    monkeypatch.chdir(tmp_path / "top")
    repository()


def repository(folder: str = ".") -> None:
    """A repository with a model in its first commit."""
    git("init", "-q", "-b", "main", folder)
    Path(folder, "model.py").write_text(MODEL)
    commit(folder)


def commit(folder: str = ".") -> None:
    git("-C", folder, "add", ".")
    git("-C", folder, "commit", "-qm", "a commit")


def since(capfd: Capture, revision: str, *paths: str) -> list[str]:
    """The findings as `path:code`."""
    return [entry.rpartition(":")[0] for entry in found(capfd, "--since", revision, *(paths or ["."]))]


def test_what_another_branch_changed_is_not_ours(capfd: Capture) -> None:
    git("checkout", "-qb", "branch")
    Path("own.py").write_text(MODEL)
    commit()
    git("checkout", "-q", "main")
    Path("model.py").write_text(TWICE)
    commit()
    git("checkout", "-q", "branch")
    expected = [f"own.py:{code}" for code in ALL]
    assert since(capfd, "main") == since(capfd, "HEAD~1") == expected
    assert since(capfd, "HEAD") == []


def test_histories_without_a_common_commit(capfd: Capture) -> None:
    git("checkout", "-q", "--orphan", "other")
    Path("model.py").write_text(TWICE)
    commit()
    assert since(capfd, "main") == since(capfd, "main^{tree}") == ["model.py:UNP002"]


def test_a_renamed_file_has_only_its_changed_lines(capfd: Capture) -> None:
    git("mv", "model.py", "moved.py")
    assert since(capfd, "HEAD") == []
    Path("moved.py").write_text(TWICE)
    assert since(capfd, "HEAD") == ["moved.py:UNP002"]


def test_a_hook_of_another_repository(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    repository("../other")
    Path("../other/model.py").write_text("x = 1\n")
    commit("../other")
    for name, value in {
        "GIT_DIR": "../other/.git",
        "GIT_INDEX_FILE": "../other/.git/index",
        "GIT_PREFIX": "a/",
    }.items():
        monkeypatch.setenv(name, str(Path(value).resolve()))
    Path("model.py").write_text(TWICE)
    assert since(capfd, "HEAD") == ["model.py:UNP002"]


def test_settings_for_this_run_are_kept(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # where a machine may trust every owner
    assert main(["check", "--since", "HEAD", "."]) == 2
    message = capfd.readouterr().err
    assert message.startswith("model.py: detected dubious ownership in repository at")
    assert f"git config --global --add safe.directory {Path.cwd()}" in message
    for name, value in {"COUNT": "1", "KEY_0": "safe.directory", "VALUE_0": "*"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert main(["check", "--since", "HEAD", "."]) == 0


def add_submodule(name: str) -> None:
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", f"{Path.cwd().parent}/{name}", name)
    commit()


def test_a_submodule_is_compared_with_what_was_recorded(capfd: Capture) -> None:
    repository("../part")
    add_submodule("part")
    git("tag", "first")
    git("-C", "part", "tag", "second")  # another commit than that of the superproject
    Path("part/model.py").write_text(TWICE)
    commit("part")
    commit()
    git("tag", "second")
    assert since(capfd, "first") == since(capfd, "first", "part") == ["part/model.py:UNP002"]
    assert since(capfd, "second") == []
    assert since(capfd, "first~1") == [f"part/model.py:{code}" for code in ALL]


def test_a_submodule_of_a_submodule(capfd: Capture) -> None:
    repository("../inner")
    repository("../part")
    git("-C", "../part", "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(Path("../inner").resolve()))
    commit("../part")
    add_submodule("part")
    git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive")
    git("tag", "first")
    Path("part/inner/model.py").write_text(TWICE)
    assert since(capfd, "first") == ["part/inner/model.py:UNP002"]
    assert since(capfd, "first~1") == [f"part/{name}:{code}" for name in ("inner/model.py", "model.py") for code in ALL]


def test_a_submodule_without_the_commit_that_was_recorded(capfd: Capture) -> None:
    repository("../part")
    add_submodule("part")
    git("update-index", "--cacheinfo", f"160000,{'1' * 40},part")
    git("commit", "-qm", "recorded by somebody else")
    Path("model.py").write_text(TWICE)
    assert main(["check", "--output-format", "concise", "--since", "HEAD", "."]) == 2
    out, err = capfd.readouterr()
    assert out.startswith("model.py:5:5: UNP002 ")
    assert err.startswith(
        "part: as of HEAD, this submodule was at 111111111111, which it doesn't have; run `git fetch`"
    )


def test_a_repository_inside_that_is_no_submodule(capfd: Capture) -> None:
    repository("nested")
    git("tag", "outer")
    for name in ("model.py", "nested/model.py"):
        Path(name).write_text(TWICE)
    assert since(capfd, "HEAD") == ["model.py:UNP002", "nested/model.py:UNP002"]
    assert main(["check", "--output-format", "concise", "--since", "outer", "."]) == 2
    out, err = capfd.readouterr()
    assert out.startswith("model.py:5:5: UNP002 ")
    assert err.startswith("nested: Git knows no revision outer here; write a branch, tag or commit\nFound 1 ")


def test_files_outside_are_named_and_the_rest_is_done(capfd: Capture) -> None:
    for name in ("a.py", "b.py"):
        Path("..", name).write_text(MODEL)
    Path("model.py").write_text(TWICE)
    assert main(["check", "--output-format", "concise", "--since", "HEAD", ".."]) == 2
    out, err = capfd.readouterr()
    assert out.count("\n") == 1
    problem = "in no Git repository, so --since says nothing of it, nor of 1 more; leave it out"
    assert err.startswith(f"{Path.cwd().parent}/a.py: {problem}\n")


def test_a_comparison_that_fails_is_not_taken_for_no_change(capfd: Capture) -> None:
    Path("model.py").write_text(TWICE)
    Path(".git/index").write_bytes(b"broken")
    assert main(["check", "--since", "HEAD", "."]) == 2
    assert capfd.readouterr().err.startswith(".: ")


def test_lines_that_end_with_cr_alone(capfd: Capture) -> None:
    Path("model.py").write_bytes(MODEL.replace("\n", "\r").encode())
    commit()
    Path("model.py").write_bytes(TWICE.replace("\n", "\r").encode())
    assert since(capfd, "HEAD") == [f"model.py:{code}" for code in ALL]  # Git counts one line
