"""Faults of the observation itself: the first is reported, and none reaches the program."""

from __future__ import annotations

import sys
import traceback
from functools import cache


@cache
def report_fault() -> None:
    """Report the exception in hand, once in a process."""
    sys.stderr.write(f"unplace: internal error; please report it\n{traceback.format_exc()}")
