"""Pairs gradients with the expected ones, taken from a program's forward pass, for programs of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

import torch

from unplace.verification.compare import (
    ROUNDING,
    WIDE,
    Quantity,
    Tolerance,
    compare_gradients,
    quantity_of_gradient,
)
from unplace.verification.observe import Gradient
from unplace.verification.reference import Directions
from unplace.verification.sides import Side

EXHAUSTIVE = 256
"""The most elements of all leaves together for which each element is moved by itself."""

SAMPLED = Tolerance(1e-4, 1e-4)
"""The tolerance for derivatives along directions in which every leaf contributes about 1."""


class Gradients(NamedTuple):
    """Expected and actual gradients in the same order, or derivatives along directions, and their tolerance."""

    expected: Sequence[Gradient]
    actual: Sequence[Gradient]
    tolerance: Tolerance

    @property
    def agree(self) -> bool:
        """True where all gradients agree within the tolerance."""
        return not any(True for _ in compare_gradients(*self))


def against_forward(before: Side, gradients: Sequence[Gradient]) -> Gradients:
    """Pair gradients with finite differences of a program's forward pass; raise `RuntimeError` where that can't run.

    Leaves with many elements are moved along random directions, those of parameters and of inputs apart.
    """
    if sum(gradient.size for gradient in gradients) <= EXHAUSTIVE:
        return Gradients(before.finite_differences(), gradients, ROUNDING)
    inputs = [i for i, g in enumerate(gradients) if quantity_of_gradient(g) is Quantity.INPUT_GRADIENTS]
    others = [i for i in range(len(gradients)) if i not in set(inputs)]
    directions = Directions(_scales(gradients))
    groups = [_along(before, gradients, directions, group) for group in (others, inputs) if group]
    return Gradients([g for a, _ in groups for g in a], [g for _, b in groups for g in b], SAMPLED)


def against_saved_copies(before: Side, gradients: Sequence[Gradient], *, wide: bool) -> Gradients | None:
    """Pair gradients with those of the original's backward, run with copies of what autograd saves.

    Returns None where the original can't be differentiated like that.
    """
    seen = before.with_saved_copies(wide=wide)
    if seen.error is not None or seen.backward_error is not None:
        return None
    return Gradients(seen.gradients, gradients, WIDE if wide else ROUNDING)


def _scales(gradients: Sequence[Gradient]) -> tuple[float, ...]:
    """Return how far to move each leaf so that all weigh the same in the sum, whatever the size of their gradients."""
    norms = [0.0 if g.value is None else float(torch.linalg.vector_norm(_dense(g.value))) for g in gradients]
    usual = median([norm for norm in norms if norm > 0] or [1.0])
    return tuple(min(1.0, 1.0 / (norm or usual)) for norm in norms)


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_dense() if tensor.layout != torch.strided else tensor


def _along(
    before: Side, gradients: Sequence[Gradient], directions: Directions, group: Sequence[int]
) -> tuple[Iterable[Gradient], Iterable[Gradient]]:
    """Return expected and actual derivatives when a group of leaves is moved.

    Where they differ, the group is halved until it is the leaf that is to blame.
    """
    pair = _slopes(before, gradients, directions, group)
    while len(group) > 1 and not Gradients(*pair, SAMPLED).agree:
        half, rest = group[: len(group) // 2], group[len(group) // 2 :]
        first = _slopes(before, gradients, directions, half)
        if Gradients(*first, SAMPLED).agree:
            group, pair = rest, _slopes(before, gradients, directions, rest)
        else:
            group, pair = half, first
    return pair


def _slopes(
    before: Side, gradients: Sequence[Gradient], directions: Directions, group: Sequence[int]
) -> tuple[list[Gradient], list[Gradient]]:
    chosen = directions.only(group)
    first = gradients[group[0]].place
    what = first if len(group) == 1 else f"{first} and {len(group) - 1} more"
    places = [f"{what} along random direction {number + 1}" for number in range(chosen.count)]
    expected = before.slopes(chosen)
    actual = [chosen.slope(number, gradients) for number in range(chosen.count)]
    return (
        [Gradient(place, value) for place, value in zip(places, expected, strict=True)],
        [Gradient(place, value) for place, value in zip(places, actual, strict=True)],
    )
