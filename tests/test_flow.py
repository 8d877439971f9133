"""The flow index against CPython's own order of evaluation, and the guards that swallow exceptions."""

from __future__ import annotations

import ast
import contextlib
import itertools
import sys
import textwrap

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unplace.analysis.syntax.flow import Flow, may_swallow
from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

_SIMPLE = st.just("MARK")
_BLOCKS = st.recursive(
    st.lists(_SIMPLE, min_size=1, max_size=3),
    lambda inner: st.lists(
        st.one_of(
            _SIMPLE,
            st.tuples(st.just("if c():"), inner, st.just("else:"), inner),
            st.tuples(st.just("for _ in range(2):"), inner),
            st.tuples(st.just("with nothing():"), inner),
            st.tuples(st.just("try:"), inner, st.just("except ValueError:"), inner),
            st.tuples(st.just("try:"), inner, st.just("finally:"), inner),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=8,
)


def _written(block: list[object], indent: str, numbers: list[int]) -> str:
    """The source of a drawn block; each simple statement notes its number, several of them in one line."""
    lines: list[str] = []
    for part in block:
        if part == "MARK":
            numbers.append(len(numbers))
            mark = f"ran.append({numbers[-1]})"
            is_joined = bool(lines) and lines[-1].startswith(f"{indent}ran")
            lines[-1:] = [f"{lines[-1]}; {mark}"] if is_joined else [*lines[-1:], f"{indent}{mark}"]
            continue
        assert isinstance(part, tuple)
        for header, body in zip(part[::2], part[1::2], strict=True):
            lines += [f"{indent}{header}", _written(body, indent + "    ", numbers)]
    return "\n".join(lines)


@given(_BLOCKS, st.lists(st.booleans(), min_size=12, max_size=12))
def test_what_runs_later_may_follow(block: list[object], choices: list[bool]) -> None:
    source = _written(block, "", [])
    body = ast.parse(source).body
    flow = Flow(body)
    ran: list[int] = []
    pending = iter(choices * 50)
    exec(source, {"ran": ran, "c": lambda: next(pending), "nothing": torch.no_grad, "range": range})
    marks = {s.value.args[0].value: s for s in ast.walk(ast.Module(body, [])) if isinstance(s, ast.Expr)}  # type: ignore[attr-defined]
    for position, first in enumerate(ran):
        for second in ran[position + 1 :]:
            assert flow.may_follow(marks[first], marks[second])


def test_order_is_told_within_a_line() -> None:
    first, second = ast.parse("a = 1; b = 2").body
    flow = Flow([first, second])
    assert flow.may_follow(first, second)
    assert not flow.may_follow(second, first)


_FINALS = st.sampled_from([["pass"], ["return"], ["raise ValueError"], ["break"]])
_ENDS = st.recursive(
    st.lists(st.sampled_from(["pass", "return", "raise ValueError", "break", "continue"]), min_size=1, max_size=2),
    lambda inner: st.lists(
        st.one_of(
            st.just("pass"),
            st.tuples(st.just("if c():"), inner, st.just("else:"), inner),
            st.tuples(st.just("for _ in range(2):"), inner, st.just("else:"), inner),
            st.tuples(st.just("while True:"), inner.map(lambda body: ["tick()", *body])),
            st.tuples(st.just("with suppress(ValueError):"), inner),
            st.tuples(st.just("with nothing():"), inner),
            st.tuples(st.just("try:"), inner, st.just("except ValueError:"), inner, st.just("else:"), inner),
            st.tuples(st.just("try:"), inner, st.just("finally:"), _FINALS),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=8,
)


def _nested(block: list[object], indent: str) -> str:
    lines: list[str] = []
    for part in block:
        if isinstance(part, str):
            lines.append(f"{indent}{part}")
            continue
        assert isinstance(part, tuple)
        for header, body in zip(part[::2], part[1::2], strict=True):
            lines += [f"{indent}{header}", _nested(body, indent + "    ")]
    return "\n".join(lines)


@given(_ENDS, st.lists(st.booleans(), min_size=12, max_size=12))
def test_an_end_that_is_reached_may_be_reached(block: list[object], choices: list[bool]) -> None:
    source = f"def run():\n{_nested(block, '    ')}\n    return 'end'"
    try:
        compile(source, "drawn", "exec")
    except SyntaxError:  # a `break` outside of a loop
        return
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    flow = Flow(function.body[:-1])
    pending, ticks = iter(choices * 50), itertools.count()

    def tick() -> None:
        if next(ticks) > 50:
            raise TimeoutError

    known = {"c": lambda: next(pending), "nothing": torch.no_grad, "suppress": contextlib.suppress, "tick": tick}
    exec(source, known)
    try:
        is_reached = known["run"]() == "end"
    except (ValueError, TimeoutError):
        is_reached = False
    assert not is_reached or flow.reaches_end(lambda guard: "suppress" in ast.unparse(guard.items[0]))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "is_reached"),
    [
        ("return 1", False),
        ("while True:\n    if c:\n        return 1", False),
        ("while True:\n    if c:\n        break", True),
        ("while True:\n    for _ in c:\n        break", False),
        ("while True:\n    for _ in c:\n        pass\n    else:\n        break", True),
        ("for _ in c:\n    return 1", True),
        ("for _ in c:\n    pass\nelse:\n    return 1", False),
        ("with suppress(E):\n    return 1", True),
        ("with torch.no_grad():\n    return 1", False),
        ("try:\n    return 1\nexcept E:\n    return 2", False),
        ("try:\n    return 1\nexcept E:\n    pass", True),
        ("try:\n    c()\nexcept E:\n    return 1\nelse:\n    return 2", False),
        ("try:\n    c()\nfinally:\n    return 1", False),
        ("match c:\n    case 1:\n        return 1\n    case _:\n        return 2", False),
        ("match c:\n    case 1:\n        return 1", True),
        ("match c:\n    case 1:\n        return 1\n    case k if k:\n        return 2", True),
        ("if c:\n    return 1\nelse:\n    raise E", False),
        ("if c:\n    return 1", True),
    ],
)
def test_which_ends_can_be_reached(source: str, is_reached: bool) -> None:
    flow = Flow(ast.parse(source).body)
    assert flow.reaches_end(lambda guard: "suppress" in ast.unparse(guard)) is is_reached


@pytest.mark.parametrize(
    ("body", "is_cut"),
    [
        ("a = 1", False),
        ("if a:\n        break", True),
        ("try:\n        a()\n    except E:\n        continue", True),
        ("for _ in b:\n        break", False),
        ("for _ in b:\n        pass\n    else:\n        break", True),
        ("def f():\n        for _ in b:\n            break", False),
    ],
)
def test_rounds_that_end_early(body: str, is_cut: bool) -> None:
    (loop,) = ast.parse(f"for _ in a:\n    {body}").body
    assert Flow([loop]).has_cut_rounds(loop) is is_cut


def test_the_else_of_a_loop_is_no_round_of_it() -> None:
    (loop,) = ast.parse("for k in a:\n    b = k\nelse:\n    c = 1").body
    assert isinstance(loop, ast.For)
    flow = Flow([loop])
    (inside,), (behind,) = loop.body, loop.orelse
    assert flow.may_follow(inside, behind)
    assert not flow.may_follow(behind, inside)
    assert flow.may_follow(inside, inside)
    assert flow.is_in(inside, loop)
    assert flow.is_in(behind, loop)
    assert not flow.is_in(loop, inside)


def test_what_stands_between_two_statements() -> None:
    body = ast.parse("a = 1\nif a:\n    b = 2\nc = 3\nd = 4").body
    first, branch, third, last = body
    assert isinstance(branch, ast.If)
    flow = Flow(body)
    assert flow.between(first, last) == [branch, branch.body[0], third]
    assert flow.between(branch, last) == [branch.body[0], third]
    assert flow.behind(branch) == [third, last]
    assert flow.before(branch) is first
    assert flow.before(first) is None
    assert flow.is_behind(first, last)
    assert not flow.is_behind(last, first)
    assert not flow.is_behind(first, branch.body[0])


@pytest.mark.parametrize(
    ("header", "swallows"),
    [
        ("with suppress(ValueError):", True),
        ("with manager:", True),
        ("with torch.no_grad():", False),
        ("with open(path) as file:", False),
        ("with torch.no_grad(), manager():", True),
    ],
)
def test_guards(header: str, swallows: bool) -> None:
    guard = ast.parse(f"{header}\n    pass").body[0]

    def qualified(node: ast.expr) -> str | None:
        name = ast.unparse(node)
        return {"open": "builtins.open", "manager": None}.get(name, name)

    assert may_swallow(guard, qualified) is swallows


@pytest.mark.skipif(sys.version_info < (3, 11), reason="`except*` is new in Python 3.11")
def test_a_helper_that_raises_keeps_its_write_for_except_star() -> None:
    before = textwrap.dedent(
        """
        import torch


        def _shift(h):
            h += 1
            raise ValueError("positive")


        def run(x: torch.Tensor):
            y = x * 3
            try:
                _shift(y)
            except* ValueError:
                pass
            return y
        """
    )
    assert not rewrite_text(before, "before.py", Options(unsafe=True)).changed
