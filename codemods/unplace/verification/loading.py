"""Where the two versions of a module are, and how a process that runs only one of them imports it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


class CannotRunError(Exception):
    """Why a program can't be run or judged, in words for its owner."""


class RewrittenCannotRunError(CannotRunError):
    """Why the rewritten program can't be run, where the original can."""


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A file, the dotted name under which it is imported, and the folders that imports are looked up in first."""

    path: Path
    name: str
    search: tuple[Path, ...]

    @property
    def is_lone(self) -> bool:
        """Whether the file belongs to no package."""
        return "." not in self.name and self.path.name != "__init__.py"


def locate(path: Path) -> ModuleFile:
    """The place of a file in its package, which is the outermost chain of folders with an `__init__.py`."""
    path = path.absolute()
    if not path.is_file():
        raise CannotRunError(f"{path}: no such file")
    parts = [] if path.name == "__init__.py" else [path.stem]
    root = path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    return ModuleFile(path, ".".join(parts), (root,))


def locate_versions(before: Path, after: Path) -> tuple[ModuleFile, ModuleFile]:
    """The places of two versions of one module.

    A version that lies outside any package (as `git show` leaves it) is imported in the place of the other one, so
    that its relative imports and its neighbours are found.
    """
    first, second = locate(before), locate(after)
    if second.is_lone:
        return first, ModuleFile(second.path, first.name, second.search + first.search)
    if first.is_lone:
        return ModuleFile(first.path, second.name, first.search + second.search), second
    return first, second


class _Finder(MetaPathFinder):
    """Finds one module in its file, whatever else has its name."""

    def __init__(self, file: ModuleFile) -> None:
        self._file = file

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._file.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._file.path)


def load(file: ModuleFile, *, first: bool = True) -> ModuleType:
    """Import a module in a process of its own: it stays in `sys.modules`, with all that it imports.

    With `first=False` its folders are looked up after all others.
    """
    folders = [str(folder) for folder in file.search]
    sys.path[:] = [*folders, *sys.path] if first else [*sys.path, *folders]
    sys.meta_path.insert(0, _Finder(file))
    try:
        return importlib.import_module(file.name)
    except Exception as error:
        raise CannotRunError(f"{file.path}: cannot be imported: {type(error).__name__}: {error}") from error
