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
from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import Obj, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.torchapi import Operator, View, members, modules


class _Order(IntEnum):
    """How the strides of a tensor follow those of the written one."""

    APART = 0
    SAME = 1
    PERMUTED = 2


def reads_order(run: Run, write: Write) -> ast.Call | None:
    """Return a call whose result depends on the strides of the written tensor; None where none is in sight.

    A tensor of another order that is viewed again as it was made has to have that order.
    """
    written = write.state.roots(write.value.objs) | write.value.objs
    search, is_permuted = _Search(run, written), _is_permuted(run, written)
    return next(
        (call for call in run.scope.of(ast.Call) if search.asks(call) or (is_permuted and search.draws(call))), None
    )


def _is_permuted(run: Run, objs: Objs) -> bool:
    """Tell whether tensors were made element by element of one with permuted dimensions."""
    search = _Search(run, frozenset(), of_others=_Order.SAME)
    return any(search.of_object(obj) is _Order.PERMUTED for obj in objs)


@dataclass(slots=True)
class _Search:
    """Follows tensors to those they were made of, element by element or as views."""

    run: Run
    written: Objs
    of_others: _Order = _Order.APART
    _known: dict[Obj, _Order] = field(default_factory=dict)

    def asks(self, call: ast.Call) -> bool:
        """Tell whether a call asks for the order of the written tensor, or of what was made element by element."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in members.ASKING_FOR_ORDER:
            return False
        order = self._of(call.func.value)
        if order is not _Order.APART and call.func.attr in members.COPYING_BY_ORDER:
            return self._is_written(call)
        return order is _Order.PERMUTED or (order is _Order.SAME and call.func.attr in members.TELLING_ORDER)

    def draws(self, call: ast.Call) -> bool:
        """Tell whether a call draws numbers for the elements of such a tensor, which it does in their order."""
        operator = self._operator(call)
        is_random = operator is not None and operator.random
        return (is_random or self._is_dropout(call)) and max(map(self._of, _given(call))) is not _Order.APART

    def _is_dropout(self, call: ast.Call) -> bool:
        callee = self.run.values.get(call.func)
        return callee is not None and isinstance(callee.ref, TorchModule) and modules.DROPS in callee.ref.qualified

    def _is_written(self, call: ast.Call) -> bool:
        """Tell whether the value of a call is written in place, so that it matters of what it is a copy."""
        made = self.run.values.get(call)
        return made is None or any(not write.value.objs.isdisjoint(made.objs) for write in self.run.all_writes())

    def _of(self, node: ast.expr) -> _Order:
        value = self.run.values.get(node)
        return max(map(self.of_object, value.objs), default=self.of_others) if value is not None else self.of_others

    def of_object(self, obj: Obj) -> _Order:
        if obj in self.written:
            return _Order.SAME
        if obj not in self._known:
            self._known[obj] = self.of_others  # what is made of itself in a loop brings no other order
            key = self.run.names.key_of(obj)
            self._known[obj] = self._made_by(key[0]) if isinstance(key, tuple) else self.of_others
        return self._known[obj]

    def _made_by(self, node: object) -> _Order:
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return max(self._of(node.left), self._of(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._of(node.operand)
        if isinstance(node, ast.Subscript):
            return self._of(node.value)
        if isinstance(node, ast.Attribute):
            return _permuted(self._of(node.value), node.attr)
        if not isinstance(node, ast.Call):
            return self.of_others
        operator = self._operator(node)
        if operator is None or not (operator.elementwise or operator.view is not View.NEVER):
            return self.of_others
        return _permuted(max(map(self._of, _given(node))), operator.short)

    def _operator(self, node: ast.Call) -> Operator | None:
        name = self.run.program.module.qualified(self.run.scope, node.func)
        if name is not None:
            return torchapi.function(name)
        return torchapi.tensor_method(node.func.attr) if isinstance(node.func, ast.Attribute) else None


def _given(call: ast.Call) -> tuple[ast.expr, ...]:
    """Return the receiver and the arguments of a call of a method, or of a function, of which it is a module."""
    return (call.func.value if isinstance(call.func, ast.Attribute) else call.func, *call.args)


def _permuted(order: _Order, name: str) -> _Order:
    return _Order.PERMUTED if order is not _Order.APART and name in members.PERMUTING else order
