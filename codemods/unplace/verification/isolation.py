"""A program for one run, which leaves nothing behind: not in random generators, not in tensors that outlive it."""

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
    """A new program, made and run with seeded generators, and `wide` in float64; raises what `make` does."""
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
    """Give leaves their contents, dtype, gradient and `requires_grad` back: a closure may share them with its owner."""
    reachable = tensors((program.function, program.arguments, program.keywords), "program")
    leaves = [tensor for _, tensor in reachable if tensor.is_leaf]
    saved = [(t, t.data, t.detach().clone(), t.requires_grad, t.grad) for t in leaves]
    try:
        yield
    finally:
        for tensor, storage, contents, requires_grad, grad in saved:
            if not torch.equal(storage, contents):
                storage.copy_(contents)
            if not tensor.is_leaf:  # it was written in place, and has a history now
                if tensor._is_view():
                    continue  # that can't be taken from it
                tensor.detach_()
            tensor.data = storage
            tensor.grad = grad
            tensor.requires_grad_(requires_grad)
