"""Tells whether code asks for the order of a tensor's elements in memory, which its functional form may change.

s = scores.transpose(1, 2)
s.masked_fill_(mask, 0.0)               out of place, `masked_fill` gives a dense tensor, whatever it is given
s.transpose(1, 2).view(n, -1)           so that this would raise
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum

from unplace import torchapi
from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import NO_OBJS, Obj, Objs, Origin
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.calling import calls_of, calls_of_objects, function_of
from unplace.analysis.project.handling import handler_of
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import passed_for
from unplace.torchapi import Operator, View, members, modules


class _Order(IntEnum):
    """How the strides of a tensor follow those of the written one, or of one whose dimensions lie in their order."""

    APART = 0
    SAME = 1
    UNKNOWN = 2
    PERMUTED = 3


def reads_order(run: Run, write: Write, *, is_dense: bool) -> ast.Call | None:
    """Return a call that depends on the strides which a written tensor has only in place; None if none does.

    `is_dense`: out of place the elements lie in the order of the dimensions. Others keep the order of the tensor's own
    elements, but a part of a tensor has gaps between them, which go. A tensor of another order that is viewed again as
    it was made has to have that order. What leaves the function may be asked by other code of its file.
    """
    written = write.state.roots(write.value.objs) | write.value.objs
    own = _Search(run, NO_OBJS)
    has_gaps = any(map(own.is_part, write.value.objs))
    if not is_dense and not has_gaps:
        return None
    search, order = _Search(run, written, is_dense=is_dense), max(map(own.of_object, written), default=_Order.UNKNOWN)
    for call in run.scope.of(ast.Call):
        if _is_over(run, write, call):
            continue
        draws = is_dense and (search.is_filled(call) or (order is _Order.PERMUTED and search.draws(call)))
        if draws or search.asks(call):
            return call
    is_known = has_gaps or order is _Order.PERMUTED
    is_open = is_known or order is _Order.UNKNOWN
    return _asked_elsewhere(run, write, is_dense, is_known) if is_open and _leaves(search) else None


def _is_over(run: Run, write: Write, call: ast.Call) -> bool:
    """Tell whether a call runs before a write alone."""
    if isinstance(run.scope.node, ast.Lambda):
        return False
    statement = run.statement_of(call)
    return statement is not write.statement and not run.flow.may_follow(write.statement, statement)


def asks_for_gaps(run: Run, views: Objs) -> bool:
    """Tell whether code of a function asks for the order of the elements of views, which a clone has without gaps."""
    search = _Search(run, views, is_dense=False)
    return any(map(search.asks, run.scope.of(ast.Call)))


def _leaves(search: _Search) -> bool:
    """Tell whether others may ask a tensor: the function returns, yields, keeps or passes it, or a closure has it."""
    run = search.run
    if run.scope.suspends or any(obj.origin is not Origin.FRESH for obj in search.written):
        return True
    found: list[AbstractSet[Obj]] = [*run.kept_in.values()]
    for value, state in run.program.exits(run.scope):
        found += [state.roots(value.objs), *(held.objs for held in state.heap.values())]
        found += [held.objs for name, held in state.env.items() if name in run.scope.captured]
    passed = (run.values.get(arg) for call in run.followed if isinstance(call, ast.Call) for arg in _given(call))
    found += [value.objs for value in passed if value is not None]
    return any(search.of_object(obj) is not _Order.APART for objs in found for obj in objs)


def _asked_elsewhere(run: Run, write: Write, is_dense: bool, is_known: bool) -> ast.Call | None:
    """Return a call in another function of the file that depends on the strides of what it is given.

    `is_known`: they aren't those of the dimensions. Otherwise views, which would raise, and unseen callers don't count.
    """
    views = is_dense and is_known
    asking = members.ASKING_FOR_ORDER - members.COPYING_BY_ORDER | members.DRAWING if views else members.TELLING_ORDER
    program = run.program
    used_up = {
        argument
        for call in run.scope.of(ast.Call)
        for argument in call.args
        if isinstance(argument, ast.Lambda) and _is_over(run, write, call)
    }
    scopes = program.module.scopes.by_node
    others = [scope for node, scope in scopes.items() if scope is not run.scope and node not in used_up]
    has_layers = any(last_name(call.func) == modules.FLATTEN for scope in others for call in scope.of(ast.Call))
    for scope in others:
        for call in scope.of(ast.Call):
            name = last_name(call.func)
            tells = name in asking or (name == "numpy" and _reads_strides(scope))
            is_view = is_known and name in members.RESTRIDING
            is_asked = tells or is_view or has_layers or name in members.COPYING_BY_ORDER or name == "to"
            other = program.run(scope) if is_asked else None
            if other is None or max(map(_Search(other, NO_OBJS).of, _given(call))) is _Order.SAME:
                continue
            if (
                tells
                or (is_view and _is_tried(other, call))
                or (_copies(other, call) and _is_used_as_own(other, call, is_known))
            ):
                return call
    return None


def _is_tried(run: Run, call: ast.Call) -> bool:
    """Tell whether the run handles the error of a view that doesn't fit the order of the elements."""
    spot = run.flow.spot(run.statement_of(call)) if not isinstance(run.scope.node, ast.Lambda) else None
    return handler_of(run.scope, spot.guards if spot is not None else ()) is not None


