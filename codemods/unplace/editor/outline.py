"""Outlines the functions and classes of a text, and moves findings to their lines after an edit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from unplace.diagnostics.findings import Finding, Problem
from unplace.diagnostics.reasons import Line
from unplace.text.positions import LineRanges, with_plain_line_ends
from unplace.text.trees import parsed

_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_START = re.compile(r"@|(?:async )?def |class ")
_TRIES = 5
_LONG = 300
"""The lines of a class that is taken apart."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a module's top-level functions and classes, and of its other top-level statements.

    `parts` are the units with long classes taken apart: the functions and short classes in them.
    """

    units: LineRanges
    others: LineRanges
    parts: LineRanges

    @classmethod
    def of(cls, tree: ast.Module) -> Outline:
        """Return the outline of a tree."""
        units = tuple(_lines(s) for s in tree.body if isinstance(s, _UNITS))
        return cls(units, tuple(_lines(s) for s in tree.body if not isinstance(s, _UNITS)), tuple(_parts(tree.body)))

    def portions(self, least: int) -> Iterator[LineRanges]:
        """Yield the lines of the parts in turn, some together where they are short."""
        portion: list[tuple[int, int]] = []
        for part in self.parts:
            portion.append(part)
            if part[1] - portion[0][0] >= least:
                yield tuple(portion)
                portion = []
        if portion:
            yield tuple(portion)

    def around(self, line: int) -> LineRanges | None:
        """Return the lines of the top-level function or class that contains a line, or None."""
        return _meeting(self.units, line, line) or None


def head(text: str, most: int) -> str | None:
    """Return the first lines of a module up to a function or class, at most so many; None where none can be parsed."""
    lines = text.split("\n", most)[:most]
    starts = [number for number, line in enumerate(lines) if number and _START.match(line)]
    for number in reversed(starts[-_TRIES:]):
        start = "".join(f"{line}\n" for line in lines[:number])
        with suppress(SyntaxError):  # inside of a text, or behind a decorator
            parsed(start)
            return start
    return None


@dataclass(frozen=True, slots=True)
class Edited:
    """The difference between two versions of a text: lines `first` to `old_end` became lines `first` to `new_end`.

    Lines count from 1; the ends are exclusive.
    """

    first: int
    old_end: int
    new_end: int

    @classmethod
    def between(cls, old: str, new: str) -> Edited:
        """Return the difference between two texts."""
        before, after = (with_plain_line_ends(text).split("\n") for text in (old, new))
        least = min(len(before), len(after))
        start = next((i for i in range(least) if before[i] != after[i]), least)
        same = next((i for i in range(least - start) if before[-1 - i] != after[-1 - i]), least - start)
        return cls(start + 1, len(before) - same + 1, len(after) - same + 1)

    def units(self, old: Outline, new: Outline) -> LineRanges | None:
        """Return the functions and classes of the new text that were edited; None where other code was edited, too."""
        if _meeting(old.others, self.first, self.old_end - 1) or _meeting(new.others, self.first, self.new_end - 1):
            return None
        return _meeting(new.units, self.first - 1, self.new_end)  # where lines were deleted, the units beside them

    def moved(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings outside the edited lines of the old text, at their lines in the new text."""
        return [
            replace(
                finding.moved(lambda line: Line(self._line(line.number))),
                line=self._line(finding.line),
                end_line=self._line(finding.end_line),
            )
            for finding in findings
            if finding.end_line < self.first or finding.line >= self.old_end
        ]

    def moved_problems(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems outside the edited lines of the old text, at their lines in the new text."""
        return [
            replace(problem, line=self._line(problem.line))
            for problem in problems
            if problem.line is not None and not self.first <= problem.line < self.old_end
        ]

    def _line(self, line: int) -> int:
        return line if line < self.first else max(line - self.old_end + self.new_end, self.first)


def _parts(body: Iterable[ast.stmt]) -> Iterator[tuple[int, int]]:
    for statement in body:
        if isinstance(statement, _UNITS):
            first, last = _lines(statement)
            if isinstance(statement, ast.ClassDef) and last - first > _LONG:
                yield from _parts(statement.body)
            else:
                yield first, last


def _lines(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    assert statement.end_lineno is not None
    return min([statement.lineno, *(d.lineno for d in decorators)]), statement.end_lineno


def _meeting(ranges: LineRanges, first: int, last: int) -> LineRanges:
    return tuple((start, end) for start, end in ranges if start <= last and first <= end)
