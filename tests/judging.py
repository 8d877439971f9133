"""What became of a program that fails in autograd: repaired, as it was, or wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from generator.oracle import IN_PLACE
from unplace.diagnostics.catalogue import Assumption, Observed, Rewrite
from unplace.diagnostics.findings import Finding, Status
from unplace.verification.compare import Difference, compare_notes, compare_random_state
from unplace.verification.examples import Maker
from unplace.verification.observe import observe
from unplace.verification.proof import prove
from unplace.verification.reference import forward_only

_UPDATES = (Rewrite.UNRECORDED_UPDATE, Rewrite.UNRECORDED_PARAMETERS)
OF_ARGUMENT = re.compile(r"gradient of argument\[\d+\]\.")
"""The gradient of a parameter of a module that is passed as an argument."""


class Outcome(str, Enum):
    """What rewriting does for a script."""

    FIXED = "fixed"
    NOT_FIXED = "not fixed"
    WRONG = "wrong"


@dataclass(frozen=True)
class Verdict:
    """What became of a script in one mode; `details` say what is wrong or why it still fails."""

    outcome: Outcome
    details: tuple[str, ...] = ()


def judge(
    before: Maker, after: Maker, *, is_silent: bool = False, callers_look: bool = True, differentiates: bool = True
) -> Verdict:
    """Fixed: the proof holds. Not fixed: autograd goes on failing as before, and the forward computes the same.

    `is_silent`: the original raises nothing, but its gradient is wrong. Where callers don't look at what the function
    writes to, only its outputs and the gradients count. Where no gradient flows through changes of parameters
    (`differentiates` is false), the gradients of parameters are those after the changes, not those of the original.
    """
    open_places = (
        *(() if callers_look else ("argument", "function")),
        *(() if differentiates else ("gradient of function.",)),
    )

    def counted(differences: Iterable[Difference]) -> tuple[str, ...]:
        found = (d for d in differences if differentiates or not OF_ARGUMENT.match(d.place))
        return tuple(str(d) for d in found if not d.place.startswith(open_places))

    found = counted(prove(before, after, repairs_gradient=is_silent).differences)
    if not found:
        return Verdict(Outcome.FIXED)
    left = prove(before, after).differences if is_silent else still_raising(before, after)
    return Verdict(Outcome.WRONG if left is None or counted(left) else Outcome.NOT_FIXED, found)


def still_raising(before: Maker, after: Maker) -> tuple[Difference, ...] | None:
    """What the forwards differ in when autograd still complains about the rewritten program, None if it doesn't."""
    original, rewritten = observe(before), observe(after)
    error = rewritten.error or rewritten.backward_error
    if error is None or not IN_PLACE.search(error) or (rewritten.error is not None and original.error is None):
        return None
    a, b = forward_only(before), forward_only(after)
    return (*compare_notes(a.outputs, b.outputs), *compare_notes(a.state, b.state), *compare_random_state(a, b))


def assumes_no_gradient(findings: Iterable[Finding]) -> bool:
    """Whether changes of parameters were put under no_grad: the gradient of these is that after the change."""
    rewritten = [finding for finding in findings if finding.status is Status.REWRITTEN]
    assumed = {assumption.kind for f in rewritten for assumption in f.assumed}
    return not assumed.isdisjoint((Assumption.UNDIFFERENTIATED, Observed.NO_GRADIENT)) or any(
        f.reason.kind in _UPDATES for f in rewritten
    )


def assumes_that_no_caller_looks(findings: Iterable[Finding]) -> bool:
    """Whether what was rewritten rests on callers that don't read what the function writes to."""
    rewritten = [finding for finding in findings if finding.status is Status.REWRITTEN]
    return any("no caller reads" in assumption for finding in rewritten for assumption in finding.assumptions)
