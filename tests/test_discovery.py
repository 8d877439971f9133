"""Which files a run takes, and what it says about the others."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from unplace.files.discovery import Discovery, discover, shown


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("")


def find(*paths: str) -> list[str]:
    found = discover(map(Path, paths))
    assert not found.problems
    assert not found.warnings
    return names(found)


def names(found: Discovery) -> list[str]:
    return [shown(path).replace(os.sep, "/") for path in found.files]


def git_finds(folder: str = ".") -> list[str]:
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(name for name in listed if name.endswith(".py"))


def test_walks_in_a_fixed_order_and_takes_only_python() -> None:
    make("b/z.py", "b/a.py", "a.py", "c.pyi", "b/c.txt", "b/d.ipynb", "B.py", ".hidden/x.py")
    assert find(".") == [".hidden/x.py", "B.py", "a.py", "b/a.py", "b/z.py"]


def test_named_files_come_first_as_named_and_each_once() -> None:
    make("b.py", "a.py", "script")
    assert find("script", "b.py", ".", "./a.py", "b.py") == ["script", "b.py", "a.py"]


@pytest.mark.parametrize("folder", [".venv", "venv", "node_modules", "build", "dist", "__pypackages__", ".git", ".tox"])
def test_usual_folders_are_skipped_unless_named(folder: str) -> None:
    make("a.py", f"{folder}/b.py", f"sub/{folder}/c.py")
    assert find(".") == ["a.py"]
    assert find(folder) == [f"{folder}/b.py"]
    assert find(f"sub/{folder}/c.py") == [f"sub/{folder}/c.py"]


def test_environments_of_any_name_are_skipped_unless_named() -> None:
    make("a.py", "env/pyvenv.cfg", "env/lib/site-packages/b.py", "conda/conda-meta/history", "conda/lib/c.py")
    assert find(".") == ["a.py"]
    assert find("env") == ["env/lib/site-packages/b.py"]
    assert find("conda/lib") == ["conda/lib/c.py"]


def test_an_ignored_environment_can_be_named() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    make("a.py", "env/pyvenv.cfg", "env/lib/site-packages/timm/b.py", "env/lib/site-packages/timm/build/c.py")
    Path("env/.gitignore").write_text("# Created by uv\n*\n")
    Path(".gitignore").write_text("env/\n")
    assert find(".") == ["a.py"]
    for folder in ("env", "env/lib", "env/lib/site-packages", "env/lib/site-packages/timm"):
        assert find(folder) == ["env/lib/site-packages/timm/b.py"], folder


TREE = ("a.py", "b.py", "keep.py", "gen/a.py", "gen/keep.py", "src/a.py", "src/gen/a.py", "src/data/a.py", "data/a.py")


@pytest.mark.parametrize(
    "patterns",
    [
        ["gen/"],
        ["/gen"],
        ["gen/*", "!gen/keep.py"],
        ["*", "!*/", "!keep.py"],
        ["*.py", "!a.py"],
        ["data/**", "gen/**", "!gen/keep.py"],
        ["**/data/"],
        ["src/**/a.py"],
        ["# gen/", "", "\\#x", "b.py  "],
        ["[ab].py", "!/b.py"],
        ["gen/", "!gen/keep.py"],
        ["gen/", "!src/"],
    ],
    ids=" ".join,
)
def test_ignore_files_mean_what_git_means(patterns: list[str]) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    make(*TREE)
    Path(".gitignore").write_text("\n".join(patterns))
    expected = git_finds()
    assert expected != sorted(TREE) or patterns[0].startswith("#")
    assert sorted(find(".")) == expected


@pytest.mark.parametrize("line", ["!", "\\", "a\\", "[a--].py", "[z-a].py", "[", "!\\", "[a||b].py", "[[a].py"])
@pytest.mark.filterwarnings("error")
def test_lines_that_are_no_patterns_or_odd_ones(line: str) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    make("b.py", "c.py", "d.py", "gen/d.py")
    Path(".gitignore").write_text(f"gen/\n{line}\n/c.py\n")
    assert find(".") == git_finds()
    assert "d.py" in find(".")


def test_an_ignore_file_with_a_byte_order_mark() -> None:
    make("a.py", "b.py")
    Path(".gitignore").write_bytes(b"\xef\xbb\xbfa.py\n")
    subprocess.run(["git", "init", "-q"], check=True)
    assert find(".") == git_finds() == ["b.py"]


def test_a_linked_worktree_has_the_excludes_of_its_repository() -> None:
    make("main/a.py")
    for command in (
        ["init", "-q", "main"],
        ["-C", "main", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"],
        ["-C", "main", "worktree", "add", "-q", "--detach", "../linked"],
    ):
        subprocess.run(["git", *command], check=True)
    Path("main/.git/info/exclude").write_text("a.py\n")
    make("linked/a.py", "linked/sub/b.py")
    assert git_finds("linked") == ["sub/b.py"]
    assert find("linked") == find("linked/sub") == ["linked/sub/b.py"]


def test_a_submodule_has_excludes_of_its_own() -> None:
    make("part/a.py", "part/b.py", "modules/part/info/exclude")
    Path("part/.git").write_text("gitdir: ../modules/part\n")
    Path("modules/part/info/exclude").write_text("a.py\n")
    assert find("part") == ["part/b.py"]


def test_ignore_files_at_every_level() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    make(*TREE)
    Path(".gitignore").write_text("data/\na.py\n")
    Path("src/.gitignore").write_text("!data/\n/a.py\n!gen/a.py\n")
    Path(".git/info/exclude").write_text("b.py\n")
    assert sorted(find(".")) == git_finds() == ["gen/keep.py", "keep.py", "src/gen/a.py"]
    assert find("src") == ["src/gen/a.py"]
    assert find("src/a.py", "data") == ["src/a.py", "data/a.py"]


def test_ignore_files_count_without_a_repository_too() -> None:
    make(*TREE)
    Path(".gitignore").write_text("gen/\n")
    assert "gen/a.py" not in find(".")
    assert find("gen") == ["gen/a.py", "gen/keep.py"]


def test_a_folder_whose_file_ignores_some_is_still_filtered_when_named() -> None:
    make("pkg/a.py", "pkg/b.txt")
    for pattern, expected in {"*.py": [], "/*": ["pkg/a.py"], "*": ["pkg/a.py"], "*\n!a.py": ["pkg/a.py"]}.items():
        Path("pkg/.gitignore").write_text(pattern)
        assert find("pkg") == expected, pattern


def test_loops_end_and_links_to_folders_are_followed_only_when_named() -> None:
    make("pkg/a.py", "other/b.py")
    Path("pkg/loop").symlink_to("..", target_is_directory=True)
    Path("pkg/other").symlink_to("../other", target_is_directory=True)
    Path("link").symlink_to("other", target_is_directory=True)
    assert find("pkg") == ["pkg/a.py"]
    assert find("link") == ["link/b.py"]
    assert find("pkg/loop") == ["pkg/loop/other/b.py", "pkg/loop/pkg/a.py"]
    assert find("link", "other") == ["link/b.py"]


def test_a_link_and_its_target_are_one_file() -> None:
    make("src/real.py", "far/away.py")
    Path("src/a_link.py").symlink_to("real.py")
    Path("src/b_link.py").symlink_to("../far/away.py")
    Path("src/c_link.py").symlink_to("../far/away.py")
    assert find("src") == ["src/b_link.py", "src/real.py"]
    assert find("src/a_link.py") == ["src/a_link.py"]


def problems(paths: Iterable[str]) -> list[str]:
    return list(map(str, discover(map(Path, paths)).problems))


def test_what_is_named_and_cannot_be_taken_is_a_problem_and_the_rest_is_taken() -> None:
    make("a.py")
    Path("broken.py").symlink_to("nowhere.py")
    Path("round.py").symlink_to("round.py")
    os.mkfifo("pipe.py")
    found = discover(map(Path, ["missing.py", "broken.py", "round.py", "pipe.py", "a.py"]))
    assert names(found) == ["a.py"]
    assert list(map(str, found.problems)) == [
        "missing.py: cannot open: No such file or directory; check the path",
        "broken.py: broken link (No such file or directory); check where it points: nowhere.py",
        "round.py: broken link (Too many levels of symbolic links); check where it points: round.py",
        "pipe.py: not a regular file, so nothing was read; to rewrite a stream, give it on standard input and `-` "
        "as the path",
    ]


def test_what_is_met_and_cannot_be_taken_is_a_warning() -> None:
    make("pkg/a.py")
    Path("pkg/.#a.py").symlink_to("me@host.1234")
    os.mkfifo("pkg/pipe.py")
    Path("pkg/round.py").symlink_to("round.py")
    Path("pkg/folder.py").symlink_to("..", target_is_directory=True)
    found = discover([Path("pkg")])
    assert names(found) == ["pkg/a.py"]
    assert not found.problems
    message = "not a regular file, or a broken link; skipped"
    assert list(map(str, found.warnings)) == [
        f"pkg/.#a.py: {message}",
        f"pkg/pipe.py: {message}",
        "pkg/round.py: broken link (Too many levels of symbolic links); skipped",
    ]


@pytest.fixture
def _locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder `locked` with mode bits 000, as it is for everybody but root."""
    make("a.py", "locked/b.py")
    scan, stat = os.scandir, Path.stat

    def scan_elsewhere(folder: str) -> object:
        if folder.endswith("locked"):
            raise PermissionError(13, "Permission denied", folder)
        return scan(folder)

    def stat_elsewhere(path: Path, **options: bool) -> object:
        if "locked" in path.absolute().parent.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "scandir", scan_elsewhere)
    monkeypatch.setattr(Path, "stat", stat_elsewhere)


@pytest.mark.usefixtures("_locked")
@pytest.mark.parametrize("named", [".", "locked"])
def test_a_folder_that_cannot_be_listed(named: str) -> None:
    found = discover([Path(named)])
    assert names(found) == ["a.py"] * (named == ".")
    assert list(map(str, found.problems)) == ["locked: cannot list the folder: Permission denied; check its mode bits"]


@pytest.mark.usefixtures("_locked")
def test_a_file_in_a_folder_that_cannot_be_looked_into() -> None:
    assert problems(["locked/b.py"]) == ["locked/b.py: cannot open: Permission denied; check the path"]


def test_paths_are_shown_from_the_working_folder() -> None:
    make("pkg/a.py")
    assert shown(str(Path("pkg/a.py").resolve())) == str(Path("pkg/a.py"))
    outside = str(Path("..").resolve() / "b.py")
    assert shown(outside) == outside
