"""Keeps the last few parsed modules: the rounds over a file and the check of the result parse the same texts.

A text that differs from one of these in some statements of the module shares the trees of all others with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from unplace.text.positions import Text

_KEPT = 4
"""The number of trees kept: a file before, after most rounds, and after the last but one."""

_CONTINUES = "\\\n"


@dataclass(frozen=True, slots=True)
class Group:
    """A statement, or several that share a line, with the span of their lines."""

    statements: tuple[ast.stmt, ...]
    start: int
    end: int


@dataclass(slots=True)
class _Parsed:
    """A text with its tree, and the groups of its statements once somebody has asked for them."""

    text: str
    tree: ast.Module
    _groups: list[Group] | None = None

    @property
    def groups(self) -> list[Group]:
        """The statements of the module, those that share a line together."""
        if self._groups is None:
            self._groups = grouped(self.tree.body, Text(self.text))
        return self._groups


def parsed(text: str) -> ast.Module:
    """Return the tree of a module, which must not be changed; raise `SyntaxError` where CPython can't parse it."""
    return _trees.of(text).tree


def groups(text: str) -> list[Group]:
    """Return the statements of a module, those that share a line together, each with the lines that it covers."""
    return _trees.of(text).groups


def grouped(statements: Iterable[ast.stmt], text: Text) -> list[Group]:
    """Return statements of a text, given in its order, those that share a line together."""
    found: list[Group] = []
    for statement in statements:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        line = min([statement.lineno, *(d.lineno for d in decorators)])
        own = Group((statement,), text.starts[line - 1], text.end_of(statement.end_lineno or line))
        if found and own.start < found[-1].end:
            first = found.pop()
            own = Group((*first.statements, statement), first.start, own.end)
        found.append(own)
    return found


class _Trees:
    """The trees of the last few texts, the latest last; the threads of the server share them."""

    def __init__(self) -> None:
        self._kept: dict[str, _Parsed] = {}
        self._lock = Lock()

    def of(self, text: str) -> _Parsed:
        """Return a text with its tree, which is made of those of an earlier text as far as both agree."""
        with self._lock:
            found = self._kept.pop(text, None)
            if found is None:
                found = _Parsed(text, self._reparsed(text) or ast.parse(text))
            self._kept[text] = found
            while len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
            return found

    def _reparsed(self, text: str) -> ast.Module | None:
        """Return the tree of a text of which only the changed statements are parsed; None where that won't do.

        Lines before and after the changed statements must be complete without them, and keep their numbers.
        """
        if "\r" in text or not self._kept:
            return None
        before = max(self._kept, key=lambda other: _common_start(other, text))
        same = _common_start(before, text)
        first, last = _outside(self._kept[before].groups, before, same, _common_end(before, text, same))
        start = first[-1].end if first else 0
        end = last[0].start if last else len(before)
        old, new = before[start:end], text[start : end + len(text) - len(before)]
        if not (first or last) or not _is_cut_well(before[:start], old, new, keeps_lines=bool(last)):
            return None
        try:
            made = ast.parse("\n" * before.count("\n", 0, start) + new)
        except SyntaxError:
            return None  # the parser's complaint is about the whole text
        kept = [[statement for group in part for statement in group.statements] for part in (first, last)]
        return ast.Module([*kept[0], *made.body, *kept[1]], type_ignores=[])


_trees = _Trees()


def _common_start(first: str, second: str) -> int:
    """Return the length of the longest text with which both begin."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(first: str, second: str, start: int) -> int:
    """Return the length of the longest text with which both end, behind their common `start`."""
    low, high = 0, min(len(first), len(second)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if first[len(first) - middle : len(first) - low] == second[len(second) - middle : len(second) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _outside(statements: Sequence[Group], text: str, start: int, end: int) -> tuple[list[Group], list[Group]]:
    """Return the statements within the first `start` characters of a text, and within the last `end` of them.

    The line ends around them are among these characters.
    """
    first = [group for group in statements if group.end <= start and text[group.end - 1] == "\n"]
    last = [group for group in statements if group.start > len(text) - end]
    return first, last


def _is_cut_well(kept: str, old: str, new: str, *, keeps_lines: bool) -> bool:
    """Tell whether what is changed begins and ends with whole lines and, if it has to, has as many as before."""
    if any(part.endswith(_CONTINUES) for part in (kept, old, new)) or "\r" in old:
        return False
    return not keeps_lines or old.count("\n") == new.count("\n")
