"""Evaluates operators: the kind, shape and dtype of the result, and the operands that autograd saves."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unplace import torchapi
from unplace.analysis.domain.dtypes import floating, lowered, promoted, raised, with_number
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CONTAINER,
    FLOATS,
    LIST,
    NONE,
    NUMBER,
    NUMBER_VALUE,
    SHAPE,
    TENSOR,
    TEXT,
    TEXT_VALUE,
    TUPLE,
    UNKNOWN,
    Token,
    Value,
)
from unplace.analysis.effects import saves
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import graph_of
from unplace.torchapi.arithmetic import FUNCTION_OF


def binary(
    run: Run, node: ast.expr | ast.AugAssign, op: ast.operator, left: Value, right: Value, state: State
) -> Value:
    """Return the value of `left op right`."""
    kinds = left.kinds | right.kinds
    if (
        (left.is_tensor and right.is_tensor and kinds & TENSOR)
        or _tensor_with(left, right)
        or _tensor_with(right, left)
    ):
        if left.must_be(NUMBER | NONE) and right.must_be(NUMBER | NONE):
            return NUMBER_VALUE
        return tensor_result(run, node, op, left, right, state)
    if kinds & ARRAY and not kinds & (UNKNOWN | TENSOR):
        return run.fresh(node, state, "an array", ARRAY, graph=NO_GRAPH)
    if left.must_be(NUMBER | NONE) and right.must_be(NUMBER | NONE):  # None raises
        return NUMBER_VALUE
    if left.must_be(TEXT):
        return TEXT_VALUE
    if (
        (left.must_be(CONTAINER) and right.must_be(CONTAINER | NUMBER))
        or left.must_be(SHAPE)
        or right.must_be(LIST | TUPLE)
    ):
        return _container(run, node, left, right, state)
    kinds, dtype = UNKNOWN if kinds & UNKNOWN else kinds, result_dtype(op, left, right, node)
    result = run.fresh(node, state, "a result", kinds, likely=True, dtype=dtype, graph=graph_of(left, right))
    _note_saves(run, node, op, left, right, result, state, is_certain=False)
    return result


def _tensor_with(tensor: Value, other: Value) -> bool:
    """Tell whether the result is a tensor because one operand is, even though the kind of the other isn't known."""
    return tensor.must_be(TENSOR) and not other.may_be(ARRAY | LIST | TUPLE | TEXT) and not other.must_be(NONE)


def _container(run: Run, node: ast.expr | ast.AugAssign, left: Value, right: Value, state: State) -> Value:
    kinds = SHAPE if left.must_be(SHAPE) else left.kinds if left.must_be(CONTAINER) else right.kinds
    fields = None
    for holder in left.objs | right.objs:
        for _, value in state.fields_of(holder):
            fields = value if fields is None else weak_join(fields, value)
    if kinds == SHAPE or fields is None:
        return Value(kinds) if kinds == SHAPE else run.container(node, state, kinds, {})
    return run.container(node, state, kinds, {"*": fields._replace(identity=None)})  # `rows * 2` has each row twice


def tensor_result(
    run: Run, node: ast.expr | ast.AugAssign, op: ast.operator, left: Value, right: Value, state: State
) -> Value:
    """Return the fresh tensor that an arithmetic operator makes, and record what autograd saves for it."""
    elementwise = not isinstance(op, ast.MatMult)
    result = run.fresh(
        node,
        state,
        "a result",
        TENSOR,
        shape=common_shape(left, right) if elementwise else None,
        dtype=result_dtype(op, left, right, node),
        graph=graph_of(left, right),
        likely=left.likely and not right.must_be(TENSOR),
    )
    if elementwise:
        note_rank(run, result, (left, right))
    _note_saves(run, node, op, left, right, result, state)
    return result


def _note_saves(
    run: Run,
    node: ast.expr | ast.AugAssign,
    op: ast.operator,
    left: Value,
    right: Value,
    result: Value,
    state: State,
    *,
    is_certain: bool = True,
) -> None:
    """Record what autograd saves of `left op right`; nothing is certain where neither may be a tensor."""
    operator = torchapi.function(FUNCTION_OF[type(op)])
    if operator is None:
        return
    bound = dict(zip(operator.parameters[:2], (left, right), strict=False))
    saved = saves.saved_by(operator, bound, node)
    saved = saved if is_certain else tuple(save._replace(certain=False) for save in saved)
    saves.note(run, state, saved, bound, result, node, f"{operator.short}()")


def common_shape(left: Value, right: Value) -> Token:
    """Return the shape of an element-wise result where it is certainly that of an operand; else None."""
    if right.must_be(NUMBER | NONE):
        return left.shape
    if left.must_be(NUMBER | NONE):
        return right.shape
    return left.shape if left.shape is not None and left.shape == right.shape else None


def note_rank(run: Run, result: Value, operands: Iterable[Value]) -> None:
    """Record that a result has as many dimensions as the operand that has most."""
    run.ranks.joined(result.shape, [v.shape for v in operands if not v.must_be(NUMBER | NONE)])


def compare(run: Run, node: ast.expr, operands: list[Value], state: State) -> Value:
    """Return the value of a comparison: a fresh bool tensor when an operand is a tensor, else a number."""
    assert isinstance(node, ast.Compare)
    if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops):
        return NUMBER_VALUE
    if len(node.ops) == 1:
        left, right = operands
        if _tensor_with(left, right) or _tensor_with(right, left) or (left.is_tensor and right.is_tensor):
            if left.must_be(NUMBER | NONE) and right.must_be(NUMBER | NONE):
                return NUMBER_VALUE
            likely, shape = left.likely and right.likely, common_shape(left, right)
            mask = run.fresh(node, state, "a mask", shape=shape, dtype="bool", graph=NO_GRAPH, likely=likely)
            note_rank(run, mask, operands)
            return mask
    if any(v.may_be(ARRAY) for v in operands):
        other = UNKNOWN if any(v.may_be(TENSOR | UNKNOWN) for v in operands) else 0
        return run.fresh(node, state, "a comparison", ARRAY | NUMBER | other, dtype="bool", graph=NO_GRAPH)
    if any(v.may_be(UNKNOWN) for v in operands):
        return run.fresh(node, state, "a comparison", UNKNOWN, dtype="bool", graph=NO_GRAPH)
    return NUMBER_VALUE


def result_dtype(op: ast.operator, left: Value, right: Value, node: ast.AST) -> Token:
    """Return the dtype of `left op right` where it follows from the operands; else None."""
    tensor, other = (left, right) if not left.must_be(NUMBER | NONE) else (right, left)
    dtype: Token
    if other.must_be(NUMBER | NONE):
        literal = getattr(node, "right", None) or getattr(node, "value", None)
        dtype = with_number(tensor.dtype, integral=_is_int(literal))
    else:
        dtype = promoted(left.dtype, right.dtype)
    if isinstance(op, ast.MatMult):
        return lowered(left.dtype)
    if isinstance(op, ast.Pow):
        dtype = raised(dtype)
    if isinstance(op, ast.Div) and isinstance(dtype, str) and dtype not in FLOATS:
        return None
    return floating(dtype) if isinstance(op, ast.Div) else dtype


def _is_int(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int
