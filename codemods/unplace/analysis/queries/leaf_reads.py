"""Tells reads that mean a leaf itself, whose gradient is asked for, from those that mean its values.

print(x.grad)                               the leaf
g, = torch.autograd.grad(loss, [x])         the leaf
y = x * 2                                   its values
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.values import CONTAINER, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.queries.forbidden import is_allowed
from unplace.analysis.queries.leaf_escapes import is_given_out, is_passed
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.carried import carried
from unplace.analysis.syntax.nodes import DISPLAYS, walk
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import members, modes


def meant_as_leaf(run: Run, leaf: Objs) -> Iterator[ast.expr]:
    """Iterate over the expressions of a scope that mean a leaf itself: what it is, or what its gradient is."""
    asked = (node.value for node in run.scope.of(ast.Attribute) if node.attr in members.OF_LEAVES)
    yield from (node for node in asked if _is(run, node, leaf))
    yield from _given_as_inputs(run, leaf)


def reads_of_gradient(run: Run, leaf: Objs) -> Iterator[ast.expr]:
    """Iterate over the expressions of a scope that mean a tensor whose gradient they ask for."""
    asked = (node.value for node in run.scope.of(ast.Attribute) if node.attr == "grad")
    yield from (node for node in asked if _is(run, node, leaf))
    yield from _given_as_inputs(run, leaf)


def _given_as_inputs(run: Run, leaf: Objs) -> Iterator[ast.expr]:
    for call in run.scope.of(ast.Call):
        for given in _inputs(run, call):
            parts = [part for part in walk(given) if isinstance(part, ast.expr) and not isinstance(part, DISPLAYS)]
            yield from (part for part in parts if _is(run, part, leaf) or _holds(run, part, leaf))


def _holds(run: Run, node: ast.expr, leaf: Objs) -> bool:
    """Tell whether an expression is a container of a leaf where the scope is left: `params`."""
    value = run.values.get(node)
    exits = run.program.exits(run.scope) if value is not None and value.may_be(CONTAINER) else []
    return value is not None and any(not leaf.isdisjoint(state.reachable(value.objs)) for _, state in exits)


def asks_for_gradients(run: Run) -> Iterator[ast.expr]:
    """Iterate over the expressions of a scope that compute or read gradients."""
    yield from (node for node in run.scope.of(ast.Attribute) if node.attr == "grad")
    for call in run.scope.of(ast.Call):
        if last_name(call.func) == "backward" or run.program.module.qualified(run.scope, call.func) in modes.GRADIENTS:
            yield call


def is_asked_before(run: Run, made: ast.stmt | None, leaf: Objs) -> bool:
    """Tell whether gradients are asked for between the making of a leaf and a write to it, perhaps in another round.

    `made` is None for an argument.
    """
    written = {w.statement for w in run.all_writes() if not leaf.isdisjoint(w.state.roots(w.value.objs))}
    return any(_is_asked_between(run, made, statement) for statement in written)


def _is_asked_between(run: Run, made: ast.stmt | None, written: ast.stmt) -> bool:
    start, end = run.flow.spot(made) if made is not None else None, run.flow.spot(written)
    if end is None or (start is None and made is not None):
        return True
    first, around = (start.order, start.loops) if start is not None else (-1, ())
    rounds = [loop for loop in end.loops if loop not in around]
    if rounds and _is_asked_elsewhere(run):
        return True
    for node in asks_for_gradients(run):
        spot = run.flow.spot(run.statement_of(node))
        if spot is None or first < spot.order <= end.order or any(loop in spot.loops for loop in rounds):
            return True
    return False


def is_asked_in_rounds(run: Run, written: ast.stmt, leaf: Objs) -> bool:
    """Tell whether a loop around a write to a leaf also asks for the gradient of the leaf."""
    place = run.flow.spot(written)
    loops = place.loops if place is not None else ()
    spots = (run.flow.spot(run.statement_of(node)) for node in reads_of_gradient(run, leaf))
    return any(spot is not None and loop in spot.loops for spot in spots for loop in loops)


def is_handed_on(run: Run, write: Write, leaf: Objs, name: str) -> bool:
    """Tell whether code out of sight may get a leaf once it is written, or code in sight that works with gradients."""
    module, may_follow = run.program.module, run.flow.may_follow
    if run.scope.suspends or (run.scope.is_module and module.is_named_elsewhere(name)) or is_given_out(run, leaf):
        return True
    if any(objs & leaf for s, objs in run.kept_in.items() if may_follow(write.statement, s)):
        return True
    return is_passed(run, write.state, leaf) and _is_asked_elsewhere(run)


def asked_for_gradients_alone(run: Run, write: Write) -> set[str]:
    """Return the names of leaves that nothing reads after a write, but to ask for their gradients."""
    found: set[str] = set()
    for name, held in write.state.env.items():
        leaf = held.objs & run.leaves
        if not leaf or leaf.isdisjoint(write.value.objs) or name in run.scope.captured:
            continue
        later = carried(run.body, name, write.statement, write.statement, {*meant_as_leaf(run, leaf)})
        if later is not None and not later.reads:
            found.add(name)
    return found


def is_changed_otherwise(run: Run, write: Write, leaf: Objs) -> bool:
    """Tell whether a scope also changes a leaf where torch allows it: under `no_grad`, by `.data`, by its flags."""
    others = (w for w in run.all_writes() if w is not write and w.state.roots(w.value.objs) & leaf)
    for other in others:
        is_hidden = not other.record.records or other.data is not None or other.kind is WriteKind.DATA
        if is_hidden or (other.value.graph == LEAF and is_allowed(other)):
            return True
    stores = (node for node in run.scope.of(ast.Attribute) if isinstance(node.ctx, ast.Store) and node.attr != "grad")
    own = (run.statement_of(node) for node in stores if _is(run, node.value, leaf))
    return any(run.flow.may_follow(write.statement, statement) for statement in own)


def _is_asked_elsewhere(run: Run) -> bool:
    """Tell whether other code of the file works with gradients."""
    own = [*(node.attr for node in run.scope.of(ast.Attribute)), *(node.id for node in run.scope.names)]
    return any(run.program.module.reads_of(word) > own.count(word) for word in modes.ASKING_FOR_GRADIENTS)


def _inputs(run: Run, call: ast.Call) -> Iterator[ast.expr]:
    """Iterate over the arguments of a call for whose gradients it asks: `grad(loss, x)`, `backward(inputs=[x])`."""
    is_grad = run.program.module.qualified(run.scope, call.func) == "torch.autograd.grad"
    if is_grad:
        yield from call.args[1:2]
    if is_grad or last_name(call.func) == "backward":
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "inputs")


def _is(run: Run, node: ast.expr, leaf: Objs) -> bool:
    """Tell whether an expression is one of these tensors, or was made where one of them is, in an earlier round."""
    value = run.values.get(node)
    return value is not None and any(o in leaf or (o.old and o in map(run.names.aged, leaf)) for o in value.objs)
