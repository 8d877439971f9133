"""Narrows what is known by tests: `isinstance(x, T)`, `x is None`, `x.requires_grad`, `torch.is_grad_enabled()`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce
from operator import or_

from unplace import torchapi
from unplace.analysis.domain.gradmode import GradMode, Record
from unplace.analysis.domain.graph import NO_GRAPH, parameters_of
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
    Obj,
    Saved,
    Value,
    is_same,
)
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.torchapi import modes


def narrow(run: Run, test: ast.expr, state: State, holds: bool) -> None:
    """Narrow a state to what is possible where `test` is true (`holds`) or false.

    That concerns the kinds of names, the graphs of their tensors, and whether autograd records.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(run, test.operand, state, not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for part in test.values:
                narrow(run, part, state, holds)
        else:
            _narrow_to_any(run, test.values, state, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        if is_none and isinstance(test.ops[0], ast.Is | ast.IsNot):
            _restrict(run, test.left, NONE, state, holds is isinstance(test.ops[0], ast.Is))
    elif isinstance(test, ast.Attribute) and test.attr == "requires_grad":
        if not holds:
            _without_graph(run, test.value, state)
    elif isinstance(test, ast.Attribute) and test.attr == "training":
        if not holds and isinstance(test.value, ast.Name) and test.value.id == "self" and state.record.records:
            state.record = Record(GradMode.EVALUATING)
    elif isinstance(test, ast.Name):
        _narrow_by_source(run, test.id, state, holds)
    elif isinstance(test, ast.Call):
        callee = run.values.get(test.func)
        name = callee.ref.qualified if callee is not None and isinstance(callee.ref, Named) else ""
        if name in modes.ASKING and state.record.mode.is_of_caller:
            _take_in_mode(state, is_on=modes.ASKING[name] is holds)
        elif not test.args or not isinstance(test.args[0], ast.Name):
            return
        elif name == "torch.is_tensor":
            _restrict(run, test.args[0], TENSOR, state, holds)
        elif name == "builtins.isinstance" and len(test.args) == 2:
            _restrict(run, test.args[0], _type_kinds(run, test.args[1], holds), state, holds)


def _narrow_by_source(run: Run, name: str, state: State, holds: bool) -> None:
    """Narrow a state by the expression whose value a name was assigned, alone: `flag = x.requires_grad`."""
    bound = state.binds.get(name)
    outer = run.parents.get(bound) if isinstance(bound, ast.Name) else None
    if isinstance(outer, ast.Assign) and outer.targets == [bound]:
        del state.binds[name]  # where the expression reads the name, that isn't this binding: `flag = flag and other`
        narrow(run, outer.value, state, holds)
        state.binds[name] = bound


def _without_graph(run: Run, node: ast.expr, state: State) -> None:
    """Take in that a tensor has no graph: what was computed from it alone has none either, nor is anything saved."""
    value = run.values.get(node)
    if value is None or not value.is_tensor:
        return
    if state.record.mode is GradMode.CALLER:
        state.record = Record(GradMode.WITHOUT_GRAPH)
    without_any = frozenset(name for name in parameters_of(value.graph) if _is_passed(state, name))
    for name, held in state.env.items():
        if is_same(held, value) or held.graph <= without_any:
            state.env[name] = held._replace(graph=NO_GRAPH)

    def is_without(saved: Saved) -> bool:
        held = [v for v in _operands(run, saved.node) if can_be_tracked(v)] if saved.on_path else ()
        return saved.graph <= without_any or (bool(held) and all(is_same(v, value) for v in held))

    _forget_saves(state, is_without)


def _is_passed(state: State, parameter: str) -> bool:
    """Tell whether a name still stands for the tensor that the caller passed for it."""
    value = state.env.get(parameter)
    return value is not None and value.is_tensor and all(obj.parameter == parameter for obj in value.objs)


def _take_in_mode(state: State, *, is_on: bool) -> None:
    """Take in what the caller has set: where recording is off, nothing has been saved."""
    state.record = Record(GradMode.ENABLED if is_on else GradMode.FOUND_OFF)
    if not is_on:
        _forget_saves(state, lambda saved: True)


def _forget_saves(state: State, is_one: Callable[[Saved], bool]) -> None:
    """Take in that operations haven't saved anything on the way that leads here."""
    gone = set(filter(is_one, frozenset().union(*state.saved.values())))
    for obj, by in list(state.saved.items()):
        if not gone.isdisjoint(by):
            state.saved[obj] = frozenset(s._replace(on_path=False) if s in gone else s for s in by)


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


def _narrow_to_any(run: Run, tests: list[ast.expr], state: State, holds: bool) -> None:
    """Narrow a state to what is possible where at least one of several tests has an outcome."""
    env, saved, record = dict(state.env), dict(state.saved), state.record
    found: list[tuple[dict[str, Value], dict[Obj, frozenset[Saved]], Record]] = []
    for test in tests:
        narrow(run, test, state, holds)
        found.append((dict(state.env), state.saved, state.record))
        state.env, state.saved, state.record = dict(env), dict(saved), record
    if all(after.mode in (GradMode.FOUND_OFF, GradMode.WITHOUT_GRAPH) for _, _, after in found):
        *_, (state.env, state.saved, state.record) = sorted(found, key=lambda each: each[2].records)
    for name, value in env.items():
        values = [after[name] for after, _, _ in found]
        if any(after is not value for after in values):
            kinds = reduce(or_, (after.kinds for after in values))
            state.env[name] = state.env[name]._replace(kinds=kinds, likely=any(after.likely for after in values))


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


def _restrict(run: Run, node: ast.Name, to: int, state: State, holds: bool) -> None:
    name, value, tested = node.id, state.env.get(node.id), run.values.get(node)
    if value is None or (
        tested is not None and None not in (tested.identity, value.identity) and tested.identity != value.identity
    ):
        return  # the name has got another value since
    if holds:
        is_other = value.must_be(TENSOR) and not value.kinds & to  # the test knows better: `isinstance(x, list)`
        inside = to if value.kinds & UNKNOWN or is_other else value.kinds & to
        kinds_now = inside if inside and not to & UNKNOWN else value.kinds
        state.env[name] = value._replace(kinds=kinds_now, likely=value.likely and bool(to & UNKNOWN))
    elif value.kinds & ~to:
        state.env[name] = value._replace(kinds=value.kinds & ~(to & ~UNKNOWN))
