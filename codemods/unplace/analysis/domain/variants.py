"""The variant of a function: what a call fixes of it."""

from __future__ import annotations

from typing import NamedTuple

from unplace.analysis.domain.constants import NOTHING, Fixed
from unplace.analysis.domain.refs import Instance


class Variant(NamedTuple):
    """A function with what a call fixes of it: the constants that its tests ask for, and the receiver."""

    fixed: Fixed = NOTHING
    receiver: Instance | None = None


GENERAL = Variant()
"""A function of which nothing is fixed."""
