"""Searches the process for what refers to tensors."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, FrameType, ModuleType
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from unplace.observation.held import Holder, HolderKind
from unplace.observation.writes import Told


def live_tensors() -> list[torch.Tensor]:
    """Return all tensors that Python knows."""
    kinds = _kinds(torch.Tensor)
    return [each for each in gc.get_objects() if type(each) in kinds]


@dataclass(frozen=True, slots=True)
class Heap:
    """The objects that refer to some tensors (`first`), and those that refer to their dictionaries and tuples."""

    first: list[object]
    second: list[object]
    excluded: set[int]

    @staticmethod
    def around(tensors: list[torch.Tensor], excluded: set[int]) -> Heap:
        """Look at all objects of the process, twice where a dictionary or tuple refers to a tensor: that takes time."""
        first = gc.get_referrers(*tensors)
        inner = [each for each in first if isinstance(each, dict | tuple) and id(each) not in excluded]
        second = gc.get_referrers(*inner) if inner else []
        return Heap(first, second, excluded | {id(first), id(second), id(inner)})

    def keepers(self) -> Iterator[Holder]:
        """Yield descriptions of the objects that keep a tensor for others than a caller or backward."""
        for holder in self.first:
            if id(holder) in self.excluded or isinstance(holder, (*_KEEP_NOTHING, Told)):
                continue
            if isinstance(holder, CellType):
                yield Holder(HolderKind.CLOSURE)
            elif isinstance(holder, tuple) and all(self._reads_nothing(each) for each in self._around(holder)):
                continue  # the arguments of a call that is under way, or what `enumerate` has yielded
            elif isinstance(holder, dict):
                yield from self._owner(holder)
            elif isinstance(holder, list | set | tuple):
                yield Holder(HolderKind.CONTAINER, type(holder).__name__)
            else:
                yield Holder(HolderKind.ATTRIBUTE, type(holder).__name__)

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

    def _owner(self, namespace: dict[Any, Any]) -> Iterator[Holder]:
        """Yield whose attributes a dictionary has; nothing for the context of a recorded operation."""
        for referrer in self._around(namespace):
            if getattr(referrer, "__dict__", None) is namespace:
                if isinstance(referrer, ModuleType):
                    yield Holder(HolderKind.GLOBAL)
                elif not isinstance(referrer, BackwardCFunction):
                    yield Holder(HolderKind.ATTRIBUTE, type(referrer).__name__)
                return
        yield Holder(HolderKind.CONTAINER, "dict")


def _kinds(cls: type) -> set[type]:
    """Return a class with all that derive from it."""
    return {cls}.union(*map(_kinds, type.__subclasses__(cls)))


_REFILLING: tuple[type, ...] = (enumerate, zip, type(iter({}.items())))
_KEEP_NOTHING = (FrameType, torch.Tensor, weakref.ref, BackwardCFunction)
