"""What a run prints: patches that tools accept, JSON, the two texts, colours and the progress bar."""

from __future__ import annotations

import io
import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import toy_rewriter
from unplace import __version__
from unplace.cli import main
from unplace.config.options import Options
from unplace.reporting import concise, diff, progress, rich
from unplace.reporting import json as json_report
from unplace.reporting.styled import wants_colour, write_lines
from unplace.reporting.summary import Summary
from unplace.runs.outcome import Outcome, rewrite_bytes

SOURCE = b"""\
import torch

def f(x, i):
    x += 1
    x.add_(1)
    i += 1
    x.sub_(1)
    return x
"""


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy_rewriter.install(monkeypatch)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def outcome(data: bytes, path: str = "model.py", *, unsafe: bool = False) -> Outcome:
    result = rewrite_bytes(data, path, Options(unsafe=unsafe))
    assert result.problem is None
    return result


def patch(result: Outcome) -> bytes:
    assert result.change is not None
    return b"".join(diff.patch(result.path, result.change, result.edits))


FILES = {
    "plain.py": SOURCE,
    "sub/deep/er.py": SOURCE * 3,
    "no end.py": b"y = 1\nx += 1",
    "tail.py": b"x += 1\ny = 1",
    "crlf.py": SOURCE.replace(b"\n", b"\r\n"),
    "mixed.py": b"a = 1\r\nx += 1\ny = 2\r\nx += y\r\n",
    "cr.py": b"a = 1\rx += 1\ry = 2\r",
    "bom.py": b"\xef\xbb\xbfx += 1\ny = '\xc3\xa9'\n",
    "latin.py": b"# coding: latin-1\n# \xe9\nx += 1\n# \xe9\n",
    "feed.py": b"\x0c\nx += 1\n\x0c\nif x:\n\tx += 2\t# tab\n",
    "joined.py": b"x += (1 +\n      2)\nx += 3; y = 4\n",
    "ends.py": b"x += 1\n" + b"y = 1\n" * 20 + b"x += 2",
    "near.py": b"x += 1\n" + b"y = 1\n" * 6 + b"x += 2\n" + b"y = 1\n" * 7 + b"x += 2\n",
    "\N{LATIN SMALL LETTER E WITH ACUTE}.py": b"x += 1\n",
}


@pytest.mark.parametrize("command", ["git apply", "patch -p0 --binary", "patch -p1 --binary"])
def test_a_patch_gives_what_a_rewrite_gives(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"no {command}")
    for folder in ("patched", "rewritten"):
        for name, data in FILES.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    monkeypatch.chdir(tmp_path / "rewritten")
    assert main(["rewrite", "--diff", "."]) == 0
    diff_output = capfdbinary.readouterr().out
    assert main(["rewrite", "."]) == 0
    subprocess.run(command.split(), cwd=tmp_path / "patched", input=diff_output, check=True, capture_output=True)
    for name, data in FILES.items():
        rewritten = (tmp_path / "rewritten" / name).read_bytes()
        assert rewritten != data
        assert (tmp_path / "patched" / name).read_bytes() == rewritten, name


def test_a_patch_says_only_what_changes() -> None:
    assert patch(outcome(b"a = 1\nb = 2\nc = 3\nd = 4\nx += 1\ne = 5", "sub/a b.py")) == (
        b"--- ./sub/a b.py\t\n+++ ./sub/a b.py\t\n"
        b"@@ -2,5 +2,5 @@\n b = 2\n c = 3\n d = 4\n-x += 1\n+x = x + 1\n e = 5\n"
        b"\\ No newline at end of file\n"
    )
    assert patch(outcome(b"x += 1\n")) == b"--- ./model.py\n+++ ./model.py\n@@ -1 +1 @@\n-x += 1\n+x = x + 1\n"


def test_a_patch_does_without_edits_that_tell_all() -> None:
    known, result = outcome(SOURCE), outcome(SOURCE)
    assert result.change is not None
    assert b"".join(diff.patch("model.py", result.change, [])) == patch(known)


def test_random_patches_apply(tmp_path: Path) -> None:
    choice = random.Random(0)
    path = tmp_path / "model.py"
    for _ in range(30):
        lines = choice.choices(["x += 1", "x += (1 +\n  2)", "y = 1", "y = 1", "y = 1", "y = 1", ""], k=40)
        data = "\n".join(lines).encode()
        result = outcome(data)
        if result.change is None:
            continue
        path.write_bytes(data)
        subprocess.run(["git", "apply"], cwd=tmp_path, input=patch(result), check=True)
        assert path.read_bytes() == result.change.after.data


def test_a_long_file_of_similar_lines_is_compared_at_once() -> None:
    # difflib alone needs minutes for this one.
    data = b"".join(b"x += %d\ny%d = f(x)\n" % (number % 7, number % 50) for number in range(10_000))
    result = outcome(data)
    start = time.perf_counter()
    text = patch(result)
    assert time.perf_counter() - start < 2
    assert text.count(b"\n+") == 10_000 + 1


