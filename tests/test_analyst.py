"""What the language server works out: what was edited, as a look at all of it does, and no longer than asked."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest

from unplace.analysis.cancellation import CancelledError
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding
from unplace.editor.analyst import Analyst
from unplace.editor.document import Document
from unplace.editor.outline import Edited, Outline, head
from unplace.editor.plans import Plans
from unplace.transform.rewriter import first_round

CASES = sorted((Path(__file__).parent / "regressions").glob("*.py"))
FUNCTIONS = tuple(
    f"def f{number}(x: torch.Tensor):\n    y = x.{operation}()\n    {write}\n    return y\n"
    for number, (operation, write) in enumerate(
        [
            ("exp", "y += 1"),
            ("sigmoid", "y.mul_(2)"),
            ("tanh", "y[0] = 0"),
            ("sin", "y -= 1"),
            ("sqrt", "y[y > 1] = 0"),
            ("exp", "y.data = y.cos()"),
        ]
    )
)
TEXT = "\n\n".join(["import torch\n", *FUNCTIONS])
CALLS = "".join(f"    f{number}(torch.ones(3, requires_grad=True) * 1)\n" for number in range(len(FUNCTIONS)))
CALLED = f"{TEXT}\n\ndef train():\n{CALLS}"
"""The same functions with a caller whose tensors have a graph."""


def looked_at(analyst: Analyst, text: str, *, at_a_glance: bool = False) -> list[dict[str, Any]]:
    return diagnostics(analyst, Document(text, "file:///m.py", "/m.py"), at_a_glance=at_a_glance)


def diagnostics(analyst: Analyst, document: Document, *, at_a_glance: bool = False) -> list[dict[str, Any]]:
    (found,) = analyst.diagnostics(document, [], at_a_glance=at_a_glance).values()
    return found


# At a glance


def test_a_glance_is_at_the_functions_that_were_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    walk = Program._walk

    def noted(program: Program, scope: Any, variant: Any) -> Any:
        walked.append(scope.name)
        return walk(program, scope, variant)

    monkeypatch.setattr(Program, "_walk", noted)
    analyst = Analyst()
    looked_at(analyst, TEXT, at_a_glance=True)
    assert set(walked) == {f"f{number}" for number in range(len(FUNCTIONS))}
    walked.clear()
    looked_at(analyst, TEXT.replace("y.mul_(2)", "y.mul_(3)\n    y.mul_(4)"), at_a_glance=True)
    assert set(walked) == {"f1"}
    walked.clear()
    looked_at(analyst, TEXT.replace("import torch", "import torch as t"), at_a_glance=True)
    assert len(set(walked)) == len(FUNCTIONS)  # an import is about all of them


@pytest.mark.parametrize("seed", range(20))
def test_glances_after_many_edits_see_what_a_fresh_look_sees(seed: int) -> None:
    choice = random.Random(seed)
    analyst, text = Analyst(), TEXT
    looked_at(analyst, text)
    for _ in range(12):
        text = edited(text, choice)
        found = looked_at(analyst, text, at_a_glance=True)
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        assert found == looked_at(Analyst(), text, at_a_glance=True)


def edited(text: str, choice: random.Random) -> str:
    """The text after an edit as people make them: a line more or less, a letter more or less, a function moved."""
    lines = text.split("\n")
    at = choice.randrange(2, len(lines))
    kind = choice.randrange(6)
    if kind == 0:
        lines.insert(at, choice.choice(["    y = y.exp()", "    y *= 2", "", "# a note", "    z = ("]))
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines[at] += choice.choice(["  # unplace: ignore", " # \N{GRINNING FACE}", " + 1"])
    elif kind == 3:
        lines = [*TEXT.split("\n")[:2], choice.choice(FUNCTIONS).replace("def f", "def g"), *lines[2:]]
    elif kind == 4 and lines[at]:
        cut = choice.randrange(len(lines[at]))
        lines[at] = lines[at][:cut] + lines[at][cut + 1 :]
    else:
        return TEXT
    return "\n".join(lines)


# The beginning


LONG = "import torch\n\n\n" + "\n\n".join(
    FUNCTIONS[number % 6].replace(f"def f{number % 6}(", f"def f{number}(") for number in range(800)
)


def test_long_classes_are_taken_apart() -> None:
    """A test case of 10,000 lines is one class; its methods are looked at in turn."""
    method = "    def f(self, y):\n        y += 1\n"
    text = f"def g(): ...\nclass Long:\n    x = 1\n{method * 200}class Short:\n{method}"
    outline = Outline.of(ast.parse(text))
    assert outline.units == ((1, 1), (2, 403), (404, 406))
    assert outline.parts == ((1, 1), *((line, line + 1) for line in range(4, 404, 2)), (404, 406))


def test_the_beginning_of_a_long_text_is_shown_first() -> None:
    analyst, document = Analyst(), Document(LONG, "file:///m.py", "/m.py")
    first = analyst.beginning(document, [], 0.0)
    assert first is not None
    (shown,) = first.values()
    whole = diagnostics(analyst, document, at_a_glance=True)
    assert 0 < len(shown) < len(whole) / 8
    assert [one for one in shown if one not in whole] == []
    assert analyst.beginning(document, [], 0.0) is None  # all of it is known


def test_the_head_of_a_module_ends_before_a_function_or_class() -> None:
    text = 'a = """\ndef in_a_text():\n    pass\n"""\n\n\n@wraps(\n    a\n)\ndef f():\n    pass\n\n\nclass C: ...\n'
    complete = {most: head(text, most) for most in range(1, 15)}
    assert complete[14] == text[: text.index("class")]
    assert {complete[most] for most in range(7, 14)} == {text[: text.index("@")]}
    assert {complete[most] for most in range(1, 7)} == {None}


def test_the_head_of_a_very_long_text_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unplace.editor.analyst._VERY_LONG", 4000)
    monkeypatch.setattr("unplace.editor.analyst._LONG", 1000)
    analyst, document = Analyst(), Document(LONG, "file:///m.py", "/m.py")
    read: list[int] = []

    def parsed(text: str) -> ast.Module:
        read.append(text.count("\n"))
        return ast.parse(text)

    monkeypatch.setattr("unplace.editor.outline.parsed", parsed)
    first = analyst.beginning(document, [], 0.0)
    assert first is not None
    (lines,) = read
    assert 900 < lines <= 1000
    (shown,) = first.values()
    whole = diagnostics(analyst, document, at_a_glance=True)
    assert [one for one in shown if one not in whole] == []
    nothing = "".join(f"def f{number}():\n    return {number}\n" for number in range(2100))
    late = Document(f"import torch\n{nothing}{FUNCTIONS[0]}", "file:///late.py", "/late.py")
    assert Analyst().beginning(late, [], 0.0) is not None


def test_a_text_that_is_short_or_done_in_time_is_shown_at_once() -> None:
    assert Analyst().beginning(Document(TEXT, "file:///m.py", "/m.py"), [], 0.0) is None
    assert Analyst().beginning(Document(LONG[:-20], "file:///m.py", "/m.py"), [], 600.0) is None
    assert Analyst().beginning(Document(f"{LONG}(", "file:///m.py", "/m.py"), [], 0.0) is None


def test_while_a_text_cannot_be_parsed_what_is_known_moves_with_its_lines() -> None:
    analyst = Analyst()
    before = looked_at(analyst, CALLED)
    found = looked_at(analyst, CALLED.replace("    y.mul_(2)", "    y = (\n    y.mul_(2"), at_a_glance=True)
    assert [one["code"] for one in found] == [one["code"] for one in before if one["code"] != "UNP002"]
    assert found[1]["range"]["start"]["line"] == before[2]["range"]["start"]["line"] + 1
    line = before[2]["range"]["start"]["line"]  # from 0: the operation that saved stands in the line before it
    assert (f"in line {line}" in before[2]["message"], f"in line {line + 1}" in found[1]["message"]) == (True, True)
    assert looked_at(Analyst(), "import torch\ndef f(:\n    y += 1\n") == []


def test_other_settings_are_for_all_of_a_text(tmp_path: Path) -> None:
    analyst, path = Analyst(), tmp_path / "m.py"
    document = Document(TEXT, path.as_uri(), str(path))
    assert len(diagnostics(analyst, document)) == len(FUNCTIONS) - 1  # sin() doesn't need its result: harmless
    (tmp_path / "unplace.toml").write_text('only = ["harmful", "possible", "harmless"]\n')
    assert len(diagnostics(analyst, document)) == len(FUNCTIONS)
    (tmp_path / "unplace.toml").write_text('select = ["UNP002"]\n')
    assert [one["code"] for one in diagnostics(analyst, document, at_a_glance=True)] == ["UNP002"]


def test_the_oldest_torch_of_the_configuration_counts(tmp_path: Path) -> None:
    path, text = tmp_path / "m.py", CALLED.replace("y.mul_(2)", "y.fill_(2)")
    document = Document(text, path.as_uri(), str(path))
    (tmp_path / "unplace.toml").write_text("")

    def fixed() -> str:
        (action,) = Analyst().actions(document, [], (0, 0), (0, 0), ["source.fixAll"])
        return str([edit["newText"] for edit in action["edit"]["documentChanges"][0]["edits"]])

    assert "torch.fill(" in fixed()
    (tmp_path / "unplace.toml").write_text('target-torch = "1.8"\n')
    assert "torch.fill(" not in fixed()


def test_comments_that_hold_nothing_back_are_shown() -> None:
    text = TEXT.replace("    return y\n", "    return y  # unplace: ignore\n", 1)
    (unused,) = (one for one in looked_at(Analyst(), text) if one["code"] == "unused-suppression")
    assert unused["range"]["start"] == {"line": 6, "character": 14}
    assert unused["range"]["end"] == {"line": 6, "character": 31}
    assert (unused["severity"], unused["tags"]) == (2, [1])
    text = TEXT.replace("y += 1\n", "y += 1  # unplace: ignored\n", 1)
    (invalid,) = (one for one in looked_at(Analyst(), text) if one["code"] == "invalid-suppression")
    assert (invalid["range"]["start"]["line"], invalid["tags"]) == (5, [])


# What differs between two texts


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc", "a\nb\nc", (4, 4, 4)),
        ("a\nb\nc", "a\nx\nc", (2, 3, 3)),
        ("a\nb\nc", "a\nc", (2, 3, 2)),
        ("a\nb\nc", "a\nb\nx\nc", (3, 3, 4)),
        ("a\na", "a\na\na", (3, 3, 4)),
        ("a\r\nb\rc", "a\nx\nc", (2, 3, 3)),
        ("", "a\nb", (1, 2, 3)),
    ],
)
def test_edited_lines(old: str, new: str, expected: tuple[int, int, int]) -> None:
    edit = Edited.between(old, new)
    assert (edit.first, edit.old_end, edit.new_end) == expected


def test_the_units_that_were_edited() -> None:
    old = "import torch\n@decorated\ndef f():\n    pass\n\nclass A:\n    pass\n"

    def units(new: str) -> Any:
        return Edited.between(old, new).units(Outline.of(ast.parse(old)), Outline.of(ast.parse(new)))

    assert units(old.replace("@decorated", "@other")) == ((2, 4),)
    assert units(old.replace("class A", "class B")) == ((6, 7),)
    assert units(old.replace("import torch", "import jax")) is None
    assert units(old.replace("\n\nclass", "\nx = 1\nclass")) is None
    assert units(old.replace("\n\nclass", "\n\n\n\nclass")) == ((8, 9),)  # beside the edit: not worth telling apart


# A part of a text


@pytest.mark.parametrize("path", CASES[::4], ids=lambda path: path.stem)
@pytest.mark.parametrize("unsafe", [False, True])
def test_a_part_is_judged_as_in_a_look_at_all(path: Path, unsafe: bool) -> None:
    text = path.read_text(encoding="utf-8")
    everything = first_round(text, "/m.py", Options(unsafe=unsafe)).findings

    def told(findings: Any) -> list[Any]:
        return [(f.line, f.column, f.code, f.status, f.harm, f.message, f.assumptions, f.edits) for f in findings]

    for unit in Outline.of(ast.parse(text)).units:
        part: FileReport = first_round(text, "/m.py", Options(unsafe=unsafe, changed={"/m.py": (unit,)}))
        inside: list[Finding] = [f for f in everything if unit[0] <= f.line <= unit[1]]
        assert told(part.findings) == told(inside)


# No longer than asked


def test_work_that_nobody_waits_for_ends() -> None:
    plans, asked = Plans(), 0

    def after_five() -> bool:
        nonlocal asked
        asked += 1
        return asked == 5

    with pytest.raises(CancelledError), plans.unless(after_five):
        plans.report(TEXT, "/m.py", Options())
    assert asked == 5
    assert plans.report(TEXT, "/m.py", Options()) == Plans().report(TEXT, "/m.py", Options())
