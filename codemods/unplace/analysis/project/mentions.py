"""Finds the files of a run that contain a name, judged by their bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

Query = tuple[tuple[str, ...], tuple[str, ...]]
"""Names that a file has to contain, all of them, and patterns of which it has to match one, if there are any."""

_MIXING = re.compile(rb"\bclass\s+\w+\s*\([^:]*,")
_WORD = re.compile(rb"\w+")

Asked = tuple[Query, str]
"""A query, and the file that asks about the others."""


def deriving(base: str) -> tuple[str, str]:
    """Return the patterns of a class whose bases contain a name, and of another name for it, each with a group."""
    return rf"\bclass\s+(\w+)\s*\([^:]*\b{base}\b", rf"\b{base}\s+as\s+(\w+)"


def defining(method: str) -> str:
    """Return the pattern of the definition of a method."""
    return rf"[\r\n][ \t\f]+(?:async\s+)?def\s+{method}\b"


class Mentions:
    """The names in the files of a run; the files are read at the first query."""

    def __init__(self, files: Iterable[str], changed: Mapping[str, bytes] | None = None) -> None:
        """Start with the absolute paths of the files; `changed` has the bytes of those that aren't as on disk."""
        self._files = files
        self._changed = changed or {}
        self._holding: dict[str, frozenset[str]] = {}
        self._answers: dict[Query, tuple[str, ...]] = {}
        self._mixing: dict[str, bool] = {}  # which files have classes of several bases

    def are_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether any other file contains a name, in whatever meaning."""
        return not name.isascii() or not self._of(name) <= {path}

    def others_with(self, query: Query, path: str) -> tuple[str, ...]:
        """Return the other files that contain some names, and match at least one of some patterns."""
        return tuple(found for found in self._matching(query) if found != path)

    def derived_in(self, path: str, base: str) -> list[str]:
        """Return the names of the classes of a file whose lists of bases contain a name, and its other names there."""
        return [name.decode() for form in deriving(base) for name in re.findall(form.encode(), self.contents[path])]

    def may_override(self, path: str, method: str) -> bool:
        """Tell whether a class of a file may have its own method, or have it from another base."""
        if not method.isascii() or path in self._of(method):
            return True
        found = self._mixing.get(path)
        if found is None:
            found = self._mixing[path] = _MIXING.search(self.contents[path]) is not None
        return found

    def _matching(self, query: Query) -> tuple[str, ...]:
        """Return the files that contain some names, and match at least one of some patterns."""
        found = self._answers.get(query)
        if found is None:
            names, patterns = query
            wanted = re.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode(errors="surrogateescape"))
            holding = frozenset.intersection(*map(self._of, names)) if all(map(str.isascii, names)) else ()
            found = self._answers[query] = tuple(sorted(f for f in holding if wanted.search(self.contents[f])))
        return found

    def _of(self, name: str) -> frozenset[str]:
        found = self._holding.get(name)
        if found is None:
            found = self._holding[name] = frozenset(self._by_word.get(name.encode(), ()))
        return found

    @cached_property
    def _by_word(self) -> Mapping[bytes, Sequence[str]]:
        """The files that contain each word: a run asks for hundreds, and reading all files for each costs more."""
        found: dict[bytes, list[str]] = {}
        for path, data in self.contents.items():
            for word in set(_WORD.findall(data)):
                found.setdefault(word, []).append(path)
        return found

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """The bytes of each readable file, by path."""
        found: dict[str, bytes] = {}
        for path in self._files:
            try:
                found[path] = self._changed[path] if path in self._changed else Path(path).read_bytes()
            except OSError:  # noqa: PERF203 - reported when it is that file's turn
                continue
        return found
