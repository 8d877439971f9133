"""Finds the tensors and plain values that can be reached from a value, each with its place."""

from __future__ import annotations

import dataclasses
import functools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import FunctionType, MethodType, ModuleType
from typing import NamedTuple

import torch

PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, torch.dtype, torch.device, torch.Size)
REGISTRIES = ("_parameters", "_buffers", "_modules")
_OF_TORCH = frozenset(name for name in vars(torch.nn.Module()) if name.startswith("_"))
FLAG = "inplace"
"""An attribute of a module, or an argument, that says how it writes, not what it computes: a rewrite may change it."""


class Item(NamedTuple):
    """A tensor or a plain value, and the place where it was found, such as `output[1].loss`."""

    place: str
    value: object


def items(value: object, place: str) -> list[Item]:
    """List everything in `value`: through containers, dataclasses, objects, modules, closures, partials and `.grad`.

    `place` is where the value itself is. A container that is met again is listed as a reference to the place where it
    was met first.
    """
    found: list[Item] = []
    _collect(value, place, {}, found)
    return found


def items_of_all(values: Mapping[str, object]) -> list[Item]:
    """List the items of several values, given by their places; what two values share is listed with the first."""
    seen: dict[int, tuple[str, object]] = {}
    found: list[Item] = []
    for place, value in values.items():
        _collect(value, place, seen, found)
    return found


def tensors(value: object, place: str) -> list[tuple[str, torch.Tensor]]:
    """List the tensors among the items of a value, each once, as pairs of place and tensor."""
    found: dict[int, tuple[str, torch.Tensor]] = {}
    for where, item in items(value, place):
        if isinstance(item, torch.Tensor):
            found.setdefault(id(item), (where, item))
    return list(found.values())


def modules(value: object) -> list[torch.nn.Module]:
    """List the modules that can be reached from a value, each once."""
    seen: dict[int, tuple[str, object]] = {}
    _collect(value, "", seen, [])
    return [held for _, held in seen.values() if isinstance(held, torch.nn.Module)]


def _collect(value: object, place: str, seen: dict[int, tuple[str, object]], found: list[Item]) -> None:
    """Add the items of a value to those found; `seen` has the containers met so far, by their ids."""
    if isinstance(value, torch.Tensor):
        found.append(Item(place, value))
        if _is_leaf(value) and value.grad is not None:
            found.append(Item(f"{place}.grad", value.grad))
    elif isinstance(value, PLAIN):
        found.append(Item(place, value))
    elif type(value).__module__ == "numpy" and hasattr(value, "__array__"):
        found.append(Item(place, torch.as_tensor(value).clone()))
    elif id(value) in seen:
        found.append(Item(place, f"the same object as {seen[id(value)][0]}"))
    else:
        seen[id(value)] = place, value  # with the value: an id must not be given to another object meanwhile
        found.append(Item(place, type(value).__qualname__))
        for suffix, child in _children(value):
            _collect(child, place + suffix, seen, found)


def _children(value: object) -> Iterable[tuple[str, object]]:
    match value:
        case list() | tuple() | deque():
            return ((f"[{index}]", child) for index, child in enumerate(value))
        case FunctionType():
            return _captured(value)
        case MethodType():
            return ((".__self__", value.__self__),)
        case type() | ModuleType():
            return ()
        case functools.partial():
            named = {name: given for name, given in value.keywords.items() if name != FLAG}
            return (".func", value.func), (".args", value.args), (".keywords", named)
        case dict() | Mapping():  # `dict` first: an abstract class takes its time to answer for each new class
            return ((f"[{_key(key, index)}]", child) for index, (key, child) in enumerate(value.items()))
    return ((f".{name}", child) for name, child in _attributes(value).items())


def _key(key: object, index: int) -> str:
    return repr(key) if isinstance(key, PLAIN) else f"key {index}"  # other keys may show their address


def _attributes(value: object) -> dict[str, object]:
    if isinstance(value, torch.nn.Module):
        own = {name: child for name, child in vars(value).items() if name not in _OF_TORCH and name != FLAG}
        registered = (vars(value)[registry] for registry in REGISTRIES)
        return {name: child for registry in (*registered, own) for name, child in registry.items()}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    return dict(getattr(value, "__dict__", {}))


def _captured(function: FunctionType) -> Iterator[tuple[str, object]]:
    for index, default in enumerate(function.__defaults__ or ()):
        yield f".__defaults__[{index}]", default
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # a name that isn't bound yet
            yield f".{name}", cell.cell_contents


def _is_leaf(tensor: torch.Tensor) -> bool:
    try:
        return bool(tensor.is_leaf)
    except RuntimeError:  # torch refuses to tell it of a piece of `split` whose base was written
        return False
