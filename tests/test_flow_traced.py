"""The flow index against CPython: generated functions are traced, instruction by instruction, in every layout.

What the trace shows to run later must be allowed to follow, what runs twice must stand in a loop, and the guard behind
which a function goes on after an exception must be one that may swallow it. What can't run later must not be allowed.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import combinations, count
from random import Random
from types import CodeType, FrameType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.layout import squeezed
from unplace.analysis.syntax.flow import TRIES, Flow, may_swallow

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="instructions know their columns since Python 3.11")

LOOPS = (ast.For, ast.While)
LEAVES = (
    "m(N)",
    "v = m(N)",
    "(v := m(N))",
    "v = m(N) if m(N) else m(N)",
    "v += m(N) and m(N)",
    "assert m(N) or True",
    "if m(N): return m(N)",
    "if m(N): raise ValueError(m(N))",
    "break",
    "continue",
)
BLOCKS = (
    ("if m(N):", "else:"),
    ("if m(N):", "elif m(N):", "else:"),
    ("if (v := m(N)):",),
    ("for _ in range(2):",),
    ("for _ in range(m(N) + 1):", "else:"),
    ("while m(N):",),
    ("while m(N):", "else:"),
    ("with torch.no_grad():",),
    ("with nullcontext(m(N)) as v, torch.enable_grad():",),
    ("with suppress(ValueError):",),
    ("with nullcontext(), suppress(KeyError, ValueError):",),
    ("with quiet():",),
    ("with open(devnull):",),
    ("try:", "except ValueError:"),
    ("try:", "except (KeyError, ValueError):", "else:"),
    ("try:", "except KeyError:", "except ValueError:", "finally:"),
    ("try:", "finally:"),
    ("try:", "except* ValueError:"),
    ("try:", "except* KeyError:", "except* Exception:", "else:", "finally:"),
    ("match m(N):", "case 0:", "case _:"),
    ("match m(N):", "case True if m(N):", "case int() as v:"),
)
OPEN = {  # the managers that are known to let exceptions pass, and the others
    "torch.no_grad": "torch.no_grad",
    "torch.enable_grad": "torch.enable_grad",
    "nullcontext": "contextlib.nullcontext",
    "suppress": "contextlib.suppress",
    "open": "builtins.open",
    "quiet": None,
}

# -- functions --------------------------------------------------------------------------------------------------------

GUARDED = tuple(headers for headers in BLOCKS if headers[0].startswith(("with", "try", "for _ in range(2)")))


def blocks(kinds: tuple[tuple[str, ...], ...]) -> st.SearchStrategy[list[Any]]:
    """Return a strategy for blocks: leaves, and compound statements as pairs of their headers and bodies."""

    def compound(inner: st.SearchStrategy[list[Any]], headers: tuple[str, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
        count_of_bodies = len(headers) - headers[0].startswith("match")
        return st.tuples(st.just(headers), st.tuples(*[inner] * count_of_bodies))

    return st.recursive(
        st.lists(st.sampled_from(LEAVES), min_size=1, max_size=3),
        lambda inner: st.lists(
            st.one_of(
                st.sampled_from(LEAVES), st.sampled_from(kinds).flatmap(lambda headers: compound(inner, headers))
            ),
            min_size=1,
            max_size=3,
        ),
        max_leaves=9,
    )


def lines_of(block: list[Any], indent: str, leaves: bool) -> Iterator[str]:
    """Yield the lines of a drawn block, each compound statement with a call behind it; `leaves`: `break` may stand."""
    for part in block:
        if isinstance(part, str):
            yield indent + (part if leaves or part not in ("break", "continue") else "m(N)")
            continue
        headers, bodies = part
        inner = indent
        if headers[0].startswith("match"):
            yield indent + headers[0]
            headers, inner = headers[1:], indent + "    "
        for header, body in zip(headers, bodies, strict=True):
            yield inner + header
            if header.startswith("except"):
                yield f"{inner}    m(N)"
            is_loop = header.startswith(("for", "while"))
            in_star = header.startswith("except*")
            yield from lines_of(body, inner + "    ", (leaves or is_loop) and not in_star)
        yield f"{indent}m(N)"


def source_of(block: list[Any], layout: int) -> str:
    """Return a function in one of its layouts: statements beside each other, bodies behind their headers."""
    lines = list(lines_of(block, "    ", leaves=False))
    if any("except*" in line for line in lines):  # which `return` may not leave
        lines = [line.replace("return m(N)", "m(N)") for line in lines]
    rng = Random(layout)
    text = "\n".join(["def run():", "    v = 0", *squeezed(lines, rng, rng.choice([0.0, 0.5, 1.0])), "    m(N)", ""])
    for number in count():
        if "m(N)" not in text:
            return text
        text = text.replace("m(N)", f"m({number})", 1)
    raise AssertionError


# -- what CPython does ------------------------------------------------------------------------------------------------


@dataclass
class Trace:
    """The calls that a function made, in order, each with the statement that it stands in; and where it raised."""

    calls: list[tuple[ast.Call, ast.stmt]]
    raised: list[int]  # how many calls had been made when an exception came by


@contextmanager
def quiet() -> Iterator[None]:
    with suppress(Exception):
        yield


def owners(body: list[ast.stmt]) -> dict[tuple[int, ...], tuple[ast.Call, ast.stmt]]:
    """Return the calls of `m` by their places, each with the innermost statement around it."""
    found: dict[tuple[int, ...], tuple[ast.Call, ast.stmt]] = {}

    def visit(node: ast.AST, statement: ast.stmt) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "m":
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            found[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = node, statement
        for child in ast.iter_child_nodes(node):
            visit(child, child if isinstance(child, ast.stmt) else statement)

    for statement in body:
        visit(statement, statement)
    return found


def traced(tree: ast.Module, choices: list[int]) -> Trace:
    """Run the function of a module; `choices` are what its calls give: numbers, or exceptions."""
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    known, pending = owners(function.body), iter(choices)

    def m(*arguments: object) -> int:
        choice = next(pending, 0)
        if choice > 1:
            raise (ValueError, KeyError)[choice % 2]
        return choice

    scope: dict[str, Any] = {"m": m, "quiet": quiet, "nullcontext": nullcontext, "suppress": suppress, "torch": torch}
    scope["devnull"] = __file__
    exec(compile(tree, "traced.py", "exec"), scope)
    code: CodeType = scope["run"].__code__
    places = {
        instruction.offset: known.get(tuple(instruction.positions))  # type: ignore[arg-type]
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("CALL", "CALL_KW", "CALL_FUNCTION_EX") and instruction.positions is not None
    }
    result = Trace([], [])

    def local(frame: FrameType, event: str, argument: object) -> Any:
        if event == "opcode" and (call := places.get(frame.f_lasti)) is not None:
            result.calls.append(call)
        elif event == "exception":
            result.raised.append(len(result.calls))
        return local

    def entered(frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code is not code:
            return None
        frame.f_trace_opcodes = True
        return local

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        with suppress(Exception):
            scope["run"]()
    finally:
        sys.settrace(before)
    return result


# -- what the text says -----------------------------------------------------------------------------------------------


def parts(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield the blocks of a statement in the order of the text: handlers are one part of it, and so are cases."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        for inner in [statement] if name not in ("handlers", "cases") else getattr(statement, name, []):
            yield name, getattr(inner, "body" if inner is not statement else name, [])


def ancestry(
    body: list[ast.stmt], above: tuple[tuple[ast.stmt, str], ...] = ()
) -> Iterator[tuple[ast.stmt, dict[ast.stmt, str]]]:
    """Yield all statements of a scope with those around them, outermost first, and the parts of these they stand in."""
    for statement in body:
        yield statement, dict(above)
        for name, inner in parts(statement):
            yield from ancestry(inner, (*above, (statement, name)))


def qualified(node: ast.expr) -> str | None:
    """Return what a context manager is called in full."""
    return OPEN[ast.unparse(node)]


@dataclass
class Case:
    """A function, its index, what is around its statements, and what happened when it ran."""

    source: str
    flow: Flow
    around: dict[ast.stmt, dict[ast.stmt, str]]
    trace: Trace


@st.composite
def cases(
    draw: st.DrawFn, kinds: tuple[tuple[str, ...], ...] = BLOCKS, results: tuple[int, ...] = (0, 0, 1, 1, 1, 2, 3)
) -> Case:
    """A function of statements of these kinds, run with choices of what its calls give."""
    source = source_of(draw(blocks(kinds)), draw(st.integers(0, 9)))
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    trace = traced(tree, draw(st.lists(st.sampled_from(results), max_size=24)))
    return Case(source, Flow(function.body), dict(ancestry(function.body)), trace)


# -- the index --------------------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(cases())
def test_what_runs_later_may_follow(case: Case) -> None:
    for (first_call, first), (second_call, second) in combinations(case.trace.calls, 2):
        if first is not second or (first_call is second_call and not isinstance(first, LOOPS)):
            assert case.flow.may_follow(first, second), (case.source, ast.unparse(first), ast.unparse(second))


@given(cases())
def test_what_runs_twice_stands_in_a_loop_around_it(case: Case) -> None:
    ran = [call for call, _ in case.trace.calls]
    for call, statement in case.trace.calls:
        spot = case.flow.spot(statement)
        assert spot is not None
        if ran.count(call) > 1 and not isinstance(statement, LOOPS):
            assert spot.loop is not None, (case.source, ast.unparse(call))
        assert set(spot.loops) <= set(case.around[statement])


@given(cases())
def test_what_no_loop_repeats_does_not_follow_what_stands_behind_it(case: Case) -> None:
    statements = list(case.around)  # in the order of the text
    for first, second in combinations(statements, 2):
        loops = {s for s in case.around[second] if isinstance(s, LOOPS)}
        if first not in loops and not loops & case.around[first].keys():
            assert case.flow.may_follow(first, second)
            assert not case.flow.may_follow(second, first), (case.source, ast.unparse(first), ast.unparse(second))


@settings(max_examples=300)
@given(cases(GUARDED, (0, 1, 2, 3)))
def test_where_a_function_goes_on_behind_an_exception_a_guard_may_swallow_it(case: Case) -> None:
    for number in case.trace.raised:
        if not 0 < number < len(case.trace.calls):
            continue  # it left the function
        thrower, further = case.trace.calls[number - 1][1], case.trace.calls[number][1]
        spot = case.flow.spot(thrower)
        assert spot is not None
        left = [g for g in spot.guards if case.around[thrower][g] != case.around[further].get(g)]
        where = (case.source, ast.unparse(thrower), ast.unparse(further))
        assert left, where
        assert may_swallow(left[0], qualified), where


@given(cases())
def test_what_runs_between_two_statements_is_between_them(case: Case) -> None:
    straight = [s for _, s in case.trace.calls if not any(isinstance(g, (*LOOPS, *TRIES)) for g in case.around[s])]
    ran = [s for s in dict.fromkeys(straight) if not isinstance(s, LOOPS)]
    for first, middle, last in combinations(ran, 3):
        one, two = case.flow.spot(first), case.flow.spot(middle)
        assert one is not None
        assert two is not None
        is_one_block = case.around[first] == case.around[middle] and one.block is two.block
        assert case.flow.is_between(first, middle, last) == is_one_block, case.source
        assert not case.flow.is_between(middle, first, last)
        assert not case.flow.is_between(first, last, middle)


@given(cases(GUARDED, (0, 1, 2, 3)))
def test_an_end_that_is_reached_may_be_reached(case: Case) -> None:
    last = [statement for statement, around in case.around.items() if not around][-1]
    if case.trace.calls and case.trace.calls[-1][1] is last:
        assert case.flow.reaches_end(lambda guard: may_swallow(guard, qualified)), case.source


@given(cases())
def test_what_stands_in_a_statement_is_in_it(case: Case) -> None:
    for inner, around in case.around.items():
        for outer in case.around:
            assert case.flow.is_in(inner, outer) == (inner is outer or outer in around), case.source
