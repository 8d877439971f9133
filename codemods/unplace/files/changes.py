"""The lines of files that have changed since a revision, for `--since`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from unplace.diagnostics.findings import Problem
from unplace.files.discovery import shown
from unplace.files.git import GitError, NoGitError, ask, git
from unplace.text.positions import LineRanges

_HUNK = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_CR = re.compile(rb"\r(?!\n)")
_DIFF = (
    "--unified=0",
    "--inter-hunk-context=0",
    "--text",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    "--ignore-submodules",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_ALL: LineRanges = ((1, 2**31),)


class BaselineError(Exception):
    """Raised where the changed lines of no file can be told."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed lines of the files that have some, by their paths as shown, and the problems with other files."""

    lines: Mapping[str, LineRanges]
    problems: tuple[Problem, ...]


def changed_lines(revision: str, files: Iterable[str]) -> Changes:
    """Return the lines that have changed since the merge base of a revision and `HEAD`.

    All lines of a file that Git doesn't know count as changed. `files` are absolute paths. Raises `BaselineError`
    where nothing can be told of any of them.
    """
    found: dict[str, LineRanges] = {}
    try:
        repositories, problems = _by_repository(files)
        failed = 0
        for top, members in repositories.items():
            where = shown(top)
            try:
                found.update(_changed_in(top, _base(top, revision), members))
            except GitError as error:
                problems.append(Problem(where, str(error)))
                failed += 1
    except NoGitError:
        raise BaselineError("--since needs Git, which isn't installed") from None
    if problems and failed == len(repositories):
        raise BaselineError("\n".join(map(str, problems)))
    return Changes(found, tuple(problems))


def _by_repository(files: Iterable[str]) -> tuple[dict[str, list[tuple[str, bytes]]], list[Problem]]:
    """Group files by the top folder of their repository, each with its name there; return problems for the others."""
    tops: dict[str, str] = {}
    members: dict[str, list[tuple[str, bytes]]] = {}
    outside: dict[str, list[str]] = {}
    for path in files:
        folder = os.path.realpath(Path(path).parent)
        try:
            if folder not in tops:
                tops[folder] = os.fsdecode(git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))
        except GitError as error:
            outside.setdefault(str(error), []).append(path)
            continue
        name = Path(folder, Path(path).name).relative_to(tops[folder]).as_posix()
        members.setdefault(tops[folder], []).append((path, os.fsencode(name)))
    return members, [_problem(reason, paths) for reason, paths in outside.items()]


def _problem(complaint: str, paths: list[str]) -> Problem:
    """Return the problem that Git complains about for these files."""
    if "not a git repository (or any" in complaint:
        others = f", nor of {len(paths) - 1} more" if len(paths) > 1 else ""
        complaint = f"in no Git repository, so --since says nothing of it{others}; leave it out"
    return Problem(shown(paths[0]), complaint)


def _base(top: str, revision: str) -> str | None:
    """Return the commit or tree to compare a repository with; None for a submodule that wasn't there at the time."""
    outer = ask(top, "rev-parse", "--show-superproject-working-tree")
    if outer:
        base = _base(outer, revision)
        recorded = None if base is None else _recorded(outer, base, Path(top).relative_to(outer).as_posix())
        if recorded is not None and not ask(top, "rev-parse", "--verify", "--quiet", f"{recorded}^{{commit}}"):
            there = f"as of {revision}, this submodule was at {recorded[:12]}, which it doesn't have"
            raise GitError(f"{there}; run `git fetch` in it, or name a later revision")
        return recorded
    commit = ask(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit:  # without a common ancestor, as in a shallow clone, it is the revision itself
        return ask(top, "merge-base", commit, "HEAD") or commit
    tree = ask(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    if not tree:
        raise GitError(f"Git knows no revision {revision} here; write a branch, tag or commit")
    return tree


def _recorded(top: str, base: str, path: str) -> str | None:
    """Return the commit that a commit or tree records for the submodule at a path; None where it has none there."""
    entry = git(top, "--literal-pathspecs", "ls-tree", "-z", "--full-tree", base, path).split()
    return os.fsdecode(entry[2]) if entry[1:2] == [b"commit"] else None


def _changed_in(top: str, base: str | None, members: list[tuple[str, bytes]]) -> Iterator[tuple[str, LineRanges]]:
    """Yield the files of a repository that have changed lines, as shown, with those lines."""
    if base is None:
        yield from ((shown(path), _ALL) for path, _ in members)
        return
    changed = dict(_changes(git(top, *_without_filters(top), "diff", *_DIFF, base, "--")))
    untracked = set(git(top, "ls-files", "--others", "-z").split(b"\0"))
    for path, name in members:
        if name in untracked:
            yield shown(path), _ALL
        elif name in changed:
            yield shown(path), _ALL if _ends_lines_with_cr(path) else changed[name]


def _ends_lines_with_cr(path: str) -> bool:
    """Tell whether a file has lines that end with CR alone, which Git doesn't count."""
    try:
        return _CR.search(Path(path).read_bytes()) is not None
    except OSError:
        return False  # what can't be read is a problem elsewhere


def _without_filters(top: str) -> Iterator[str]:
    """Yield the options that keep Git from running the filters that the repository's own configuration defines."""
    names = ask(top, "config", "--local", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.")
    for name in filter(None, names.split("\0")):
        yield from ("-c", f"{name}={'false' if name.endswith('.required') else ''}")


def _changes(diff: bytes) -> Iterator[tuple[bytes, LineRanges]]:
    """Yield the names and changed lines of the files in a diff without context."""
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
    """Return a file's name without the quotes in which Git puts names with a quote or control character."""
    if not name.startswith(b'"'):
        return name
    return name[1:-1].decode("unicode_escape").encode("latin-1")
