"""A copy of a folder in which changed files can be tried out."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from unplace.discovery import ENVIRONMENT_MARKS, SKIPPED_FOLDERS
from unplace.ignored import IgnoreRules, rules_inside, with_ignore_file

LARGE = 2**20
"""Files of more bytes are linked: they are data, which nobody writes to."""


class Scratch:
    """A copy of a folder. Its files are copied, so that nothing done to them reaches the original.

    Only linked are large files, environments, and what Git ignores; caches and `.git` are left out.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        """Copy `root` to `folder`, which doesn't exist yet."""
        self._root = root
        self.folder = folder
        _copy(str(root), folder, rules_inside(str(root)))

    def path(self, original: Path) -> Path:
        """Where a file of the original is in the copy."""
        return self.folder / original.relative_to(self._root)

    def write(self, contents: Mapping[Path, bytes]) -> None:
        """Give files, named by their paths in the original, other contents."""
        for original, data in contents.items():
            target = self.path(original)
            target.unlink(missing_ok=True)  # it may be a link
            target.write_bytes(data)


@contextmanager
def scratch_copy(root: Path) -> Iterator[Scratch]:
    """A copy of a folder that is there for a while."""
    with tempfile.TemporaryDirectory(prefix="unplace-", ignore_cleanup_errors=True) as place:
        yield Scratch(root, Path(place, root.name or "root"))


def _copy(source: str, target: Path, rules: IgnoreRules | None) -> None:
    target.mkdir(parents=True)
    with os.scandir(source) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            place = target / entry.name
            if entry.is_dir(follow_symlinks=False):
                if any(Path(entry.path, mark).exists() for mark in ENVIRONMENT_MARKS):
                    place.symlink_to(entry.path)
                elif entry.name in SKIPPED_FOLDERS:
                    continue
                elif rules is not None and rules.ignores(entry.path, is_folder=True):
                    place.symlink_to(entry.path)
                else:
                    _copy(entry.path, place, with_ignore_file(rules, entry.path))
            elif not entry.is_file():
                continue  # a broken link, a socket, a link to a folder outside
            elif entry.stat().st_size > LARGE or (rules is not None and rules.ignores(entry.path, is_folder=False)):
                place.symlink_to(entry.path)
            else:
                shutil.copy2(entry.path, place)
