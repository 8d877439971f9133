"""What the slots of objects from outside held before the code in sight, and where the code holds such objects."""

from __future__ import annotations

from collections.abc import Hashable

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.values import CALLABLE, MODULE, UNKNOWN, Obj, Origin, Value
from unplace.analysis.interpret.run import Run


def is_placed(run: Run, value: Value) -> bool:
    """Tell whether it is known where the code holds an object: not for one of the modules in a list."""
    return bool(value.objs) and all(
        obj.origin not in (Origin.ATTRIBUTE, Origin.REGISTERED) or _is_attribute(run.names.key_of(obj))
        for obj in value.objs
    )


def is_any_module(run: Run, value: Value) -> bool:
    """Tell whether a value is one of the modules that `children()` and the like give."""
    is_registered = any(obj.origin is Origin.REGISTERED for obj in value.objs)
    return bool(value.kinds & (MODULE | UNKNOWN)) and is_registered and not is_placed(run, value)


def _is_attribute(key: Hashable) -> bool:
    return isinstance(key, tuple) and len(key) == 3 and key[1] == "attribute"


def is_unchanged(run: Run, holder: Obj, slot: Hashable, value: Value) -> bool:
    """Tell whether a slot of an object from outside holds what it held before the code in sight, and nothing else."""
    if len(value.objs) != 1:
        return slot == ANY and value.must_be(MODULE | CALLABLE)
    key = run.names.key_of(*value.objs)
    return key == (holder.index, "attribute", slot) or _is_filled(run, holder, slot, key)


def _is_filled(run: Run, holder: Obj, slot: Hashable, key: Hashable) -> bool:
    """Tell whether an object's key is that of one with which the analysis has filled a slot of a list from outside."""
    if not isinstance(key, tuple) or len(key) != 3:
        return False
    owner, kind, name = key
    if kind == "held":
        return bool(owner == holder.index and name == slot)
    return bool(kind == "elements" and slot == ANY and run.names.key_of(holder) == (owner, "attribute", name))
