"""What a piece of memory is to the program: a module's parameter or buffer, or a gradient. Asked only after a failure."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import torch

from unplace.diagnosis.incident import Owner


def owner_of(memory: torch.UntypedStorage) -> Owner | None:
    """The first module that holds a tensor on this memory; None if none does."""
    return next((owner for owner, tensor in _held() if _is_on(tensor, memory)), None)


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


def _is_on(tensor: torch.Tensor, memory: torch.UntypedStorage) -> bool:
    try:
        return tensor.untyped_storage().data_ptr() == memory.data_ptr()
    except NotImplementedError:
        return False
