"""Tells which assumptions are conventions: in runs of real packages they were violated next to nowhere."""

from __future__ import annotations

from unplace.diagnostics.catalogue import Assumption, Convention
from unplace.diagnostics.measured import PLACES
from unplace.diagnostics.reasons import Reason

RARE = 1_000
"""A convention is violated in fewer than one of so many places, and was examined in at least as many."""


def is_convention(assumption: Reason) -> bool:
    """Tell whether an assumption is one that the world keeps, by measure."""
    places, violated = _places(assumption)
    return places >= RARE and violated * RARE < places


def counted(assumption: Reason) -> Reason:
    """Return a convention with the places in which it held."""
    places, violated = _places(assumption)
    return Convention.HELD(assumption=assumption, held=f"{places - violated:,}", places=f"{places:,}")


def _places(assumption: Reason) -> tuple[int, int]:
    kind = Assumption.NOT_SHARED if assumption.kind is Assumption.SHARES_NONE else assumption.kind
    return PLACES.get(kind.code, (0, 0))
