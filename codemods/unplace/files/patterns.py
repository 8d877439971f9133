"""Patterns of files in the configuration: those of `.gitignore`, counted from the folder of the configuration file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from unplace.files.globs import spec

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Patterns:
    """Valid lines as in a `.gitignore` file that lies in `folder` (an absolute path)."""

    folder: str
    lines: tuple[str, ...]

    def match(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether the last line that speaks of a path, or of a folder above it, includes it."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        if relative == ".." or relative.startswith("../"):
            return False
        return _spec(self.lines).match_file(relative + "/" * is_folder)


@cache
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    return spec(lines)
