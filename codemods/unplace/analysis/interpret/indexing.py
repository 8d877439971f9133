"""Analyses indices: whether they give a view, which piece of the tensor they select, what autograd saves of them."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import ARRAY, LIST, NONE, NUMBER, Token, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import walk


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
        return False if not isinstance(index, ast.Compare) or (value is not None and value.is_tensor) else None
    if value is None:
        return None
    if value.must_be(NUMBER | NONE):
        return True
    if value.is_tensor and value.dtype == "bool":
        return False
    if value.must_be(LIST | ARRAY):
        return False
    return None


def save_indices(run: Run, index: ast.expr, state: State) -> None:
    """Record that autograd saves the tensors of an index for backward."""
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        value = run.values.get(part)
        if value is not None and value.is_tensor:
            run.save(state, value, "indexing", part, "result")


def piece_of(index: ast.expr, base: Value, state: State) -> tuple[Token, Hashable] | None:
    """Return a pair (cut, piece): views with the same cut and different pieces are disjoint. None where unknown.

    The first position that isn't a full slice decides; later positions only make the view smaller.
    """
    if base.identity is None:
        return None
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for position, part in enumerate(parts):
        if isinstance(part, ast.Slice) and part.lower is None and part.upper is None:
            continue
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            if position:
                return None
            rest = _of_part(parts[-1], state) if len(parts) == 2 else None
            return ((base.identity, base.shape, "last", rest[0]), rest[1]) if rest is not None else None
        found = _of_part(part, state)
        return ((base.identity, base.shape, position, found[0]), found[1]) if found is not None else None
    return None


def _of_part(part: ast.expr, state: State) -> tuple[Hashable, Hashable] | None:
    if isinstance(part, ast.Constant) and type(part.value) is int and part.value >= 0:
        return "index", part.value
    if not isinstance(part, ast.Slice):
        return None
    if part.step is not None:
        return _strided(part)
    bound = part.upper if part.lower is None else part.lower if part.upper is None else None
    if bound is None:
        return None
    names = sorted({n.id for n in walk(bound) if isinstance(n, ast.Name)})
    if any(
        not isinstance(
            n, ast.Name | ast.Constant | ast.BinOp | ast.operator | ast.expr_context | ast.UnaryOp | ast.unaryop
        )
        for n in walk(bound)
    ):
        return None
    if any(n not in state.binds for n in names):
        return None  # a global or closure name may change unseen
    cut = ("cut", ast.dump(bound), tuple(state.binds.get(n) for n in names))
    return cut, "low" if part.lower is None else "high"


def _strided(part: ast.Slice) -> tuple[Hashable, Hashable] | None:
    """Return the cut and the piece of a slice with a step: `0::2` and `1::2` are disjoint."""
    step, lower = part.step, part.lower
    if part.upper is not None or not isinstance(step, ast.Constant) or type(step.value) is not int:
        return None
    start = 0 if lower is None else lower.value if isinstance(lower, ast.Constant) else None
    if type(start) is not int or not 0 <= start < step.value:
        return None
    return ("stride", step.value), start
