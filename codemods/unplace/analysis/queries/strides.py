"""Tells whether code asks for the order of a tensor's elements in memory, which its functional form may change.

s = scores.transpose(1, 2)
s.masked_fill_(mask, 0.0)               out of place, `masked_fill` gives a dense tensor, whatever it is given
s.transpose(1, 2).view(n, -1)           so that this would raise
"""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum

from unplace import torchapi
from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import NO_OBJS, Obj, Objs, Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.calling import calls_of, function_of
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.types.parameters import argument_for
from unplace.torchapi import Operator, View, members, modules


class _Order(IntEnum):
    """How the strides of a tensor follow those of the written one."""

    APART = 0
    SAME = 1
    PERMUTED = 2


def reads_order(run: Run, write: Write, *, is_dense: bool) -> ast.Call | None:
    """Return a call that depends on the strides which a written tensor has only in place; None if none does.

    `is_dense`: out of place the elements lie in the order of the dimensions. Others keep the order of the tensor's own
    elements, but a part of a tensor has gaps between them, which go. A tensor of another order that is viewed again as
    it was made has to have that order. What leaves the function may be asked by other code of its file.
    """
    written = write.state.roots(write.value.objs) | write.value.objs
    has_gaps = any(map(_Search(run, frozenset(), of_others=_Order.SAME).is_part, write.value.objs))
    if not is_dense and not has_gaps:
        return None
    search, is_permuted = _Search(run, written, is_dense=is_dense), _is_permuted(run, written)
    for call in run.scope.of(ast.Call):
        if search.asks(call) or (is_dense and (search.is_filled(call) or (is_permuted and search.draws(call)))):
            return call
    is_known = (has_gaps or is_permuted) and _leaves(run, written)
    is_open = is_known or (is_dense and _is_stored(run, written) and _is_of_argument(run, written))
    return _asked_elsewhere(run, is_dense) if is_open else None


def _is_permuted(run: Run, objs: Objs) -> bool:
    """Tell whether tensors were made element by element of one with permuted dimensions."""
    search = _Search(run, frozenset(), of_others=_Order.SAME)
    return any(search.of_object(obj) is _Order.PERMUTED for obj in objs)


def _is_of_argument(run: Run, objs: Objs) -> bool:
    """Tell whether tensors were made element by element of arguments, which may have their dimensions permuted."""
    keys = (("parameter", argument.arg) for argument in run.scope.parameters)
    given = frozenset(obj for key in keys if (obj := run.names.by_key.get(key)) is not None)
    search = _Search(run, given)
    return any(search.of_object(obj) is not _Order.APART for obj in objs)


def _is_stored(run: Run, objs: Objs) -> bool:
    """Tell whether an attribute or element of something from outside holds tensors when the function ends."""
    return any(
        not held.objs.isdisjoint(objs)
        for _, state in run.program.exits(run.scope)
        for (holder, _), held in state.heap.items()
        if holder.origin is not Origin.FRESH
    )


def _leaves(run: Run, objs: Objs) -> bool:
    """Tell whether others may ask a tensor: the function returns, yields, keeps or passes it, or a closure has it."""
    if run.scope.suspends or any(obj.origin is not Origin.FRESH for obj in objs):
        return True
    found: list[AbstractSet[Obj]] = [*run.kept_in.values()]
    for value, state in run.program.exits(run.scope):
        found += [state.roots(value.objs), *(held.objs for held in state.heap.values())]
        found += [held.objs for name, held in state.env.items() if name in run.scope.captured]
    passed = (run.values.get(arg) for call in run.followed if isinstance(call, ast.Call) for arg in _given(call))
    found += [value.objs for value in passed if value is not None]
    return not all(map(objs.isdisjoint, found))


def _asked_elsewhere(run: Run, is_dense: bool) -> ast.Call | None:
    """Return a call in another function of the file that depends on the strides of what it is given."""
    asking = members.ASKING_FOR_ORDER - members.COPYING_BY_ORDER if is_dense else members.TELLING_ORDER
    program = run.program
    for scope in program.module.scopes.by_node.values():
        for call in scope.of(ast.Call) if scope is not run.scope else ():
            name = last_name(call.func)
            if name in asking:
                return call
            other = program.run(scope) if name in members.COPYING_BY_ORDER else None
            if other is not None and (is_written(other, call) or _is_returned(other, call)):
                return call
    return None


def _is_returned(run: Run, call: ast.Call) -> bool:
    """Tell whether a function returns the value of a call, which its callers may then write."""
    made = run.values.get(call)
    return made is not None and any(not value.objs.isdisjoint(made.objs) for value, _ in run.returns)


def is_written(run: Run, call: ast.Call) -> bool:
    """Tell whether the value of a call is written in place, so that it matters of what it is a copy."""
    made = run.values.get(call)
    return made is None or any(not write.value.objs.isdisjoint(made.objs) for write in run.all_writes())


