"""Checksums of the contents of tensors."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from unplace.observation.memory import unwrapped


def checksum(tensor: torch.Tensor) -> int:
    """Return a checksum of the bytes of a dense tensor's elements, in row-major order."""
    with torch.no_grad(), _disable_current_modes():
        copy = unwrapped(tensor).detach().cpu().contiguous().resolve_conj().resolve_neg()
    plain = unwrapped(copy)  # inside `grad` or `vmap` results are wrapped again
    size = plain.numel() * plain.element_size()
    if not size:
        return 0
    return zlib.crc32((ctypes.c_char * size).from_address(plain.data_ptr()))


def checksums(values: Iterable[Any]) -> list[int]:
    """Return the checksums of the dense tensors among some values."""
    return [checksum(value) for value in values if is_dense(value)]


def is_dense(value: object) -> bool:
    """Tell whether a value is a dense tensor, with contents that can be read (not on the meta device)."""
    return isinstance(value, torch.Tensor) and value.layout is torch.strided and value.device.type != "meta"
