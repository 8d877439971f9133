"""Holders of memory: who, besides the function that writes a tensor, can read its memory later."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import torch

from unplace.observation.graphs import operator
from unplace.observation.heap import Heap
from unplace.observation.held import Holder, HolderKind
from unplace.observation.importing import run_script
from unplace.observation.liveness import is_read_after
from unplace.observation.memory import memory_key
from unplace.observation.stack import waiting
from unplace.observation.writes import stored

_ELEMENTS = 64
"""The number of elements that are looked at in a container."""
_FRAMES = 80


@dataclass(slots=True)
class Holders:
    """The holders of a tensor's memory, described.

    `shares` are the names of the writing function itself, `same` those of them that have the tensor itself, and
    `has_twins` tells that a container which it names has the memory twice. `callers` are names of its callers, and
    `keepers` what outlives these: attributes, containers, closures, global names. `contexts` are the custom functions
    that autograd recorded and that keep it in an attribute of their context, for backward.

    `known` are the namespaces and containers that were looked at: what they have, only these names lead to.
    """

    shares: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    has_twins: bool = False
    callers: list[Holder] = field(default_factory=list)
    keepers: list[Holder] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    known: list[object] = field(default_factory=list)


def on_stack(tensor: torch.Tensor, frame: FrameType, target: str, container: object, root: str) -> Holders:
    """Find the holders of a tensor's memory among the names on the stack while `frame` is about to write it.

    `target` is the written place in the source, `container` the object that it is in, if any; files are named from the
    folder `root`. Locals of callers that nothing reads again before they are bound anew don't count.
    """
    memory = memory_key(tensor)
    found = Holders()
    if memory is None:
        found.keepers.append(Holder(HolderKind.UNKNOWN))
        return found
    name = _first(target)
    for local, value in _locals(frame, found.known):
        found.has_twins |= _has_twins(value, memory)
        if value is tensor and local != target:
            found.same.append(local)
        own = f"{local}.{target.rpartition('.')[2]}" if value is container else target
        found.shares += [x for x in _labels(local, value, memory, found.known, container) if x not in (own, target)]
    found.callers = list(_reading_callers(frame, name, memory, found.known, root, container))
    found.known += _parts_of(container)
    if _is_only_global(frame, name, memory):
        found.known.append(frame.f_globals)
    if isinstance(container, list | dict) and _has_twins(container, memory):
        found.keepers.append(Holder(HolderKind.NEIGHBOUR))
    return found


def add_others(
    found: Holders, tensor: torch.Tensor, frame: FrameType, target: str, tensors: list[torch.Tensor]
) -> None:
    """Search the process for the holders of a tensor that the stack doesn't show, among all `tensors` of its memory.

    What autograd saved doesn't count, nor what pytest keeps to explain an assertion.
    """
    memory = memory_key(tensor)
    if memory is None:
        return
    having = [each for each in tensors if memory_key(each) == memory]
    heap = Heap.around(having, {*map(id, found.known), id(found.known), id(having), id(tensors)})
    found.keepers += heap.keepers()
    found.contexts = list(dict.fromkeys(operator(context) for context in heap.contexts()))
    closure = Holder(HolderKind.CLOSURE)
    if _is_outer(frame, _first(target)) and closure in found.keepers:
        found.keepers.remove(closure)  # the target's own place


def _first(target: str) -> str:
    """Return the name that a target begins with: `y` of `y.data` and of `y[0]`."""
    return target.partition(".")[0].partition("[")[0]


def _reading_callers(
    frame: FrameType, written: str, memory: int, known: list[object], root: str, container: object
) -> Iterator[Holder]:
    """Yield the names of callers that have the memory and are read later, other than the written name itself."""
    caller, depth = frame.f_back, 0
    while caller is not None and depth < _FRAMES and caller.f_code is not run_script.__code__:
        on_hold = waiting(caller.f_code, caller.f_lasti)
        others = on_hold.others
        for path in on_hold.names:
            known_value, value = _at(path, caller)
            others |= not known_value
            if _has(value, memory, known, without=container):
                yield _caller(path, caller, root)
        for name, value in _locals(caller, known):
            if name.startswith("@py_"):
                continue
            has = _has(value, memory, known, without=container)
            is_own = name == written and _is_outer(frame, name) and _is_outer(caller, name)
            is_read = has and not is_own and is_read_after(caller.f_code, caller.f_lasti, name)
            if is_read or (others and (has or next(_labels(name, value, memory, known, container), None) is not None)):
                # a result of a call that waits on the stack may be it, or a part of it
                yield _caller(name, caller, root)
        caller, depth = caller.f_back, depth + 1


def _at(path: str, frame: FrameType) -> tuple[bool, object]:
    """Tell whether `self.h` is stored, as far as one can see without running properties, and return its value."""
    first, *rest = path.split(".")
    names = frame.f_locals if first in frame.f_locals else frame.f_globals
    if first not in names:
        return first in vars(builtins), None
    value = names[first]
    for name in rest:
        value = stored(value, name)
    return value is not None, value


def _is_outer(frame: FrameType, name: str) -> bool:
    """Tell whether a name of a function is one of a function around it, or of one in it."""
    return name in (*frame.f_code.co_freevars, *frame.f_code.co_cellvars)


def _is_only_global(frame: FrameType, name: str, memory: int) -> bool:
    """Tell whether a name is global, and no other global name has the memory."""
    if name in frame.f_locals or name not in frame.f_globals:
        return False
    return not any(_has(value, memory, []) for other, value in list(frame.f_globals.items()) if other != name)


def _locals(frame: FrameType, known: list[object]) -> Iterator[tuple[str, Any]]:
    """Yield the local names of a frame with their values; the namespace is noted as known."""
    names = frame.f_locals
    known.append(names)
    for name in list(names):  # pairs in a list would be holders themselves
        if name in names:
            yield name, names[name]


def _has(value: object, memory: int, known: list[object], depth: int = 2, without: object = None) -> bool:
    """Tell whether a value is or contains a tensor with the memory; its containers are noted as known.

    What the container `without` has doesn't count.
    """
    if isinstance(value, torch.Tensor):
        return memory_key(value) == memory
    parts = _elements(value) if depth else ()
    if not parts:
        return False
    known.append(value)
    found = [_has(part, memory, known, depth - 1, without) for part in parts]  # all, so that each container is noted
    return any(found) and value is not without


def _has_twins(value: object, memory: int) -> bool:
    """Tell whether a container, or one in an attribute of an object, has tensors with the memory twice."""
    parts = [value, *(part for _, part in _attributes(value))]
    for part in parts:
        count = sum(_has(each, memory, []) for each in _elements(part))
        if count > 1 or (count and isinstance(part, Sized) and len(part) > _ELEMENTS):  # the rest isn't looked at
            return True
    return False


def _elements(value: object) -> list[object]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(islice(value, _ELEMENTS))
    return list(value.values())[:_ELEMENTS] if isinstance(value, dict) else []


def _labels(name: str, value: object, memory: int, known: list[object], without: object = None) -> Iterator[str]:
    """Yield the places at a local name that have the memory: `x`, `self.h`, but not those in a container `without`."""
    if _has(value, memory, known, without=without):
        yield name
    if isinstance(value, torch.Tensor | ModuleType | type):
        return
    for attribute, part in _attributes(value):
        if _has(part, memory, known, without=without):
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


def _parts_of(container: object) -> list[object]:
    """Return an object and the dictionaries in which it keeps its attributes."""
    if container is None:
        return []
    own = getattr(container, "__dict__", {})
    return [container, own, *(own[name] for name in ("_buffers", "_parameters") if name in own)]


def _caller(name: str, frame: FrameType, root: str) -> Holder:
    return Holder(HolderKind.CALLER, name, frame.f_code.co_name, _place(frame, root))


def _place(frame: FrameType, root: str) -> str:
    path = Path(frame.f_code.co_filename)
    try:
        return f"{path.relative_to(root).as_posix()}:{frame.f_lineno}"
    except ValueError:
        return path.stem if "site-packages" in path.parts or "lib" in path.parts else "other code"
