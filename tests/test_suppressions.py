"""Comments that keep the tool away, those that do nothing, and the command that writes them."""

from __future__ import annotations

import ast
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unplace import rules
from unplace.cli import main
from unplace.config import suppressions
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding
from unplace.text.edits import apply_edits
from unplace.transform.filter import Filter
from unplace.transform.planner import Planner
from unplace.transform.rewriter import rewrite_text

HEAD = "import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n    y = x.exp()\n"
CALLER = "\n\ndef train():\n    f(torch.ones(3, requires_grad=True) * 1, None)\n"


def report(body: str) -> FileReport:
    return rewrite_text(HEAD + body + "\n    return y\n", "model.py", Options())


def reported(body: str) -> list[tuple[int, str]]:
    return [(f.line - 3, f.code) for f in report(body).findings]


def unused(body: str) -> list[str]:
    return [str(warning) for warning in report(body).warnings]


@pytest.mark.parametrize(
    "body",
    [
        "    y += 1  # unplace: ignore",
        "    y += 1  # unplace: ignore[UNP001]",
        "    y += 1  #unplace:ignore[UNP003, unp001]",
        "    y += 1  # unplace: ignore [UNP001]",
        "    y += 1  # unplace: ignore[UNP003 UNP001]",
        "    y += 1  # unplace: ignore[UNP001, UNP02]",
        "    y += 1  # unplace: ignore[UNP001] (as in the paper)",
        "    y += 1  # unplace: ignore because the paper says so",
        "    y += 1  # unplace: ignroe # unplace: ignore",
        "    y += 1  # type: ignore # unplace: ignore",
        "    y += 1; x = 2  # unplace: ignore[UNP001]",
        "    y += (  # unplace: ignore\n        1)",
        "    y += (\n        1  # unplace: ignore\n    )",
        "    y[0] = torch.stack(\n        [x[0]]\n    ).sum()  # unplace: ignore[UNP005]",
    ],
)
def test_what_a_comment_covers(body: str) -> None:
    assert reported(body) == []
    assert report(body).after == report(body).before


@pytest.mark.parametrize(
    "body",
    [
        "    y += 1  # unplace: ignore[UNP002]",
        "    # unplace: ignore\n    y += 1",
        "    s = '# unplace: ignore'; y += 1",
        "    y += 1  # unplace: ignored",
        "    y += 1  # unplace: ignore[UNP001",
        "    y += 1  # unplace: ignore [UNP002]",
        "    y += 1  # unplace: ignore(UNP001)",
        "    y += 1  # unplace: ignore UNP001",
        "    y += 1  # unplace: ignore[UNP002] [UNP001]",
        "    y += 1  # unplace: ignore[UNP999]",
        "    y += 1\n    z = 1  # unplace: ignore",
    ],
)
def test_what_it_does_not_cover(body: str) -> None:
    assert len(reported(body)) == 1


def test_a_file_can_be_left_out() -> None:
    assert reported("    y += 1") == [(1, "UNP001")]
    text = HEAD + "    y += 1\n    return y\n# unplace: skip-file\n"
    assert rewrite_text(text, "model.py", Options()) == FileReport("model.py", text, text)
    with pytest.raises(SyntaxError):
        rewrite_text("# unplace: skip-file\nx = (\n", "model.py", Options())


def test_unused_comments_are_told() -> None:
    what = "nothing here would be rewritten or refused; remove it"
    assert unused("    y += 1  # unplace: ignore[UNP001]") == []
    assert unused("    i = 0  # unplace: ignore") == [f"model.py:4:12: unused suppression: {what}"]
    assert unused("    y += 1  # unplace: ignore[UNP001, UNP002, UNP003]") == [
        f"model.py:4:13: unused suppression of UNP002, UNP003: {what}"
    ]
    kept = "    with torch.no_grad():\n        m += 1  # unplace: ignore"
    assert unused(kept) == [f"model.py:5:17: unused suppression: {what}"]


