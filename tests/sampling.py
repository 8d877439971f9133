"""How much of a long sweep is done: a part, always the same one; with `EVERY_VARIANT` in the environment, all of it."""

from __future__ import annotations

import os

EVERYTHING = "EVERY_VARIANT" in os.environ


def one_in(number: int) -> int:
    """Return of how many cases one is taken."""
    return 1 if EVERYTHING else number
