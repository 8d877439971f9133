"""Makes a program for one run that leaves nothing behind, in random generators or in tensors that outlive it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

from unplace.verification.examples import Maker, Program
from unplace.verification.precision import in_float64, widen
from unplace.verification.pytree import tensors
from unplace.verification.randomness import seeded


@contextmanager
def fresh(make: Maker, *, wide: bool = False) -> Iterator[Program]:
    """Make a program for the `with` block, with seeded random generators and, if `wide`, in float64.

    Raises what `make` raises.
    """
    with ExitStack() as stack:
        if wide:
            stack.enter_context(in_float64())
        stack.enter_context(seeded())
        program = make()
        stack.enter_context(_restored(program))
        if wide:
            widen(program)
        yield program


@contextmanager
def _restored(program: Program) -> Iterator[None]:
    """Restore the contents, dtype, gradient and `requires_grad` of a program's leaves at the end of the block.

    A closure may share them with the code that made it.
    """
    reachable = tensors((program.function, program.arguments, program.keywords), "program")
    leaves = [tensor for _, tensor in reachable if tensor.is_leaf]
    saved = [(t, t.data, t.detach().clone(), t.requires_grad, t.grad) for t in leaves]
    try:
        yield
    finally:
        for tensor, storage, contents, requires_grad, grad in saved:
            if not torch.equal(storage, contents):
                _once(storage).copy_(_once(contents, storage))
            if not tensor.is_leaf:  # it was written in place, and has a history now
                if tensor._is_view():
                    continue  # that can't be taken from it
                tensor.detach_()
            tensor.data = storage
            tensor.grad = grad
            tensor.requires_grad_(requires_grad)


def _once(tensor: torch.Tensor, like: torch.Tensor | None = None) -> torch.Tensor:
    """Return the part of a tensor that has each place in the memory of an expanded one, or of one `like` it, once."""
    strides = (tensor if like is None else like).stride()
    for axis, stride in enumerate(strides):
        if stride == 0 and tensor.shape[axis] > 1:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor
