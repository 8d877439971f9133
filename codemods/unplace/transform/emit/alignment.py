"""Alignment of continuation lines: those that stand under what follows a bracket stay there when the bracket moves.

return out.scatter_(0, index,               return out.scatter(0, index,
                    values)                                    values)
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterator
from io import StringIO

_Bracket = tuple[int, int]


def realigned(old: str, new: str, old_column: int, new_column: int) -> str:
    """Return the new text of some code with the lines aligned that were so in the old one.

    The columns are those at which the texts begin. Where lines were joined or added, nothing is known to be aligned.
    """
    is_plain = "\t" not in new and "\\\n" not in new and new.count("\n") == old.count("\n")
    if "\n" not in new or not is_plain:
        return new
    try:
        opened = list(zip(_opened(old), _opened(new), strict=True))
    except (tokenize.TokenError, IndentationError, SyntaxError, ValueError):
        return new
    lines, before = new.split("\n"), old.split("\n")
    shifts = [new_column - old_column]
    for number, (was, now) in enumerate(opened[1:], 1):
        shift = 0
        if was is not None and now is not None and lines[number].strip():
            column = was[1] + (old_column if was[0] == 0 else 0)
            is_aligned = _indent(before[number]) == column + 1
            moved = now[1] + (new_column if now[0] == 0 else shifts[now[0]])
            inherited = shifts[now[0]] if now[0] else 0
            shift = moved + 1 - _indent(lines[number]) if is_aligned else inherited
        shifts.append(max(shift, -_indent(lines[number])))
    return "\n".join([lines[0], *(_shifted(line, shift) for line, shift in zip(lines[1:], shifts[1:], strict=True))])


def _opened(code: str) -> Iterator[_Bracket | None]:
    """Iterate over the innermost brackets that are open where the lines of some code begin; None inside strings."""
    lines = code.count("\n") + 1
    found: list[_Bracket | None] = [None] * lines
    stack: list[_Bracket] = []
    inside: set[int] = set()
    reached = 0
    for token in tokenize.generate_tokens(StringIO(f"({code}\n)").readline):
        line = token.start[0] - 1
        for number in range(reached + 1, min(line, lines - 1) + 1):
            found[number] = stack[-1] if len(stack) > 1 else None
        reached = max(reached, line)
        inside.update(range(token.start[0], token.end[0] if token.type != tokenize.NEWLINE else 0))
        if token.type == tokenize.OP and token.string in "([{":
            stack.append((line, token.start[1] - (1 if line == 0 else 0)))
        elif token.type == tokenize.OP and token.string in ")]}" and stack:
            stack.pop()
    yield from (None if number in inside else bracket for number, bracket in enumerate(found))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _shifted(line: str, shift: int) -> str:
    return " " * shift + line if shift >= 0 else line[-shift:]
