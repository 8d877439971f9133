"""The files that a run is about: those named on the command line, and those found below the folders named there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from unplace.diagnostics.findings import Problem
from unplace.files.ignored import IgnoreRules, rules_inside, with_ignore_file
from unplace.files.presence import is_there

_SKIPPED_FOLDERS = frozenset(
    {
        "__pycache__", "__pypackages__", "_build", ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg",
        ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache",
        ".svn", ".tox", ".venv", ".vscode", "buck-out", "build", "dist", "node_modules", "venv",
    }
)  # fmt: skip
"""Folders that are not walked into unless they are named on the command line."""

ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")
"""The names that only the folder of a virtual or conda environment contains."""


class Excludes(Protocol):
    """The paths that a run leaves out."""

    def match(self, path: str, *, is_folder: bool = False) -> bool:
        """Tell whether a path (absolute), or a folder above it, is left out."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to handle, in order and each once; `problems` and `warnings` name what could not be looked at."""

    files: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def discover(
    paths: Iterable[Path],
    exclude: Excludes | None = None,
    suffixes: tuple[str, ...] = (".py",),
    *,
    force_exclude: bool = False,
) -> Discovery:
    """Find the files with these suffixes below folders; a file or folder that is named itself is always taken.

    What `exclude` matches is left out as if an ignore file said so; with `force_exclude`, also where it is named.

    As in ruff and Git, links to folders are not followed (so that no loop can arise) unless they are named; links to
    files are, and a file that can be reached in several ways is listed once.
    """
    found = Discovery()
    candidates: list[_Candidate] = []
    for path in map(os.path.abspath, paths):
        try:
            mode = Path(path).stat().st_mode
        except OSError as error:
            found.problems.append(_unreachable(path, error))
            continue
        is_folder = stat.S_ISDIR(mode)
        if force_exclude and exclude is not None and exclude.match(path, is_folder=is_folder):
            continue
        if is_folder:
            candidates += _walk(path, os.path.realpath(path), rules_inside(path), found, exclude, suffixes)
        elif stat.S_ISREG(mode):
            candidates.append(_Candidate(path, os.path.realpath(path), Path(path).is_symlink()))
        else:
            advice = "to rewrite a stream, give it on standard input and `-` as the path"
            found.problems.append(Problem(shown(path), f"not a regular file, so nothing was read; {advice}"))
    found.files.extend(_each_once(candidates))
    return found


def shown(path: str) -> str:
    """Return a path as it is printed: relative to the working folder where it lies inside it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


@dataclass(frozen=True, slots=True)
class _Candidate:
    path: str
    target: str
    is_link: bool


def _unreachable(path: str, error: OSError) -> Problem:
    try:
        points_to = Path(path).readlink()
    except OSError:  # it is no link, or lies where nothing can be looked at
        return Problem(shown(path), f"cannot open: {error.strerror}; check the path")
    return Problem(shown(path), f"broken link ({error.strerror}); check where it points: {points_to}")


def _walk(
    folder: str,
    target: str,
    rules: IgnoreRules | None,
    found: Discovery,
    exclude: Excludes | None,
    suffixes: tuple[str, ...],
) -> Iterator[_Candidate]:
    """Yield the files below a folder, sorted by name; `target` is the folder's path without symbolic links."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        found.problems.append(Problem(shown(folder), f"cannot list the folder: {error.strerror}; check its mode bits"))
        return
    for entry in entries:
        path, inside = entry.path, str(Path(target, entry.name))
        if entry.is_dir(follow_symlinks=False):
            if not is_skipped(path) and not _is_ignored(path, rules, exclude, is_folder=True):
                yield from _walk(path, inside, with_ignore_file(rules, path), found, exclude, suffixes)
        elif entry.name.endswith(suffixes) and not _is_ignored(path, rules, exclude, is_folder=False):
            is_link = entry.is_symlink()
            try:
                is_file, is_folder = entry.is_file(), entry.is_dir()
            except OSError as error:  # a link to where nothing can be looked at, or to itself
                found.warnings.append(Problem(shown(path), f"broken link ({error.strerror}); skipped"))
                continue
            if is_file:
                yield _Candidate(path, os.path.realpath(path) if is_link else inside, is_link)
            elif not is_folder:
                found.warnings.append(Problem(shown(path), "not a regular file, or a broken link; skipped"))


def is_skipped(folder: str) -> bool:
    """Tell whether a folder holds no code of the project and isn't walked: an environment, a cache and the like."""
    return Path(folder).name in _SKIPPED_FOLDERS or any(is_there(Path(folder, mark)) for mark in ENVIRONMENT_MARKS)


def _is_ignored(path: str, rules: IgnoreRules | None, exclude: Excludes | None, *, is_folder: bool) -> bool:
    if rules is not None and rules.ignores(path, is_folder=is_folder):
        return True
    return exclude is not None and exclude.match(path, is_folder=is_folder)


def _each_once(candidates: list[_Candidate]) -> Iterator[str]:
    """Yield each file once; of a file and the links to it, the file."""
    files = {candidate.target for candidate in candidates if not candidate.is_link}
    taken: set[str] = set()
    for candidate in candidates:
        if candidate.target not in taken and not (candidate.is_link and candidate.target in files):
            taken.add(candidate.target)
            yield candidate.path
