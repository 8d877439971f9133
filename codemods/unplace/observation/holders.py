"""Holders of memory: who, besides the function that writes a tensor, can read its memory later."""

from __future__ import annotations

import builtins
import gc
import weakref
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import CellType, FrameType, ModuleType
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from unplace.observation.graphs import operator
from unplace.observation.liveness import is_read_after
from unplace.observation.memory import memory_key
from unplace.observation.stack import waiting
from unplace.observation.writes import Told, stored

_ELEMENTS = 64
"""The number of elements that are looked at in a container."""
_FRAMES = 80
_CLOSURE = "a closure"
_NEIGHBOUR = "another element of its container"


@dataclass(slots=True)
class Holders:
    """The holders of a tensor's memory, described.

    `shares` are the names of the writing function itself, `same` those of them that have the tensor itself, and
    `has_twins` tells that a container which it names has the memory twice. `callers` are names of its callers, and
    `keepers` what outlives these: attributes, containers, closures, global names. `contexts` are the custom functions
    that autograd recorded and that keep it in an attribute of their context, for backward.
    """

    shares: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    has_twins: bool = False
    callers: list[str] = field(default_factory=list)
    keepers: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)


def live_tensors() -> list[torch.Tensor]:
    """Return all tensors that Python knows."""
    kinds = _kinds(torch.Tensor)
    return [each for each in gc.get_objects() if type(each) in kinds]


def holders_of(
    tensor: torch.Tensor, frame: FrameType, target: str, container: object, root: str, tensors: list[torch.Tensor]
) -> Holders:
    """Find the holders of a tensor's memory among all `tensors` while `frame` is about to write it.

    `target` is the written place in the source, `container` the object that it is in, if any; files are named from the
    folder `root`. Locals of callers that nothing reads again before they are bound anew don't count, nor what autograd
    saved, nor what pytest keeps to explain an assertion.
    """
    memory = memory_key(tensor)
    found = Holders()
    if memory is None:
        found.keepers.append("memory of its own kind")
        return found
    known: list[object] = []
    name = target.partition(".")[0].partition("[")[0]
    for local, value in _locals(frame, known):
        found.has_twins |= _has_twins(value, memory)
        if value is tensor and local != target:
            found.same.append(local)
        own = f"{local}.{target.rpartition('.')[2]}" if value is container else target
        found.shares += [x for x in _labels(local, value, memory, known, container) if x not in (own, target)]
    found.callers = list(_reading_callers(frame, name, memory, known, root, container))
    excluded = {id(each) for each in known} | _parts_of(container)
    if _is_only_global(frame, name, memory):
        excluded.add(id(frame.f_globals))
    having = [each for each in tensors if memory_key(each) == memory]
    heap = _Heap.around(having, excluded | {id(having), id(tensors)})
    found.keepers = list(heap.keepers())
    if isinstance(container, list | dict) and _has_twins(container, memory):
        found.keepers.append(_NEIGHBOUR)
    found.contexts = list(dict.fromkeys(operator(context) for context in heap.contexts()))
    if _is_outer(frame, name) and _CLOSURE in found.keepers:
        found.keepers.remove(_CLOSURE)  # the target's own place
    return found


def _reading_callers(
    frame: FrameType, written: str, memory: int, known: list[object], root: str, container: object
) -> Iterator[str]:
    """Yield the names of callers that have the memory and are read later, other than the written name itself."""
    caller, depth = frame.f_back, 0
    while caller is not None and depth < _FRAMES:
        on_stack = waiting(caller.f_code, caller.f_lasti)
        place = f"{caller.f_code.co_name}() in {_place(caller, root)}"
        others = on_stack.others
        for path in on_stack.names:
            known_value, value = _at(path, caller)
            others |= not known_value
            if _has(value, memory, known, without=container):
                yield f"`{path}` of {place}"
        for name, value in _locals(caller, known):
            if name.startswith("@py_"):
                continue
            has = _has(value, memory, known, without=container)
            is_own = name == written and _is_outer(frame, name) and _is_outer(caller, name)
            is_read = has and not is_own and is_read_after(caller.f_code, caller.f_lasti, name)
            if is_read or (others and (has or next(_labels(name, value, memory, known, container), None) is not None)):
                yield f"`{name}` of {place}"  # a result of a call that waits on the stack may be it, or a part of it
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


