"""Autograd with copies of what it saves, so that operations in place can't disturb backward.

torch's own `allow_mutation_on_saved_tensors` copies when a tensor is written, and misses a write through a view that
begins further on in memory: `h = x.tanh(); h[1] *= 3`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch.autograd.graph import saved_tensors_hooks


class _Saved(NamedTuple):
    tensor: torch.Tensor
    version: int
    copy: torch.Tensor


@contextmanager
def saved_copies() -> Iterator[None]:
    """Let backward use the values that were saved, whatever is written in place between."""

    def pack(tensor: torch.Tensor) -> _Saved:
        return _Saved(tensor, tensor._version, tensor.detach().clone())

    def unpack(saved: _Saved) -> torch.Tensor:
        is_untouched = saved.tensor._version == saved.version  # it can be differentiated once more
        return saved.tensor if is_untouched else saved.copy

    with saved_tensors_hooks(pack, unpack):
        yield
