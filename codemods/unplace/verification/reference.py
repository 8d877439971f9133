"""The gradient of the function that a program computes, without autograd: central finite differences in float64.

This is the reference where the original's own backward raises, or where its gradient is wrong because `.data` cut the
graph. Nothing of autograd runs: leaves don't require grad, so that even a write to a leaf goes through, and the code's
own `backward()` calls do nothing. What the code reads through `.data`, `.detach()`, `.item()`, ... is a constant for
autograd, so it is kept at its unperturbed value here as well; a value computed under `no_grad` is not (that would need
knowledge of what such a block writes).

Where the leaves have few elements each is moved; where they have many, all of them are moved together along a few
random directions. Parameters of modules that the function creates during the call are initialised after they appear,
which undoes a perturbation: examples make their modules before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from unplace.verification.compare import position
from unplace.verification.examples import Maker, Program
from unplace.verification.isolation import fresh
from unplace.verification.observe import Gradient, Observation, describe, leaves_of, notes, state_of, weighted_sum
from unplace.verification.pytree import tensors
from unplace.verification.randomness import state
from unplace.verification.recorder import DetachedReads, Recorder
from unplace.verification.transforms import without_transforms

STEP = 1e-6

Move = Callable[[int, torch.Tensor], None]
"""Changes a leaf in place, given its number and the leaf."""


class Forward(NamedTuple):
    """One run without autograd: the program after it, the places and shapes of its leaves, what it returned or raised.

    There is no program where making it raised.
    """

    program: Program | None
    leaves: list[tuple[str, torch.Size]]
    result: object = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Directions:
    """Random directions in the space of all leaves; `scales` says how far each leaf moves, 0.0 that it stays."""

    scales: tuple[float, ...]
    count: int = 3
    seed: int = 7

    def along(self, number: int, leaf: int, shape: Sequence[int]) -> torch.Tensor:
        """Return the move of one leaf in one direction, as a tensor of the leaf's shape in float64."""
        generator = torch.Generator().manual_seed((self.seed * self.count + number) * len(self.scales) + leaf)
        return self.scales[leaf] * torch.randn(tuple(shape), generator=generator, dtype=torch.float64)

    def only(self, leaves: Sequence[int]) -> Directions:
        """Return the same directions with all other leaves held."""
        chosen = set(leaves)
        return replace(self, scales=tuple(s if i in chosen else 0.0 for i, s in enumerate(self.scales)))

    def slope(self, number: int, gradients: Sequence[Gradient]) -> torch.Tensor:
        """Return the derivative along a direction that gradients of all leaves give, as a scalar in float64."""
        total = torch.zeros((), dtype=torch.float64)
        for leaf, gradient in enumerate(gradients):
            if gradient.value is not None and self.scales[leaf]:
                value = gradient.value.to_dense() if gradient.value.layout != torch.strided else gradient.value
                total += (value.real.double() * self.along(number, leaf, value.shape)).sum()
        return total


def forward_only(make: Maker, *, wide: bool = False) -> Observation:
    """Run a program without autograd: the behaviour of an original whose backward raises."""
    with _forward(make, DetachedReads(), None, wide=wide) as run:
        if run.program is None or run.error is not None:
            return Observation(error=run.error)
        return Observation(notes(run.result, "output"), state_of(run.program), random_state=state())


def finite_differences(make: Maker) -> tuple[Gradient, ...]:
    """Return the gradient of the weighted sum of all outputs with respect to every element of every leaf.

    It is made of central differences in float64. Raises `RuntimeError` where the forward pass raises.
    """
    reads = DetachedReads()
    return tuple(
        Gradient(place, _differences(make, reads, leaf, shape), shape.numel())
        for leaf, (place, shape) in enumerate(_recorded(make, reads))
    )


def slopes(make: Maker, directions: Directions) -> tuple[torch.Tensor, ...]:
    """Return the derivative of the weighted sum of all outputs along each direction, as `finite_differences` does."""
    reads = DetachedReads()
    _recorded(make, reads)
    return tuple(_slope(make, reads, directions, number) for number in range(directions.count))


def _recorded(make: Maker, reads: DetachedReads) -> list[tuple[str, torch.Size]]:
    """Run a program with nothing moved, record its detached reads and return the places and shapes of its leaves."""
    with _forward(make, reads, None, wide=True) as base:
        if base.error is not None:
            raise RuntimeError(f"the forward of the program raises: {base.error}")
        return base.leaves


def _differences(make: Maker, reads: DetachedReads, leaf: int, shape: torch.Size) -> torch.Tensor:
    gradient = torch.zeros(shape.numel(), dtype=torch.float64)
    for element in range(shape.numel()):

        def move(number: int, tensor: torch.Tensor, amount: float) -> None:
            if number == leaf:
                tensor[position(element, shape)] += amount  # noqa: B023  (called in this round only)

        gradient[element] = _central(make, reads, move)
    return gradient.reshape(shape)


def _slope(make: Maker, reads: DetachedReads, directions: Directions, number: int) -> torch.Tensor:
    def move(leaf: int, tensor: torch.Tensor, amount: float) -> None:
        if directions.scales[leaf]:
            tensor += (amount * directions.along(number, leaf, tensor.shape)).to(tensor.device, tensor.dtype)

    return torch.tensor(_central(make, reads, move), dtype=torch.float64)


def _central(make: Maker, reads: DetachedReads, move: Callable[[int, torch.Tensor, float], None]) -> float:
    up, down = (_total(make, reads, move, amount) for amount in (STEP, -STEP))
    return (up - down) / (2 * STEP)


def _total(make: Maker, reads: DetachedReads, move: Callable[[int, torch.Tensor, float], None], amount: float) -> float:
    with _forward(make, reads.replayed(), lambda leaf, tensor: move(leaf, tensor, amount), wide=True) as run:
        if run.error is not None:
            raise RuntimeError(f"the forward of the program raises on a perturbed input: {run.error}")
        return float(weighted_sum(tensors(run.result, "output")))


@contextmanager
def _forward(make: Maker, reads: DetachedReads, move: Move | None, *, wide: bool) -> Iterator[Forward]:
    """Run a fresh program for the `with` block, at whose end its tensors get their contents back."""
    with ExitStack() as stack:
        try:
            program = stack.enter_context(fresh(make, wide=wide))
        except Exception as error:
            ran = Forward(None, [], error=describe(error))
        else:
            ran = _moved(program, reads, move)
        yield ran


def _moved(program: Program, reads: DetachedReads, move: Move | None) -> Forward:
    """Run a program and move its leaves as soon as they exist."""
    leaves: list[tuple[str, torch.Size]] = []

    def prepare(leaf: torch.Tensor, place: str = "") -> None:
        leaf.requires_grad_(False)
        if move is not None:
            move(len(leaves), leaf)
        leaves.append((place or f"leaf {len(recorder.leaves) - len(found) - 1} made by the code", leaf.shape))

    found = leaves_of(program)
    recorder = Recorder([leaf for _, leaf in found], backward=False, reads=reads, on_leaf=prepare)
    for place, leaf in found:
        prepare(leaf, place)
    try:
        with without_transforms(), recorder:
            result = program.call()
    except Exception as error:
        return Forward(program, leaves, error=describe(error))
    return Forward(program, leaves, result)
