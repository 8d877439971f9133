"""Compares two runs: the one definition of "equal", with the place of the largest deviation where it doesn't hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import torch

from unplace.verification.observe import ARGUMENT, FUNCTION, KEYWORD, Gradient, Note, Observation


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The most that two numbers may be apart: `absolute + relative * |expected|`."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()
ROUNDING = Tolerance(1e-5, 1e-6)
"""The tolerance for what can't be repeated in float64, and for finite differences, which have a step."""
WIDE = Tolerance(1e-9, 1e-9)
"""The tolerance for runs in float64: the same terms may have been added up in another order."""


class Quantity(str, Enum):
    """The quantities that are compared."""

    RUN = "run"
    OUTPUTS = "outputs"
    ARGUMENTS = "arguments afterwards"
    STATE = "state afterwards"
    PARAMETER_GRADIENTS = "gradients of parameters"
    INPUT_GRADIENTS = "gradients of inputs"
    RANDOM = "random numbers drawn"


GRADIENTS = (Quantity.PARAMETER_GRADIENTS, Quantity.INPUT_GRADIENTS)


def quantity_of(note: Note) -> Quantity:
    """Return the quantity that a note belongs to, by where its place begins."""
    if note.place.startswith((ARGUMENT, KEYWORD)):
        return Quantity.ARGUMENTS
    return Quantity.STATE if note.place.startswith(FUNCTION) else Quantity.OUTPUTS


def quantity_of_gradient(gradient: Gradient) -> Quantity:
    """Return the quantity that the gradient of a leaf belongs to; leaves that the code makes count as parameters."""
    is_input = gradient.place.startswith((ARGUMENT, KEYWORD))
    return Quantity.INPUT_GRADIENTS if is_input else Quantity.PARAMETER_GRADIENTS


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two runs: its place, and a message.

    The difference may be rounding where the numbers of this quantity are as large as `rounding_at`, or larger. None
    where it can't be rounding: something other than the value of a number differs.
    """

    place: str
    message: str
    quantity: Quantity = Quantity.RUN
    rounding_at: float | None = None

    def __str__(self) -> str:
        """Return `place: message`."""
        return f"{self.place}: {self.message}"


def deviation(expected: torch.Tensor, actual: torch.Tensor, tolerance: Tolerance = EXACT) -> str | None:
    """Return how two tensors differ, in shape, dtype, layout, device or values; None where they don't.

    NaN equals NaN.
    """
    return _form_difference(expected, actual) or _value_difference(expected, actual, tolerance)


def _form_difference(expected: torch.Tensor, actual: torch.Tensor) -> str | None:
    for word in ("shape", "dtype", "layout", "device"):
        wanted, got = getattr(expected, word), getattr(actual, word)
        if wanted != got:
            return f"{word} is {_plain(got)} instead of {_plain(wanted)}"
    return None


def _value_difference(expected: torch.Tensor, actual: torch.Tensor, tolerance: Tolerance) -> str | None:
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
    if a.numel() == 1:
        return f"is {far} instead of {near}"
    return f"{int((worst > 0).sum())} of {a.numel()} elements differ, most at {list(index)}: {far} instead of {near}"


def rounding_at(expected: torch.Tensor, actual: torch.Tensor) -> float | None:
    """Return how large a computation's numbers have to be for two results of equal dtype to differ by rounding alone.

    Rounding errors add up, but hardly to more than half of the digits. None for integers and for other shapes.
    """
    if expected.shape != actual.shape or not (expected.is_floating_point() or expected.is_complex()):
        return None
    a, b = (tensor.to_dense() if tensor.layout != torch.strided else tensor for tensor in (expected, actual))
    differ = (a != b) & ((a == a) | (b == b))
    far = (b[differ] - a[differ]).abs().double()
    return float(far.max()) / (10 * torch.finfo(expected.dtype).eps ** 0.5) if far.numel() else 0.0


def position(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the index of an element in a tensor of a shape, given its number in row-major order."""
    index: list[int] = []
    for size in reversed(shape):
        element, along = divmod(element, size)
        index.insert(0, along)
    return tuple(index)


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, torch.Size) else value


def compare_notes(
    expected: Sequence[Note], actual: Sequence[Note], tolerance: Tolerance = EXACT
) -> Iterator[Difference]:
    """Yield the differences in class, device, shape, dtype and content of the values noted in two runs."""
    wanted, got = ({note.place: note for note in side} for side in (expected, actual))
    yield from (Difference(place, "is new", quantity_of(note)) for place, note in got.items() if place not in wanted)
    for place, note in wanted.items():
        if place not in got:
            yield Difference(place, "is missing", quantity_of(note))
        elif found := _note_difference(note, got[place], tolerance):
            yield Difference(place, found[0], quantity_of(note), found[1])


