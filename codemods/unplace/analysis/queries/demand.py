"""Tells whether a gradient may be asked for what an operation makes, and so backward for what it saved.

weights.abs().argmax(-1)            i = x.norm().item()             y.clamp(min=0)          a result that is dropped
if x.norm() > 1:                    k = x.sigmoid().detach()        rows = table[index]     of a table of integers
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace import torchapi
from unplace.analysis.domain.values import CONTAINER, DISCRETE, NUMBER, TENSOR, UNKNOWN, Origin, Saved
from unplace.analysis.effects.effect import LEFT
from unplace.analysis.interpret.indexing import INDEXING
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, is_data_attribute
from unplace.torchapi import transforms


def is_never_asked_for(run: Run, saved: Saved) -> bool:
    """Tell whether certainly no gradient flows from the result of an operation that saved a value."""
    node = _maker(run, saved)
    if node is None:
        return False
    if saved.operation == INDEXING:
        taken = _subscript_of(run, node)
        return isinstance(taken.ctx, ast.Load) and not _flow(run).from_value(taken)
    return not _flow(run).from_value(node)


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


def _subscript_of(run: Run, part: ast.expr) -> ast.Subscript:
    """Return the subscript that an index, or a part of one, belongs to."""
    node: ast.AST = part
    while not isinstance(node, ast.Subscript):
        node = run.parents[node]
    return node


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
        if is_number or value.dtype in DISCRETE or (not value.graph and value.must_be(TENSOR)):
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
        """Tell whether a gradient flows on from what is stored in a target; `.data` and integers cut it off."""
        if isinstance(target, ast.Subscript) and self.run.values[target.value].dtype in DISCRETE:
            return False
        return not is_data_attribute(target) and (not isinstance(target, ast.Name) or self._name(target.id))

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


def _is_held_outside(write: Write) -> bool:
    """Tell whether a write goes to a tensor that others hold, or to a view; one to its `.data` brings no gradient."""
    if write.data is not None or not write.value.is_tensor or write.value.likely:
        return False
    return not write.value.objs.isdisjoint(write.state.bases) or any(
        o.origin is not Origin.FRESH for o in write.state.roots(write.value.objs)
    )
