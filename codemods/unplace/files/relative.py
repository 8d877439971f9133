"""Paths as they stand in files and patterns: relative to a folder, with `/` on every system."""

from __future__ import annotations

import os


def relative(path: str, folder: str) -> str | None:
    """Return a path from a folder on, `../` included; None where it lies on another drive, as on Windows."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        return None
