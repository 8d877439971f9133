"""The files that Git ignores, by `.gitignore` files at every level and `.git/info/exclude`; pathspec matches them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unplace.files.globs import compiled
from unplace.files.presence import is_there

if TYPE_CHECKING:
    from pathspec.pattern import Pattern


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one ignore file, relative to `folder`; `outer` are the rules that they can overrule."""

    folder: str
    patterns: tuple[Pattern, ...]
    outer: IgnoreRules | None

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether the last pattern that matches `path` excludes it; its parents are taken as not ignored."""
        relative = path[len(self.folder) :].lstrip(os.sep).replace(os.sep, "/") + "/" * is_folder
        for pattern in reversed(self.patterns):
            if _speaks_of(pattern, relative):
                return bool(pattern.include)
        return self.outer is not None and self.outer.ignores(path, is_folder=is_folder)

    @property
    def hides_its_folder(self) -> bool:
        """True where the file's only pattern is `*`, with which environments and caches keep themselves out of Git."""
        inside = (f"{self.folder}{os.sep}{name}" for name in ("file.py", "file"))
        return len(self.patterns) == 1 and all(self.ignores(path, is_folder=False) for path in inside)


def _speaks_of(pattern: Pattern, path: str) -> bool:
    """Tell whether a pattern matches a path itself, and not only a folder above it, as pathspec's patterns do.

    Git asks about each folder on the way down, so that a later `!src/` must not bring back what is ignored in `src`.
    """
    found = pattern.match_file(path)
    if found is None:
        return False
    match: re.Match[str] = found.match
    if match.groupdict().get("ps_d") is None:  # pathspec's mark of the slash after the name
        return not (path.endswith("/") and match.end() == len(path))  # `data/**` is not about `data` itself
    return match.end("ps_d") == len(path) or (match.start() > 0 and path.endswith("/"))


def with_ignore_file(outer: IgnoreRules | None, folder: str) -> IgnoreRules | None:
    """Return the rules that hold inside `folder`, given the rules around it."""
    return _read(Path(folder, ".gitignore"), folder, outer)


def rules_inside(folder: str) -> IgnoreRules | None:
    """Return the rules for the contents of `folder` (an absolute path): its own and those of the repository around it.

    A folder that Git ignores, such as a virtual environment, is only walked because somebody asked for it by name:
    the rules that exclude it as a whole don't count.
    """
    around = _repository_folders(folder)
    rules = _read(Path(_common_folder(around[0]), "info", "exclude"), around[0], None) if around else None
    for parent in around:
        if rules is not None and parent != around[0] and rules.ignores(parent, is_folder=True):
            rules = None
        if parent != folder:
            rules = with_ignore_file(rules, parent)
    inner = with_ignore_file(rules, folder)
    return rules if inner is not None and inner is not rules and inner.hides_its_folder else inner


def _repository_folders(folder: str) -> list[str]:
    """Return the folders from the top of the Git repository down to `folder`; an empty list outside a repository."""
    parents = [folder, *map(str, Path(folder).parents)]
    for depth, parent in enumerate(parents):
        if is_there(Path(parent, ".git")):
            return parents[depth::-1]
    return []


def _common_folder(top: str) -> Path:
    """Return the folder that all working trees of a repository share: `.git`, or the one that a file `.git` leads to.

    `.git` is a file in a linked working tree and in a submodule.
    """
    git = Path(top, ".git")
    if git.is_dir():
        return git
    told = _line(git).removeprefix("gitdir: ")
    own = git.parent / told
    shared = _line(own / "commondir")
    return own / shared


def _line(file: Path) -> str:
    """Return the path that is the contents of one of Git's files; an empty string where it can't be read."""
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n") if file.is_file() else ""
    except OSError:
        return ""


def _read(ignore_file: Path, folder: str, outer: IgnoreRules | None) -> IgnoreRules | None:
    try:
        if not ignore_file.is_file():  # a pipe would never end
            return outer
        lines = ignore_file.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines()
    except OSError:
        return outer
    return IgnoreRules(folder, compiled(lines), outer)
