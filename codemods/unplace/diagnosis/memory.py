"""The blocks of memory of tensors."""

from __future__ import annotations

import torch
from torch._C import _functorch


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor inside the wrappers that `vmap`, `grad` and their kin put around it."""
    while _functorch.is_functorch_wrapped_tensor(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def memory_of(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """Return the block of memory of a tensor; None for kinds of tensors without a single one, such as sparse ones."""
    try:
        return unwrapped(tensor).untyped_storage()
    except NotImplementedError:
        return None
