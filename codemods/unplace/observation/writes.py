"""Finds what an operation is about to write, from the parts that instrumented code tells of it."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from functools import cache
from types import FrameType, ModuleType
from typing import Any

import torch

from unplace import torchapi
from unplace.observation.graphs import is_leaf
from unplace.observation.instrument import Operation, Part, Shape


class Told(list[Any]):
    """The values that were told of a part of an operation; what it has nobody holds."""


Parts = dict[str, Told]
"""The values that were told of the parts of an operation."""
_CONTAINERS = (dict, list, OrderedDict, defaultdict)
_OF_TORCH = ("torch", "torch.nn.functional")


@dataclass(slots=True)
class TensorWrite:
    """What an operation is about to write: `y`, the object that holds it as an attribute or element, and the operands.

    `owner` is `x` where the target is `x.data`. The call of another function than one of torch's (`init.zeros_(y)`) may
    write nothing, or without a gradient: then `changes_values` is false, as where a tensor's metadata change.
    """

    target: object
    holder: object
    operands: list[object]
    owner: object = None
    changes_values: bool = True

    @property
    def is_to_parameter(self) -> bool:
        """Tell whether a parameter is written, another leaf that requires grad, a view of one, or the data of one."""
        written = self.target if self.owner is None else self.owner
        if not isinstance(written, torch.Tensor):
            return False
        base = written._base if written._is_view() else written
        return base is not None and (isinstance(base, torch.nn.Parameter) or is_leaf(base))


def write_of(operation: Operation, parts: Parts, last: Any, frame: FrameType) -> TensorWrite:
    """Return what an operation is about to write, given its parts and the last of them."""
    operands = list(parts.get(Part.OPERAND.value, ()))
    holder = parts.get(Part.HOLDER.value, [None])[0]
    shape = operation.shape
    if shape is Shape.NAME:
        return TensorWrite(_named(operation.target, frame), None, [last])
    if shape is Shape.ATTRIBUTE:
        name = operation.target.rpartition(".")[2]
        if name == "data" and isinstance(holder, torch.Tensor):
            return TensorWrite(holder.data, holder, [last], holder)
        return TensorWrite(stored(holder, name), holder, [last])
    if shape in (Shape.OUT, Shape.FIRST, Shape.MODULE):
        return TensorWrite(last, None, [])
    target = last
    if Part.TARGET.value in parts:
        target = parts[Part.TARGET.value][0]
        operands = [*operands, last]
    if isinstance(target, ModuleType) and operands:  # a function: `F.relu_(y)`
        function, (target, *operands) = target, operands
        return TensorWrite(target, None, operands, None, function.__name__ in _OF_TORCH and _changes(operation.name))
    if shape is Shape.ITEM and type(target) in _CONTAINERS and Part.KEY.value in parts:  # `batch["x"] += y`
        return TensorWrite(_element(target, parts[Part.KEY.value][0]), target, operands)
    changes = shape is Shape.ITEM or (shape is Shape.CALL and _changes(operation.name))
    return TensorWrite(target, _holder(operation.target, frame), operands, holder, changes)


@cache
def _changes(name: str) -> bool:
    """Tell whether a method or function of torch changes values: `add_`, but not `t_` or `detach_`."""
    entry = torchapi.inplace_method(name) or torchapi.inplace_function(f"torch.{name}")
    entry = entry or torchapi.inplace_function(f"torch.nn.functional.{name}")
    return entry is not None and entry.kind not in ("metadata", "detach")


def _element(container: Any, key: Any) -> object:
    try:
        return container[key] if isinstance(container, list) or key in container else None
    except (IndexError, TypeError):
        return None


def _named(name: str, frame: FrameType) -> object:
    names = frame.f_locals
    return names[name] if name in names else frame.f_globals.get(name)


def stored(holder: object, name: str) -> object:
    """Return an attribute that is stored, without running any property."""
    own = getattr(holder, "__dict__", {})
    for namespace in (own, own.get("_buffers"), own.get("_parameters"), own.get("_modules")):
        if isinstance(namespace, dict) and name in namespace:
            return namespace[name]
    return None


def _holder(target: str, frame: FrameType) -> object:
    """Return the object of which `a.b.y` is an attribute, as far as names and stored attributes lead."""
    first, *path = target.split(".")
    if not path or not all(part.isidentifier() for part in (first, *path)):
        return None
    holder = _named(first, frame)
    for part in path[:-1]:
        holder = stored(holder, part)
    return holder
