"""Proves a rewrite on one example: what an observer of the original sees must still be there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from unplace.verification.checks import Check, checks
from unplace.verification.compare import (
    EXACT,
    GRADIENTS,
    ROUNDING,
    WIDE,
    Difference,
    Quantity,
    Tolerance,
    compare_flags,
    compare_gradients,
    compare_notes,
    compare_random_state,
    magnitudes,
)
from unplace.verification.examples import Maker
from unplace.verification.gradients import Gradients, against_forward, against_saved_copies
from unplace.verification.observe import Gradient, Observation
from unplace.verification.sides import Local, Side

IN_PLACE = re.compile(r"in-?place|leaf Variable|a view of a leaf|single memory location|written-to tensor")
"""The words by which autograd's complaints about in-place operations are recognised."""


class Route(str, Enum):
    """The sources of the expected gradient."""

    AUTOGRAD = "the original's own backward"
    FINITE_DIFFERENCES = "finite differences of the original's forward in float64"
    SAVED_COPIES = "the original's backward, with what it saves copied before it is overwritten"
    NONE = "nowhere: autograd can't differentiate the original"
    LEFT_OUT = "nowhere: only the values are compared"


class Verdict(str, Enum):
    """The verdicts of a comparison."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of comparing a program with its rewrite on one example.

    Without `differences` and `obstacle` (the reason why something could not be compared), the rewrite is right on this
    example. `route` tells where the expected gradient comes from. `original_error` is the exception of the original or
    its backward, None where both work; `rewritten_error` is that of the rewritten program. `checks` has, for each
    quantity, how many values were compared and the largest deviation.
    """

    route: Route
    differences: tuple[Difference, ...]
    original_error: str | None = None
    rewritten_error: str | None = None
    obstacle: str | None = None
    checks: tuple[Check, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`DIFFERENT` where anything differs, `UNDECIDED` where nothing does but not all could be compared."""
        if self.differences:
            return Verdict.DIFFERENT
        return Verdict.EQUAL if self.obstacle is None else Verdict.UNDECIDED

    @property
    def never_ran(self) -> bool:
        """True where both programs raise the same error before anything can be compared."""
        return self.route is Route.NONE and self.obstacle is not None

    @property
    def is_worse(self) -> bool:
        """True where the rewrite broke something; that it raises doesn't count where the original raises, too."""
        still_failing = self.original_error is not None and self.rewritten_error is not None
        return any(not (still_failing and found.quantity is Quantity.RUN) for found in self.differences)


def prove(before: Maker, after: Maker, *, repairs_gradient: bool = False) -> Proof:
    """Compare two programs in this process, as `judge` does."""
    return judge(Local(before), Local(after), repairs_gradient=repairs_gradient)


def judge(before: Side, after: Side, *, repairs_gradient: bool = False) -> Proof:
    """Compare two programs.

    Always: equal outputs (class, shape, dtype, values), equal contents afterwards of the arguments and of all that
    the function holds, the same draws from the random generators. Gradients: those of the original where its run and
    its backward work, otherwise (or with `repairs_gradient`) finite differences of the original's forward in float64.
    Where the original stores to `.data`, which cuts its graph silently, either will do.

    Values must be the same to the last bit. Where they aren't, both programs run again in float64: there, rounding
    all but vanishes and anything else stays.
    """
    original, rewritten = before.observe(), after.observe()
    complaint = original.error or original.backward_error
    failure = rewritten.error or rewritten.backward_error
    if complaint is not None or repairs_gradient:
        if complaint is not None and not IN_PLACE.search(complaint) and failure == complaint:
            return _not_differentiable(before, after, original, rewritten)
        return _without_autograd(before, after, complaint, failure)
    if failure is not None:
        differences = (Difference("rewritten program", f"raises {failure}"),)
        return Proof(Route.AUTOGRAD, differences, rewritten_error=failure)
    return _with_autograd(before, after, original, rewritten)


def judge_values(before: Side, after: Side) -> Proof:
    """Compare the results of two programs, their dtypes included, but not the gradients."""
    original, rewritten = before.forward_only(), after.forward_only()
    proof = Proof(Route.LEFT_OUT, ())
    if original.error is not None:
        return replace(proof, obstacle=f"the original raises {original.error}")
    if rewritten.error is not None:
        failure = Difference("rewritten program", f"raises {rewritten.error}")
        return replace(proof, differences=(failure,), rewritten_error=rewritten.error)
    found = _unless_rounding(_behaviour, before, after, original, rewritten, lambda side: side.forward_only(wide=True))
    return replace(proof, differences=tuple(found), checks=checks(original, rewritten, ((), ()), found))


def _with_autograd(before: Side, after: Side, original: Observation, rewritten: Observation) -> Proof:
    """Compare programs that both run and can be differentiated."""
    found = _unless_rounding(_all_differences, before, after, original, rewritten, lambda side: side.observe(wide=True))
    wrong = [difference for difference in found if difference.quantity in GRADIENTS]
    if wrong and original.cuts_graph:
        rest = [difference for difference in found if difference not in wrong]
        return _judged_by_forward(before, after, original, rewritten, Proof(Route.FINITE_DIFFERENCES, tuple(rest)))
    pairs = original.gradients, rewritten.gradients
    return Proof(Route.AUTOGRAD, tuple(found), checks=checks(original, rewritten, pairs, found))


def _without_autograd(before: Side, after: Side, complaint: str | None, failure: str | None) -> Proof:
    """Compare programs where the original's own gradient is missing or wrong."""
    proof = Proof(Route.FINITE_DIFFERENCES, (), complaint, failure)
    original, rewritten = before.forward_only(), after.forward_only()
    if original.error is not None:
        return replace(proof, obstacle=f"the original's forward raises, even without autograd: {original.error}")
    if rewritten.error is not None:
        message = f"its forward raises without autograd: {rewritten.error}"
        return replace(proof, differences=(Difference("rewritten program", message, Quantity.OUTPUTS),))
    found = _unless_rounding(_behaviour, before, after, original, rewritten, lambda side: side.forward_only(wide=True))
    if failure is not None:
        found.append(Difference("rewritten program", f"raises {failure}"))
        return replace(proof, differences=tuple(found), checks=checks(original, rewritten, ((), ()), found))
    return _judged_by_forward(before, after, original, rewritten, replace(proof, differences=tuple(found)))


def _judged_by_forward(before: Side, after: Side, original: Observation, rewritten: Observation, proof: Proof) -> Proof:
    """Add to a proof the comparison of the rewritten program's gradients with those of the original's forward pass."""
    route, gradients, obstacle = _gradients(before, after, may_copy=proof.original_error is not None)
    differences = list(proof.differences)
    pairs: tuple[Sequence[Gradient], Sequence[Gradient]] = ((), ())
    if gradients is not None:
        differences += compare_gradients(*gradients)
        pairs = gradients.expected, gradients.actual
    found = checks(original, rewritten, pairs, differences)
    return replace(proof, route=route, differences=tuple(differences), obstacle=obstacle, checks=found)


def _gradients(before: Side, after: Side, *, may_copy: bool) -> tuple[Route, Gradients | None, str | None]:
    """Return the source of the expected gradients, the gradients to compare, and the reason where there are none.

    With `may_copy`, the original's own backward, run with copies of what it saves, will do as well as finite
    differences, which mislead at a kink (relu at 0) and need float64.
    """
    seen = after.observe(wide=True, backward=False)
    failure = seen.error or seen.backward_error
    gradients: Gradients | None = None
    obstacle: str | None = None
    if failure is None:
        try:
            gradients = against_forward(before, seen.gradients)
        except RuntimeError as error:
            obstacle = f"finite differences of the original can't be taken: {error}"
    else:
        obstacle = f"the rewritten program raises in float64, where gradients are compared: {failure}"
    if may_copy and (gradients is None or not gradients.agree):
        seen = seen if failure is None else after.observe(backward=False)
        copies = against_saved_copies(before, seen.gradients, wide=failure is None)
        if copies is not None and (gradients is None or copies.agree):
            return Route.SAVED_COPIES, copies, None
    return Route.FINITE_DIFFERENCES, gradients, obstacle


def _not_differentiable(before: Side, after: Side, original: Observation, rewritten: Observation) -> Proof:
    """Compare programs that raise the same error, for which no in-place operation is to blame."""
    complaint = original.error or original.backward_error
    proof = Proof(Route.NONE, (), complaint, complaint)
    if original.error is not None:
        return replace(proof, obstacle=f"both programs raise {complaint}")
    found = _unless_rounding(_behaviour, before, after, original, rewritten, lambda side: side.observe(wide=True))
    return replace(proof, differences=tuple(found), checks=checks(original, rewritten, ((), ()), found))


Compare = Callable[[Observation, Observation, Tolerance], Iterable[Difference]]


def _unless_rounding(
    compare: Compare,
    before: Side,
    after: Side,
    original: Observation,
    rewritten: Observation,
    run_wide: Callable[[Side], Observation],
) -> list[Difference]:
    """Return the differences between two runs; where they may be rounding, those between two runs in float64.

    Where the runs in float64 raise, only differences beyond a tolerance count.
    """
    found = list(compare(original, rewritten, EXACT))
    sizes = magnitudes(original)
    if not found or not all(_may_be_rounding(difference, sizes[difference.quantity]) for difference in found):
        return found
    a, b = run_wide(before), run_wide(after)
    if a.error is not None or b.error is not None or a.backward_error != b.backward_error:
        return list(compare(original, rewritten, ROUNDING))
    return list(compare(a, b, WIDE))


def _may_be_rounding(difference: Difference, size: float) -> bool:
    return difference.rounding_at is not None and difference.rounding_at <= size


def _all_differences(original: Observation, rewritten: Observation, tolerance: Tolerance) -> Iterable[Difference]:
    yield from _behaviour(original, rewritten, tolerance)
    yield from compare_flags(original, rewritten)
    yield from compare_gradients(original.gradients, rewritten.gradients, tolerance)


def _behaviour(original: Observation, rewritten: Observation, tolerance: Tolerance) -> Iterable[Difference]:
    yield from compare_notes(original.outputs, rewritten.outputs, tolerance)
    yield from compare_notes(original.state, rewritten.state, tolerance)
    yield from compare_random_state(original, rewritten)
