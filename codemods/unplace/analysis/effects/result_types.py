"""The shapes and dtypes of results of torch's operators and modules, and their role in autograd graphs."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from unplace.analysis.domain.dtypes import floating, lowered, promoted, raised
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, UNSEEN, Graph
from unplace.analysis.domain.values import (
    DISCRETE,
    FLOATS,
    TENSOR,
    UNKNOWN,
    Token,
    Value,
)
from unplace.analysis.effects.graphs import bringing
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import walk
from unplace.torchapi import Operator, View, autocast, results


def graph_of(operator: Operator, bound: Mapping[str, Value], arguments: Arguments) -> Graph:
    """Return the graph of the result of an operator, in terms of its parameters."""
    flag = arguments.keyword_nodes.get("requires_grad")
    if flag is not None and not (isinstance(flag, ast.Constant) and flag.value is False):
        return LEAF if isinstance(flag, ast.Constant) else UNSEEN
    name = operator.short
    if operator.result_bool or name in results.INDICES or results.is_constructor(name):
        return NO_GRAPH
    return bringing(bound)


def shape_of(operator: Operator, values: list[Value]) -> Token:
    """Return the shape of the result if it is certainly that of a tensor operand, else None."""
    if not values:
        return None
    first = values[0]
    if operator.short in results.SAME_SHAPE and first.may_be(TENSOR | UNKNOWN):
        return first.shape
    if operator.elementwise:
        shapes = {v.shape for v in values if v.may_be(TENSOR | UNKNOWN)}
        if len(shapes) == 1:
            return shapes.pop()
    return None


def dtype_of(run: Run, operator: Operator, looked_at: Value | None, values: list[Value], arguments: Arguments) -> Token:
    """Return the dtype of the result, or None if it isn't known."""
    name = operator.short
    if operator.result_bool:
        return "bool"
    if name in results.CASTS and len(values) == 1:
        return results.CASTS[name]
    if name == "to":
        return _dtype_of_to(run, looked_at, arguments)
    if name == "type_as":
        return values[1].dtype if len(values) > 1 else None
    explicit = arguments.keyword_nodes.get("dtype")
    if explicit is not None:
        return given_dtype(run, explicit)
    if name in results.INDICES:
        return "int64"
    if name in results.DEFAULT_FLOAT:
        return "default"
    if name in results.OF_LITERALS:
        return _of_numbers(name, arguments)
    if name == "view":
        return looked_at.dtype if looked_at is not None else None
    if name in results.OF_DATA:
        return None
    dtypes = [v.dtype for v in values if v.may_be(TENSOR | UNKNOWN)]
    if name in results.WIDENING and dtypes and dtypes[0] in DISCRETE:
        return "int64"
    if not dtypes:
        return None
    if name in results.OF_ITS_DTYPE:
        return dtypes[0]
    if name in autocast.LOWERED:
        return lowered(dtypes[0])  # without autocast, all operands have this dtype
    first = dtypes[0]
    for other in dtypes[1:]:
        first = promoted(first, other)
    if (
        isinstance(first, str)
        and first not in FLOATS
        and operator.view is View.NEVER
        and not operator.short.endswith("_like")
    ):
        return None
    if operator.elementwise and operator.view is View.NEVER and name not in results.KEEPING_INTEGERS:
        first = first if isinstance(first, str) else floating(first)
    return raised(first) if name in autocast.RAISED else first


def _dtype_of_to(run: Run, base: Value | None, arguments: Arguments) -> Token:
    """Return the dtype of `x.to(...)`: that of the given tensor or dtype, or of `x` itself where a device is given."""
    given = [*arguments.nodes[:2], *(n for name, n in arguments.keyword_nodes.items() if name in ("dtype", "other"))]
    dtypes = [given_dtype(run, node) for node in given if not is_device(node)]
    if not dtypes and arguments.exact:
        return base.dtype if base is not None else None
    return next((dtype for dtype in dtypes if dtype is not None), None)


def is_device(node: ast.expr) -> bool:
    """Tell whether an argument of `.to()` is a device or a flag rather than a dtype."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return isinstance(node, ast.Constant) or "device" in name


def given_dtype(run: Run, node: ast.expr) -> Token:
    """Return the dtype of an expression: `torch.float64`, `x.dtype`, a parameter that is never rebound, `x`."""
    if isinstance(node, ast.Attribute):
        holder = run.values.get(node.value) if node.attr == "dtype" else None
        return named_dtype(node) if holder is None else holder.dtype
    if not isinstance(node, ast.Name):
        return None
    value = run.values.get(node)
    if value is not None and value.must_be(TENSOR):
        return value.dtype
    if "dtype" not in node.id or node.id in run.scope.volatile:
        return None
    sources = run.program.module.bindings(run.scope).sources.get(node.id, [])
    argument = next((a for a in run.scope.parameters if a.arg == node.id), None)
    if argument is not None or len(sources) != 1:
        return argument if not sources else None
    return given_dtype(run, sources[0]) if isinstance(sources[0], ast.Attribute) else None


def cast_dtype(name: str, arguments: Arguments) -> str | None:
    """Return the dtype that a casting method asks for: `x.to(torch.float64)`, `x.double()`."""
    if name in results.CASTS and not arguments.nodes and not arguments.keywords:
        return results.CASTS[name]
    given = [*arguments.nodes, *arguments.keyword_nodes.values()]
    return next((d for n in given if (d := named_dtype(n)) is not None), None) if name == "to" else None


def module_dtype(qualified: str, dtype: Token) -> Token:
    """Return the dtype of the result of a module of torch for an input of this dtype."""
    name = qualified.rsplit(".", 1)[-1]
    if name.startswith("Embedding"):
        return None  # the dtype is that of its weights
    return lowered(dtype) if autocast.lowers(name) else raised(dtype) if autocast.raises(name) else dtype


def _of_numbers(name: str, arguments: Arguments) -> Token:
    """Return the dtype that a constructor takes from the numbers that it is given."""
    given, keywords = list(arguments.nodes), arguments.keyword_nodes
    if name == "arange":  # float if any bound or the step is
        numbers = [*given, *(keywords[word] for word in ("start", "end", "step") if word in keywords)]
    else:
        position, word = (1, "fill_value") if name == "full" else (0, "data")
        numbers = given[position : position + 1] or ([keywords[word]] if word in keywords else [])
    dtypes = {literal_dtype(number) for number in numbers}
    if None in dtypes or not dtypes:
        return None
    return next(dtype for dtype in ("default", "int64", "bool") if dtype in dtypes)


def literal_dtype(node: ast.expr) -> str | None:
    """Return the dtype that torch infers from a number or from nested lists of numbers."""
    leaves = [
        n for n in walk(node) if isinstance(n, ast.expr) and not isinstance(n, ast.List | ast.Tuple | ast.UnaryOp)
    ]
    types = {type(n.value) if isinstance(n, ast.Constant) else None for n in leaves}
    if types == {bool}:
        return "bool"
    if types and types <= {int, bool}:
        return "int64"
    return "default" if types and types <= {int, bool, float} else None


def named_dtype(node: ast.expr) -> str | None:
    """Return the name of the dtype that an attribute such as `torch.float64` names, else None."""
    return results.DTYPES.get(node.attr) if isinstance(node, ast.Attribute) else None
