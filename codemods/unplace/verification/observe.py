"""One run of a program and all that an observer sees of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from unplace.verification.program import Maker, Program
from unplace.verification.pytree import items, tensors
from unplace.verification.recorder import Recorder

SEED = 20250130


@dataclass(frozen=True, slots=True)
class Note:
    """A value as it was at the end of a run: tensors are copied, `kind` is their class."""

    place: str
    value: object
    kind: str = ""
    requires_grad: bool = False


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of one leaf; None where nothing reached it."""

    place: str
    value: torch.Tensor | None


@dataclass(frozen=True, slots=True)
class Observation:
    """What one run showed.

    `state` are the arguments, and what the function itself holds (its module, closure, defaults), after the call.
    `gradients` are those of the weighted sum of all outputs, or, when the code calls `backward()` itself, what that
    left in `.grad`. `idle` are the places of outputs that require grad but send none (or only zeros) to any leaf.
    An `error` is the exception that the call raised, a `backward_error` the one of differentiating its result.
    """

    outputs: tuple[Note, ...] = ()
    state: tuple[Note, ...] = ()
    gradients: tuple[Gradient, ...] = ()
    idle: frozenset[str] = frozenset()
    random_state: torch.Tensor | None = None
    error: str | None = None
    backward_error: str | None = None


def notes(value: object, place: str) -> tuple[Note, ...]:
    """A copy of everything in a value."""
    return tuple(_note(where, item) for where, item in items(value, place))


def _note(place: str, value: object) -> Note:
    if isinstance(value, torch.Tensor):
        return Note(place, value.detach().clone(), type(value).__name__, bool(value.requires_grad))
    return Note(place, value)


def held(program: Program) -> tuple[object, object]:
    """What can be reached from outside after the call: the function and its arguments."""
    return program.function, program.arguments


def leaves_of(program: Program) -> list[tuple[str, torch.Tensor]]:
    """The leaves that exist before the call: arguments, and parameters and tensors that the function holds."""
    reachable = tensors(program.arguments, "argument") + tensors(program.function, "function")
    found = {id(tensor): (place, tensor) for place, tensor in reachable if tensor.requires_grad and tensor.is_leaf}
    return list(found.values())


def weighted_sum(outputs: Sequence[tuple[str, torch.Tensor]]) -> torch.Tensor:
    """One number that depends on every element of the floating-point outputs, each with another weight."""
    total = torch.zeros((), dtype=torch.float64)
    for number, (_, output) in enumerate(outputs):
        dense = output.to_dense() if output.layout != torch.strided else output
        real = torch.view_as_real(dense) if dense.is_complex() else dense
        if real.is_floating_point():
            weights = torch.linspace(1, 2, real.numel(), dtype=torch.float64) + number / 10
            total = total + (real.double() * weights.reshape(real.shape)).sum()
    return total


def describe(error: Exception) -> str:
    """The class and the first line of an exception."""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def observe(make: Maker, *, backward: bool = True) -> Observation:
    """Run a program as its user would, then differentiate what it returned.

    With `backward=False` the code's own `backward()` calls do nothing and the result is differentiated in any case.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        program = make()
        leaves = leaves_of(program)
        recorder = Recorder([leaf for _, leaf in leaves], backward=backward)
        try:
            with recorder:
                result = program.call()
        except Exception as error:
            return Observation(state=notes(held(program), "state"), error=describe(error))
        random_state = torch.get_rng_state()
    made = recorder.leaves[len(leaves) :]
    leaves += [(f"leaf {number} made by the code", leaf) for number, leaf in enumerate(made)]
    outputs, state = notes(result, "output"), notes(held(program), "state")
    idle: frozenset[str] = frozenset()
    try:
        if recorder.differentiated and backward:
            gradients = tuple(Gradient(place, leaf.grad) for place, leaf in leaves)
        else:
            gradients, idle = _differentiate(tensors(result, "output"), leaves)
    except (RuntimeError, NotImplementedError) as error:
        return Observation(outputs, state, random_state=random_state, backward_error=describe(error))
    return Observation(outputs, state, gradients, idle, random_state)


def _differentiate(
    outputs: Sequence[tuple[str, torch.Tensor]], leaves: Sequence[tuple[str, torch.Tensor]]
) -> tuple[tuple[Gradient, ...], frozenset[str]]:
    idle = frozenset(
        place for place, tensor in outputs if tensor.requires_grad and not _reaches((place, tensor), leaves)
    )
    gradients = _gradients(weighted_sum(outputs), leaves)
    return tuple(Gradient(place, value) for (place, _), value in zip(leaves, gradients, strict=True)), idle


def _reaches(output: tuple[str, torch.Tensor], leaves: Sequence[tuple[str, torch.Tensor]]) -> bool:
    gradients = _gradients(weighted_sum([output]), leaves)
    return any(value is not None and bool((value != 0).any()) for value in gradients)


def _gradients(total: torch.Tensor, leaves: Sequence[tuple[str, torch.Tensor]]) -> list[torch.Tensor | None]:
    if not total.requires_grad or not leaves:
        return [None] * len(leaves)
    return list(torch.autograd.grad(total, [leaf for _, leaf in leaves], allow_unused=True, retain_graph=True))