def _note_difference(expected: Note, actual: Note, tolerance: Tolerance) -> tuple[str, float | None] | None:
    """Return how two notes differ and `Difference.rounding_at` for it; None where they don't differ."""
    a, b = expected.value, actual.value
    if expected.kind != actual.kind or type(a) is not type(b):
        return f"is a {actual.kind or type(b).__name__} instead of a {expected.kind or type(a).__name__}", None
    if expected.device != actual.device:
        return f"device is {actual.device} instead of {expected.device}", None
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if form := _form_difference(a, b):
            return form, None
        value = _value_difference(a, b, tolerance)
        return (value, rounding_at(a, b)) if value is not None else None
    message = f"is {b!r} instead of {a!r}"
    if isinstance(a, float) and isinstance(b, float):
        expected_number, number = (torch.tensor(x, dtype=torch.float64) for x in (a, b))
        if _value_difference(expected_number, number, tolerance) is None:
            return None
        return message, rounding_at(expected_number.float(), number.float())  # as a tensor's item(), most likely
    return None if a == b or (a != a and b != b) else (message, None)


def compare_flags(expected: Observation, actual: Observation) -> Iterator[Difference]:
    """Yield the outputs that require grad in one run only, unless the gradient that they send is zero anyway.

    `x.zero_()` leaves a tensor that requires grad and sends zeros, `torch.zeros_like(x)` one that sends nothing.
    """
    got = {note.place: note.requires_grad for note in actual.outputs}
    for note in expected.outputs:
        flag = got.get(note.place, note.requires_grad)
        if flag != note.requires_grad and note.place not in (expected.idle | actual.idle):
            message = f"requires_grad is {flag} instead of {note.requires_grad}"
            yield Difference(note.place, message, Quantity.PARAMETER_GRADIENTS)


def compare_gradients(
    expected: Sequence[Gradient], actual: Sequence[Gradient], tolerance: Tolerance = ROUNDING
) -> Iterator[Difference]:
    """Yield the differences between the gradients of two runs, leaf by leaf.

    No gradient and a gradient of zeros count as equal: both say that the leaf has no influence, and which of them
    autograd reports depends on how the program is written (`x.zero_()` sends zeros, `torch.zeros_like(x)` nothing).
    """
    if len(expected) != len(actual):
        message = f"there are {len(actual)} instead of {len(expected)}"
        yield Difference("leaves", message, Quantity.PARAMETER_GRADIENTS)
        return
    for a, b in zip(expected, actual, strict=True):
        wanted, got = zeros_for_none(a.value, b.value)
        found = deviation(wanted, got, tolerance)
        if found is not None:
            yield Difference(f"gradient of {a.place}", found, quantity_of_gradient(a), rounding_at(wanted, got))


def zeros_for_none(a: torch.Tensor | None, b: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two gradients as tensors, with zeros for None."""
    filler = next((tensor for tensor in (a, b) if tensor is not None), torch.zeros(()))
    zeros = torch.zeros_like(filler)
    return zeros if a is None else a, zeros if b is None else b


def compare_random_state(expected: Observation, actual: Observation) -> Iterator[Difference]:
    """Yield a difference for each random generator from which the two runs drew differently."""
    for name in sorted(expected.random_state.keys() & actual.random_state.keys()):
        if expected.random_state[name] != actual.random_state[name]:
            yield Difference(f"random generator {name}", "is in another state afterwards", Quantity.RANDOM)


def magnitudes(seen: Observation) -> dict[Quantity, float]:
    """Return the largest finite number in each quantity of a run; 0.0 where there is none."""
    largest = dict.fromkeys(Quantity, 0.0)
    pairs = [(quantity_of(note), note.value) for note in (*seen.outputs, *seen.state)]
    for quantity, value in (*pairs, *((quantity_of_gradient(g), g.value) for g in seen.gradients)):
        if isinstance(value, float):
            value = torch.tensor(value)
        if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
            dense = value.to_dense() if value.layout != torch.strided else value
            finite = dense[dense.isfinite()].abs()
            if finite.numel():
                largest[quantity] = max(largest[quantity], float(finite.max()))
    shared = max(largest[quantity] for quantity in GRADIENTS)  # one backward pass gives both
    return {**largest, **dict.fromkeys(GRADIENTS, shared)}
