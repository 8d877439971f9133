"""What runs showed in place of what the source can't tell: who calls a function, and which names share memory."""

from __future__ import annotations

from collections.abc import Callable

from unplace.analysis.queries.noticed import Sharing
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.observation.facts import OperationFacts

_OUT_OF_SIGHT = frozenset(
    {
        Refusal.USED_AS_VALUE,
        Refusal.LAMBDA_USED_AS_VALUE,
        Refusal.HANDED_ON,
        Refusal.NOT_FOLLOWED,
        Refusal.NOT_FOLLOWED_READ,
    }
)
"""The reasons for which callers can't be seen in the source."""


def witnessed(
    sees: Callable[[str], tuple[list[Reason], list[Reason]]], parameter: str
) -> tuple[list[Reason], list[Reason]]:
    """Ask the source what callers may read; where it can't tell who they are, runs have to say that they don't."""
    blockers, assumptions = sees(parameter)
    if not blockers or any(blocker.kind not in _OUT_OF_SIGHT for blocker in blockers):
        return blockers, assumptions
    return [], [*assumptions, Assumption.CALLER_LOOKS_AWAY(name=parameter)]


def sharing_in(facts: OperationFacts) -> Sharing:
    """Return what runs showed of the names of a function."""
    same = (name for name, count in facts.same.items() if count == facts.examined)
    return Sharing(frozenset(same), frozenset(facts.shares))
