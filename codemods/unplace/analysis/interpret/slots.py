"""What the slots of objects from outside held before the code in sight, and where the code holds such objects."""

from __future__ import annotations

from collections.abc import Hashable

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.values import CALLABLE, MODULE, UNKNOWN, Obj, Origin, Value
from unplace.analysis.interpret.run import Run

INSIDE_OF_UNKNOWN = "inside"
"""The second part of the key of an object that one of an unknown kind hands out: `x[0]`."""


def first_key(holder: Hashable, name: str) -> Hashable:
    """Return the key of the object that an attribute holds before the code stores another; `holder` is an index."""
    return holder, "attribute", name


def first_attribute(run: Run, obj: Obj) -> tuple[Hashable, str] | None:
    """Return the index of the holder and the attribute that held an object first; None for any other object."""
    key = run.names.key_of(obj)
    return (key[0], key[2]) if isinstance(key, tuple) and len(key) == 3 and key[1] == "attribute" else None


def is_placed(run: Run, value: Value) -> bool:
    """Tell whether it is known where the code holds an object: not for one of the modules in a list."""
    return bool(value.objs) and all(
        obj.origin not in (Origin.ATTRIBUTE, Origin.REGISTERED) or first_attribute(run, obj) is not None
        for obj in value.objs
    )


def is_any_module(run: Run, value: Value) -> bool:
    """Tell whether a value is one of the modules that `children()` and the like give."""
    is_registered = any(obj.origin is Origin.REGISTERED for obj in value.objs)
    return bool(value.kinds & (MODULE | UNKNOWN)) and is_registered and not is_placed(run, value)


def is_unchanged(run: Run, holder: Obj, slot: Hashable, value: Value) -> bool:
    """Tell whether a slot of an object from outside holds what it held before the code in sight, and nothing else."""
    if len(value.objs) != 1:
        return slot == ANY and value.must_be(MODULE | CALLABLE)
    (obj,) = value.objs
    return first_attribute(run, obj) == (holder.index, slot) or _is_filled(run, holder, slot, run.names.key_of(obj))


def _is_filled(run: Run, holder: Obj, slot: Hashable, key: Hashable) -> bool:
    """Tell whether an object's key is that of one with which the analysis has filled a slot of a list from outside."""
    if isinstance(key, tuple) and key[0] == "element":
        return slot == ANY and run.names.by_key.get(("parameter", key[1])) is holder
    if not isinstance(key, tuple) or len(key) != 3:
        return False
    owner, kind, name = key
    if kind == "held":
        return bool(owner == holder.index and name == slot)
    return bool(kind == "elements" and slot == ANY and first_attribute(run, holder) == (owner, name))


DEEP = "deep"
"""Stands for the holder of an attribute that is reached by the same attribute again and again: `m = m.inner`."""
_OFTEN = 2
"""So many times an attribute is followed from what the same attribute held."""


def is_deep(run: Run, holder: Obj, name: str) -> bool:
    """Tell whether an attribute was followed often on the way to a holder, so that its objects are told apart no more.

    while m.inner is not None or m.outer is not None:
        m = m.inner or m.outer
    """
    count = 0
    while (first := first_attribute(run, holder)) is not None:
        index, by = first
        count += by == name
        if index == DEEP or count >= _OFTEN:
            return True
        if not isinstance(index, int):
            return False
        holder = run.names.at(index)
    return False
