"""Keeps the writes to the memory of tensors, noted as they happen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from unplace.diagnosis.places import Place
from unplace.observation.memory import Notes


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
    """The last write of each line to each block of memory that is alive."""

    def __init__(self) -> None:
        self._notes: Notes[Write] = Notes()

    def note(self, target: torch.Tensor, write: Write) -> None:
        """Remember a write to a tensor."""
        self._notes.note(target, (id(write.place), write.op), write)

    def to(self, tensor: torch.Tensor) -> list[Write]:
        """Return the writes to the memory of a tensor, oldest first."""
        return sorted(self._notes.on(tensor), key=lambda write: write.tick)

    def all(self) -> Iterator[list[Write]]:
        """Yield the writes to each block of memory, oldest first."""
        for noted in self._notes.all():
            yield sorted(noted, key=lambda write: write.tick)
