"""The blocks of memory of tensors, and notes on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import torch
from torch._C import _functorch
from torch.utils.weak import WeakIdKeyDictionary

T = TypeVar("T")


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor inside the wrappers that `vmap`, `grad` and their kin put around it."""
    while _functorch.is_functorch_wrapped_tensor(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def memory_of(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """Return the block of memory of a tensor; None for kinds without a single one: sparse ones, lazy parameters."""
    try:
        return unwrapped(tensor).untyped_storage()
    except (NotImplementedError, ValueError):
        return None


def memory_key(tensor: torch.Tensor) -> int | None:
    """Return a number for the memory of a tensor, the same for all that share it; None for kinds without one."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError, ValueError):
        return None


def has_view_of(tensor: torch.Tensor, values: list[object]) -> bool:
    """Tell whether another tensor among some values is in the memory of a tensor."""
    key = memory_key(tensor)
    for each in values:  # no generator: a closure would be a holder
        if isinstance(each, torch.Tensor) and each is not tensor and memory_key(each) == key is not None:
            return True
    return False


class Notes(Generic[T]):
    """Notes on blocks of memory that are alive, one for each key: their number can't grow with time."""

    def __init__(self) -> None:
        self._of_memory: Any = WeakIdKeyDictionary()

    def note(self, tensor: torch.Tensor, key: object, note: T) -> None:
        """Keep a note on the memory of a tensor, in place of the one with the same key."""
        memory = memory_of(tensor)
        if memory is None:
            return
        noted = self._of_memory.get(memory)
        if noted is None:
            self._of_memory[memory] = noted = {}
        noted[key] = note

    def on(self, tensor: torch.Tensor) -> list[T]:
        """Return the notes on the memory of a tensor."""
        memory = memory_of(tensor)
        return [] if memory is None else list(self._of_memory.get(memory, {}).values())

    def all(self) -> Iterator[list[T]]:
        """Yield the notes on each block of memory."""
        for noted in list(self._of_memory.values()):
            yield list(noted.values())
