"""Holders of memory: who, besides the function that writes a tensor, can read its memory later."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import CellType, FrameType, ModuleType
from typing import Any

import torch

from unplace.observation.liveness import is_read_after

_ELEMENTS = 64
"""The number of elements that are looked at in a container."""
_FRAMES = 80
_CLOSURE = "a closure"


@dataclass(slots=True)
class Holders:
    """The names of the writing function itself that share the memory (`shares`), and all other holders, described."""

    shares: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def holders_of(tensor: torch.Tensor, frame: FrameType, target: str, container: object, root: str) -> Holders:
    """Find the holders of a tensor's memory while `frame` is about to write it.

    `target` is the written place in the source, `container` the object that it is in, if any; files are named from the
    folder `root`. Locals of callers that nothing reads again before they are bound anew don't count, nor what autograd
    saved, nor what pytest keeps to explain an assertion.
    """
    memory = memory_key(tensor)
    found = Holders()
    if memory is None:
        found.others.append("memory of its own kind")
        return found
    known: list[object] = []
    for name, value in _locals(frame, known):
        for label in _labels(name, value, memory, known):
            if label != target:
                found.shares.append(label)
    caller, depth = frame.f_back, 0
    while caller is not None and depth < _FRAMES:
        for name, value in _locals(caller, known):
            if (
                not name.startswith("@py_")
                and _has(value, memory, known)
                and is_read_after(caller.f_code, caller.f_lasti, name)
            ):
                place = _place(caller, root)
                found.others.append(f"`{name}` of {caller.f_code.co_name}() in {place}")
        caller, depth = caller.f_back, depth + 1
    if found.others:
        return found
    excluded = {id(each) for each in known} | _parts_of(container)
    others = _in_heap(memory, excluded)
    code = frame.f_code
    if target.partition(".")[0] in (*code.co_freevars, *code.co_cellvars) and _CLOSURE in others:
        others.remove(_CLOSURE)  # the target's own place
    found.others += others
    return found


def memory_key(tensor: torch.Tensor) -> int | None:
    """Return a number for the memory of a tensor, the same for all that share it; None for kinds without one."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return None


def _locals(frame: FrameType, known: list[object]) -> Iterator[tuple[str, Any]]:
    """Yield the local names of a frame with their values; the namespace is noted as known."""
    names = frame.f_locals
    known.append(names)
    for name in list(names):  # pairs in a list would be holders themselves
        if name in names:
            yield name, names[name]


def _has(value: object, memory: int, known: list[object], depth: int = 2) -> bool:
    """Tell whether a value is or contains a tensor with the memory; its containers are noted as known."""
    if isinstance(value, torch.Tensor):
        return memory_key(value) == memory
    parts = _elements(value) if depth else ()
    if not parts:
        return False
    known.append(value)
    found = [_has(part, memory, known, depth - 1) for part in parts]  # all of them, so that each container is noted
    return any(found)


def _elements(value: object) -> list[object]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(islice(value, _ELEMENTS))
    return list(value.values())[:_ELEMENTS] if isinstance(value, dict) else []


def _labels(name: str, value: object, memory: int, known: list[object]) -> Iterator[str]:
    """Yield the places at a local name that have the memory: `x`, `self.h`."""
    if _has(value, memory, known):
        yield name
    if isinstance(value, torch.Tensor | ModuleType | type):
        return
    for attribute, part in _attributes(value):
        if _has(part, memory, known):
            yield f"{name}.{attribute}"


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    own = getattr(value, "__dict__", None)
    if not isinstance(own, dict):
        return
    for attribute, part in list(own.items())[:_ELEMENTS]:
        if attribute in ("_buffers", "_parameters") and isinstance(part, dict):
            yield from part.items()
        elif not isinstance(part, dict) or attribute.isidentifier():
            yield attribute, part


def _parts_of(container: object) -> set[int]:
    """Return the identities of an object and of the dictionaries in which it keeps its attributes."""
    if container is None:
        return set()
    own = getattr(container, "__dict__", {})
    return {id(container), id(own), *(id(own.get(name)) for name in ("_buffers", "_parameters"))}


def _in_heap(memory: int, excluded: set[int]) -> list[str]:
    """Return descriptions of the objects that hold a tensor with the memory, beside those excluded."""
    kinds = _kinds(torch.Tensor)
    tensors = [each for each in gc.get_objects() if type(each) in kinds and memory_key(each) == memory]
    referrers = gc.get_referrers(*tensors)
    excluded = excluded | {id(tensors), id(referrers)}
    return [text for holder in referrers if (text := _described(holder, excluded)) is not None]


def _kinds(cls: type) -> set[type]:
    """Return a class with all that derive from it."""
    return {cls}.union(*map(_kinds, type.__subclasses__(cls)))


def _described(holder: object, excluded: set[int]) -> str | None:
    """Return a description of an object that refers to a tensor; None where it keeps it for nobody."""
    if id(holder) in excluded or isinstance(holder, FrameType | torch.Tensor | weakref.ref):
        return None
    if isinstance(holder, CellType):
        return _CLOSURE
    if isinstance(holder, tuple) and all(id(each) in excluded for each in gc.get_referrers(holder)):
        return None  # the arguments of a call that is under way
    if isinstance(holder, dict | list | set | tuple):
        return f"a {type(holder).__name__}" if not isinstance(holder, dict) else _owner(holder)
    return f"an attribute of {type(holder).__name__}"


def _owner(namespace: dict[Any, Any]) -> str:
    """Return whose attributes a dictionary has."""
    for referrer in gc.get_referrers(namespace):
        if getattr(referrer, "__dict__", None) is namespace:
            return "a global name" if isinstance(referrer, ModuleType) else f"an attribute of {type(referrer).__name__}"
    return "a dict"


def _place(frame: FrameType, root: str) -> str:
    path = Path(frame.f_code.co_filename)
    try:
        return f"{path.relative_to(root).as_posix()}:{frame.f_lineno}"
    except ValueError:
        return path.stem if "site-packages" in path.parts or "lib" in path.parts else "other code"
