"""Every write to a tensor's memory, noted as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakIdKeyDictionary

from unplace.diagnosis.places import Place


@dataclass(frozen=True, slots=True)
class Write:
    """One write: operator, place, and the tensor's version afterwards as autograd counts it.

    `tick` orders writes, saved values and backward calls. A `leaf` requires grad and has no history.
    """

    op: str
    place: Place
    tick: int
    version: int
    shape: tuple[int, ...]
    leaf: bool
    grad_mode: bool
    in_backward: bool
    optimizer: str | None


class Writes(TorchDispatchMode):
    """Notes the last write of each line to each block of memory that is alive: their number can't grow with time."""

    def __init__(self, tick: Callable[[], int], place: Callable[[FrameType], Place], in_backward: Callable[[], bool]):
        super().__init__()
        self._tick, self._place, self._in_backward = tick, place, in_backward
        self._of_memory: Any = WeakIdKeyDictionary()
        self._written: dict[Any, tuple[str | int, ...]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run an operator and note what it writes."""
        written = self._written.get(func)
        if written is None:
            self._written[func] = written = _written_arguments(func)
        if not written:
            return func(*args, **(kwargs or {}))
        targets = list(_targets(written, args, kwargs or {}))
        versions = [0 if target.is_inference() else target._version for target in targets]
        result = func(*args, **(kwargs or {}))
        frame = sys._getframe(1)
        place, optimizer = self._place(frame), _optimizer(frame)
        for target, version in zip(targets, versions, strict=True):
            self._note(target, Write(
                op=func._schema.name.partition("::")[2],
                place=place,
                tick=self._tick(),
                version=version + 1,
                shape=tuple(target.shape),
                leaf=target.is_leaf and target.requires_grad,
                grad_mode=torch.is_grad_enabled(),
                in_backward=self._in_backward(),
                optimizer=optimizer,
            ))
        return result

    def to(self, tensor: torch.Tensor) -> list[Write]:
        """The writes to the memory of a tensor, oldest first."""
        memory = _memory(tensor)
        noted = {} if memory is None else self._of_memory.get(memory, {})
        return sorted(noted.values(), key=lambda write: write.tick)

    def all(self) -> Iterator[list[Write]]:
        """The writes to each block of memory, oldest first."""
        for noted in list(self._of_memory.values()):
            yield sorted(noted.values(), key=lambda write: write.tick)

    def _note(self, target: torch.Tensor, write: Write) -> None:
        memory = _memory(target)
        if memory is None:
            return
        noted = self._of_memory.get(memory)
        if noted is None:
            self._of_memory[memory] = noted = {}
        noted[id(write.place), write.op] = write


def _written_arguments(func: Any) -> tuple[str | int, ...]:
    """Names and positions of the arguments that an operator writes."""
    schema = getattr(func, "_schema", None)
    if schema is None:
        return ()
    return tuple(
        argument.name if argument.kwarg_only else position
        for position, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    )


def _targets(written: Sequence[str | int], args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[torch.Tensor]:
    for argument in written:
        if isinstance(argument, str):
            value = kwargs.get(argument)
        else:
            value = args[argument] if argument < len(args) else None
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, torch.Tensor):
                yield item


def _memory(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """The block of memory of a tensor; None for kinds of tensors that have no single one, such as sparse ones."""
    try:
        return tensor.untyped_storage()
    except NotImplementedError:
        return None


def _optimizer(frame: FrameType | None) -> str | None:
    """The class of the optimizer whose step is being made, if one is."""
    while frame is not None:
        if frame.f_code.co_name == "step":
            owner = frame.f_locals.get("self")
            if isinstance(owner, torch.optim.Optimizer):
                return type(owner).__name__
        frame = frame.f_back
    return None