@pytest.mark.parametrize(
    ("body", "plans"),
    [
        ("    with torch.no_grad():\n        m += 1", 1),
        ("    y += 1  # unplace: ignore", 2),
        ("    with torch.no_grad():\n        m += 1  # unplace: ignore", 2),  # no other comment that could matter
        ("    with torch.no_grad():\n        m += 1  # unplace: ignore\n        m += 2  # unplace: ignore", 4),
        ("    y += 1\n    with torch.no_grad():\n        m += 1  # unplace: ignore", 3),  # once in the second round
    ],
)
def test_nothing_is_planned_twice_for_comments(body: str, plans: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Planner] = []
    plan = Planner.plan

    def counted(self: Planner, wanted: Filter) -> list[Finding]:
        made.append(self)
        return plan(self, wanted)

    monkeypatch.setattr(Planner, "plan", counted)
    report(body)
    assert len(made) == plans


@pytest.mark.parametrize(
    "comment",
    [
        "ignroe",
        "ignored",
        "ignore-next-line",
        "ignore[UNP001",
        "ignore(UNP001)",
        "ignore: UNP001",
        "ignore UNP001",
        "ignore[UNP001][UNP002]",
        "skip-files",
        "",
    ],
)
def test_comments_that_are_not_understood_are_told(comment: str) -> None:
    how = "write `# unplace: ignore`, `# unplace: ignore[UNP001, UNP002]` or `# unplace: skip-file`"
    assert unused(f"    y += 1  # unplace: {comment}") == [
        f"model.py:4:13: invalid suppression: it isn't understood and holds nothing back; {how}"
    ]


def test_comments_that_speak_of_others_are_left_alone() -> None:
    assert unused("    y += 1  # not `# unplace: foo`") == []


def test_rules_that_do_not_exist_are_told() -> None:
    known = f"Known: {', '.join(rules.codes())}."
    invalid = "model.py:4:13: invalid suppression:"
    assert unused("    y += 1  # unplace: ignore[UNP001, UNP02]") == [
        f"{invalid} unknown rule UNP02. Did you mean UNP002? {known}"
    ]
    assert unused("    y += 1  # unplace: ignore[E501]") == [f"{invalid} unknown rule E501. {known}"]
    assert unused("    y += 1  # unplace: ignore[UNP]")[0].startswith(f"{invalid} unknown rule UNP. Did you mean UNP0")
    assert unused("    y += 1  # unplace: ignore[]")[0].startswith(
        f"{invalid} it names no rule and holds nothing back;"
    )


def test_a_selection_of_rules_makes_no_comment_unused() -> None:
    text = HEAD + "    y += 1  # unplace: ignore[UNP001]\n    return y\n"
    assert rewrite_text(text, "model.py", Options(select=frozenset({"UNP003"}))).warnings == []


def test_what_is_ignored_counts_as_a_write_that_stays() -> None:
    body = "    h = torch.zeros(3)\n    h.data = torch.exp(x)\n    h.mul_(2)"
    assert "\n    h = torch.exp(x)\n" in report(body).after
    ignored = report(f"{body}  # unplace: ignore")
    assert not ignored.changed
    assert "the write in line 6 stays in place" in ignored.findings[0].message


# Writing them