def test_json_has_the_documented_shape() -> None:
    outcomes = [outcome(SOURCE), outcome(b"", "empty.py"), rewrite_bytes(b"x = (\n", "bad.py", Options())]
    document = json.loads(json_report.document(outcomes))
    assert list(document) == ["version", "files", "summary", "sites"]
    assert document["version"] == __version__
    error = document["files"].pop("bad.py")["error"]
    assert (error["line"], error["column"]) == (1, 5)
    assert error["message"].startswith("cannot parse: '(' was never closed; Python 3.")
    assert document["files"] == {
        "model.py": {"changed": True, "error": None},
        "empty.py": {"changed": False, "error": None},
    }
    assert document["summary"] == {"files": 3, "changed": 1, "rewritten": 1, "kept": 1, "refused": 2, "errors": 1}
    assert [(site["line"], site["code"], site["status"], site["applicability"]) for site in document["sites"]] == [
        (4, "UNP001", "rewritten", "safe"),
        (5, "UNP002", "refused", "unsafe"),
        (6, "UNP001", "kept", None),
        (7, "UNP002", "refused", None),
    ]
    assert document["sites"][1] == {
        "path": "model.py",
        "line": 5,
        "column": 5,
        "end_line": 5,
        "end_column": 14,
        "code": "UNP002",
        "form": "underscore method",
        "status": "refused",
        "applicability": "unsafe",
        "harm": "harmful",
        "saved_by": None,
        "message": "`x` is rebound",
        "assumptions": ["nobody else sees `x`"],
    }


def text_of(lines: object) -> str:
    stream = io.StringIO()
    write_lines(stream, lines)  # type: ignore[arg-type]
    return stream.getvalue()


def test_concise_is_a_line_per_finding() -> None:
    assert text_of(concise.lines([outcome(SOURCE), outcome(b"", "empty.py")])) == (
        "model.py:4:5: UNP001 [rewritten] `x` is rebound\n"
        "model.py:5:5: UNP002 [refused] `x` is rebound\n"
        "model.py:7:5: UNP002 [refused] `x` is a view of the argument\n"
    )


def test_rich_names_places_and_assumptions() -> None:
    assert text_of(rich.lines([outcome(b"i += 1\n", "kept.py"), outcome(SOURCE, unsafe=True)])) == (
        "model.py:4:5: UNP001 [rewritten] `x` is rebound\n"
        "model.py:5:5: UNP002 [rewritten] `x` is rebound\n"
        "  assumes: nobody else sees `x`\n"
        "model.py:7:5: UNP002 [refused] `x` is a view of the argument\n"
    )


def test_the_summary_counts_and_hints() -> None:
    outcomes = [outcome(SOURCE), outcome(b"", "empty.py")]
    assert Summary.of(outcomes).sentences(applied=True) == [
        "Rewrote 1 in-place operation in 1 file of 2. 2 refused, 1 kept (1 meant).",
        "1 of the refused can be rewritten with `--unsafe`, on the assumptions it names.",
    ]
    assert Summary.of(outcomes).sentences(applied=False)[0].startswith("Would rewrite 1 in-place operation in 1 file")
    assert Summary.of(outcomes[1:]).sentences(applied=True) == ["Nothing to rewrite in 1 file."]
    broken = rewrite_bytes(b"x = (", "bad.py", Options())
    assert Summary.of([broken]).sentences(applied=True) == ["1 file could not be handled."]
    assert Summary.of([broken, outcomes[1]]).sentences(applied=True) == [
        "Nothing to rewrite in 1 file.",
        "1 file could not be handled.",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (io.StringIO(), {"TERM": "xterm"}, False),
        (io.StringIO(), {"TERM": "xterm", "FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_for_terminals_and_those_who_ask(
    stream: io.StringIO, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(stream) is coloured
    write_lines(stream, rich.lines([outcome(SOURCE)]))
    assert ("\x1b[" in stream.getvalue()) is coloured


def test_a_coloured_diff_reads_as_the_plain_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.py").write_bytes(FILES["latin.py"])
    plain = patch(outcome(FILES["latin.py"], "latin.py")).decode("latin-1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["rewrite", "--diff", "latin.py"])
    coloured = capsys.readouterr().out
    assert "\x1b[32m+x = x + 1" in coloured
    assert "\x1b[31m-x += 1" in coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_a_bar_is_shown_on_a_terminal_when_it_takes_long(
    patience: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress._Bar, "patience", patience)
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    items = progress.watched(iter("abc"), 3, "Checking")
    assert next(items) == "a"
    assert next(items) == "b"
    if shown:  # the bar draws itself ten times a second, later on a busy machine
        deadline = time.monotonic() + 20
        while "\x1b[32m1/3\x1b[0m files" not in stream.getvalue():
            assert time.monotonic() < deadline, stream.getvalue()
            time.sleep(0.05)
    assert list(items) == ["c"]
    if not shown:
        assert stream.getvalue() == ""