def _parts_of(container: object) -> set[int]:
    """Return the identities of an object and of the dictionaries in which it keeps its attributes."""
    if container is None:
        return set()
    own = getattr(container, "__dict__", {})
    return {id(container), id(own), *(id(own.get(name)) for name in ("_buffers", "_parameters"))}


def _kinds(cls: type) -> set[type]:
    """Return a class with all that derive from it."""
    return {cls}.union(*map(_kinds, type.__subclasses__(cls)))


@dataclass(frozen=True, slots=True)
class _Heap:
    """The objects that refer to some tensors (`first`), and those that refer to their dictionaries and tuples."""

    first: list[object]
    second: list[object]
    excluded: set[int]

    @staticmethod
    def around(tensors: list[torch.Tensor], excluded: set[int]) -> _Heap:
        """Look at all objects of the process twice, which takes time."""
        first = gc.get_referrers(*tensors)
        inner = [each for each in first if isinstance(each, dict | tuple) and id(each) not in excluded]
        second = gc.get_referrers(*inner) if inner else []
        return _Heap(first, second, excluded | {id(first), id(second), id(inner)})

    def keepers(self) -> Iterator[str]:
        """Yield descriptions of the objects that keep a tensor for others than a caller or backward."""
        for holder in self.first:
            if id(holder) in self.excluded or isinstance(holder, (*_KEEP_NOTHING, Told)):
                continue
            if isinstance(holder, CellType):
                yield _CLOSURE
            elif isinstance(holder, tuple) and all(self._reads_nothing(each) for each in self._around(holder)):
                continue  # the arguments of a call that is under way, or what `enumerate` has yielded
            elif isinstance(holder, dict):
                yield from self._owner(holder)
            elif isinstance(holder, list | set | tuple):
                yield f"a {type(holder).__name__}"
            else:
                yield f"an attribute of {type(holder).__name__}"

    def _reads_nothing(self, around: object) -> bool:
        """Tell whether the holder of a tuple is known, or an iterator, which keeps its last tuple to fill it anew."""
        return id(around) in self.excluded or isinstance(around, _REFILLING)

    def contexts(self) -> Iterator[BackwardCFunction]:
        """Yield the recorded custom functions that have a tensor in an attribute of their context."""
        owners = {id(each.__dict__): each for each in self.second if isinstance(each, BackwardCFunction)}
        for holder in self.first:
            if isinstance(holder, BackwardCFunction):
                yield holder
            elif id(holder) in owners:
                yield owners[id(holder)]

    def _around(self, holder: object) -> list[object]:
        return [each for each in self.second if any(part is holder for part in gc.get_referents(each))]

    def _owner(self, namespace: dict[Any, Any]) -> Iterator[str]:
        """Yield whose attributes a dictionary has; nothing for the context of a recorded operation."""
        for referrer in self._around(namespace):
            if getattr(referrer, "__dict__", None) is namespace:
                if not isinstance(referrer, BackwardCFunction):
                    is_global = isinstance(referrer, ModuleType)
                    yield "a global name" if is_global else f"an attribute of {type(referrer).__name__}"
                return
        yield "a dict"


_REFILLING: tuple[type, ...] = (enumerate, zip, type(iter({}.items())))
_KEEP_NOTHING = (FrameType, torch.Tensor, weakref.ref, BackwardCFunction)


def _place(frame: FrameType, root: str) -> str:
    path = Path(frame.f_code.co_filename)
    try:
        return f"{path.relative_to(root).as_posix()}:{frame.f_lineno}"
    except ValueError:
        return path.stem if "site-packages" in path.parts or "lib" in path.parts else "other code"
