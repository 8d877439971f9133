"""Keeps the writes to the memory of tensors, noted as they happen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from unplace.diagnosis.memory import memory_of
from unplace.diagnosis.places import Place


@dataclass(frozen=True, slots=True)
class Write:
    """One write: what was called, the place, and the tensor's version afterwards as autograd counts it.

    `tick` orders writes, saved values and backward calls. `leaf` tells that the tensor requires grad and has no
    history. `optimizer` is the class of the optimizer whose step wrote.
    """

    op: str
    place: Place
    tick: int
    version: int = 0
    shape: tuple[int, ...] = ()
    leaf: bool = False
    requires_grad: bool = False
    grad_mode: bool = True
    in_backward: bool = False
    optimizer: str | None = None


class Writes:
    """The last write of each line to each block of memory that is alive: their number can't grow with time."""

    def __init__(self) -> None:
        self._of_memory: Any = WeakIdKeyDictionary()

    def note(self, target: torch.Tensor, write: Write) -> None:
        """Remember a write to a tensor."""
        memory = memory_of(target)
        if memory is None:
            return
        noted = self._of_memory.get(memory)
        if noted is None:
            self._of_memory[memory] = noted = {}
        noted[id(write.place), write.op] = write

    def to(self, tensor: torch.Tensor) -> list[Write]:
        """Return the writes to the memory of a tensor, oldest first."""
        memory = memory_of(tensor)
        noted = {} if memory is None else self._of_memory.get(memory, {})
        return sorted(noted.values(), key=lambda write: write.tick)

    def all(self) -> Iterator[list[Write]]:
        """Yield the writes to each block of memory, oldest first."""
        for noted in list(self._of_memory.values()):
            yield sorted(noted.values(), key=lambda write: write.tick)
