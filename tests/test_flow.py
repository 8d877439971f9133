"""The flow index against CPython's own order of evaluation, and the guards that swallow exceptions."""

from __future__ import annotations

import ast
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
