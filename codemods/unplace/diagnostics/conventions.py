"""Tells which assumptions are conventions: in runs of real packages they were violated next to nowhere."""

from __future__ import annotations

from unplace.diagnostics.catalogue import Assumption, Convention
from unplace.diagnostics.measured import PLACES
from unplace.diagnostics.reasons import Kind, Reason

_RARE = 1_000
"""A convention is violated in fewer than one of so many places."""
_ENOUGH = 100
"""The places that have to be known: without a violation in so many, at most 3 % of all are, with 95 % confidence."""
_CLAIMS: tuple[tuple[Kind, ...], ...] = (
    (Assumption.RESULT_HELD_ALONE, Assumption.LAYER_HELD_ALONE, Assumption.NOT_KEPT),
    (Assumption.NOT_SHARED, Assumption.SHARES_NONE),
)
"""Assumptions that say the same: that code out of sight neither keeps nor hands out what isn't its own, and so on."""


def is_convention(assumption: Reason) -> bool:
    """Tell whether an assumption is one that the world keeps, by measure."""
    places, violated = _places(assumption.kind)
    return places >= _ENOUGH and violated * _RARE < places


def counted(assumption: Reason) -> Reason:
    """Return a convention with the places in which it held."""
    places, violated = _places(assumption.kind)
    return Convention.HELD(assumption=assumption, held=f"{places - violated:,}", places=f"{places:,}")


def _places(kind: Kind) -> tuple[int, int]:
    """Return the places that are known of what an assumption claims, and those that violate it."""
    claim = next((kinds for kinds in _CLAIMS if kind in kinds), (kind,))
    known = [PLACES[each.code] for each in claim if each.code in PLACES]
    return sum(places for places, _ in known), sum(violated for _, violated in known)
