"""Where the functions and classes of a text are, and where what was known of it is after an edit."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from unplace.diagnostics.findings import Finding, Problem
from unplace.diagnostics.reasons import Line
from unplace.text.positions import LineRanges, with_plain_line_ends

_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a module's functions and classes at the top level, and of its other statements there."""

    units: LineRanges
    others: LineRanges

    @classmethod
    def of(cls, tree: ast.Module) -> Outline:
        """The outline of a tree."""
        units = tuple(_lines(s) for s in tree.body if isinstance(s, _UNITS))
        return cls(units, tuple(_lines(s) for s in tree.body if not isinstance(s, _UNITS)))

    def around(self, line: int) -> LineRanges | None:
        """The function or class that a line is in, or None."""
        return _meeting(self.units, line, line) or None


@dataclass(frozen=True, slots=True)
class Edited:
    """How two versions of a text differ: the lines from `first` up to `old_end` became those up to `new_end`.

    Lines count from 1; the ends are exclusive.
    """

    first: int
    old_end: int
    new_end: int

    @classmethod
    def between(cls, old: str, new: str) -> Edited:
        """What differs between two texts."""
        before, after = (with_plain_line_ends(text).split("\n") for text in (old, new))
        least = min(len(before), len(after))
        start = next((i for i in range(least) if before[i] != after[i]), least)
        same = next((i for i in range(least - start) if before[-1 - i] != after[-1 - i]), least - start)
        return cls(start + 1, len(before) - same + 1, len(after) - same + 1)

    def units(self, old: Outline, new: Outline) -> LineRanges | None:
        """The functions and classes of the new text that were edited; None where other code was."""
        if _meeting(old.others, self.first, self.old_end - 1) or _meeting(new.others, self.first, self.new_end - 1):
            return None
        return _meeting(new.units, self.first - 1, self.new_end)  # where lines are gone, those beside them

    def moved(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings of the old text that aren't in its edited lines, where they are in the new one."""
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
        """Likewise what was said about lines of the old text."""
        return [
            replace(problem, line=self._line(problem.line))
            for problem in problems
            if problem.line is not None and not self.first <= problem.line < self.old_end
        ]

    def _line(self, line: int) -> int:
        return line if line < self.first else max(line - self.old_end + self.new_end, self.first)


def _lines(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    assert statement.end_lineno is not None
    return min([statement.lineno, *(d.lineno for d in decorators)]), statement.end_lineno


def _meeting(ranges: LineRanges, first: int, last: int) -> LineRanges:
    return tuple((start, end) for start, end in ranges if start <= last and first <= end)
