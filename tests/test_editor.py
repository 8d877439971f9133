"""Code actions as an editor applies them, and the Python API."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import unplace
from unplace import documents
from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import Status
from unplace.editor.code_actions import code_actions
from unplace.editor.document import Document
from unplace.text.edits import Edit

MODEL = """\
import torch


def f(x: torch.Tensor):
    é, y = "\N{GRINNING FACE}", x.exp(); y += 1
    y.mul_(2)
    x -= 1
    return y, x


def g(x: torch.Tensor):
    z = x.exp()
    z[0] = 1
    return z


def train():
    f(torch.ones(3, requires_grad=True) * 1)
    g(torch.ones(3, requires_grad=True) * 1)
"""


def offered(line: int, column: int | None = None, **options: bool) -> dict[str, Any]:
    document = Document(MODEL, "file:///model.py", "model.py", 7)
    return {action["title"]: action for action in code_actions(document, Options(**options), line, line, column)}


def applied(action: dict[str, Any], text: str = MODEL) -> str:
    """What an editor makes of an action: positions count UTF-16 code units."""
    (change,) = action["edit"]["documentChanges"]
    lines = text.split("\n")
    starts = [sum(len(line.encode("utf-16-le")) + 2 for line in lines[:index]) for index in range(len(lines))]
    data = text.encode("utf-16-le")

    def offset(place: dict[str, int]) -> int:
        return starts[place["line"]] + 2 * place["character"]

    for edit in sorted(change["edits"], key=lambda edit: offset(edit["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


def test_the_actions_of_a_line() -> None:
    actions = offered(5)
    assert list(actions) == [
        """Rewrite as `é, y = "😀", x.exp(); y = y + 1`""",
        "Rewrite all in `f`",
        "Fix all warnings in this file (unplace)",
        "Rewrite all in this file (unplace)",
        "Ignore here (unplace)",
    ]
    assert [a["kind"] for a in actions.values()] == [
        "quickfix",
        "refactor.rewrite",
        "source.fixAll.unplace",
        "refactor.rewrite",
        "quickfix",
    ]
    fix, function, warnings, file, ignore = actions.values()
    assert applied(fix) == MODEL.replace("y += 1", "y = y + 1")
    assert applied(function) == MODEL.replace("y += 1", "y = y + 1").replace("y.mul_(2)", "y = y.mul(2)")
    assert applied(warnings) == applied(file)
    assert applied(file) == applied(function).replace("    z[0]", "    z = z.clone()\n    z[0]")
    assert applied(ignore) == MODEL.replace("y += 1", "y += 1  # unplace: ignore[UNP001]")
    assert fix["isPreferred"] is True
    assert fix["edit"]["documentChanges"][0]["textDocument"] == {"uri": "file:///model.py", "version": 7}
    (diagnostic,) = fix["diagnostics"]
    start = MODEL.split("\n")[4].index("y += 1") + 1  # the face counts twice
    assert diagnostic["range"] == {
        "start": {"line": 4, "character": start},
        "end": {"line": 4, "character": start + len("y += 1")},
    }
    assert (diagnostic["severity"], diagnostic["code"], diagnostic["source"]) == (2, "UNP001", "unplace")


def test_an_unsafe_rewrite_is_offered_and_not_preferred() -> None:
    fix = next(iter(offered(7).values()))
    assert fix["title"].endswith("(unsafe: assumes no caller reads the argument `x` after the call)")
    assert fix["isPreferred"] is False
    assert applied(fix) == MODEL.replace("x -= 1", "x = x - 1")


def test_an_action_is_planned_for_itself() -> None:
    body = ("h = torch.zeros(3)", "h.data = torch.exp(w)", "h.mul_(2)", "return h", "")
    text = "import torch\ndef f(w: torch.Tensor):\n    " + "\n    ".join(body)
    document = Document(text, "file:///model.py", "model.py")
    titles = [action["title"] for action in code_actions(document, Options(), 4, 4)]
    assert titles == ["Rewrite all in `f`", "Rewrite all in this file (unplace)", "Ignore here (unplace)"]


def test_lines_without_operations() -> None:
    assert list(offered(8)) == ["Fix all warnings in this file (unplace)", "Rewrite all in this file (unplace)"]
    assert code_actions(Document("x = 1\n", "file:///x.py", "x.py"), Options(), 1, 1) == []


def test_a_column_picks_one_of_several() -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    y = x.exp(); z = x.exp()\n    y += 1; z += 2\n    return y, z\n"
    document = Document(text, "file:///model.py", "model.py")
    both = code_actions(document, Options(), 4, 4)
    (first, *_) = code_actions(document, Options(), 4, 4, 14)
    assert [action["title"] for action in both[:3]] == [
        "Rewrite as `y = y + 1; z += 2`",
        "Rewrite as `y += 1; z = z + 2`",
        "Rewrite all in `f`",
    ]
    assert [len(action["diagnostics"]) for action in both[:2]] == [1, 1]
    assert applied(both[1], text) == text.replace("z += 2", "z = z + 2")
    assert first["diagnostics"][0]["range"]["start"]["character"] == 12


def test_operations_that_can_only_be_rewritten_together_have_one_action() -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y.mul_(2).add_(1)\n    return y\n"
    actions = code_actions(Document(text, "file:///model.py", "model.py"), Options(), 4, 4)
    assert [action["title"] for action in actions].count("Rewrite as `y = y.mul(2).add(1)`") == 1
    assert len(actions[0]["diagnostics"]) == 2


# The command


@pytest.fixture
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL, encoding="utf-8")


@pytest.mark.usefixtures("_in_a_folder")
def test_the_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["code-action", "model.py", "--line", "13"]) == 0
    actions = json.loads(capfd.readouterr().out)
    assert applied(actions[0]) == MODEL.replace("    z[0]", "    z = z.clone()\n    z[0]")
    assert actions[0]["edit"]["documentChanges"][0]["textDocument"] == {
        "uri": Path("model.py").absolute().as_uri(),
        "version": None,
    }
    buffer = MODEL.replace("z[0] = 1", "z[0] = 2")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(buffer.encode())))
    assert main(["code-action", "model.py", "--line", "13", "--stdin", "--document-version", "3"]) == 0
    actions = json.loads(capfd.readouterr().out)
    assert applied(actions[0], buffer) == buffer.replace("    z[0]", "    z = z.clone()\n    z[0]")
    assert actions[0]["edit"]["documentChanges"][0]["textDocument"]["version"] == 3


@pytest.mark.usefixtures("_in_a_folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--line", "0"], "0 is not a number from 1"),
        (["--line", "3", "--end-line", "2"], "is before --line"),
        (["--line", "x"], "x is not a number"),
        ([], "Missing option"),
    ],
)
def test_usage(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["code-action", "model.py", *arguments]) == 2
    assert words in " ".join(capfd.readouterr().err.replace("│", "").split())


# The Python API


def test_rewrite_source() -> None:
    report = unplace.rewrite_source(MODEL, path="model.py")
    assert "y = y + 1\n    y = y.mul(2)\n    x -= 1" in report.after
    assert [f.line for f in report.findings if f.status is Status.REFUSED] == [7]
    assert "x = x - 1" in unplace.rewrite_source(MODEL, unsafe=True).after
    assert unplace.rewrite_source(MODEL, select=["UNP005"]).after == MODEL.replace(
        "    z[0]", "    z = z.clone()\n    z[0]"
    )
    assert "y.mul_(2)" in unplace.rewrite_source(MODEL, ignore=["UNP002"]).after
    assert [f.line for f in unplace.rewrite_source(MODEL, only=["possible"]).findings] == [7]


def test_what_rewrite_source_refuses() -> None:
    with pytest.raises(SyntaxError):
        unplace.rewrite_source("x = (")
    with pytest.raises(ValueError, match="unknown rule UNP999"):
        unplace.rewrite_source("", select=["UNP999"])
    with pytest.raises(ValueError, match="unknown harm bad"):
        unplace.rewrite_source("", only=["bad"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"select": "UNP001"}, "select must be a list of texts, such as [\"UNP001\"], not 'UNP001'"),
        ({"ignore": [1]}, 'ignore must be a list of texts, such as ["UNP001"], not [1]'),
        ({"only": "harmful"}, "only must be a list of texts, such as [\"harmful\"], not 'harmful'"),
        ({"only": 3}, 'only must be a list of texts, such as ["harmful"], not 3'),
        ({"target_torch": 2.1}, 'target_torch must be a text such as "2.1", not 2.1'),
    ],
)
def test_arguments_of_another_type_are_said(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        unplace.rewrite_source("", **arguments)


def test_titles_show_the_code_or_the_line_that_changes() -> None:
    def title(body: str, line: int) -> str:
        text = f"import torch\n\n\ndef f(x: torch.Tensor):\n{body}"
        (first, *_) = code_actions(Document(text, "file:///model.py", "model.py"), Options(), line, line)
        return str(first["title"])

    assert title("    y = x.exp()\n    y += 1\n    return y\n", 6) == "Rewrite as `y = y + 1`"
    assert title("    y = x.exp()\n    y[0] = 1\n    return y\n", 6) == "Rewrite as `y = y.clone()` and 1 more"
    long = " + ".join(["torch.ones(1000)"] * 9)
    assert title(f"    y = x.exp()\n    y += {long}\n    return y\n", 6).endswith("…`")
    saved = "    y = x.exp()\n    y.resize_(3)\n    return y\n"
    assert title(saved, 6) == "Rewrite line 5 as `y = x.exp().clone()`"


def test_a_diagnostic_speaks_of_its_file_only() -> None:
    body = "    y = x.exp().expand(2, 3)\n    y[x.expand(2, 3) > 0] = 2\n    return y\n"
    text = f"import torch\n\n\ndef f(x: torch.Tensor):\n{body}"
    document = Document(text, "file:///model.py", "model.py")
    found = [d["message"] for a in code_actions(document, Options(), 6, 6) for d in a.get("diagnostics", ())]
    assert found
    assert all(", no fix in this file: " in message for message in found)


def test_a_fix_that_other_files_prove_is_offered() -> None:
    text = "import torch\nfrom other import f\n\n\ndef g(x: torch.Tensor):\n    y = f(x)\n    y += 1\n    return y\n"
    document = Document(text, "file:///model.py", "model.py")
    assert [a["title"] for a in code_actions(document, Options(), 7, 7) if a.get("isPreferred")] == []
    proved = documents.rewrite(text.replace("f(x)", "x.exp()"), "model.py", Options())
    moved = len("x.exp()") - len("f(x)")
    edits = [Edit(edit.start - moved, edit.end - moved, edit.replacement) for edit in proved.edits]
    document.plans.adopt(text, "model.py", Options(), replace(proved, edits=edits))
    (fix,) = [a for a in code_actions(document, Options(), 7, 7) if a.get("isPreferred")]
    assert fix["title"] == "Rewrite as `y = y + 1`"
    assert applied(fix, text) == text.replace("y += 1", "y = y + 1")


def test_all_harmful_operations_of_a_file_are_fixed() -> None:
    text = MODEL + "h = torch.ones(3, requires_grad=True) * 2\nh += 1\n"
    document = Document(text, "file:///model.py", "model.py")
    found = {action["title"]: action for action in code_actions(document, Options(), 6, 6)}
    fixed = applied(found["Fix all warnings in this file (unplace)"], text)
    assert "y = y + 1" in fixed
    assert fixed.endswith("h += 1\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = 1  # unplace: ignore\n", "n = 1\n"),
        ("n = 1  # why not  # unplace: ignore[UNP001] because\n", "n = 1  # why not\n"),
        ("n = 1  # unplace: ignore  # noqa\n", "n = 1  # noqa\n"),
        ("# unplace: ignore\nn = 1\n", "n = 1\n"),
        ("def f(x: torch.Tensor):\n    x += 1  # unplace: ignore[UNP001, UNP002]\n", None),
    ],
)
def test_an_unused_suppression_can_be_removed(before: str, after: str | None) -> None:
    text = f"import torch\ny = torch.ones(3)\ny += 1\n{before}"
    document = Document(text, "file:///model.py", "model.py")
    lines = range(4, text.count("\n") + 1)
    found = [action for line in lines for action in code_actions(document, Options(), line, line)]
    (removal,) = [action for action in found if action["title"] == "Remove the unused suppression (unplace)"]
    wanted = after if after is not None else before.replace(", UNP002", "")
    assert applied(removal, text) == f"import torch\ny = torch.ones(3)\ny += 1\n{wanted}"
    assert removal["diagnostics"][0]["code"] == "unused-suppression"