def _copies(run: Run, call: ast.Call) -> bool:
    """Tell whether a call copies a tensor only if the order of its elements makes that necessary, by a layer or not."""
    name, is_to_format = last_name(call.func), any(each.arg == "memory_format" for each in call.keywords)
    is_method = name in members.COPYING_BY_ORDER or (name == "to" and is_to_format)
    return is_method or _layer(run, call).endswith(modules.FLATTEN)


def _layer(run: Run, call: ast.Call) -> str:
    """Return the name of the class of the layer that a call runs; empty if it runs none that is known."""
    callee = run.values.get(call.func)
    return callee.ref.qualified if callee is not None and isinstance(callee.ref, TorchModule) else ""


def _reads_strides(scope: Scope) -> bool:
    """Tell whether a function asks an array for the order of its elements: `x.numpy().strides`."""
    return any(node.attr in members.TELLING_ORDER_OF_ARRAYS for node in scope.of(ast.Attribute))


def _is_used_as_own(run: Run, call: ast.Call, is_known: bool) -> bool:
    """Tell whether the value of a call is written in place, by the function or by callers, who may not be in sight."""
    if isinstance(run.scope.node, ast.Lambda) or _is_written(run, call):
        return True
    made, scope, program = run.values.get(call), run.scope, run.program
    returned = (state.roots(value.objs) | value.objs for value, state in run.returns)
    if not scope.suspends and (made is None or all(map(made.objs.isdisjoint, returned))):
        return False
    if is_known:
        return True
    callers = ((program.run(caller), each) for caller, each in _calls_of(program, scope))
    return program.answer(
        (_is_used_as_own, scope),
        lambda: any(scope.suspends or (r is not None and _is_used_as_own(r, c, False)) for r, c in callers),
        False,
    )


