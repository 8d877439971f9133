"""Tells whether code asks for the order of a tensor's elements in memory, which its functional form may change.

s = scores.transpose(1, 2)
s.masked_fill_(mask, 0.0)               out of place, `masked_fill` gives a dense tensor, whatever it is given
s.transpose(1, 2).view(n, -1)           so that this would raise
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import IntEnum

from unplace import torchapi
from unplace.analysis.domain.values import Obj, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.torchapi import Operator, View, members


class _Order(IntEnum):
    """How the strides of a tensor follow those of the written one."""

    APART = 0
    SAME = 1
    PERMUTED = 2


def reads_order(run: Run, write: Write) -> ast.Call | None:
    """Return a call whose result depends on the strides of the written tensor; None where none is in sight.

    A tensor of another order that is viewed again as it was made has to have that order.
    """
    if members.ASKING_FOR_ORDER.isdisjoint(node.attr for node in run.scope.of(ast.Attribute)):
        return None
    search = _Search(run, write.state.roots(write.value.objs) | write.value.objs)
    return next((call for call in run.scope.of(ast.Call) if search.asks(call)), None)


@dataclass(slots=True)
class _Search:
    run: Run
    written: Objs
    _known: dict[Obj, _Order] = field(default_factory=dict)

    def asks(self, call: ast.Call) -> bool:
        """Tell whether a call asks for the order of the written tensor, or of what was made element by element."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in members.ASKING_FOR_ORDER:
            return False
        order = self._of(call.func.value)
        if order is not _Order.APART and call.func.attr in members.COPYING_BY_ORDER:
            return self._is_written(call)
        return order is _Order.PERMUTED or (order is _Order.SAME and call.func.attr in members.TELLING_ORDER)

    def _is_written(self, call: ast.Call) -> bool:
        """Tell whether the value of a call is written in place, so that it matters of what it is a copy."""
        made = self.run.values.get(call)
        return made is None or any(not write.value.objs.isdisjoint(made.objs) for write in self.run.all_writes())

    def _of(self, node: ast.expr) -> _Order:
        value = self.run.values.get(node)
        return max(map(self._of_object, value.objs), default=_Order.APART) if value is not None else _Order.APART

    def _of_object(self, obj: Obj) -> _Order:
        if obj in self.written:
            return _Order.SAME
        if obj not in self._known:
            self._known[obj] = _Order.APART  # what is made of itself in a loop brings no other order
            key = self.run.names.key_of(obj)
            self._known[obj] = self._made_by(key[0]) if isinstance(key, tuple) else _Order.APART
        return self._known[obj]

    def _made_by(self, node: object) -> _Order:
        if isinstance(node, ast.BinOp):
            return max(self._of(node.left), self._of(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._of(node.operand)
        if isinstance(node, ast.Subscript):
            return self._of(node.value)
        if isinstance(node, ast.Attribute):
            return _permuted(self._of(node.value), node.attr)
        if not isinstance(node, ast.Call):
            return _Order.APART
        operator = self._operator(node)
        if operator is None or not (operator.elementwise or operator.view is not View.NEVER):
            return _Order.APART
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        found = max(map(self._of, (*receiver, *node.args)), default=_Order.APART)
        return _permuted(found, operator.short)

    def _operator(self, node: ast.Call) -> Operator | None:
        name = self.run.program.module.qualified(self.run.scope, node.func)
        if name is not None:
            return torchapi.function(name)
        return torchapi.tensor_method(node.func.attr) if isinstance(node.func, ast.Attribute) else None


def _permuted(order: _Order, name: str) -> _Order:
    return _Order.PERMUTED if order is not _Order.APART and name in members.PERMUTING else order