@dataclass(slots=True)
class _Search:
    """Follows tensors to those they were made of, element by element or as views."""

    run: Run
    written: Objs
    of_others: _Order = _Order.APART
    is_dense: bool = True
    _known: dict[Obj, _Order] = field(default_factory=dict)
    _parts: dict[Obj, bool] = field(default_factory=dict)

    def asks(self, call: ast.Call) -> bool:
        """Tell whether a call asks for the order of the written tensor, or of what was made element by element."""
        name, order = last_name(call.func), max(map(self.of, _given(call)))
        if order is _Order.APART:
            return False
        if name == "numpy":
            return any(node.attr in members.TELLING_ORDER_OF_ARRAYS for node in self.run.scope.of(ast.Attribute))
        if name not in members.ASKING_FOR_ORDER:
            return False
        if name in members.COPYING_BY_ORDER:
            return is_written(self.run, call)
        return name in members.TELLING_ORDER or (self.is_dense and order is _Order.PERMUTED)

    def is_part(self, obj: Obj) -> bool:
        """Tell whether an object is a part of a tensor, or a view of one: `y[:, :2]`, a piece of a split."""
        if obj not in self._parts:
            self._parts[obj] = False  # what is made of itself in a loop is no smaller part
            key = self.run.names.key_of(obj)
            self._parts[obj] = isinstance(key, tuple) and self._makes_part(key[0])
        return self._parts[obj]

    def _makes_part(self, node: object) -> bool:
        if isinstance(node, ast.Subscript):
            return True
        if not isinstance(node, ast.Call | ast.Attribute):
            return False
        operator = self._operator(node) if isinstance(node, ast.Call) else None
        if operator is None and isinstance(node, ast.Call):
            run, returned = self._returned(node)
            question = _Search.is_part, run.scope if run is not None else None
            return run is not None and run.program.answer(
                question, lambda: any(map(_Search(run, NO_OBJS).is_part, returned)), False
            )
        if operator is not None and operator.view is View.NEVER:
            return False
        if operator is not None and operator.short in members.PARTING:
            return True
        value = self.run.values.get(_given(node)[0] if isinstance(node, ast.Call) else node.value)
        return value is not None and any(map(self.is_part, value.objs))

    def is_filled(self, call: ast.Call) -> bool:
        """Tell whether a method draws numbers for the elements of such a tensor in place: `y.bernoulli_()`."""
        method = torchapi.inplace_method(call.func.attr) if isinstance(call.func, ast.Attribute) else None
        is_random = method is not None and method.kind == "random"
        return is_random and max(map(self.of, _given(call))) is not _Order.APART

    def draws(self, call: ast.Call) -> bool:
        """Tell whether a call draws numbers for the elements of such a tensor, which it does in their order."""
        operator = self._operator(call)
        is_random = operator is not None and operator.random
        return (is_random or self._is_dropout(call)) and max(map(self.of, _given(call))) is not _Order.APART

    def _is_dropout(self, call: ast.Call) -> bool:
        callee = self.run.values.get(call.func)
        return callee is not None and isinstance(callee.ref, TorchModule) and modules.DROPS in callee.ref.qualified

    def of(self, node: ast.expr) -> _Order:
        value = self.run.values.get(node)
        return max(map(self.of_object, value.objs), default=self.of_others) if value is not None else self.of_others

    def of_object(self, obj: Obj) -> _Order:
        if obj in self.written:
            return _Order.SAME
        if obj not in self._known:
            self._known[obj] = self.of_others  # what is made of itself in a loop brings no other order
            key = self.run.names.key_of(obj)
            if obj.origin is Origin.PARAMETER:
                self._known[obj] = self._passed(obj)
            elif isinstance(key, tuple):
                self._known[obj] = self._made_by(key[0])
        return self._known[obj]

    def _passed(self, obj: Obj) -> _Order:
        """Return the order of an argument: a call in the file may pass a tensor with permuted dimensions."""
        program, scope, name = self.run.program, self.run.scope, obj.parameter
        if name is None or self.of_others is _Order.APART:
            return self.of_others
        question, otherwise = (_Order, scope, name, self.of_others), _Order(self.of_others)
        return program.answer(question, lambda: self._order_of_passed(name), otherwise)

    def _order_of_passed(self, name: str) -> _Order:
        program, scope = self.run.program, self.run.scope
        for caller, call in calls_of(program, scope):
            run, given = program.run(caller), argument_for(scope, call, name)
            if run is not None and given is not None:
                if _Search(run, frozenset(), of_others=self.of_others).of(given) is _Order.PERMUTED:
                    return _Order.PERMUTED
        return self.of_others

    def _made_by(self, node: object) -> _Order:
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return max(self.of(node.left), self.of(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.Subscript):
            return self.of(node.value)
        if isinstance(node, ast.Attribute):
            return _permuted(self.of(node.value), node.attr)
        if not isinstance(node, ast.Call):
            return self.of_others
        operator = self._operator(node)
        if operator is None and last_name(node.func) in modules.RETURNING_ALIKE:
            return max(map(self.of, _given(node)))
        if operator is None:
            return self._returned_by(node)
        if not operator.elementwise and operator.view is View.NEVER and operator.short not in members.LIKE:
            return self.of_others
        return _permuted(max(map(self.of, _given(node))), operator.short)

    def _returned_by(self, node: ast.Call) -> _Order:
        """Return the order of what a call returns: a function of the file may permute what it makes."""
        run, returned = self._returned(node)
        if run is None:
            return self.of_others
        is_permuted = run.program.answer((_is_permuted, run.scope), lambda: _is_permuted(run, returned), False)
        return _Order.PERMUTED if is_permuted else self.of_others

    def _returned(self, node: ast.Call) -> tuple[Run | None, Objs]:
        """Return the run of a function of the file that a call runs, with what it returns."""
        program, callee = self.run.program, self.run.values.get(node.func)
        function = function_of(program, callee.ref) if callee is not None else None
        is_near = function is not None and function.scope is not self.run.scope and program.module.owns(function.scope)
        run = program.run(function.scope) if function is not None and is_near else None
        return run, frozenset(obj for value, _ in (run.returns if run is not None else ()) for obj in value.objs)

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
