"""Finds the configuration of a document from its own folder, as if `unplace` were run there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unplace.config.configuration import Configuration, find, load
from unplace.config.options import Options
from unplace.files.discovery import is_skipped

_INSTALLED = frozenset({"site-packages", "dist-packages"})


@dataclass(slots=True)
class Settings:
    """Reads configuration files, each again only when it has changed."""

    _known: dict[str, tuple[tuple[int, int], Configuration]] = field(default_factory=dict)

    def options(self, path: Path, folders: Sequence[Path]) -> Options | None:
        """Return the options for a document; None for one that is excluded, or in an environment, a cache and the like.

        Ignore files don't count: whoever opens an ignored file wants to see it. Raises `ConfigurationError` where the
        configuration is invalid.
        """
        told = self._configuration(path.parent)
        inside = (parent for folder in folders for parent in path.parents if folder in parent.parents)
        if _INSTALLED.intersection(path.parts) or any(is_skipped(str(parent)) for parent in inside):
            return None
        if told.exclude is not None and told.exclude.match(str(path)):
            return None
        return told.options

    def _configuration(self, folder: Path) -> Configuration:
        path = find(folder)
        if path is None:
            return Configuration()
        status = Path(path).stat()
        mark = status.st_mtime_ns, status.st_size
        if path not in self._known or self._known[path][0] != mark:
            self._known[path] = mark, load(path)
        return self._known[path][1]
