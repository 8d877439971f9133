"""What people see: places that can be clicked, quoted lines with carets, lines that fit the terminal."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from unplace.cli import main
from unplace.cli.app import COMMANDS
from unplace.reporting.wrapping import cells, cut, wrapped

CHAIN = """\
import torch


def f(x: torch.Tensor):
    y = x.exp()
    return y.mul_(2).add_(1)


def train():
    f(torch.ones(3, requires_grad=True) * 1)
"""
CALLER = CHAIN.partition("\n    return y.mul_(2).add_(1)\n")[2]
"""What makes the operations of `f` harmful, in any file: a call that passes a tensor with a graph."""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    output = capfd.readouterr()
    return code, output.out, output.err


def test_operations_of_a_chain_point_at_their_methods(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(CHAIN)
    lines = run(capfd, "check", "model.py")[1].splitlines()
    assert lines[:3] == [
        "model.py:6:14: UNP002 underscore method can break autograd: saved by exp() in line 5 [harmful]",
        "  6 | return y.mul_(2).add_(1)",
        "    |          ^^^^",
    ]
    assert lines[7:10] == [
        "model.py:6:22: UNP002 underscore method can break autograd: saved by exp() in line 5 [harmful]",
        "  6 | return y.mul_(2).add_(1)",
        "    |                  ^^^^",
    ]
    concise = run(capfd, "check", "--output-format", "concise", "model.py")[1].splitlines()
    assert [line.split(": ")[0] for line in concise] == ["model.py:6:14", "model.py:6:22"]
    assert "y.mul_(2).add_(1)  (underscore method)" in run(capfd, "explain", "model.py:6:22")[1]


@pytest.mark.parametrize("width", [40, 60, 120])
def test_reports_fit_the_width(width: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    Path("model.py").write_text(CHAIN.replace("y.mul_(2)", "torch.nn.functional.silu(x * 2 + y.mul_(2).sum())"))
    for command in (["check"], ["rewrite", "--check"], ["explain", "model.py:6"], ["rule", "UNP003"]):
        code, out, err = run(capfd, *command, *([] if command[0] in ("explain", "rule") else ["model.py"]))
        assert code in (0, 1)
        text = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", out + err)  # a slow machine shows a progress bar
        code_begins = ("+", "-", "@", "    ") if command[0] == "rule" else ("+", "-", "@")
        told = [line for line in text.splitlines() if not line.startswith(code_begins)]
        longest = max(told, key=len)
        assert len(longest) <= width or len(max(longest.split(), key=len)) > width // 3, longest


def test_a_line_is_cut_around_what_is_pointed_at() -> None:
    code = "a" * 50 + "HERE" + "b" * 50
    shown, start, end = cut(code, 50, 54, 30)
    assert len(shown) <= 30
    assert shown[start:end] == "HERE"
    assert shown.startswith("...")
    assert shown.endswith("...")
    assert cut(code, 50, 54, None) == (code, 50, 54)


def test_wide_letters_take_two_columns(capfd: pytest.CaptureFixture[str]) -> None:
    assert (cells("日本"), cells("e\u0301"), cells("ab")) == (4, 1, 2)
    code = "import torch\n\n\ndef f(x: torch.Tensor):\n    日本 = x.exp()\n\n    日本 += 1\n    return 日本\n"
    Path("model.py").write_text(code + CALLER, "utf-8")
    lines = run(capfd, "check", "model.py")[1].splitlines()
    assert lines[1:3] == ["  7 | 日本 += 1", "    | ^^^^^^^^^"]


def test_words_longer_than_a_line_stay_whole() -> None:
    text = "short " + "x" * 60 + " end"
    assert ["".join(text for text, _ in line) for line in wrapped([(text, "")], 40, 4)] == [
        "short",
        "    " + "x" * 60,
        "    end",
    ]


def test_code_in_backticks_stays_whole_where_it_fits() -> None:
    def shown(text: str, width: int) -> list[str]:
        return ["".join(part for part, _ in line) for line in wrapped([(text, "")], width, 2)]

    assert shown("it becomes `y = y + k` there", 20) == ["it becomes", "  `y = y + k` there"]
    assert shown("it becomes `y = y + k` there", 12) == ["it becomes", "  `y = y +", "  k` there"]
    assert shown("one ` alone is no code", 12) == ["one ` alone", "  is no code"]


def test_a_line_may_be_broken_between_styles_but_never_within_a_word() -> None:
    line = [("model.py", "bold"), (":7: ", ""), ("a store that breaks ", "cyan"), ("[harmful]", "red")]
    shown = ["".join(text for text, _ in one) for one in wrapped(line, 33, 4)]
    assert shown == ["model.py:7: a store that breaks", "    [harmful]"]


def test_a_note_without_room_stands_below_its_marks(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    body = "    hidden_state_of = torch.exp(x)\n    hidden_state_of += 1\n"
    Path("model.py").write_text(f"import torch\n\n\ndef f(x):\n{body}{CALLER}")
    lines = run(capfd, "check", "model.py")[1].splitlines()
    at = lines.index("  5 | hidden_state_of = torch.exp(x)")
    assert lines[at + 1 : at + 3] == ["    | " + " " * 24 + "---", "    | " + " " * 24 + "saved here"]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_help_fits_the_width(width: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command in ([], *([name] for name in COMMANDS)):
        text = run(capfd, *command, "--help")[1]
        for line in text.splitlines():
            is_code = line.strip().startswith(("unplace ", "def ", "return "))
            assert len(line) < width or is_code or " " not in line.strip(), line
        words = text.split()
        assert not [word for word in words if word.startswith("--") and word[2:] and word.endswith("-")]
        assert len(max(text.splitlines(), key=len)) > 35


def test_cells_of_notebooks_are_quoted_as_people_see_them(capfd: pytest.CaptureFixture[str]) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    sources = [
        "import torch\n",
        "def f(x):\n",
        "    y = torch.exp(x)\n",
        '    y += 1  # "quoted"\n',
        "    return y\n",
        CALLER,
    ]
    notebook = {"cells": [{**cell, "source": sources}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    Path("model.ipynb").write_text(json.dumps(notebook))
    lines = run(capfd, "check", "model.ipynb")[1].splitlines()
    assert lines[0].startswith("model.ipynb:cell 1:4:5: UNP001 ")
    assert lines[1:5] == [
        '  4 | y += 1  # "quoted"',
        "    | ^^^^^^",
        "  3 | y = torch.exp(x)",
        "    |           --- saved here",
    ]


def test_the_line_of_another_file_that_saved_is_quoted(capfd: pytest.CaptureFixture[str]) -> None:
    Path("lib").mkdir()
    Path("lib/layers.py").write_text(
        "import torch\n\n\ndef scaled(x: torch.Tensor, factor: float):\n    x *= factor\n    return x\n"
    )
    Path("main.py").write_text(
        "import torch\nfrom lib.layers import scaled\n\n\n"
        "def loss(x: torch.Tensor):\n    return scaled(torch.sigmoid(x), 2.0).sum()\n"
    )
    out = run(capfd, "check", "--only", "harmful,possible", ".")[1]
    assert "main.py:6 | return scaled(torch.sigmoid(x), 2.0).sum()\n" in out
    assert "------- saved here" in out


def test_colours_follow_the_harm(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    Path("model.py").write_text(CHAIN)
    out = run(capfd, "check", "model.py")[1]
    assert "\x1b[31m^^^^\x1b[0m" in out  # red, as harmful
    assert "\x1b[31m[harmful]\x1b[0m" in out


def test_an_explanation_begins_with_the_verdict_and_names_each_saver_once(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(
        "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n"
        f"    a = y.sin()\n    b = y.sin()\n    y += 1\n    return a, b, y\n{CALLER}"
    )
    lines = run(capfd, "explain", "model.py:8")[1].splitlines()
    assert lines[1].startswith("  verdict    would be rewritten (safe): ")
    assert lines[2] == "  harm       harmful"
    assert sum("by sin() in line 6, line 7" in line for line in lines) == 1


def test_what_is_kept_has_a_reason_and_no_missing_fix(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(
        "import torch\n\n\ndef f(w: torch.Tensor):\n    with torch.no_grad():\n        w += 1\n"
    )
    out = run(capfd, "check", "--all", "model.py")[1]
    assert out.startswith("model.py:6:9: UNP001 augmented assignment is kept [")
    assert "\n  reason: " in out
    assert "no fix" not in out
