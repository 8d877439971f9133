"""Applies calls of a value that may be one of several functions, classes or modules.

    for block in self.blocks:                   a module of one class or another
    act = nn.ReLU(inplace=True) if rectified else nn.Sigmoid()

Each alternative is called on a state of its own; the results and the states are joined, as after branches.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from functools import reduce

from unplace.analysis.domain.merging import Merger
from unplace.analysis.domain.refs import Choice, Instance, alternatives
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import Obj, Objs, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import code_of


def either(
    calls: CallEffects,
    node: ast.Call,
    callee: Value,
    apply: Callable[[Value, State], Value],
    state: State,
    *,
    is_repeated: bool = False,
) -> Value:
    """Return the join of the results of calling each alternative of a callee by `apply`.

    If `is_repeated`, or in a loop, one alternative may get what another returned.
    """
    choice, run = callee.ref, calls.run
    assert isinstance(choice, Choice)
    outer, known = run.alternative, {a: run.values[a] for a in _arguments(node) if a in run.values}
    values: list[Value] = []
    states: list[State] = []
    is_mixed = len(choice.refs) > 1 and (is_repeated or bool(run.born))
    run.in_any_order += is_mixed
    refs = (*alternatives(choice), None) if choice.is_open else alternatives(choice)
    for index, ref in enumerate(refs):
        own = state.fork()
        run.alternative = (outer, index)
        values.append(apply(_alone(run, node, callee._replace(ref=ref)), own))
        run.alternative = outer
        if is_mixed:
            _doubt(own, state, values[-1], frozenset().union(*(value.objs for value in known.values())))
        run.values.update(known)  # what one alternative proves of an argument isn't proved
        states.append(own)
    run.in_any_order -= is_mixed
    held = _held(run, state)
    returned = [own.seen(value.objs) for own, value in zip(states, values, strict=True)]
    _part(state, held, returned, states)
    later = _set_later(run, node, choice)
    if later:
        first = [objs for ref, objs in zip(refs, returned, strict=True) if ref not in later]
        _part_later(run, frozenset().union(*returned) - held.union(*first), states)
    place = (node, "alternatives", outer)
    state.become(Merger(place).merge(states))
    result = reduce(weak_join, values)._replace(identity=place, shape=(place, "shape"))
    seen = reduce(weak_join, values[:-1]) if choice.is_open and len(values) > 1 else None
    if seen is not None and seen.is_tensor:  # what isn't seen most likely returns a tensor, too
        return result._replace(kinds=seen.kinds, likely=True)
    return result


def _doubt(after: State, before: State, result: Value, given: Objs) -> None:
    """Make uncertain that an alternative saved its arguments: another one of a list may write them, but in what order?

    for layer in nn.ModuleList([conv, nn.ReLU(inplace=True)]):
        x = layer(x)
    """
    made = result.objs - after.roots(given)
    for obj, saved in list(after.saved.items()):
        old = before.saved.get(obj, frozenset())
        if saved is not old and obj not in made:
            after.saved[obj] = old | frozenset(s._replace(certain=False) for s in saved - old)


def _part(before: State, held: Objs, returned: list[Objs], states: list[State]) -> None:
    """Mark what one alternative saved of a tensor that only another one returns, and that no other name holds then.

    x = self.norm(x)                a BatchNorm2d, which saves the old `x`, or an Identity, which returns it
    """
    for own, state in zip(returned, states, strict=True):
        for obj in frozenset().union(*returned) - own:
            saved, old = state.saved.get(obj, frozenset()), before.saved.get(obj, frozenset())
            if saved - old and obj not in held:
                state.saved[obj] = old | frozenset(s._replace(on_path=False) for s in saved - old)


def _part_later(run: Run, handed_on: Objs, states: list[State]) -> None:
    """Mark what was saved of tensors that the name only holds if a method has replaced the constructor's module.

    x = self.head(x)                a Conv2d; the method `prune` puts an Identity there, which returns the old `x`
    """
    run.replaced |= handed_on
    for state in states:
        for obj in handed_on:
            if obj in state.saved:
                state.saved[obj] = frozenset(s._replace(on_path=False) for s in state.saved[obj])


def doubt_returned(run: Run, objs: Objs, state: State) -> None:
    """Mark what was saved of the input of a Sequential, which the code in sight doesn't show to be its result.

    x = self.layers(x)              where `nn.Sequential(*layers)` has a layer, unless `layers` is empty
    """
    held = _held(run, state) | state.reachable(frozenset(_other_objects(run, state)))
    for obj in state.seen(objs) - held:
        if obj in state.saved:
            state.saved[obj] = frozenset(s._replace(on_path=False) for s in state.saved[obj])


def _other_objects(run: Run, before: State) -> set[Obj]:
    """Return the objects in the names that a statement doesn't bind."""
    rebound = assigned_names(run.statement) if isinstance(run.statement, ast.Assign) else set()
    return {obj for name, value in before.env.items() if name not in rebound for obj in value.objs}


def _held(run: Run, before: State) -> Objs:
    """Return what names hold after the statement that they held before it."""
    return before.seen(_other_objects(run, before))


def _set_later(run: Run, node: ast.Call, choice: Choice) -> frozenset[Hashable]:
    """Return the modules among which an attribute isn't, unless a method that no constructor calls puts them there."""
    if not isinstance(node.func, ast.Attribute):
        return frozenset()
    holder = run.values.get(node.func.value)
    if holder is None or not isinstance(holder.ref, Instance):
        return frozenset()
    family = holder.ref.of.linearized()
    sources = [pair for cls in family for pair in cls.assigned.get(node.func.attr, ())]
    makers = [scope for scope, _ in sources if scope.name == "__init__"]
    if not makers or len(makers) == len(sources):
        return frozenset()
    called = {part.attr for maker in makers for scope in maker.all_inside() for part in scope.of(ast.Attribute)}
    made: set[Hashable] = set()
    put: set[Hashable] = set()
    for scope, source in sources:
        by_constructor = scope.name == "__init__" or scope.name in called
        refs = alternatives(run.program.estimate(scope, source).ref) if source is not None else ()
        (made if by_constructor else put).update(refs)
    return choice.refs & (put - made) if made else frozenset()


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(k.value for k in node.keywords)]


def _alone(run: Run, node: ast.Call, callee: Value) -> Value:
    """Return one alternative of a callee; an object that is one of several is an object of its own."""
    if not isinstance(callee.ref, Instance) or len(callee.objs) == 1:
        return callee
    key = (node, "alternative", run.alternative)
    return run.foreign(key, Origin.ATTRIBUTE, code_of(node.func), node.lineno, callee.kinds, ref=callee.ref)
