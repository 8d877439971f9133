"""Binds the targets of loops, comprehensions and unpackings: `for a, b in pairs`, `first, *rest = y.unbind()`."""

from __future__ import annotations

import ast

from unplace.analysis.domain.facts import ANY, DISTINCT
from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    CONTAINER,
    ITERATING,
    LIST,
    NONE,
    NUMBER,
    NUMBER_VALUE,
    SHAPE,
    UNKNOWN_VALUE,
    Base,
    Link,
    Obj,
    Token,
    Value,
)
from unplace.analysis.interpret import indexing, module_lists
from unplace.analysis.interpret.attributes import field_of
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.stores import store_attribute, store_item
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.syntax.nodes import code_of


def row(run: Run, node: ast.expr, tensor: Value, state: State, index: int | None = None) -> Value:
    """Return a row of a tensor, as a loop takes it, or an unpacking the one at an index."""
    link, by, piece = Link.VIEW, ITERATING, indexing.row_of(tensor, index)
    return run.view(node, state, tensor, "a row", link, key="row", piece=piece, forbidden=True, operator=by)


def bind(evaluation: Evaluation, target: ast.expr, value: Value, state: State) -> None:
    """Bind a loop or comprehension target, or the targets of an unpacking."""
    if isinstance(target, ast.Name):
        state.env[target.id] = evaluation.run.refined(target, value)
        state.binds[target.id] = target
    elif isinstance(target, ast.Tuple | ast.List):
        starred = any(isinstance(e, ast.Starred) for e in target.elts)
        for index, element in enumerate(target.elts):
            if isinstance(element, ast.Starred):
                rest = evaluation.iterate(element.value, value, state)._replace(identity=None)
                inner = evaluation.run.container(element, state, LIST, {ANY: rest})
                bind(evaluation, element.value, inner, state)
            else:
                bind(
                    evaluation, element, _unpacked(evaluation, element, value, None if starred else index, state), state
                )
    elif isinstance(target, ast.Attribute):
        holder = evaluation.evaluate(target.value, state)
        store_attribute(evaluation, target, holder, value, state)
    elif isinstance(target, ast.Subscript):
        holder = evaluation.evaluate(target.value, state)
        evaluation.evaluate(target.slice, state)
        store_item(evaluation, target, holder, value, state)


def _unpacked(evaluation: Evaluation, node: ast.expr, value: Value, index: int | None, state: State) -> Value:
    if value.may_be(CONTAINER) and value.must_be(CONTAINER | NONE) and value.objs:  # None would raise
        return _piece_of(evaluation, node, value, index, state)
    if value.is_tensor:
        return row(evaluation.run, node, value, state, index)
    if value.must_be(SHAPE | NUMBER):
        return NUMBER_VALUE
    if isinstance(value.ref, Instance) and value.ref.of.is_named_tuple and index is not None and value.objs:
        fields = value.ref.of.fields or ()
        return field_of(evaluation, node, value, state, fields[index]) if index < len(fields) else UNKNOWN_VALUE
    modules = module_lists.listed(evaluation.run, value)
    if modules is not None and not modules.is_dict:
        return module_lists.member(evaluation.run, node, modules, index)
    return evaluation.iterate(node, value, state, index)


def _piece_of(evaluation: Evaluation, node: ast.expr, value: Value, index: int | None, state: State) -> Value:
    """Return one element of an unpacked container; the outputs of a split are known to be disjoint."""
    element = evaluation.element(node, value, state, index)
    if index is None or not element.objs or len(value.objs) != 1:
        return element
    (holder,) = value.objs
    (obj,) = element.objs if len(element.objs) == 1 else (None,)
    base = state.bases.get(obj) if obj is not None else None
    if obj is not None and base is not None and base.piece is not None and base.piece[1] == ANY:
        if evaluation.run.names.parts_of(base.piece[0]) is holder:  # not what holds pieces, as the pairs of enumerate()
            return evaluation.run.view(
                node,
                state,
                element._replace(objs=base.objs),
                element_label(obj.label, index),
                base.link,
                piece=(base.piece[0], index),
                forbidden=base.forbidden,
                operator=obj.operator,
            )
    distinctness = state.distinctness(holder) if state.heap.get((holder, ANY)) is not None else None
    if distinctness is not None:
        return _distinct(evaluation, node, element, holder, index, distinctness, state)
    return element


def _distinct(
    evaluation: Evaluation,
    node: ast.expr,
    element: Value,
    holder: Obj,
    index: int,
    distinctness: Token,
    state: State,
) -> Value:
    """Return one of the elements that no other one shares memory with: `q, k = [f(t) for t in xs]`."""
    found = evaluation.run.view(node, state, element, f"`{code_of(node)}`", Link.EITHER, piece=((holder, ANY), index))
    if distinctness != DISTINCT:
        for obj in found.objs:
            state.bases[obj] = Base(element.objs, Link.MAYBE, holders=frozenset((holder,)), key=index)
    return element._replace(objs=found.objs, identity=found.identity, shape=found.shape)


def element_label(label: str, index: int) -> str:
    """Return the words by which messages name one output of a splitting operation."""
    return f"output {index} of {label}"


def matches(target: ast.expr, source: ast.expr | None) -> bool:
    """Tell whether an unpacking gives each target one element of a display: `a, b = x, y`."""
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(source, ast.Tuple | ast.List):
        return False
    parts = [*target.elts, *source.elts]
    return len(target.elts) == len(source.elts) and not any(isinstance(e, ast.Starred) for e in parts)
