"""Paths, line ends and encodings of Windows and macOS, on any system: pure paths and `ntpath` stand in for theirs."""

from __future__ import annotations

import codecs
import json
import ntpath
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import pytest

from unplace.batch.origin import is_url
from unplace.batch.targets import targets
from unplace.config.options import Options
from unplace.files import relative as relative_module
from unplace.files.patterns import Patterns
from unplace.files.relative import relative
from unplace.observation.facts import Observations
from unplace.reporting import diff, github, gitlab, sarif
from unplace.runs.outcome import Outcome, rewrite_bytes

MODEL = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()  # é\n    y += 1\n    return y\n"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths as Windows has them, in the modules that make paths of reports, patterns and facts."""
    monkeypatch.setattr(relative_module, "os", SimpleNamespace(path=ntpath, sep="\\"))
    for module in (diff, github, gitlab, sarif):
        monkeypatch.setattr(module, "PurePath", PureWindowsPath)


def outcome(path: str, data: bytes = MODEL.encode()) -> Outcome:
    found = rewrite_bytes(data, path, Options())
    assert found.problem is None
    assert found.change is not None
    return found


# Paths


@pytest.mark.usefixtures("windows")
def test_reports_for_services_have_slashes() -> None:
    found = outcome("src\\net.py")
    assert "file=src/net.py," in github.document([found])
    assert json.loads(gitlab.document([found]))[0]["location"]["path"] == "src/net.py"
    log = json.loads(sarif.document([found]))["runs"][0]
    assert log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "src/net.py"}


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(("path", "name"), [("src\\net.py", b"./src/net.py"), ("C:\\src\\net.py", b"C:/src/net.py")])
def test_patches_have_slashes(path: str, name: bytes) -> None:
    found = outcome(path)
    assert found.change is not None
    first, second, *_ = diff.patch(path, found.change, found.edits)
    assert (first.split(), second.split()) == ([b"---", name], [b"+++", name])


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("C:\\work\\src\\net.py", "C:\\work", "src/net.py"),
        ("c:\\WORK\\src\\net.py", "C:\\work", "src/net.py"),
        ("C:\\net.py", "C:\\work", "../net.py"),
        ("D:\\net.py", "C:\\work", None),
        ("\\\\server\\share\\net.py", "C:\\work", None),
    ],
)
def test_relative_paths(path: str, folder: str, expected: str | None) -> None:
    assert relative(path, folder) == expected


@pytest.mark.usefixtures("windows")
def test_patterns_match_below_their_folder_whatever_the_drive() -> None:
    patterns = Patterns("C:\\work", ("old/", "*_pb2.py"))
    found = {
        path: patterns.match(path)
        for path in ("C:\\work\\old\\net.py", "C:\\work\\a_pb2.py", "C:\\work\\net.py", "D:\\work\\old\\net.py")
    }
    assert list(found.values()) == [True, True, False, False]


@pytest.mark.usefixtures("windows")
def test_facts_of_another_drive_hold_for_no_file() -> None:
    assert not Observations("D:\\work", by_file={"net.py": {}}).about("/c/work/net.py", MODEL)._by_line


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("C:\\src\\net", False),
        ("C:/src/net", False),
        ("git@example.org:speech.git", True),
        ("host:speech.git", True),
        ("https://example.org/speech", True),
        ("./a:b", False),
    ],
)
def test_a_drive_is_no_host(target: str, expected: bool) -> None:
    assert is_url(target) is expected


def test_names_that_differ_in_case_get_state_of_their_own(tmp_path: Path) -> None:
    """Where file names are case-insensitive, `Net.sqlite` and `net.sqlite` are one file."""
    named = [target.name for target in targets([str(tmp_path / "a/Net"), str(tmp_path / "b/net")], [])]
    assert len({name.casefold() for name in named}) == 2


# Line ends and encodings


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "mac-roman"])
def test_line_ends_and_encodings_stay(end: str, encoding: str) -> None:
    declared = MODEL if encoding.startswith("utf-8") else f"# -*- coding: {encoding} -*-\n{MODEL}"
    data = declared.replace("\n", end).encode(encoding)
    change = outcome("net.py", data).change
    assert change is not None
    assert change.after.data == data.replace(b"y += 1", b"y = y + 1")
    assert change.after.data.startswith(codecs.BOM_UTF8) == (encoding == "utf-8-sig")


@pytest.mark.parametrize("new", ["y += 1\r\n", "y += 1\r", "y += 1\n"])
def test_each_line_keeps_its_own_end(new: str) -> None:
    text = "import torch\r\n\n\rdef f(x: torch.Tensor):\r    y = x.exp()\n    y[0] = 1\r\n    " + new + "    return y\n"
    change = outcome("net.py", text.encode()).change
    assert change is not None
    before, after = text.encode().splitlines(keepends=True), change.after.data.splitlines(keepends=True)
    kept = [line for line in before if b"y += 1" not in line and b"y[0]" not in line]
    assert [line for line in after if line in kept] == kept
    ends = {line[len(line.rstrip(b"\r\n")) :] for line in after if line not in kept}
    assert ends <= {b"\r\n", new[len("y += 1") :].encode(), b"\n", b"\r"}
    compile(change.after.data, "net.py", "exec")


def test_a_file_that_is_named_twice_in_other_letters_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a system that takes both names for one file, they are links to the same contents."""
    from unplace.files.discovery import discover

    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(MODEL, "utf-8")
    Path("NET.py").symlink_to("net.py")
    assert len(discover([Path("net.py"), Path("NET.py")]).files) == 1
