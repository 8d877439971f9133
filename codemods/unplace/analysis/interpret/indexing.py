"""Analyses indices: whether they give a view, which piece of the tensor they select, what autograd saves of them."""

from __future__ import annotations

import ast

from unplace.analysis.domain.graph import Graph
from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import ARRAY, LIST, NONE, NUMBER, TENSOR, UNKNOWN, Obj, Token, Value
from unplace.analysis.domain.views import END, Box, Range
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.module import home
from unplace.analysis.syntax.nodes import walk
from unplace.torchapi import results

INDEXING = "indexing"
"""The name of the operation that saves the tensors of an index."""


def is_basic_index(run: Run, index: ast.expr) -> bool | None:
    """Tell whether indexing a tensor with `index` gives a view (True) or a copy (False); None where it isn't known."""
    if isinstance(index, ast.Tuple):
        kinds = [is_basic_index(run, e) for e in index.elts]
        if any(k is False for k in kinds):
            return False
        return True if all(kinds) else None
    if isinstance(index, ast.Slice):
        return True
    if isinstance(index, ast.Constant):
        return index.value is None or index.value is Ellipsis or type(index.value) is int
    value = run.values.get(index)
    if isinstance(index, ast.List | ast.Compare | ast.ListComp):
        is_mask = value is not None and (value.is_tensor or _is_compared(value))
        return False if not isinstance(index, ast.Compare) or is_mask else None
    if value is None:
        return None
    if value.must_be(NUMBER | NONE):
        return value.dtype != "bool"
    if value.is_tensor and (value.dtype == "bool" or _is_long(value)):
        return False
    return False if value.must_be(LIST | ARRAY) or _is_compared(value) else None


def _is_compared(value: Value) -> bool:
    """Tell whether an index is what a comparison of unknown objects gives: a bool or an array copies as a mask does."""
    return value.must_be(UNKNOWN | TENSOR | ARRAY | NUMBER) and value.dtype == "bool"


def _is_long(value: Value) -> bool:
    """Tell whether an index has the shape of what an operation made that never makes a tensor without dimensions."""
    return isinstance(value.shape, Obj) and value.shape.operator in results.LONG


def save_indices(run: Run, index: ast.expr, graph: Graph, state: State) -> None:
    """Record that autograd saves the tensors of an index for the backward of what has the graph."""
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        value = run.values.get(part)
        if value is not None and value.is_tensor:
            run.save(state, value, INDEXING, part, "result", graph=graph)


def piece_of(run: Run, index: ast.expr, base: Value, state: State) -> tuple[Token, Box] | None:
    """Return what an index takes of a tensor, with the token of the tensor; None where nothing is known."""
    if base.identity is None:
        return None
    parts = [p for p in (index.elts if isinstance(index, ast.Tuple) else [index]) if not _is_constant(p, None)]
    rest = next((i for i, part in enumerate(parts) if _is_constant(part, ...)), len(parts))
    taken = [*enumerate(parts[:rest]), *((i - len(parts), parts[i]) for i in range(rest + 1, len(parts)))]
    box = Box((position, found) for position, part in taken if (found := _range(run, part, state)) is not None)
    return ((base.identity, base.shape), box) if box else None


def row_of(tensor: Value, index: int | None) -> tuple[Token, Box] | None:
    """Return the row that an unpacking takes of a tensor, like `tensor[index]`; None where it may be any."""
    if tensor.identity is None or index is None:
        return None
    return (tensor.identity, tensor.shape), Box([(0, Range(index, index + 1))])


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _range(run: Run, part: ast.expr, state: State) -> Range | None:
    """Return the range that one part of an index takes; None where it may take anything."""
    if not isinstance(part, ast.Slice):
        first = _bound(run, part, state)
        return Range(first, END if first == -1 else first + 1) if isinstance(first, int) else None
    if part.step is not None:
        return _strided(part)
    lower = 0 if part.lower is None else _bound(run, part.lower, state)
    upper = END if part.upper is None else _bound(run, part.upper, state)
    return None if lower is None or upper is None or (lower == 0 and upper is END) else Range(lower, upper)


def _bound(run: Run, node: ast.expr, state: State) -> Token:
    """Return the token of an expression that keeps its value, a number itself; None for any other expression.

    It may have names, numbers, sizes of tensors (`x.shape[-1] // 2`), and attributes that only constructors set.
    """
    sign, number = (-1, node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else (1, node)
    if isinstance(number, ast.Constant) and type(number.value) is int:
        return sign * number.value
    parts = list(walk(node))
    names = sorted({n.id for n in parts if isinstance(n, ast.Name)})
    if any(n not in state.binds or n not in state.env for n in names):
        return None  # a global or closure name may change unseen
    shapes: list[Token] = []
    for part in parts:
        if isinstance(part, ast.Attribute) and part.attr == "shape" and isinstance(part.value, ast.Name):
            shapes.append(state.env[part.value.id].shape)
        elif isinstance(part, ast.Subscript):
            if not isinstance(part.value, ast.Attribute) or part.value.attr != "shape":
                return None
        elif isinstance(part, ast.Attribute):
            if not _is_set_once(run, part, state):
                return None
        elif not isinstance(part, ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp):
            return None
    if None in shapes:
        return None
    return ast.dump(node), tuple(state.binds.get(n) for n in names), *shapes


def _is_set_once(run: Run, node: ast.Attribute, state: State) -> bool:
    """Tell whether an attribute of the object of a method is set by constructors alone: `self.half`."""
    holder = state.env[node.value.id] if isinstance(node.value, ast.Name) else None
    if holder is None or not isinstance(holder.ref, Instance) or holder.ref.of.has_property(node.attr):
        return False
    module = home(run.scope)
    stores = module.stores_of(node.attr)
    is_own = all(store.is_own and store.scope.name == "__init__" for store in stores)
    return bool(stores) and is_own and not module.stores_in_others(node.attr)


def _strided(part: ast.Slice) -> Range | None:
    """Return the range of a slice with a step: `0::2` and `1::2` are disjoint."""
    step, lower = part.step, part.lower
    if part.upper is not None or not isinstance(step, ast.Constant) or type(step.value) is not int:
        return None
    start = 0 if lower is None else lower.value if isinstance(lower, ast.Constant) else None
    if type(start) is not int or not 0 <= start < step.value:
        return None
    return Range(start, END, step.value) if step.value > 1 else None
