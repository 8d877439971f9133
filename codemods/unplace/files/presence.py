"""The test for a path's existence that doesn't fail where access is denied."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    """Tell whether a path exists; False where access is denied: whoever opens it reports the reason."""
    try:
        return path.exists()
    except OSError:
        return False
