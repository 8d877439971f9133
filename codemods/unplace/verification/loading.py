"""Locates the two versions of a module, and imports one of them in a process that runs no other."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

from unplace.files.discovery import shown

EXAMPLE = "example"
"""The function of a module that returns what to call and its arguments."""


class CannotRunError(Exception):
    """Raised where a program can't be run or judged; the message tells its owner why."""


class RewrittenCannotRunError(CannotRunError):
    """Raised where the rewritten program can't be run, but the original can."""


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A file, its dotted name for imports, and the folders in which imports are looked up first."""

    path: Path
    name: str
    search: tuple[Path, ...]

    @property
    def is_lone(self) -> bool:
        """True where the file belongs to no package."""
        return "." not in self.name and self.path.name != "__init__.py"


def locate(path: Path) -> ModuleFile:
    """Return a file with its dotted name: its package begins at the outermost folder around it with an `__init__.py`.

    The folder of a package stands for its `__init__.py`. Raises `CannotRunError` where there is no such file.
    """
    path = path.absolute()
    path = path / "__init__.py" if (path / "__init__.py").is_file() else path
    if not path.is_file():
        raise CannotRunError(f"{shown(str(path))}: {_obstacle(path)}")
    parts = [] if path.name == "__init__.py" else [path.stem.replace(".", "_")]
    root = path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    return ModuleFile(path, ".".join(parts), (root,))


def _obstacle(path: Path) -> str:
    """Return the reason why a path is no file, and what to type instead where that can be told."""
    if path.is_dir():
        return "a folder without `__init__.py`; name a file in it"
    place, colon, name = shown(str(path)).partition(":")
    if colon and Path(place).exists():
        return f"no such file; what to call in {place} is named by `--entry {name}`"
    if colon and Path(name).exists():
        return f"no such file; `git show {place}:{name} > before.py` makes one"
    return "no such file"


def locate_versions(before: Path, after: Path) -> tuple[ModuleFile, ModuleFile]:
    """Locate two versions of one module.

    A version outside of any package (such as the output of `git show`) is imported under the name of the other one, so
    that its relative imports and its neighbours are found; of two, under a name that can be imported, if one has one.
    """
    first, second = locate(before), locate(after)
    is_copy = first.is_lone and not before.stem.isidentifier() and after.stem.isidentifier()  # `model.old.py`
    if second.is_lone and not is_copy:
        return first, ModuleFile(second.path, first.name, second.search + first.search)
    if first.is_lone:
        return ModuleFile(first.path, second.name, first.search + second.search), second
    return first, second


class _Finder(MetaPathFinder):
    """An import hook that finds one module in its file, whatever else has its name."""

    def __init__(self, file: ModuleFile) -> None:
        self._file = file

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._file.name:
            return None
        place = str(self._file.path)
        found = importlib.util.spec_from_file_location(fullname, place)  # None for `model.py.orig`
        return found or importlib.util.spec_from_file_location(
            fullname, place, loader=SourceFileLoader(fullname, place)
        )


def load(file: ModuleFile, *, first: bool = True) -> ModuleType:
    """Import a module; only for a process of its own: it stays in `sys.modules`, with all that it imports.

    With `first=False` its folders are looked up after all others. Raises `CannotRunError` where the import fails.
    """
    folders = [str(folder) for folder in file.search]
    sys.path[:] = [*folders, *sys.path] if first else [*sys.path, *folders]
    sys.meta_path.insert(0, _Finder(file))
    try:
        return importlib.import_module(file.name)
    except Exception as error:
        raise CannotRunError(f"{file.path}: cannot be imported: {type(error).__name__}: {error}") from error
