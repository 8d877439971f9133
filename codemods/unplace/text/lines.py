"""Moves statements with the whole lines that they take."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import Text


def whole_lines(text: Text, statements: Sequence[ast.stmt], block: Sequence[ast.stmt]) -> tuple[int, int] | None:
    """Return the first and last line of statements in a row, with comments above; None where others share them.

    `block` has the statements among which they stand.
    """
    first, last = statements[0], statements[-1]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    start, end = min([first.lineno, *(d.lineno for d in decorators)]), last.end_lineno or last.lineno
    others = [s for s in block if s not in statements]
    if any(s.lineno <= end and (s.end_lineno or 0) >= start for s in others) or not begins_its_line(text, first):
        return None
    while start > 1 and text.line(start - 1).strip().startswith("#"):
        start -= 1
    return start, end


def begins_its_line(text: Text, statement: ast.stmt) -> bool:
    """Tell whether only white space stands before a statement in its line."""
    start = text.span(statement)[0]
    return not text.text[text.offset(statement.lineno, 0) : start].strip()


def moved(text: Text, lines: tuple[int, int], before: int, inside: Sequence[Edit] = ()) -> tuple[Edit, Edit]:
    """Return the edits that move lines in front of another one, with edits inside of them.

    Empty lines that set them apart from what they pass stay between the two.
    """
    first, last = lines
    apart = first
    while before < apart - 1 and not text.line(apart - 1).strip():
        apart -= 1
    start, end = text.starts[first - 1], text.end_of(last)
    own = (Edit(edit.start - start, edit.end - start, edit.replacement) for edit in inside)
    taken = apply_edits(text.text[start:end], own).rstrip("\r\n") + text.newline
    between = text.text[text.starts[apart - 1] : start]
    target = text.end_of(before - 1) if before > 1 else 0
    is_open = target > 0 and not text.text[:target].endswith(("\n", "\r"))
    removed = Edit(text.starts[apart - 1], end, "")
    return removed, Edit(target, target, text.newline * is_open + taken + between)
