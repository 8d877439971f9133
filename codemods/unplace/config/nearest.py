"""Finds the configuration of each file: the nearest one in its own folder or above it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from unplace.config.configuration import Configuration, in_folder, load
from unplace.files.patterns import Patterns


@dataclass(slots=True)
class Nearest:
    """Reads each configuration file once; with `only`, that one holds for all files."""

    only: Configuration | None = None
    _by_folder: dict[str, Configuration] = field(default_factory=dict)

    def of_folder(self, folder: str) -> Configuration:
        """Return the configuration of a folder (an absolute path); raise `ConfigurationError` for an invalid one."""
        if self.only is not None:
            return self.only
        known = self._by_folder.get(folder)
        if known is None:
            parent = os.path.dirname(folder)  # noqa: PTH120  (called for each folder of a run)
            path = in_folder(folder)
            if path is not None:
                known = load(path)
            else:
                known = Configuration() if parent == folder else self.of_folder(parent)
            self._by_folder[folder] = known
        return known

    def of_file(self, path: str) -> Configuration:
        """Return the configuration of a file (an absolute path)."""
        return self.of_folder(os.path.dirname(path))  # noqa: PTH120


@dataclass(frozen=True, slots=True)
class Excluded:
    """The paths that are left out: those that their configuration excludes, and those that the command line does."""

    nearest: Nearest
    given: Patterns | None = None

    def match(self, path: str, *, is_folder: bool = False) -> bool:
        """Tell whether a path (absolute), or a folder above it, is left out."""
        if self.given is not None and self.given.match(path, is_folder=is_folder):
            return True
        told = self.nearest.of_file(path).exclude
        return told is not None and told.match(path, is_folder=is_folder)
