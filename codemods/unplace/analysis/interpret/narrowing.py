"""Narrows the kinds of names by tests: `isinstance(x, T)`, `torch.is_tensor(x)`, `x is None`."""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Class, Named
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    ARRAY,
    DICT,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    UNKNOWN_VALUE,
    Saved,
    Value,
    is_same,
)
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.syntax.nodes import walk


def narrow(run: Run, test: ast.expr, state: State, holds: bool) -> None:
    """Narrow the kinds of the names in `test` to those that are possible where it is true (`holds`) or false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(run, test.operand, state, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and holds:
        for part in test.values:
            narrow(run, part, state, True)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        if holds:
            _narrow_to_any(run, test.values, state)
        else:
            for part in test.values:
                narrow(run, part, state, False)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        if is_none and isinstance(test.ops[0], ast.Is | ast.IsNot):
            _restrict(test.left.id, NONE, state, holds is isinstance(test.ops[0], ast.Is))
    elif isinstance(test, ast.Attribute) and test.attr == "requires_grad" and isinstance(test.value, ast.Name):
        if not holds:
            _without_graph(run, test.value.id, state)
    elif isinstance(test, ast.Call) and test.args and isinstance(test.args[0], ast.Name):
        callee = run.values.get(test.func)
        name = callee.ref.qualified if callee is not None and isinstance(callee.ref, Named) else ""
        if name == "torch.is_tensor":
            _restrict(test.args[0].id, TENSOR, state, holds)
        elif name == "builtins.isinstance" and len(test.args) == 2:
            _restrict(test.args[0].id, _type_kinds(run, test.args[1], holds), state, holds)


def _without_graph(run: Run, name: str, state: State) -> None:
    """Take in that a tensor has no graph: what was computed from it alone has none either, nor is anything saved."""
    value = state.env.get(name)
    if value is None or not value.is_tensor:
        return
    state.env[name] = value._replace(graph=NO_GRAPH)

    def is_without(saved: Saved) -> bool:
        held = [v for v in _operands(run, saved.node) if can_be_tracked(v)] if saved.on_path else ()
        return bool(held) and all(is_same(v, value) for v in held)

    without = set(filter(is_without, frozenset().union(*state.saved.values())))
    for obj, by in list(state.saved.items()):
        if not without.isdisjoint(by):
            state.saved[obj] = frozenset(s._replace(on_path=False) if s in without else s for s in by)


def _operands(run: Run, node: ast.AST | None) -> list[Value]:
    """Return the values that an operation works on: the arguments of a call, and what it is a method of."""
    if isinstance(node, ast.BinOp):
        nodes = [node.left, node.right]
    elif isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        nodes = [*receiver, *node.args, *(keyword.value for keyword in node.keywords)]
    else:
        nodes = []
    return [run.values.get(node, UNKNOWN_VALUE) for node in nodes]


def _narrow_to_any(run: Run, tests: list[ast.expr], state: State) -> None:
    """Narrow the kinds of names to those that are possible where at least one of the tests is true."""
    before = {n.id: state.env[n.id] for t in tests for n in walk(t) if isinstance(n, ast.Name) and n.id in state.env}
    found: list[dict[str, Value]] = []
    for test in tests:
        narrow(run, test, state, True)
        found.append({name: state.env[name] for name in before})
        state.env.update(before)
    for name, value in before.items():
        kinds = 0
        for after in found:
            kinds |= after[name].kinds
        state.env[name] = value._replace(kinds=kinds, likely=any(after[name].likely for after in found))


def _type_kinds(run: Run, node: ast.expr, holds: bool) -> int:
    """Return the kinds that a passed (`holds`) or failed `isinstance` check against a type implies."""
    if isinstance(node, ast.Tuple):
        result = 0
        for element in node.elts:
            result |= _type_kinds(run, element, holds)
        return result
    value = run.values.get(node)
    name = value.ref.qualified if value is not None and isinstance(value.ref, Named) else ""
    if holds and torchapi.module(name) is not None:
        return MODULE
    if holds and value is not None and isinstance(value.ref, Class) and value.ref.is_module:
        return MODULE
    known = {
        "torch.Tensor": TENSOR,
        "torch.nn.Module": MODULE,
        "numpy.ndarray": ARRAY,
        "builtins.list": LIST,
        "builtins.tuple": TUPLE,
        "builtins.dict": DICT,
        "builtins.int": NUMBER,
        "builtins.float": NUMBER,
        "builtins.bool": NUMBER,
        "builtins.str": TEXT,
    }
    return known.get(name, UNKNOWN)


def _restrict(name: str, to: int, state: State, holds: bool) -> None:
    value = state.env.get(name)
    if value is None:
        return
    if holds:
        is_other = value.must_be(TENSOR) and not value.kinds & to  # the test knows better: `isinstance(x, list)`
        inside = to if value.kinds & UNKNOWN or is_other else value.kinds & to
        kinds_now = inside if inside and not to & UNKNOWN else value.kinds
        state.env[name] = value._replace(kinds=kinds_now, likely=value.likely and bool(to & UNKNOWN))
    elif value.kinds & ~to:
        state.env[name] = value._replace(kinds=value.kinds & ~(to & ~UNKNOWN))
