"""Finds the owner of a block of memory: a module's parameter, buffer or gradient. It is only asked after failures."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import torch

from unplace.diagnosis.incident import Owner
from unplace.observation.memory import memory_of


def owner_of(tensor: torch.Tensor) -> Owner | None:
    """Return the first module (or else optimizer) that holds a tensor on the memory of this one; None if none does."""
    memory = memory_of(tensor)
    return None if memory is None else next((owner for owner, held in _held() if memory_of(held) is memory), None)


def _held() -> Iterator[tuple[Owner, torch.Tensor]]:
    objects = gc.get_objects()
    modules = [held for held in objects if issubclass(type(held), torch.nn.Module) and "_parameters" in vars(held)]
    for module in modules:
        holder = type(module).__name__
        for name, buffer in module._buffers.items():
            if buffer is not None:
                yield Owner("buffer", name, holder), buffer
        for name, parameter in module._parameters.items():
            if parameter is not None:
                yield Owner("parameter", name, holder), parameter
                if parameter.grad is not None:
                    yield Owner("gradient", f"{name}.grad", holder), parameter.grad
    for optimizer in (held for held in objects if issubclass(type(held), torch.optim.Optimizer)):
        for parameter in (parameter for group in optimizer.param_groups for parameter in group["params"]):
            yield Owner("parameter", "params", type(optimizer).__name__), parameter
            if parameter.grad is not None:
                yield Owner("gradient", "grad", type(optimizer).__name__), parameter.grad
