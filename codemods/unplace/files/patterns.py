"""Patterns for files in the configuration: written as in `.gitignore`, relative to the configuration file's folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from unplace.files.globs import spec
from unplace.files.relative import relative

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns: valid lines as of a `.gitignore` file in `folder` (an absolute path)."""

    folder: str
    lines: tuple[str, ...]

    def match(self, path: str, *, is_folder: bool = False) -> bool:
        """Tell whether the patterns match a path or a folder above it; of several that do, the last one decides."""
        inside = relative(path, self.folder)
        if inside is None or inside == ".." or inside.startswith("../"):
            return False
        return _spec(self.lines).match_file(inside + "/" * is_folder)


@cache
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    return spec(lines)
