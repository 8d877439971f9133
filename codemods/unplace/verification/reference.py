"""The gradient of the function that a program computes, without autograd: central finite differences in float64.

This is the reference where the original's own backward raises, or where its gradient is wrong because `.data` cut the
graph. Nothing of autograd runs: leaves don't require grad, so that even a write to a leaf goes through, and the code's
own `backward()` calls do nothing. What the code reads through `.data`, `.detach()`, `.item()`, ... is a constant for
autograd, so it is kept at its unperturbed value here as well; a value computed under `no_grad` is not (that would need
knowledge of what such a block writes).

float64 comes in through torch's default dtype: inputs for which an example names no dtype become float64, the others
stay. Parameters of modules that the function creates during the call are initialised after they appear, which undoes a
perturbation: examples make their modules before the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch

from unplace.verification.compare import position
from unplace.verification.observe import (
    SEED,
    Gradient,
    Observation,
    describe,
    held,
    leaves_of,
    notes,
    observe,
    weighted_sum,
)
from unplace.verification.program import Maker
from unplace.verification.pytree import tensors
from unplace.verification.recorder import DetachedReads, Recorder

STEP = 1e-6


class Shift(NamedTuple):
    """Add `amount` to one element of one leaf."""

    leaf: int
    element: int
    amount: float


class Forward(NamedTuple):
    """One run without autograd: what it showed, the leaves as it met them, the weighted sum of its outputs."""

    seen: Observation
    leaves: list[tuple[str, torch.Size]]
    total: float


@contextmanager
def in_float64() -> Iterator[None]:
    """Make float64 the default dtype."""
    outer = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(outer)


def forward_only(make: Maker) -> Observation:
    """What the program shows when autograd takes no part: the behaviour of an original whose backward raises."""
    return _forward(make, DetachedReads(), None).seen


def autograd_gradients(make: Maker) -> Observation:
    """The program in float64, differentiated by autograd, its own `backward()` calls left out."""
    with in_float64():
        return observe(make, backward=False)


def finite_differences(make: Maker) -> tuple[Gradient, ...]:
    """The gradient of the weighted sum of all outputs with respect to every leaf, by central differences in float64."""
    with in_float64():
        reads = DetachedReads()
        base = _forward(make, reads, None)
        if base.seen.error is not None:
            raise RuntimeError(f"the forward of the program raises: {base.seen.error}")
        return tuple(
            Gradient(place, _differences(make, reads, leaf, shape)) for leaf, (place, shape) in enumerate(base.leaves)
        )


def _differences(make: Maker, reads: DetachedReads, leaf: int, shape: torch.Size) -> torch.Tensor:
    gradient = torch.zeros(shape.numel(), dtype=torch.float64)
    for element in range(shape.numel()):
        up, down = (_total(make, reads, Shift(leaf, element, amount)) for amount in (STEP, -STEP))
        gradient[element] = (up - down) / (2 * STEP)
    return gradient.reshape(shape)


def _total(make: Maker, reads: DetachedReads, shift: Shift) -> float:
    run = _forward(make, reads.replayed(), shift)
    if run.seen.error is not None:
        raise RuntimeError(f"the forward of the program raises on a perturbed input: {run.seen.error}")
    return run.total


def _forward(make: Maker, reads: DetachedReads, shift: Shift | None) -> Forward:
    leaves: list[tuple[str, torch.Size]] = []

    def prepare(leaf: torch.Tensor, place: str = "") -> None:
        leaf.requires_grad_(False)
        if shift is not None and shift.leaf == len(leaves):
            leaf[position(shift.element, leaf.shape)] += shift.amount
        leaves.append((place or f"leaf {len(recorder.leaves) - known - 1} made by the code", leaf.shape))

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        program = make()
        found = leaves_of(program)
        known = len(found)
        recorder = Recorder([leaf for _, leaf in found], backward=False, reads=reads, on_leaf=prepare)
        for place, leaf in found:
            prepare(leaf, place)
        try:
            with recorder:
                result = program.call()
        except Exception as error:
            return Forward(Observation(error=describe(error)), leaves, 0.0)
        seen = Observation(notes(result, "output"), notes(held(program), "state"), random_state=torch.get_rng_state())
    return Forward(seen, leaves, weighted_sum(tensors(result, "output")).item())
