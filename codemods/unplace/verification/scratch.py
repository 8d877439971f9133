"""A scratch copy of a folder, in which changed files can be tried out."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from unplace.files.discovery import ENVIRONMENT_MARKS
from unplace.files.ignored import IgnoreRules, rules_inside, with_ignore_file

LARGE = 2**20
"""The most bytes of a file that is copied; larger ones are linked, as they are data that nobody writes to."""

LEFT_OUT = frozenset(
    {
        "__pycache__",
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        "node_modules",
    }
)


class Scratch:
    """A scratch copy of a folder. Its files are copied, so that nothing done to them reaches the original.

    Large files, environments, what Git ignores and what can't be read are only linked; caches and `.git` are left out.
    """

    def __init__(self, root: Path, folder: Path, changing: Iterable[Path]) -> None:
        """Copy `root` to `folder`, which doesn't exist yet; `changing` are the files in it that will be written."""
        self._root = root
        self.folder = folder
        self.changes = 0
        self._written: dict[Path, bytes] = {}
        needed = {str(place) for file in changing for place in (file, *file.parents)}
        _copy(str(root), folder, rules_inside(str(root)), needed)

    def path(self, original: Path) -> Path:
        """Return the path in the copy of a file of the original."""
        return self.folder / original.relative_to(self._root)

    def covers(self, original: Path) -> bool:
        """Tell whether a file or folder of the original is copied, and not linked or left out."""
        copy = self.folder / original.relative_to(self._root) if original.is_relative_to(self._root) else None
        return copy is not None and copy.exists() and copy.resolve().is_relative_to(self.folder.resolve())

    def write(self, contents: Mapping[Path, bytes]) -> None:
        """Write new contents to files of the copy, given by their paths in the original; `changes` counts the times."""
        new = {original: data for original, data in contents.items() if self._written.get(original) != data}
        for original, data in new.items():
            self.path(original).write_bytes(data)
        self._written |= new
        self.changes += bool(new)


@contextmanager
def scratch_copy(root: Path, changing: Iterable[Path]) -> Iterator[Scratch]:
    """Make a scratch copy of a folder for the `with` block; `changing` are the files in it that will be written."""
    with tempfile.TemporaryDirectory(prefix="unplace-", ignore_cleanup_errors=True) as place:
        yield Scratch(root, Path(place, root.name or "root"), changing)


def _copy(source: str, target: Path, rules: IgnoreRules | None, needed: Collection[str]) -> None:
    """Copy a folder; `needed` are the paths that must be copies, whatever they are."""
    target.mkdir(parents=True)
    with os.scandir(source) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            place = target / entry.name
            is_folder = entry.is_dir()
            if not is_folder and not entry.is_file():
                continue  # a broken link, a socket
            if entry.path not in needed:
                if is_folder and entry.name in LEFT_OUT:
                    continue
                if _is_linked(entry, rules, is_folder=is_folder):
                    place.symlink_to(entry.path, target_is_directory=is_folder)
                    continue
            if is_folder:
                _copy(entry.path, place, with_ignore_file(rules, entry.path), needed)
            else:
                shutil.copy2(entry.path, place)


def _is_linked(entry: os.DirEntry[str], rules: IgnoreRules | None, *, is_folder: bool) -> bool:
    if rules is not None and rules.ignores(entry.path, is_folder=is_folder):
        return True
    if not os.access(entry.path, os.R_OK | os.X_OK if is_folder else os.R_OK):
        return True  # whoever needs it learns that it can't be read
    if is_folder:
        return entry.is_symlink() or any(Path(entry.path, mark).exists() for mark in ENVIRONMENT_MARKS)
    return entry.stat().st_size > LARGE
