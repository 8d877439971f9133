"""Tells whether backward can ask for what an operation saved: whether a gradient flows from its result.

weights.abs().argmax(-1)            i = x.norm().item()             y.clamp(min=0)          a result that is dropped
if x.norm() > 1:                    k = x.sigmoid().detach()        rows = table[index]     of a table of integers
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from unplace import torchapi
from unplace.analysis.domain.dtypes import is_floating
from unplace.analysis.domain.values import (
    CONTAINER,
    DISCRETE,
    NUMBER,
    TENSOR,
    UNKNOWN,
    Obj,
    Origin,
    Saved,
    Tracked,
    Value,
)
from unplace.analysis.effects.effect import LEFT
from unplace.analysis.interpret.arithmetic import is_untracked
from unplace.analysis.interpret.indexing import INDEXING
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, can_be_tracked, is_data_attribute
from unplace.analysis.queries.continuation import has_graph
from unplace.analysis.syntax.bindings import root_name
from unplace.torchapi import members, transforms


def may_be_asked_for(run: Run, saved: Saved, value: Value) -> bool:
    """Tell whether a backward may ask for what an operation of a run saved of a value.

    An index or a mask has no gradient itself; there the gradient of the operation must be known.
    """
    node = _maker(run, saved)
    if node is None:
        return True
    if saved.operation == INDEXING:
        return _is_index_of_graph(run, node)
    if (value.dtype in DISCRETE or saved.part in members.INDEX_PARAMETERS) and not has_graph(run, node):
        return False
    return may_have_graph(run, node) and _flow(run).from_value(node)


def is_index_of_data(run: Run, saved: Saved) -> bool:
    """Tell whether an operation saved an index into what isn't seen to have a graph: `table.gather(0, tokens)`."""
    node = _maker(run, saved)
    return saved.part in members.INDEX_PARAMETERS and node is not None and not has_graph(run, node)


def may_have_graph(run: Run, node: ast.expr) -> bool:
    """Tell whether anything but a number by default, `sigma=1.5`, may have brought a graph into a value."""
    return _Origins(run, _graphs(run)).may_have_graph(node)


def may_get_graph(run: Run, write: Write) -> bool:
    """Tell whether a written tensor, or what is written into it, may have a graph from more than numbers by default."""
    origins = _Origins(run, _graphs(run))
    return origins.may_have_graph(write.target) or origins.may_bring_graph(write)


def is_never_asked_for(run: Run, saved: Saved) -> bool:
    """Tell whether certainly no gradient flows from the result of an operation that saved a value."""
    node = _maker(run, saved)
    if node is None:
        return False
    if saved.operation != INDEXING:
        return not _flow(run).from_value(node)
    taken = _subscript_of(run, node)
    return not (_may_store_graph(run, taken) if isinstance(taken.ctx, ast.Store) else _flow(run).from_value(taken))


def _maker(run: Run, saved: Saved) -> ast.expr | None:
    """Return the expression whose value has the graph for which an operation saved a tensor, where that can be told."""
    node = saved.node
    if not isinstance(node, ast.expr) or node in run.writes or saved.part == LEFT:
        return None
    return node if _gives(run, node) else None


def _gives(run: Run, maker: ast.expr) -> bool:
    """Tell whether what an expression makes may be its value: a call may leave it in an attribute instead."""
    value = run.values.get(maker)
    return value is not None and value.may_be(TENSOR | CONTAINER | UNKNOWN)


def _is_index_of_graph(run: Run, part: ast.expr) -> bool:
    """Tell whether an index takes elements of a tensor with a gradient, or stores to one that may have one."""
    node = _subscript_of(run, part)
    return _may_store_graph(run, node) if isinstance(node.ctx, ast.Store) else has_graph(run, node.value)


def _subscript_of(run: Run, part: ast.expr) -> ast.Subscript:
    """Return the subscript that an index, or a part of one, belongs to."""
    node: ast.AST = part
    while not isinstance(node, ast.Subscript):
        node = run.parents[node]
    return node


def _may_store_graph(run: Run, target: ast.Subscript) -> bool:
    """Tell whether a store through an index may be recorded."""
    write = run.writes.get(target)
    return write is None or not is_untracked(run, write.value, *write.operands)


