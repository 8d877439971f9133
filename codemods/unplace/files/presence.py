"""Whether something is there, as far as we are allowed to look."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether a path leads to something.

    What can't be looked at counts as not there: who goes on to open it learns the reason, and says it.
    """
    try:
        return path.exists()
    except OSError:
        return False
