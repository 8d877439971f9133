"""Casts programs to float64, where differences by rounding all but vanish and real ones stay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from unplace.verification.examples import Program
from unplace.verification.pytree import tensors

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


@contextmanager
def in_float64() -> Iterator[None]:
    """Make float64 the default dtype in the `with` block."""
    outer = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(outer)


def widen(program: Program) -> None:
    """Cast the parameters, buffers and tensor arguments of a narrower dtype to float64 (or complex128), in place."""
    for _, tensor in tensors((program.function, program.arguments, program.keywords), "program"):
        if tensor.is_leaf and tensor.dtype in WIDER:
            tensor.data = tensor.data.to(WIDER[tensor.dtype])  # in place: names and optimizers keep the tensor
