"""Runs a program once and records all that an observer sees of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import torch

from unplace.verification.examples import Maker, Program
from unplace.verification.isolation import fresh
from unplace.verification.pytree import PLAIN, Item, items, items_of_all, tensors
from unplace.verification.randomness import state
from unplace.verification.recorder import Recorder

FUNCTION, ARGUMENT, KEYWORD = "function", "argument", "keyword"
"""The beginnings of the places of values that can be reached from outside, such as `argument[0].weight`."""


@dataclass(frozen=True, slots=True)
class Note:
    """A value at the end of a run. A tensor is copied to the CPU; `kind` is its class and `device` where it was."""

    place: str
    value: object
    kind: str = ""
    requires_grad: bool = False
    device: str = ""


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of one leaf, or None where none reached it; `size` is the leaf's number of elements."""

    place: str
    value: torch.Tensor | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """The record of one run.

    `state` has the arguments, and what the function itself holds (its module, closure, defaults), after the call.
    `gradients` are those of the weighted sum of all outputs or, where the code calls `backward()` itself, what that
    left in `.grad`. `idle` has the places of outputs that require grad but send no gradient (or only zeros) to any
    leaf. `random_state` is that of each generator after the forward pass. `cuts_graph` tells that the code stored to
    the `.data` of a tensor with a gradient, so that autograd's own answer can't be trusted. `error` is the exception
    that the call raised, `backward_error` the one of differentiating its result.
    """

    outputs: tuple[Note, ...] = ()
    state: tuple[Note, ...] = ()
    gradients: tuple[Gradient, ...] = ()
    idle: frozenset[str] = frozenset()
    random_state: Mapping[str, bytes] = field(default_factory=dict)
    cuts_graph: bool = False
    error: str | None = None
    backward_error: str | None = None


def notes(value: object, place: str) -> tuple[Note, ...]:
    """Return copies of everything in a value, each with its place."""
    return tuple(map(_note, items(value, place)))


def _note(item: Item) -> Note:
    place, value = item
    if isinstance(value, torch.Tensor):
        copy = value.detach().as_subclass(torch.Tensor).to("cpu", copy=True)
        return Note(place, copy, type(value).__name__, bool(value.requires_grad), str(value.device))
    if type(value) in PLAIN:
        return Note(place, value)
    return Note(place, repr(value), type(value).__qualname__)  # an enumeration, for example


def state_of(program: Program) -> tuple[Note, ...]:
    """Return copies of what can be reached from outside after the call: what the function holds, and its arguments.

    The class of the function itself is left out, so that a class can be compared with its successor.
    """
    return tuple(_note(item) for item in items_of_all(_reachable(program)) if item.place != FUNCTION)


def _reachable(program: Program) -> dict[str, object]:
    return {FUNCTION: program.function, ARGUMENT: program.arguments, KEYWORD: program.keywords}


def leaves_of(program: Program) -> list[tuple[str, torch.Tensor]]:
    """Return the leaves that exist before the call: arguments, and parameters and tensors that the function holds."""
    places = (ARGUMENT, program.arguments), (KEYWORD, program.keywords), (FUNCTION, program.function)
    reachable = [found for place, value in places for found in tensors(value, place)]
    found = {id(tensor): (place, tensor) for place, tensor in reachable if tensor.requires_grad and tensor.is_leaf}
    return list(found.values())


def weighted_sum(outputs: Sequence[tuple[str, torch.Tensor]]) -> torch.Tensor:
    """Return a scalar that depends on every element of the floating-point outputs, each with another weight."""
    total = torch.zeros((), dtype=torch.float64)
    for number, (_, output) in enumerate(outputs):
        dense = (output.to_dense() if output.layout != torch.strided else output).cpu()
        real = torch.view_as_real(dense) if dense.is_complex() else dense
        if real.is_floating_point():
            weights = torch.linspace(1, 2, real.numel(), dtype=torch.float64) + number / 10
            total = total + (real.double() * weights.reshape(real.shape)).sum()
    return total


def describe(error: Exception) -> str:
    """Return the class of an exception and the first line of its message."""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def observe(make: Maker, *, backward: bool = True, wide: bool = False) -> Observation:
    """Run a program as its user would, then differentiate what it returned; with `wide`, in float64.

    With `backward=False` the code's own `backward()` calls do nothing and the result is differentiated in any case.
    Exceptions are part of the observation.
    """
    with ExitStack() as stack:
        try:
            program = stack.enter_context(fresh(make, wide=wide))
        except Exception as error:  # the module and its example are users' code, too
            return Observation(error=describe(error))
        return _observed(program, backward)


def _observed(program: Program, backward: bool) -> Observation:
    leaves = leaves_of(program)
    recorder = Recorder([leaf for _, leaf in leaves], backward=backward)
    try:
        with recorder:
            result = program.call()
    except Exception as error:
        return Observation(state=state_of(program), error=describe(error))
    drawn = state()
    made = recorder.leaves[len(leaves) :]
    leaves += [(f"leaf {number} made by the code", leaf) for number, leaf in enumerate(made)]
    seen = Observation(notes(result, "output"), state_of(program), random_state=drawn, cuts_graph=recorder.cuts_graph)
    try:
        if recorder.differentiated and backward:
            return replace(seen, gradients=tuple(_gradient(place, leaf, leaf.grad) for place, leaf in leaves))
        gradients, idle = _differentiate(tensors(result, "output"), leaves)
        return replace(seen, gradients=gradients, idle=idle)
    except (RuntimeError, NotImplementedError) as error:
        return replace(seen, backward_error=describe(error))


def _gradient(place: str, leaf: torch.Tensor, value: torch.Tensor | None) -> Gradient:
    copy = None if value is None else value.detach().as_subclass(torch.Tensor).to("cpu", copy=True)
    return Gradient(place, copy, leaf.numel())


def _differentiate(
    outputs: Sequence[tuple[str, torch.Tensor]], leaves: Sequence[tuple[str, torch.Tensor]]
) -> tuple[tuple[Gradient, ...], frozenset[str]]:
    idle = frozenset(
        place for place, tensor in outputs if tensor.requires_grad and not _reaches((place, tensor), leaves)
    )
    gradients = _gradients(weighted_sum(outputs), leaves)
    return tuple(_gradient(*leaf, value) for leaf, value in zip(leaves, gradients, strict=True)), idle


def _reaches(output: tuple[str, torch.Tensor], leaves: Sequence[tuple[str, torch.Tensor]]) -> bool:
    gradients = _gradients(weighted_sum([output]), leaves)
    return any(value is not None and bool((value != 0).any()) for value in gradients)


def _gradients(total: torch.Tensor, leaves: Sequence[tuple[str, torch.Tensor]]) -> list[torch.Tensor | None]:
    if not total.requires_grad or not leaves:
        return [None] * len(leaves)
    return list(torch.autograd.grad(total, [leaf for _, leaf in leaves], allow_unused=True, retain_graph=True))