WRITTEN = """\
import torch
def f(x: torch.Tensor, m: torch.Tensor):
    y = x.exp()
    y += 1
    y.mul_(2); x += 1  # a note
    y[0] = (
        1)
    y[m] = '''
'''.count('a')
    y[0] = \\
        2
    y += 3  # unplace: ignore[UNP003]
    return y
"""
MARKED = """\
import torch
def f(x: torch.Tensor, m: torch.Tensor):
    y = x.exp()
    y += 1  # unplace: ignore[UNP001]
    y.mul_(2); x += 1  # a note  # unplace: ignore[UNP001, UNP002]
    y[0] = (  # unplace: ignore[UNP005]
        1)
    y[m] = '''
'''.count('a')  # unplace: ignore[UNP005]
    y[0] = \\
        2  # unplace: ignore[UNP005]
    y += 3  # unplace: ignore[UNP001, UNP003]
    return y
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_are_added_where_they_count(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_bytes(WRITTEN.replace("\n", end).encode())
    Path("clean.py").write_text("x = 1\n")
    assert main(["check", "--only=harmful,possible,harmless", "--add-ignores", "."]) == 0
    assert capfd.readouterr().err == "Marked 7 in-place operations in 1 file of 2.\n"
    assert Path("model.py").read_bytes() == MARKED.replace("\n", end).encode()


def test_a_marked_file_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in sorted((Path(__file__).parent / "fixtures").glob("UNP00[1-6]/*/before.py"))[::6]:
        Path(f"{path.parent.name}.py").write_bytes(path.read_bytes())
    before = {path: ast.dump(ast.parse(path.read_bytes())) for path in Path().glob("*.py")}
    listed = "--only=harmful,possible"  # most of them wait for a caller
    assert main(["check", "."]) == 1
    assert main(["check", listed, "--add-ignores", "."]) == 0
    capfd.readouterr()
    assert main(["check", listed, "."]) == 0, capfd.readouterr().out
    assert "unused" not in capfd.readouterr().err
    assert before == {path: ast.dump(ast.parse(path.read_bytes())) for path in Path().glob("*.py")}


def test_operations_that_begin_at_the_same_place_are_all_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(f"{HEAD}    y.mul_(2).add_(1)\n    return y\n{CALLER}")
    assert main(["check", "--add-ignores", "."]) == 0
    assert capfd.readouterr().err == "Marked 2 in-place operations in 1 file of 1.\n"


IN_A_FIELD = "    return f'''a {y.mul_(\n    2)} b'''"


def test_no_comment_is_written_into_a_field_of_a_string(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}{IN_A_FIELD}\n"
    findings = rewrite_text(text, "model.py", Options()).findings
    wanted = f"{text[:-1]}  # unplace: ignore[UNP002]\n"
    assert apply_edits(text, suppressions.ignoring_edits(text, findings, "model.py")[0]) == wanted
    assert [f for f in rewrite_text(wanted, "model.py", Options()).findings if f.is_reported] == []
    if sys.version_info < (3, 12):
        monkeypatch.setattr(tokenize, "generate_tokens", _as_in_python_3_12)
        for number, name in _PARTS.items():
            monkeypatch.setitem(tokenize.tok_name, number, name)
        assert apply_edits(text, suppressions.ignoring_edits(text, findings, "model.py")[0]) == wanted


_PARTS = {1001: "FSTRING_START", 1002: "FSTRING_END"}


def _as_in_python_3_12(readline: Callable[[], str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens, those of the field's first line end among them."""
    for token in tokenize.tokenize(iter([*(line.encode() for line in iter(readline, "")), b""]).__next__):
        if token.type == tokenize.STRING:
            line = token.start[0]
            yield tokenize.TokenInfo(1001, "f'''", token.start, token.start, token.line)
            yield tokenize.TokenInfo(tokenize.NL, "\n", (line, 99), (line, 100), token.line)
            yield tokenize.TokenInfo(1002, "'''", token.end, token.end, token.line)
        else:
            yield token


def test_a_place_without_room_for_a_comment_is_told() -> None:
    text = HEAD + "    z = '''\n'''; y += 1; z = '''\n'''\n    return y\n"
    findings = rewrite_text(text, "model.py", Options()).findings
    edits, problems = suppressions.ignoring_edits(text, findings, "model.py")
    assert edits == []
    assert [str(problem).split(",")[0] for problem in problems] == [
        "model.py:5:6: no comment can stand in this line",
    ]
    assert str(problems[0]).endswith(
        "; leave out the file with `# unplace: skip-file`, or the rule there with `per-file-ignores`"
    )
