"""Finds the objects from outside that may be one and the same: `def step(a: State, b: State)`, called as `step(s, s)`.

A store to an attribute of one of them may then be one to the others'.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import CONTAINER, Obj, Objs, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.slots import first_attribute, is_unchanged

INSTANCE = "instance"
"""The last part of the key of an object that a constructor of the run has just made."""


def store(run: Run, holder: Value, name: str, value: Value, state: State) -> None:
    """Store a value in an attribute of an object, and perhaps in that of others, which may be the same object."""
    for obj in holder.objs:
        state.store(obj, name, value, is_only=len(holder.objs) == 1)
    store_in_twins(run, holder.objs, name, value, state)


def store_in_twins(run: Run, objs: Objs, name: str, value: Value, state: State) -> None:
    """Store a value perhaps in an attribute of objects that may be the same as some that have got it."""
    for other in _twins(run, objs, name, state):
        state.store(other, name, value, is_only=False)


def join_stored(run: Run, holder: Obj, name: str, first: Value, state: State) -> Value:
    """Return what an attribute holds that is read for the first time: its first value, or what a twin's holds.

    The first tensors of both aren't joined: those of any two objects may be one.
    """
    for twin in _twins(run, frozenset((holder,)), name, state):
        stored = state.heap[(twin, name)]
        if stored.may_be(CONTAINER) or not is_unchanged(run, twin, name, stored):
            first = weak_join(first, stored)
    return first


def with_twins(run: Run, objs: Objs, state: State) -> Objs:
    """Return objects with those of known classes that may be the same as one of them: a call may change these, too."""
    known = [obj for obj in run.classes if _is_from_outside(run, obj)]
    others = [obj for obj in known if obj not in objs and obj in state.heap.owners]
    own = [obj for obj in known if obj in objs] if others else []
    return objs.union(other for other in others if any(_may_be_one(run, obj, other, state) for obj in own))


def _twins(run: Run, objs: Objs, name: str, state: State) -> list[Obj]:
    """Return the other objects with a known attribute of a name that may be one of some objects.

    The class of one of both is known: where neither is, the attribute may be a property, and isn't replaced.
    """
    own = [obj for obj in objs if _is_from_outside(run, obj)]
    candidates = state.heap.holders if any(obj in run.classes for obj in own) else run.classes if own else ()
    return [
        other
        for other in candidates
        if (other, name) in state.heap and other not in objs and _is_from_outside(run, other)
        if any((obj in run.classes or other in run.classes) and _may_be_one(run, obj, other, state) for obj in own)
    ]


def _is_from_outside(run: Run, obj: Obj) -> bool:
    """Tell whether the code in sight didn't make an object, which then may have any other name outside."""
    if obj.origin is Origin.FRESH or not run.names.owns(obj):
        return False
    key = run.names.key_of(obj)
    return not (isinstance(key, tuple) and key[-1] == INSTANCE)


def _may_be_one(run: Run, first: Obj, second: Obj, state: State) -> bool:
    one, other = run.classes.get(first), run.classes.get(second)
    if one is not None and other is not None and one not in other.linearized() and other not in one.linearized():
        return False
    return not (_is_part(run, first, second) or _is_part(run, second, first) or _are_parts(run, first, second, state))


def _is_part(run: Run, part: Obj, whole: Obj) -> bool:
    """Tell whether an object is what an attribute of another one held first: `self.cell` of `self`."""
    place = first_attribute(run, part)
    return place is not None and place[0] == whole.index


def _are_parts(run: Run, first: Obj, second: Obj, state: State) -> bool:
    """Tell whether constructors of one object made two others: `self.a = Cell()`, `self.b = Cell()`."""
    places = first_attribute(run, first), first_attribute(run, second)
    if places[0] is None or places[1] is None or places[0] == places[1]:
        return False
    return all(_is_constructed(run, *place, state) for place in places if place is not None)


def _is_constructed(run: Run, index: Hashable, name: str, state: State) -> bool:
    """Tell whether a class gives one of its attributes only objects that it makes itself."""
    whole = next((obj for obj in state.heap.holders if obj.index == index), None)
    of = run.classes.get(whole) if whole is not None else None
    sources = [source for cls in of.linearized() for source in cls.assigned.get(name, ())] if of is not None else []
    return bool(sources) and all(
        isinstance(source, ast.Call) and isinstance(run.program.estimate(scope, source.func).ref, Class)
        for scope, source in sources
    )
