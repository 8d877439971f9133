"""Which lines of the files have changed since a revision: what `--since` looks at."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from unplace.discovery import shown
from unplace.rewriter import LineRanges

_HUNK = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_SETTINGS = ("-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_DIFF = (
    "--unified=0",
    "--inter-hunk-context=0",
    "--text",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_ALL: LineRanges = ((1, 2**31),)


class BaselineError(Exception):
    """Why the changed lines can't be told."""


def changed_lines(revision: str, files: Iterable[str]) -> dict[str, LineRanges]:
    """The changed lines of those files that have some, by their paths as shown; a file that Git doesn't know is new.

    `files` are absolute paths; raises `BaselineError` where Git doesn't know the revision, or a file is in no
    repository.
    """
    found: dict[str, LineRanges] = {}
    for top, members in _by_repository(files).items():
        # The tree is that of the revision itself and not of its merge base, as in `git diff REV`.
        revised = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}").strip()
        if not revised:
            raise BaselineError(f"Git knows no revision {revision} in {top}; write a branch, tag or commit")
        changed = dict(_changes(_git(top, *_without_filters(top), "diff", *_DIFF, os.fsdecode(revised), "--")))
        untracked = set(_git(top, "ls-files", "--others", "-z").split(b"\0"))
        for path, name in members:
            if name in untracked:
                found[shown(path)] = _ALL
            elif name in changed:
                found[shown(path)] = changed[name]
    return found


def _by_repository(files: Iterable[str]) -> dict[str, list[tuple[str, bytes]]]:
    """The files by the top folder of their repository, each with its name there."""
    tops: dict[str, str] = {}
    members: dict[str, list[tuple[str, bytes]]] = {}
    for path in files:
        folder = os.path.realpath(Path(path).parent)
        if folder not in tops:
            tops[folder] = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))
        if not tops[folder]:
            raise BaselineError(f"{shown(path)} is in no Git repository, so --since says nothing of it")
        name = Path(folder, Path(path).name).relative_to(tops[folder]).as_posix()
        members.setdefault(tops[folder], []).append((path, os.fsencode(name)))
    return members


def _without_filters(top: str) -> Iterator[str]:
    """The options that have Git run no filter which the repository's own configuration defines."""
    names = _git(top, "config", "--local", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.")
    for name in filter(None, os.fsdecode(names).split("\0")):
        yield from ("-c", f"{name}={'false' if name.endswith('.required') else ''}")


def _git(folder: str, *arguments: str) -> bytes:
    """The output of a Git command; nothing where it fails.

    The repository may be a stranger's: no hooks, no monitor of the file system, no index written.
    """
    command = ["git", "--no-optional-locks", "-C", folder, *_SETTINGS, *arguments]
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    except FileNotFoundError:
        raise BaselineError("--since needs Git, which isn't installed") from None


def _changes(diff: bytes) -> Iterator[tuple[bytes, LineRanges]]:
    """The names and changed lines that a diff without context tells of."""
    name, ranges = b"", list[tuple[int, int]]()
    for line in diff.split(b"\n"):
        if line.startswith(b"diff --git "):
            if name:
                yield name, tuple(ranges)
            name, ranges = b"", []
        elif line.startswith(b"+++ ") and not name:
            name = _unquoted(line[4:].rstrip(b"\t")).removeprefix(b"b/")
        elif (match := _HUNK.match(line)) is not None:
            first, count = int(match[1]), int(match[2] or 1)
            if count:
                ranges.append((first, first + count - 1))
    if name:
        yield name, tuple(ranges)


def _unquoted(name: bytes) -> bytes:
    """A name as it is, of one that Git has put in quotes because of a quote or control character."""
    if not name.startswith(b'"'):
        return name
    return name[1:-1].decode("unicode_escape").encode("latin-1")