def _calls_of(program: Analysis, scope: Scope) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls in the file that may run a function: also those of the objects of its class."""
    owner = program.module.class_of(scope)
    yield from calls_of(program, scope)
    if owner is not None:
        yield from calls_of_objects(program, owner)


def _is_written(run: Run, call: ast.Call) -> bool:
    """Tell whether the value of a call is written in place, or what it may be a copy of is afterwards."""
    made, statement = run.values.get(call), run.statement_of(call)
    given = frozenset(obj for arg in _given(call) if (value := run.values.get(arg)) is not None for obj in value.objs)
    if made is None:
        return True
    for each in run.all_writes():
        written = each.value.objs | each.state.roots(each.value.objs)
        is_later = not written.isdisjoint(given) and run.flow.is_led_to(statement, each.statement)
        if is_later or not written.isdisjoint(made.objs):
            return True
    return False


@dataclass(slots=True)
class _Search:
    """Follows tensors to those they were made of, element by element or as views."""

    run: Run
    written: Objs  # without them each tensor's own order is searched
    is_dense: bool = True
    _known: dict[Obj, _Order] = field(default_factory=dict)
    _parts: dict[Obj, bool] = field(default_factory=dict)

    @property
    def of_others(self) -> _Order:
        """The order of what is made anew, by no operation element by element."""
        return _Order.APART if self.written else _Order.SAME

    @property
    def of_outside(self) -> _Order:
        """The order of what isn't seen to be made."""
        return _Order.APART if self.written else _Order.UNKNOWN

    def asks(self, call: ast.Call) -> bool:
        """Tell whether a call asks for the order of the written tensor, or of what was made element by element."""
        name, order = last_name(call.func), max(map(self.of, _given(call)))
        if order is _Order.APART:
            return False
        if name == "numpy":
            return _reads_strides(self.run.scope)
        if _copies(self.run, call):
            return _is_written(self.run, call)
        if name not in members.ASKING_FOR_ORDER:
            return False
        is_moved = self.is_dense and order is _Order.PERMUTED
        return is_moved or name in members.TELLING_ORDER or _is_tried(self.run, call)

    def parts(self, node: ast.expr) -> bool:
        """Tell whether an expression gives a part of a tensor."""
        value = self.run.values.get(node)
        return value is not None and any(map(self.is_part, value.objs))

    def is_part(self, obj: Obj) -> bool:
        """Tell whether an object is a part of a tensor, or a view of one: `y[:, :2]`, a piece of a split."""
        if obj not in self._parts:
            self._parts[obj] = False  # what is made of itself in a loop is no smaller part
            key = self.run.names.key_of(obj)
            self._parts[obj] = self._is_part_passed(obj) or (isinstance(key, tuple) and self._makes_part(key[0]))
        return self._parts[obj]

    def _is_part_passed(self, obj: Obj) -> bool:
        program, scope, name = self.run.program, self.run.scope, obj.parameter
        if name is None:
            return False
        passed = passed_for(program, scope, name)
        question = _Search.is_part, scope, name
        return program.answer(question, lambda: any(_Search(run, NO_OBJS).parts(node) for run, node in passed), False)

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
        return self.parts(_given(node)[0] if isinstance(node, ast.Call) else node.value)

    def is_filled(self, call: ast.Call) -> bool:
        """Tell whether a method draws numbers for the elements of such a tensor in place: `y.bernoulli_()`."""
        method = torchapi.inplace_method(call.func.attr) if isinstance(call.func, ast.Attribute) else None
        is_random = method is not None and method.kind == "random"
        return is_random and max(map(self.of, _given(call))) is not _Order.APART

    def draws(self, call: ast.Call) -> bool:
        """Tell whether a call draws numbers for the elements of such a tensor, which it does in their order."""
        operator = self._operator(call)
        is_random = operator is not None and operator.random
        draws = is_random or modules.DROPS in _layer(self.run, call)
        return draws and max(map(self.of, _given(call))) is not _Order.APART

    def of(self, node: ast.expr) -> _Order:
        value = self.run.values.get(node)
        return max(map(self.of_object, value.objs), default=self.of_others) if value is not None else self.of_outside

    def of_object(self, obj: Obj) -> _Order:
        if obj in self.written:
            return _Order.SAME
        if obj not in self._known:
            self._known[obj] = self.of_others  # what is made of itself in a loop brings no other order
            key = self.run.names.key_of(obj)
            if obj.origin is Origin.PARAMETER:
                self._known[obj] = self._passed(obj)
            else:
                self._known[obj] = self._made_by(key[0]) if isinstance(key, tuple) else self.of_outside
        return self._known[obj]

    def _passed(self, obj: Obj) -> _Order:
        """Return the order of an argument: a call in the file may pass a tensor with permuted dimensions."""
        program, scope, name = self.run.program, self.run.scope, obj.parameter
        if name is None or self.written:
            return self.of_outside
        return program.answer((_Order, scope, name), lambda: self._order_of_passed(name), _Order.UNKNOWN)

    def _order_of_passed(self, name: str) -> _Order:
        passed = passed_for(self.run.program, self.run.scope, name)
        is_permuted = any(_Search(run, NO_OBJS).of(node) is _Order.PERMUTED for run, node in passed)
        return _Order.PERMUTED if is_permuted else _Order.UNKNOWN

    def _made_by(self, node: object) -> _Order:
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return max(self.of(node.left), self.of(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.List | ast.Tuple):
            return max(map(self.of, node.elts), default=self.of_outside)
        if isinstance(node, ast.Subscript):
            return self.of(node.value)
        if isinstance(node, ast.Attribute):
            return _permuted(self.of(node.value), node.attr)
        if not isinstance(node, ast.Call):
            return self.of_outside
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
        if run is None or self.written:
            return self.of_outside
        search = _Search(run, NO_OBJS)
        return run.program.answer(
            (_Order, run.scope), lambda: max(map(search.of_object, returned), default=_Order.UNKNOWN), _Order.UNKNOWN
        )

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
