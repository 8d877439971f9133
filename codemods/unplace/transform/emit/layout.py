"""Layout of new statements in the place of an old one: indentation, line ends, semicolons and comments stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.wrapping import wrapped

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANK = " \t\f\r\n\\"


def replace_statement(text: Text, statement: ast.stmt, lines: list[str], after: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that put `lines` in the place of a statement, and `after` behind it.

    On a line of its own each statement gets its own line and a comment stays with the last of `lines`; in a one-line
    suite or between semicolons they are joined by semicolons.
    """
    start, end = text.span(statement)
    indent = text.indentation(start)
    separator = text.newline + indent if indent is not None else "; "
    line_end = text.line_end(end)
    if indent is not None:
        rest_of_line = text.text[end:line_end].rstrip()
        *first, last = lines
        lines = [*(wrapped(text, line, indent) for line in first), wrapped(text, last, indent, rest_of_line)]
    edits = [Edit(start, end, separator.join(lines))]
    if not after:
        return tuple(edits)
    rest = text.text[end:line_end].strip()
    if indent is not None and (not rest or rest.startswith("#")):
        edits.append(Edit(line_end, line_end, "".join(separator + line for line in after)))
    else:
        edits[0] = Edit(start, end, separator.join(lines) + "".join(f"; {line}" for line in after))
    return tuple(edits)


def declared(text: Text, function: ast.FunctionDef, word: str, name: str) -> Edit:
    """Return the edit that puts `nonlocal name` or `global name` at the start of a function, after its docstring."""
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
    return put_before(text, function.body[1] if is_docstring else first, [f"{word} {name}"])


def put_before(text: Text, statement: ast.stmt, lines: list[str]) -> Edit:
    """Return the edit that puts lines before a statement, or before it in its line if the line starts otherwise."""
    start, _ = text.span(statement)
    indent = text.indentation(start)
    separator = text.newline + indent if indent is not None else "; "
    return Edit(start, start, "".join(line + separator for line in lines))


def put_behind(text: Text, statement: ast.stmt, line: str) -> Edit:
    """Return the edit that inserts a line after a statement that ends its lines, at the same indentation."""
    start, _ = text.span(statement)
    indent = text.indentation(start)
    place = _next_line(text, statement)
    assert place is not None
    assert indent is not None
    while (comment := re.match(rf"{indent}[ \t]+#[^\r\n]*(?:\r\n|\r|\n)", text.text[place:])) is not None:
        place += comment.end()  # the comment belongs to the block above
    return Edit(place, place, f"{indent}{line}{text.newline}")


def ends_line(text: Text, statement: ast.stmt) -> bool:
    """Tell whether a statement has its lines to itself."""
    start, end = text.span(statement)
    rest = text.text[end : text.line_end(end)].strip()
    is_alone = text.indentation(start) is not None and (not rest or rest.startswith("#"))
    return is_alone and _next_line(text, statement) is not None


def _next_line(text: Text, statement: ast.stmt) -> int | None:
    """Return the offset of the line after a statement; None at the end of a file without a final newline."""
    end = text.line_end(text.span(statement)[1])
    found = _LINE_END.match(text.text, end)
    return found.end() if found is not None else None


def standing_alone(code: str) -> str:
    """Return an expression fit for another place: in parentheses if it spans lines without brackets of its own."""
    if "\n" not in code and "\r" not in code:
        return code
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return f"({code})"
    return code


def without_parentheses(code: str) -> str | None:
    """Return the code inside the parentheses around a whole expression; None if there are none, as in `(a * b), c`."""
    inner = code[1:-1]
    if not (code.startswith("(") and code.endswith(")")):
        return None
    try:
        ast.parse(f"[{inner}\n]", mode="eval")  # in brackets, those of `(a), (b)` don't match
    except SyntaxError:
        return None
    return inner


def header_of(text: Text, loop: ast.For) -> tuple[int, int] | None:
    """Return the span of `row in (y)`, with all parentheses; None where a comment stands between their parts."""
    (first, last), (start, end) = _enclosed(text, loop.target), _enclosed(text, loop.iter)
    gaps = ((text.span(loop)[0], first), (last, start), (end, text.span(loop.body[0])[0]))
    between = [text.text[a:b].strip(_BLANK) for a, b in gaps]
    return (first, end) if between[:2] == ["for", "in"] and between[2].startswith(":") else None


def _enclosed(text: Text, node: ast.expr) -> tuple[int, int]:
    """Return the span of a part of a header with the parentheses around it."""
    start, end = text.span(node)
    while True:
        before, after = text.text[:start].rstrip(_BLANK), text.text[end:].lstrip(_BLANK)
        if not (before.endswith("(") and after.startswith(")")):
            return start, end
        start, end = len(before) - 1, len(text.text) - len(after) + 1


def new_name(taken: set[str], wanted: str = "value") -> str:
    """Return a name that isn't taken yet: `value`, `value_2`, ..."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def new_index(taken: set[str]) -> str:
    """Return the name of an index that isn't taken yet: `i`, `j`, ..."""
    return next((letter for letter in "ijkn" if letter not in taken), None) or new_name(taken, "i")
