"""References for gradients: autograd in float64, and finite differences of the forward along a few directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from unplace.verification.compare import Difference
from unplace.verification.examples import Maker
from unplace.verification.observe import Gradient, leaves_of, weighted_sum
from unplace.verification.precision import in_float64
from unplace.verification.pytree import items
from unplace.verification.randomness import seeded
from unplace.verification.recorder import DetachedReads, Recorder
from unplace.verification.transforms import without_transforms

STEP = 1e-6
KINK = "at a kink"


def differentiated(make: Maker) -> list[Gradient]:
    """The gradients of the weighted sum of all outputs in float64, with the weights that `_total` uses."""
    with in_float64(), seeded():
        program = make()
        leaves = leaves_of(program)
        total = weighted_sum(_outputs(program.call()))
        values: Sequence[torch.Tensor | None] = [None] * len(leaves)
        if total.requires_grad and leaves:
            values = torch.autograd.grad(total, [leaf for _, leaf in leaves], allow_unused=True)
    return [Gradient(place, value) for (place, _), value in zip(leaves, values, strict=True)]


def _outputs(result: object) -> list[tuple[str, torch.Tensor]]:
    """All tensors of a result, one that is returned twice as two: whether it is the same object is not promised."""
    return [(place, value) for place, value in items(result, "output") if isinstance(value, torch.Tensor)]


def directions(make: Maker, gradients: Sequence[Gradient], count: int = 2) -> list[Difference]:
    """Directional derivatives of the original's forward that don't agree with gradients.

    What the code reads through `.detach()`, `.item()`, ... is a constant for autograd: once it is moved along with the
    leaves and, where that doesn't agree, once kept at its value.
    """
    found: list[Difference] = []
    for constant in (False, True):
        try:
            found = _derivatives(make, gradients, count, DetachedReads() if constant else None)
        except RuntimeError:
            return found
        if not found or any(KINK in difference.message for difference in found):
            break
    return found


def _derivatives(
    make: Maker, gradients: Sequence[Gradient], count: int, reads: DetachedReads | None
) -> list[Difference]:
    found, generator = [], torch.Generator().manual_seed(7)
    leaves = _leaves(make)
    if len(leaves) != len(gradients):
        return [Difference("leaves", f"there are {len(gradients)} instead of {len(leaves)}")]
    if reads is not None:
        _total(make, [torch.zeros_like(leaf) for leaf in leaves], 0.0, reads)
    for number in range(count):
        direction = [torch.randn(leaf.shape, generator=generator, dtype=torch.float64) for leaf in leaves]
        up, here, down = (_total(make, direction, step, reads and reads.replayed()) for step in (STEP, 0.0, -STEP))
        expected = (up - down) / (2 * STEP)
        bend = abs(up - 2 * here + down) / STEP  # the difference of the derivatives on both sides
        place = f" {KINK}" if not bend <= 1e-3 * abs(expected) + 1e-3 else ""
        pairs = zip(gradients, direction, strict=True)
        actual = sum(float((g.value.double() * d).sum()) for g, d in pairs if g.value is not None)
        if not abs(expected - actual) <= 1e-5 * abs(expected) + 1e-5:
            message = f"direction {number}: {actual:.6f} instead of {expected:.6f}{place}"
            found.append(Difference("gradient of all leaves", message))
    return found


def is_another_in_float64(make: Maker) -> bool:
    """Whether a program computes something else in float64: there, `y.double()` is no copy but `y` itself."""
    still = [torch.zeros_like(leaf) for leaf in _leaves(make)]
    narrow, wide = _summed(make, still, 0.0, None), _total(make, still, 0.0)
    return abs(narrow - wide) > 1e-3 * abs(wide) + 1e-3


def _leaves(make: Maker) -> list[torch.Tensor]:
    with in_float64(), seeded():
        return [leaf for _, leaf in leaves_of(make())]


def _total(make: Maker, direction: Iterable[torch.Tensor], amount: float, reads: DetachedReads | None = None) -> float:
    """The weighted sum of the outputs in float64 when the leaves are moved along a direction."""
    with in_float64():
        return _summed(make, direction, amount, reads)


def _summed(make: Maker, direction: Iterable[torch.Tensor], amount: float, reads: DetachedReads | None) -> float:
    """The weighted sum of the outputs when the leaves are moved along a direction; nothing is recorded."""
    with seeded():
        program = make()
        for (_, leaf), along in zip(leaves_of(program), direction, strict=True):
            leaf.requires_grad_(False)
            leaf += amount * along
        with without_transforms(), Recorder(backward=False, reads=reads):
            result = program.call()
        return float(weighted_sum(_outputs(result)))