@dataclass(slots=True)
class _Graphs:
    """What is known of the values of a run: whether an expression's may have a graph, and which writes reach it."""

    of: dict[ast.expr, bool] = field(default_factory=dict)
    writes: dict[Obj, list[Write]] = field(default_factory=dict)


def _graphs(run: Run) -> _Graphs:
    known: _Graphs | None = run.answers.get(_Graphs)
    if known is None:
        known = run.answers[_Graphs] = _Graphs()
        for write in run.all_writes():
            for root in write.state.roots(write.value.objs):
                known.writes.setdefault(root, []).append(write)
    return known


@dataclass(slots=True)
class _Origins:
    """A search for what may have brought a graph into a value, through the expressions that made it."""

    run: Run
    known: _Graphs
    _seen: set[ast.expr] = field(default_factory=set)

    def may_have_graph(self, node: ast.expr) -> bool:
        """Tell whether anything but a number by default may have brought a graph into the value of an expression.

        Where nothing has, nothing has into all that the search has seen.
        """
        found = self._may_have_graph(node)
        if not found:
            self.known.of.update(dict.fromkeys(self._seen, False))
        return found

    def _may_have_graph(self, node: ast.expr) -> bool:
        if isinstance(node, ast.List | ast.Tuple):
            return any(map(self._may_have_graph, node.elts))
        value = self.run.values.get(node)
        if value is None or value.may_be(CONTAINER):
            return True
        if is_named_index(node, value):
            return False
        if node in self._seen or not can_be_tracked(value) or (value.may_be(NUMBER) and not value.may_be(TENSOR)):
            return False
        if isinstance(node, ast.Attribute):
            return True
        self._seen.add(node)
        if node not in self.known.of and self._is_made_with_graph(node, value):
            self.known.of[node] = True
        return self.known.of.get(node, False)

    def _is_made_with_graph(self, node: ast.expr, value: Value) -> bool:
        if isinstance(node, ast.BinOp):
            return self._may_have_graph(node.left) or self._may_have_graph(node.right)
        if isinstance(node, ast.UnaryOp):
            return self._may_have_graph(node.operand)
        if isinstance(node, ast.Call):
            function = node.func
            if not isinstance(function, ast.Attribute) or torchapi.tensor_method(function.attr) is None:
                return True
            receiver = self.run.values.get(function.value)
            given = (function.value, *node.args, *(keyword.value for keyword in node.keywords))
            return receiver is None or not receiver.is_tensor or any(map(self._may_have_graph, given))
        base = self.run.values.get(node.value) if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Subscript) and base is not None and base.is_tensor:
            return self._may_have_graph(node.value)
        if any(map(self._may_bring_graph, self._writes(value))):
            return True
        keys = [*map(self.run.names.key_of, value.objs)]
        makers = [self._source(key[0]) for key in keys if isinstance(key, tuple) and isinstance(key[0], ast.expr)]
        made = [maker for maker in makers if maker is not node and _gives(self.run, maker)]
        return not made or len(made) < len(keys) or any(map(self._may_have_graph, made))

    def _source(self, maker: ast.expr) -> ast.expr:
        """Return the expression that is taken apart where a name is made for a part of it: `row, col = edge_index`."""
        outer: ast.AST = maker
        while isinstance(outer, ast.Name | ast.Tuple | ast.List) and isinstance(outer.ctx, ast.Store):
            outer = self.run.parents[outer]
        return outer.value if isinstance(outer, ast.Assign) else maker

    def _writes(self, value: Value) -> Iterator[Write]:
        """Iterate over the writes to the memory of a value."""
        return (write for obj in value.objs for write in self.known.writes.get(obj, ()))

    def may_bring_graph(self, write: Write) -> bool:
        """Tell whether what is written may have a graph from more than numbers by default."""
        found = self._may_bring_graph(write)
        if not found:
            self.known.of.update(dict.fromkeys(self._seen, False))
        return found

    def _may_bring_graph(self, write: Write) -> bool:
        node, statement = write.node, write.statement
        if isinstance(node, ast.AugAssign):
            return self._may_have_graph(node.value)
        if isinstance(node, ast.Call) and (node in self.run.writes or isinstance(node.func, ast.Name)):
            return any(map(self._may_have_graph, (*node.args, *(keyword.value for keyword in node.keywords))))
        return not isinstance(statement, ast.Assign) or self._may_have_graph(statement.value)


