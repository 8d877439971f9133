"""Reasons as data: what is said, moved and counted is the same thing, and English is made of it at the end."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

from unplace.diagnostics import catalogue, refusals
from unplace.diagnostics.catalogue import Assumption, Purpose, Rewrite
from unplace.diagnostics.measured import PLACES
from unplace.diagnostics.reasons import Fact, Kind, Line, Reason
from unplace.diagnostics.refusals import Refusal

ROOT = Path(__file__).parents[1]
KINDS = {
    name: kind
    for name, kind in {**vars(catalogue), **vars(refusals)}.items()
    if isinstance(kind, type) and issubclass(kind, Kind) and list(kind)
}
FORBIDDEN = catalogue.Forbids.PIECE(piece=catalogue.Piece.OUTPUT_IN(label="chunk()", line=Line(4)))
NESTED = Refusal.FORBIDDEN(forbidden=FORBIDDEN, refusal=Refusal.CALLER_READS(
    line=Line(9), parameter="x", refusal=Refusal.RECURSIVE(function="line 9")
))  # fmt: skip


def test_a_sentence_is_filled_in() -> None:
    assert str(Refusal.EXPANDED(name="y")) == "`y` is expanded: several of its elements share one place in memory"
    assert str(Refusal.COPY_FORBIDDEN(write=Line(3, cell=2))) == (
        "on a copy of the argument, line 3 of cell 2 would still be forbidden"
    )
    operations = [catalogue.Saver.OPERATION(name=f"{name}()", line=Line(5)) for name in ("exp", "mul", "sin")]
    assert str(Rewrite.COPIES_SAVED(others=tuple(operations[:2]), last=operations[2])) == (
        "the write stays; exp() in line 5, mul() in line 5 and sin() in line 5 get a copy to save for backward"
    )
    assumed = (Assumption.TENSOR(name="y"), Assumption.LOOP_RUNS(line=Line(7)))
    assert str(Rewrite.NEEDS_UNSAFE(assumptions=assumed)) == (
        "needs --unsafe, which assumes: `y` is a tensor; the loop in line 7 runs at least once"
    )


@pytest.mark.parametrize("parts", [{}, {"line": Line(1)}, {"name": "y", "line": Line(1)}])
def test_every_gap_has_to_be_filled_and_no_other(parts: dict[str, str]) -> None:
    with pytest.raises(AssertionError, match="EXPANDED has the gaps"):
        Refusal.EXPANDED(**parts)


def test_moving_lines_leaves_names_alone() -> None:
    assert str(NESTED) == (
        "torch forbids writing chunk() in line 4, one of several views of a tensor with a graph, and the caller in "
        "line 9 reads its argument for `x` after the call, and `line 9` calls itself"
    )
    moved = NESTED.moved(lambda line: Line(line.number + 10, 3))
    assert str(moved) == (
        "torch forbids writing chunk() in line 14 of cell 3, one of several views of a tensor with a graph, and the "
        "caller in line 19 of cell 3 reads its argument for `x` after the call, and `line 9` calls itself"
    )
    assert NESTED.moved(lambda line: line) == NESTED


def test_reasons_of_one_code_are_the_same_without_names_and_lines() -> None:
    other = Refusal.FORBIDDEN(
        forbidden=FORBIDDEN.moved(lambda _: Line(1)),
        refusal=Refusal.CALLER_READS(line=Line(2), parameter="h", refusal=Refusal.RECURSIVE(function="g")),
    )
    assert other.code == NESTED.code == "forbidden(piece(output-in),caller-reads(recursive))"
    assert (
        other.opened
        == NESTED.opened
        == (
            "torch forbids writing … in line N, one of several views of a tensor with a graph, and the caller in line "
            "N reads its argument for `…` after the call, and `…` calls itself"
        )
    )
    assert Purpose.TORCH(fact=Fact("sets a flag")).opened == "sets a flag"


def test_a_reason_knows_what_it_gives() -> None:
    assert NESTED.holds(FORBIDDEN)
    assert NESTED.holds(NESTED)
    assert not NESTED.holds(FORBIDDEN.moved(lambda _: Line(5)))


def test_a_reason_comes_back_from_a_store() -> None:
    assert pickle.loads(pickle.dumps(NESTED)) == NESTED


def test_no_two_codes_have_the_same_words() -> None:
    texts = [re.sub(r"\{.*?\}", "…", member.value) for kind in KINDS.values() for member in kind]
    texts = [text for text in texts if re.search(r"\w{3}", text)]
    assert sorted(set(texts)) == sorted(texts)


# -- the code that gives them -----------------------------------------------------------------------------------------


def test_every_sentence_is_said_somewhere_with_its_gaps() -> None:
    """What is called by its name has all of its gaps; where the call stands elsewhere, the name is enough."""
    unsaid = {(name, member.name) for name, kind in KINDS.items() for member in kind}
    unsaid -= {("Holder", member.name) for member in catalogue.Holder}  # found by the names of origins
    unsaid -= {("Held", member.name) for member in catalogue.Held}  # named by the facts of runs
    wrong = []
    for path in sorted((ROOT / "codemods/unplace").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = _named(node)
            if named is not None:
                unsaid.discard(named)
            called = _named(node.func) if isinstance(node, ast.Call) else None
            if called is not None and isinstance(node, ast.Call) and all(k.arg for k in node.keywords):
                kind = KINDS[called[0]][called[1]]
                given = {keyword.arg for keyword in node.keywords}
                if given != {*kind.gaps} or node.args:
                    wrong.append(f"{path.name}:{node.lineno}: {kind}")
    assert wrong == []
    assert unsaid == set()


def _named(node: ast.AST) -> tuple[str, str] | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in KINDS:
        return node.value.id, node.attr
    return None


def test_no_line_is_written_into_a_sentence() -> None:
    """A number behind `line` would not be moved with the text: it has to be a gap."""
    for kinds in KINDS.values():
        for kind in kinds:
            assert not re.search(r"\blines? ", kind.value.replace("a line of its own", "")), kind


def test_reasons_are_made_of_the_catalogue() -> None:
    """No verdict is given in free words."""
    said = []
    for path in sorted((ROOT / "codemods/unplace").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in VERDICTS
                and node.args
            ):
                if isinstance(node.args[0], ast.Constant | ast.JoinedStr):
                    said.append(f"{path.name}:{node.lineno}")
    assert said == []


VERDICTS = {"Refuse", "Keep", "Meant"}


def test_the_page_on_safety_has_every_assumption() -> None:
    page = (ROOT / "docs/safety.md").read_text("utf-8").partition("## Conventions")[0]
    rows = re.findall(r"^\| (.*) \| .* \|$", page, re.MULTILINE)
    texts = {row for row in rows if row not in ("the report says", "---")}
    assert texts == {_as_on_page(assumption) for assumption in Assumption}


def test_the_page_on_safety_has_what_was_measured() -> None:
    page = (ROOT / "docs/safety.md").read_text("utf-8").partition("## Conventions")[2]
    by_code = {assumption.code: assumption for assumption in Assumption}
    for code, (places, violated) in PLACES.items():
        assert f"| {_as_on_page(by_code[code])} | {places - violated} | {places} |" in page


def _as_on_page(assumption: Assumption) -> str:
    parts = {gap: Line(1) if gap == "line" else "name" for gap in assumption.gaps}
    reason: Reason = assumption(**parts)
    return reason.opened.replace("`…`", "…").replace("line N", "line …")
