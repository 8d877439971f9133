"""Which block of memory a tensor looks at."""

from __future__ import annotations

import torch
from torch._C import _functorch


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor under the wrappers that `vmap`, `grad` and their kin put around it."""
    while _functorch.is_functorch_wrapped_tensor(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def memory_of(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """The block of memory of a tensor; None for kinds of tensors that have no single one, such as sparse ones."""
    try:
        return unwrapped(tensor).untyped_storage()
    except NotImplementedError:
        return None
