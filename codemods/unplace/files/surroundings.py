"""Looks at the files around those of a run: whether code that the run doesn't see may use a file's functions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path

from unplace.files.discovery import is_skipped

_SUFFIXES = (".py", ".ipynb")
_VERSIONED = (".git", ".hg")
_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
_MOST_FILES = 3_000
_MOST_ENTRIES = 60_000
"""The largest folder that is looked through; of a larger one, nothing is known."""

_LOADED = frozenset({"__init__.py", "hubconf.py"})
"""The files whose functions are there for others: those of a package, and those that `torch.hub` calls."""

RUNNING = (r"(?m)^if\b.*__name__", r"(?m)^\w[\w.]*[ \t]*\(")
"""Patterns of files that may be programs: those with a guard for being run, or with a call at the top."""

_IMPORTS = re.compile(
    rb"""(?m)(?:^|[;:"])[ \t]*(?:from[ \t]+[.\w]+[\s\\]+)?import\b(?:[ \t]*\([^)]*\)|(?:\\\s*\n|[^\n;])*)"""
    rb"|\b(?:import_module|__import__|run_module)\s*\([^)\n]*"
)
_WORD = re.compile(rb"\w+")
_PACKAGED = re.compile(r"(?m)^\[(?:project|build-system|tool\.poetry|tool\.flit\b.*)\]|\b(?:packages|py_modules)\b")


@unique
class Question(Enum):
    """A question about a file that depends on what lies around the files of the run."""

    PROGRAM = "program"
    """Does nothing around a file keep it from being a program of its own: an import in a file beside the run, a place
    in a package that can be installed?"""

    APPLICATION = "application"
    """Does a file belong to a project that can't be installed, and does nothing beside the run import the run's?"""


def importing(module: str) -> tuple[str, ...]:
    """Return the patterns of imports in which a module's name, or the last part of it, stands."""
    start, name = r'(?m)(?:^|[;:"])[ \t]*', re.escape(module)
    return (
        rf"{start}from[ \t]+[.\w]*\b{name}\b",
        rf"{start}(?:from[ \t]+[.\w]+[\s\\]+)?import\b(?:[ \t]*\([^)]*|(?:\\\s*\n|[^\n;])*)\b{name}\b",
        rf"\b(?:import_module|__import__|run_module)\s*\([^)\n]*\b{name}\b",
    )


class Surroundings:
    """The files around those of one run; they are looked at when the first question is asked.

    `taken` are the files whose functions were judged by the callers in the run alone, as nothing else calls them.
    """

    def __init__(self, run: Iterable[str]) -> None:
        """Start with the absolute paths of the files of the run."""
        self._run = frozenset(run)
        self._known: dict[tuple[Question, str], bool] = {}
        self._imported: dict[str, frozenset[str] | None] = {}
        self._packaged: dict[str, bool] = {}
        self.taken: set[str] = set()

    def tells(self, question: Question, path: str) -> bool:
        """Answer a question about a file."""
        if (question, path) not in self._known:
            is_program = question is Question.PROGRAM
            self._known[question, path] = self._is_program(path) if is_program else self._is_of_application(path)
        return self._known[question, path]

    def _is_program(self, path: str) -> bool:
        file = Path(path)
        if file.name in _LOADED:
            return False
        folder = str(file.parent)
        root = self._root(folder)
        if _has_any(folder, ("__init__.py",)) and file.name != "__main__.py" and self._is_packaged(folder, root):
            return False
        imported = self._imported_beside(root)
        return imported is not None and file.stem not in imported

    def _is_of_application(self, path: str) -> bool:
        folder = str(Path(path).parent)
        root = self._root(folder)
        if self._is_packaged(folder, root):
            return False
        imported = self._imported_beside(root)
        return imported is not None and imported.isdisjoint(_names(self._run, root))

    def _root(self, folder: str) -> str:
        """Return the folder of the project: that of the repository or, without one, with project files or the run."""
        above = [folder, *map(str, Path(folder).parents)]
        marked = (next((one for one in above if _has_any(one, marks)), None) for marks in (_VERSIONED, _PROJECT))
        found = next(filter(None, marked), None)
        if found is not None:
            return found
        of_run = os.path.commonpath([folder, *(str(Path(path).parent) for path in self._run)])
        while _has_any(of_run, ("__init__.py",)):
            of_run = str(Path(of_run).parent)
        here = str(Path.cwd())
        return here if here in map(str, Path(of_run).parents) else of_run

    def _imported_beside(self, root: str) -> frozenset[str] | None:
        """Return the words in the imports of the files in a folder that don't belong to the run; None if too many."""
        if root not in self._imported:
            found: set[bytes] = set()
            files = self._files_beside(root)
            for path in files or ():
                for match in _IMPORTS.finditer(_contents(path)):
                    found.update(_WORD.findall(match[0]))
            words = frozenset(word.decode(errors="replace") for word in found)
            self._imported[root] = words if files is not None else None
        return self._imported[root]

    def _files_beside(self, root: str) -> list[str] | None:
        """Return the Python files and notebooks below a folder beside the run; None where there are too many."""
        found: list[str] = []
        for count, path in enumerate(_entries(root)):
            if count >= _MOST_ENTRIES or len(found) >= _MOST_FILES:
                return None
            if path.endswith(_SUFFIXES) and path not in self._run:
                found.append(path)
        return found

    def _is_packaged(self, folder: str, root: str) -> bool:
        """Tell whether a folder, or one above it up to the root of its project, holds what others install."""
        if folder not in self._packaged:
            files = (_contents(str(Path(folder, name))).decode(errors="replace") for name in _PROJECT)
            is_own = any(map(_PACKAGED.search, files)) or _has_any(folder, ("PKG-INFO",))
            is_own = is_own or any(Path(folder).glob("*.dist-info"))
            above = str(Path(folder).parent)
            is_last = folder == root or above == folder
            self._packaged[folder] = is_own or (not is_last and self._is_packaged(above, root))
        return self._packaged[folder]


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of one file among those around the run."""

    around: Surroundings
    path: str


def _names(paths: Iterable[str], root: str) -> set[str]:
    """Return the names by which the files in a folder can be imported: their own, and those of the folders in it."""
    found: set[str] = set()
    for path in map(Path, paths):
        if path.is_relative_to(root):
            *folders, name = path.relative_to(root).parts
            found |= {*folders, name.removesuffix(".py")}
    return found


def _has_any(folder: str, names: Iterable[str]) -> bool:
    return any(Path(folder, name).exists() for name in names)


def _contents(path: str) -> bytes:
    try:
        return Path(path).read_bytes() if Path(path).is_file() else b""  # a named pipe would wait for its writer
    except OSError:
        return b""


def _entries(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as scan:
            entries = list(scan)
    except OSError:
        return
    for entry in entries:
        yield entry.path
        if entry.is_dir(follow_symlinks=False) and not is_skipped(entry.path):
            yield from _entries(entry.path)
