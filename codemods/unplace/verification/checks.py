"""The table of a comparison: for each quantity, how many values were compared and the largest deviation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from unplace.verification.compare import (
    Difference,
    Quantity,
    position,
    quantity_of,
    quantity_of_gradient,
    zeros_for_none,
)
from unplace.verification.observe import Gradient, Observation


@dataclass(frozen=True, slots=True)
class Deviation:
    """The element that is farthest from its expected value: the place of its tensor, its index and both values."""

    place: str
    index: tuple[int, ...]
    amount: float
    expected: float
    actual: float


@dataclass(frozen=True, slots=True)
class Check:
    """The comparison of one quantity: `count` tensors and plain values, and the differences that are not rounding."""

    quantity: Quantity
    count: int
    deviation: Deviation | None
    differences: tuple[Difference, ...]


def checks(
    expected: Observation,
    actual: Observation,
    gradients: tuple[Sequence[Gradient], Sequence[Gradient]],
    differences: Sequence[Difference],
) -> tuple[Check, ...]:
    """Return a check for each quantity of which there is something to compare.

    `gradients` are those of the original and of the rewritten program, in the same order.
    """
    pairs: dict[Quantity, list[tuple[str, torch.Tensor, torch.Tensor]]] = {quantity: [] for quantity in Quantity}
    counts = dict.fromkeys(Quantity, 0)
    got = {note.place: note for note in (*actual.outputs, *actual.state)}
    for note in (*expected.outputs, *expected.state):
        counts[quantity_of(note)] += 1
        other = got.get(note.place)
        if other is not None and isinstance(note.value, torch.Tensor) and isinstance(other.value, torch.Tensor):
            pairs[quantity_of(note)].append((note.place, note.value, other.value))
    for a, b in zip(*gradients, strict=False):
        counts[quantity_of_gradient(a)] += 1
        pairs[quantity_of_gradient(a)].append((a.place, *zeros_for_none(a.value, b.value)))
    counts[Quantity.RANDOM] = len(expected.random_state)
    found = {quantity: tuple(d for d in differences if d.quantity is quantity) for quantity in Quantity}
    return tuple(
        Check(quantity, counts[quantity], max(_deviations(pairs[quantity]), key=_amount, default=None), found[quantity])
        for quantity in Quantity
        if counts[quantity] or found[quantity]
    )


def _amount(deviation: Deviation) -> float:
    return deviation.amount


def _deviations(pairs: Sequence[tuple[str, torch.Tensor, torch.Tensor]]) -> Iterator[Deviation]:
    """Yield the largest deviation of each pair of tensors that has one."""
    for place, expected, actual in pairs:
        if expected.shape != actual.shape or expected.dtype == torch.bool or expected.numel() == 0:
            continue
        a, b = (tensor.to_dense() if tensor.layout != torch.strided else tensor for tensor in (expected, actual))
        far = (a - b.to(a.dtype)).abs().double()
        far[(a == b) | ((a != a) & (b != b))] = 0.0
        index = position(int(far.argmax()), far.shape)
        if far[index] != 0:
            yield Deviation(place, index, float(far[index].abs()), _number(a[index]), _number(b[index]))


def _number(element: torch.Tensor) -> float:
    return float(element.abs() if element.is_complex() else element)
