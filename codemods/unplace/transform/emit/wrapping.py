"""Lines that would be longer than those of the file are broken at their last call, or else behind `=` or `return`.

output = output.scatter_add(            total = (                                  scores = scores.masked_fill(
    2, upper.unsqueeze(-1), values          total + torch.ones_like(total) * n         scores == low, 0)
)                                       )

The last form is that of files whose other brackets are closed so. Where what stands in the brackets fills a line, each
of its elements gets one.
"""

from __future__ import annotations

import ast
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import StringIO
from keyword import iskeyword
from math import inf

from unplace.analysis.syntax.nodes import children
from unplace.text.positions import Text
from unplace.text.trees import parsed

_LIMITS = (79, 80, 88, 90, 99, 100, 110, 119, 120)
SHORT = _LIMITS[0]
"""Lines up to this length are never broken."""

_LAX = 88
"""The least limit that a file may have whose longest line shows none."""

_NEAR = 5
"""A line shows a limit if it is shorter by fewer characters."""

_SOME = 3
"""So many lines show a limit below that of most formatters."""

_BREAKS = (tokenize.TokenError, IndentationError, SyntaxError)


def wrapped(text: Text, line: str, indent: str, comment: str = "") -> str:
    """Return a line as it is, or as several if it is too long with the comment behind it, and shorter then.

    The comment counts only in files with lines of the usual length: in others that is a guess. And no value is put into
    brackets because of it.
    """
    length = len(indent) + len(line)
    limit = limit_of(text) if length + len(comment) > SHORT and "\n" not in line else None
    if limit is None or length + len(comment) <= limit or (length <= limit and not _reaches(text, limit)):
        return line
    inner = indent + ("\t" if indent.endswith("\t") else "    ")
    for start, inside, end in _breaks(line, at_value=length > limit):
        if inside.strip() and len(inner + inside) <= limit:
            if _hugs(text) and len(inner + inside + end + comment) <= limit:
                return text.newline.join((start, inner + inside + end))
            return text.newline.join((start, inner + inside, indent + end))
    start, elements, end = next(_breaks(line, at_value=False), (line, "", ""))
    each = [f"{inner}{element}," for element in _elements(elements)]
    if len(each) < 2 or _hugs(text) or max(map(len, (start, *each))) > limit:
        return line
    return text.newline.join((start, *each, indent + end))


def limit_of(text: Text) -> int | None:
    """Return the usual length of lines that a file keeps to; None if it has longer ones than any.

    Lines that no formatter breaks don't count: those with a text, and comments. One or two lines of about 79 characters
    show no limit, because files that may have longer ones have such, too.
    """
    lengths = _lengths(text)
    longest = max(lengths, default=0)
    fitting = (limit for limit in _LIMITS if longest <= limit)
    return next((limit for limit in fitting if limit >= _LAX or _near(lengths, limit) >= _SOME), None)


def _reaches(text: Text, limit: int) -> bool:
    """Tell whether a line of a file is about as long as its limit lets it be."""
    return _near(_lengths(text), limit) > 0


def _near(lengths: Sequence[int], limit: int) -> int:
    """Return how many lines are about as long as a limit lets them be."""
    return sum(limit - length < _NEAR for length in lengths)


@lru_cache(maxsize=4)
def _lengths(text: Text) -> Sequence[int]:
    """Return the lengths of the lines without a text that aren't comments and come near a limit."""
    lines = {number: text.line(number) for number in range(1, text.line_count + 1)}
    near = [number for number, line in lines.items() if len(line) > SHORT - _NEAR]
    with_text = set(_with_text(parsed(text.text), near))
    code = (lines[number] for number in near if number not in with_text)
    return [len(line) for line in code if not line.lstrip().startswith("#")]


def _with_text(node: ast.AST, lines: list[int]) -> Iterator[int]:
    """Iterate over those of some lines, in their order, in which a text below a node stands, or a piece of one."""
    for below in children(node):
        first = bisect_left(lines, getattr(below, "lineno", 0))
        here = lines[first : bisect_right(lines, getattr(below, "end_lineno", inf))]
        if here:
            yield from here if _is_text(below) else _with_text(below, here)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _breaks(line: str, *, at_value: bool) -> Iterator[tuple[str, str, str]]:
    """Iterate over the ways to break a line: what stands before a bracket, in it and behind; the best comes first.

    With `at_value`, the whole value may be put into brackets.
    """
    try:
        tokens = list(tokenize.generate_tokens(StringIO(line).readline))
    except _BREAKS:
        return
    for opening, closing in _brackets(tokens):
        if closing.end[1] == len(line):
            yield line[: opening.end[1]], line[opening.end[1] : closing.start[1]], closing.string
    head = _head(tokens) if at_value else None
    if head is not None:
        yield f"{line[:head]} (", line[head:].lstrip(), ")"


def _elements(code: str) -> Iterator[str]:
    """Iterate over the parts of a line between the commas that stand in no brackets; all of a comprehension is one."""
    depth = first = 0
    tokens = list(tokenize.generate_tokens(StringIO(code).readline))
    if any(token.string in ("for", "lambda") for token in tokens):
        tokens = []
    for token in tokens:
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
        if token.string == "," and depth == 0:
            yield code[first : token.start[1]].strip()
            first = token.end[1]
    yield from filter(None, [code[first:].strip()])


def _head(tokens: list[tokenize.TokenInfo]) -> int | None:
    """Return the column behind the `=` or the `return` before the value of a statement."""
    depth, found = 0, None
    for token in tokens:
        if token.string == "lambda":
            break
        if token.string == "return" or (token.string == "=" and depth == 0):
            found = token.end[1]
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
    return found


_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def _brackets(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[tokenize.TokenInfo, tokenize.TokenInfo]]:
    """Iterate over the pairs of brackets, but for those of indices, in which nobody breaks a line."""
    stack: list[tuple[tokenize.TokenInfo, bool]] = []
    before: tokenize.TokenInfo | None = None
    for token in tokens:
        if token.type == tokenize.OP and token.string in _OPENING:
            is_index = token.string == "[" and before is not None and _ends_value(before)
            stack.append((token, is_index))
        elif token.type == tokenize.OP and token.string in _CLOSING and stack:
            opening, is_index = stack.pop()
            if not is_index:
                yield opening, token
        before = token


def _ends_value(token: tokenize.TokenInfo) -> bool:
    """Tell whether an expression may end with a token, so that a bracket behind it begins an index."""
    return token.string in _CLOSING or (token.type == tokenize.NAME and not iskeyword(token.string))


@lru_cache(maxsize=4)
def _hugs(text: Text) -> bool:
    """Tell whether most calls of a file that span lines are closed behind their last argument, not below it."""
    ends = [(call.end_lineno or 0, call.end_col_offset or 0) for call in _spanning_calls(parsed(text.text))]
    hugging = [line for line, column in ends if text.line(line).encode()[: column - 1].strip()]
    return 2 * len(hugging) > len(ends)


def _spanning_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Iterate over the calls below a node that span lines."""
    for below in children(node):
        if getattr(below, "end_lineno", inf) != getattr(below, "lineno", 0):
            yield from [below] if isinstance(below, ast.Call) else []
            yield from _spanning_calls(below)
