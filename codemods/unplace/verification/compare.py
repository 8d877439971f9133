"""What "equal" means, once, with the place of the largest deviation where it doesn't hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from unplace.verification.observe import Gradient, Note, Observation


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two numbers may be apart: `absolute + relative * |expected|`."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()
ROUNDING = Tolerance(1e-5, 1e-6)
"""For gradients: autograd may add the same terms up in another order, and finite differences have a step."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs differ and how."""

    place: str
    message: str

    def __str__(self) -> str:
        """`place: message`."""
        return f"{self.place}: {self.message}"


def deviation(expected: torch.Tensor, actual: torch.Tensor, tolerance: Tolerance = EXACT) -> str | None:
    """What distinguishes two tensors, or None: shape, dtype, layout or values. NaN equals NaN."""
    for word in ("shape", "dtype", "layout", "device"):
        wanted, got = getattr(expected, word), getattr(actual, word)
        if wanted != got:
            return f"{word} is {_plain(got)} instead of {_plain(wanted)}"
    a, b = (tensor.to_dense() if tensor.layout != torch.strided else tensor for tensor in (expected, actual))
    equal = (a == b) | ((a != a) & (b != b))
    if not (a.is_floating_point() or a.is_complex()):
        worst = (~equal).to(torch.float64)
    else:
        wide = torch.complex128 if a.is_complex() else torch.float64
        far, size = (b.to(wide) - a.to(wide)).abs(), a.to(wide).abs()
        excess = far - (tolerance.absolute + tolerance.relative * size)
        worst = torch.where(equal, -1.0, torch.where(excess.isnan(), torch.inf, excess))
    if worst.numel() == 0 or float(worst.max()) <= 0:
        return None
    index = position(int(worst.argmax()), a.shape)
    far, near = b[index].item(), a[index].item()
    return f"{int((worst > 0).sum())} of {a.numel()} elements differ, most at {list(index)}: {far} instead of {near}"


def position(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of an element that is counted in row-major order."""
    index: list[int] = []
    for size in reversed(shape):
        element, along = divmod(element, size)
        index.insert(0, along)
    return tuple(index)


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, torch.Size) else value


def compare_notes(expected: Sequence[Note], actual: Sequence[Note]) -> Iterator[Difference]:
    """The differences in class, shape, dtype and content of everything noted in two runs."""
    wanted, got = ({note.place: note for note in side} for side in (expected, actual))
    yield from (Difference(place, "is new") for place in got if place not in wanted)
    for place, note in wanted.items():
        message = _note_difference(note, got[place]) if place in got else "is missing"
        if message is not None:
            yield Difference(place, message)


def _note_difference(expected: Note, actual: Note) -> str | None:
    a, b = expected.value, actual.value
    if expected.kind != actual.kind or type(a) is not type(b):
        return f"is a {actual.kind or type(b).__name__} instead of a {expected.kind or type(a).__name__}"
    if isinstance(a, torch.Tensor):
        return deviation(a, b)
    same = a == b or (a != a and b != b)
    return None if same else f"is {b!r} instead of {a!r}"


def compare_flags(expected: Observation, actual: Observation) -> Iterator[Difference]:
    """Outputs that require grad in one run only, unless the gradient that they send is zero anyway.

    `x.zero_()` leaves a tensor that requires grad and sends zeros, `torch.zeros_like(x)` one that sends nothing.
    """
    got = {note.place: note.requires_grad for note in actual.outputs}
    for note in expected.outputs:
        flag = got.get(note.place, note.requires_grad)
        if flag != note.requires_grad and note.place not in (expected.idle | actual.idle):
            yield Difference(note.place, f"requires_grad is {flag} instead of {note.requires_grad}")


def compare_gradients(
    expected: Sequence[Gradient], actual: Sequence[Gradient], tolerance: Tolerance = ROUNDING
) -> Iterator[Difference]:
    """The leaves whose gradients differ.

    No gradient and a gradient of zeros count as equal: both say that the leaf has no influence, and which of them
    autograd reports depends on how the program is written (`x.zero_()` sends zeros, `torch.zeros_like(x)` nothing).
    """
    if len(expected) != len(actual):
        yield Difference("leaves", f"there are {len(actual)} instead of {len(expected)}")
        return
    for a, b in zip(expected, actual, strict=True):
        wanted, got = _zeros_for_none(a.value, b.value)
        message = deviation(wanted, got, tolerance)
        if message is not None:
            yield Difference(f"gradient of {a.place}", message)


def _zeros_for_none(a: torch.Tensor | None, b: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    filler = next((tensor for tensor in (a, b) if tensor is not None), torch.zeros(()))
    zeros = torch.zeros_like(filler)
    return zeros if a is None else a, zeros if b is None else b


def compare_random_state(expected: Observation, actual: Observation) -> Iterable[Difference]:
    """Whether both runs drew the same amount from torch's random generator."""
    if expected.random_state is None or actual.random_state is None:
        return ()
    message = deviation(expected.random_state, actual.random_state)
    return () if message is None else (Difference("random generator", "is in another state afterwards"),)