@dataclass(slots=True)
class _Known:
    """The names of a run through which a gradient may flow on, and those through which none does."""

    carrying: set[str] = field(default_factory=set)
    ending: set[str] = field(default_factory=set)


def _flow(run: Run) -> _Flow:
    known: _Known | None = run.answers.get(_Known)
    if known is None:
        known = run.answers[_Known] = _Known()
    return _Flow(run, known)


@dataclass(slots=True)
class _Flow:
    """A search for a gradient that flows on from the value of an expression, through the names that it is bound to."""

    run: Run
    known: _Known
    _seen: set[str] = field(default_factory=set)

    def from_value(self, node: ast.expr) -> bool:
        """Tell whether a gradient may flow from what is made of the value of an expression, and remember the names."""
        found = self.carries(node)
        if not found:
            self.known.ending |= self._seen
        return found

    def carries(self, node: ast.expr) -> bool:
        """Tell whether a gradient may flow from what is made of the value of an expression."""
        value = self.run.values.get(node)
        if value is None:
            return True
        is_number = not value.may_be(TENSOR | UNKNOWN) and value.may_be(NUMBER)
        if is_number or value.dtype in DISCRETE or (value.tracked is Tracked.NO and value.must_be(TENSOR)):
            return False
        if is_named_index(node, value):
            return False
        return self._is_used(node, self.run.parents.get(node))

    def _is_used(self, node: ast.expr, parent: ast.AST | None) -> bool:
        if isinstance(parent, ast.Expr | ast.Assert | ast.If | ast.While):
            return False
        if isinstance(parent, ast.Attribute):
            outer = self.run.parents.get(parent)
            is_method = isinstance(outer, ast.Call) and outer.func is parent
            if not is_method:
                return parent.attr not in transforms.OF_SHAPE
            return self._is_given(outer, torchapi.tensor_method(parent.attr) is not None)
        if isinstance(parent, ast.Call):
            qualified = self.run.program.module.qualified(self.run.scope, parent.func) or ""
            return self._is_given(parent, torchapi.function(qualified) is not None)
        if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare):
            return self.carries(parent)
        if isinstance(parent, ast.Subscript):
            return parent.slice is not node and self.carries(parent)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            return self._is_stored(parent.targets[0])
        if isinstance(parent, ast.AugAssign):
            if is_data_attribute(parent.target):
                return False
            write = self.run.writes.get(parent)
            return (write is not None and _is_held_outside(write)) or self._is_stored(parent.target)
        return True

    def _is_stored(self, target: ast.expr) -> bool:
        """Tell whether a gradient flows on from what is stored in a target; `.data` cuts it off."""
        if is_data_attribute(target):
            return False
        return not isinstance(target, ast.Name) or self._name(target.id)

    def _is_given(self, call: ast.AST | None, is_known: bool) -> bool:
        """Tell whether a gradient flows on from a call; one of unseen code, or of `backward`, may ask for it."""
        if not is_known or not isinstance(call, ast.Call) or call in self.run.writes:
            return True
        value = self.run.values.get(call)
        return value is None or not value.may_be(TENSOR | NUMBER) or self.carries(call)

    def _name(self, name: str) -> bool:
        scope = self.run.scope
        if name in scope.captured or scope.is_module or scope.is_class:
            return True
        if name in self.known.carrying:
            return True
        if name in self._seen or name in self.known.ending:
            return False
        self._seen.add(name)
        reads = [n for n in scope.names if n.id == name and isinstance(n.ctx, ast.Load)]
        if reads and not any(map(self.carries, reads)):
            return False
        self.known.carrying.add(name)
        return True


def is_named_index(node: ast.expr, value: Value) -> bool:
    """Tell whether a tensor is called what indices are called, which have no gradient: `edge_index`."""
    name = root_name(node) if not is_floating(value.dtype) else None
    return name is not None and name.rpartition("_")[2] in members.INDEX_WORDS


def _is_held_outside(write: Write) -> bool:
    """Tell whether a write goes to a tensor that others hold, or to a view; one to its `.data` brings no gradient."""
    if write.data is not None or not write.value.is_tensor or write.value.likely:
        return False
    return not write.value.objs.isdisjoint(write.state.bases) or any(
        o.origin is not Origin.FRESH for o in write.state.roots(write.value.objs)
    )
