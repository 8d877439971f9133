"""Lines that would be longer than those of the file: the arguments of their last call get a line of their own.

output = output.scatter_add(
    2, upper.unsqueeze(-1), values
)
"""

from __future__ import annotations

import tokenize
from io import StringIO

from unplace.text.positions import Text

_LIMITS = (79, 80, 88, 90, 99, 100, 110, 119, 120)
_LAX = 88
"""The least limit that a file may have whose longest line shows none."""


def wrapped(text: Text, line: str, indent: str, comment: str = "") -> str:
    """Return a line as it is, or as three if it is too long with the comment behind it, and shorter then."""
    length = len(indent) + len(line) + len(comment)
    limit = limit_of(text) if length > _LIMITS[0] and "\n" not in line else None
    if limit is None or length <= limit:
        return line
    opening = _last_bracket(line)
    inside = line[opening + 1 : -1] if opening is not None else ""
    step = "\t" if indent.endswith("\t") else "    "
    if not inside.strip() or len(indent + step + inside) > limit:
        return line
    return text.newline.join((line[: len(line) - len(inside) - 1], indent + step + inside, indent + line[-1]))


def limit_of(text: Text) -> int | None:
    """Return the usual length of lines that a file keeps to; None if it has longer ones than any."""
    longest = max(map(len, text.text.splitlines()), default=0)
    fitting = (limit for limit in _LIMITS if longest <= limit)
    return next((limit for limit in fitting if limit >= _LAX or limit - longest < 5), None)


def _last_bracket(line: str) -> int | None:
    """Return the column of the bracket that the end of a line closes, if one ends there."""
    stack: list[int] = []
    last: int | None = None
    try:
        for token in tokenize.generate_tokens(StringIO(line).readline):
            if token.type == tokenize.OP and token.string in "([{":
                stack.append(token.start[1])
            elif token.type == tokenize.OP and token.string in ")]}" and stack:
                opening = stack.pop()
                last = opening if token.end[1] == len(line) else None
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    return last
