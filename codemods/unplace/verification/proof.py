"""The proof of a rewrite on one example: what an observer of the original sees must still be there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from unplace.verification.compare import (
    Difference,
    compare_flags,
    compare_gradients,
    compare_notes,
    compare_random_state,
)
from unplace.verification.observe import Observation, observe
from unplace.verification.program import Maker
from unplace.verification.reference import autograd_gradients, finite_differences, forward_only


class Route(str, Enum):
    """Where the expected gradient comes from."""

    AUTOGRAD = "the original's own backward"
    FINITE_DIFFERENCES = "finite differences of the original's forward in float64"


@dataclass(frozen=True, slots=True)
class Proof:
    """The differences that were found (none: the rewrite is right on this example) and how the gradient was judged.

    `original_error` is what autograd says about the original, None where it works.
    """

    route: Route
    differences: tuple[Difference, ...]
    original_error: str | None = None


def prove(before: Maker, after: Maker, *, repairs_gradient: bool = False) -> Proof:
    """Compare two programs on their `example()`.

    Always: equal outputs (class, shape, dtype, exact values), equal contents afterwards of the arguments and of all
    that the function holds, the same draws from the random generator. Gradients: those of the original where its run
    and its backward work, otherwise (or with `repairs_gradient`, for an original whose graph `.data` cuts silently)
    finite differences of the original's forward in float64.
    """
    original, rewritten = observe(before), observe(after)
    complaint = original.error or original.backward_error
    failure = rewritten.error or rewritten.backward_error
    if complaint is None and not repairs_gradient:
        if failure is not None:
            return Proof(Route.AUTOGRAD, (Difference("rewritten program", f"raises {failure}"),))
        return Proof(Route.AUTOGRAD, tuple(_behaviour(original, rewritten)) + tuple(_gradients(original, rewritten)))
    if failure is not None:
        return Proof(Route.FINITE_DIFFERENCES, (Difference("rewritten program", f"raises {failure}"),), complaint)
    return Proof(Route.FINITE_DIFFERENCES, tuple(_without_autograd(before, after)), complaint)


def _behaviour(original: Observation, rewritten: Observation) -> list[Difference]:
    return [
        *compare_notes(original.outputs, rewritten.outputs),
        *compare_notes(original.state, rewritten.state),
        *compare_random_state(original, rewritten),
    ]


def _gradients(original: Observation, rewritten: Observation) -> list[Difference]:
    return [*compare_flags(original, rewritten), *compare_gradients(original.gradients, rewritten.gradients)]


def _without_autograd(before: Maker, after: Maker) -> list[Difference]:
    original, rewritten = forward_only(before), forward_only(after)
    if original.error is not None:
        return [Difference("original program", f"its forward raises even without autograd: {original.error}")]
    if rewritten.error is not None:
        return [Difference("rewritten program", f"its forward raises without autograd: {rewritten.error}")]
    wide = autograd_gradients(after)
    failure = wide.error or wide.backward_error
    if failure is not None:
        return [Difference("rewritten program", f"raises in float64: {failure}")]
    expected = finite_differences(before)
    return [*_behaviour(original, rewritten), *compare_gradients(expected, wide.gradients)]
