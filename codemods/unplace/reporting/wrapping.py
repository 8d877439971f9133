"""Fits lines to the width of a terminal: text is broken at blanks, code is cut around the place that matters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from unplace.reporting.styled import Span

_PIECE = re.compile(r"[^ ]+| +")
_CUT = "..."
_Word = tuple[str, list[Span]]
"""The blanks before a word, and its parts, which may be of several styles."""

INDENT = 4
"""The indentation of lines that continue others."""


def cells(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(line: Sequence[Span], width: int | None, indent: int) -> Iterator[list[Span]]:
    """Yield a line as lines of at most `width` columns; those after the first are indented.

    A word that is longer than a line stays whole, so that paths can be clicked and names can be found. Code between
    backticks stays whole where it fits into a line. Without a width, the line stays as it is.
    """
    if width is None or sum(cells(text) for text, _ in line) <= width:
        yield list(line)
        return
    current: list[Span] = []
    used = 0
    for blanks, word in _with_whole_code(_words(line), width - indent):
        size = sum(cells(text) for text, _ in word)
        if blanks and used > indent and used + len(blanks) + size > width:
            yield current
            current, used = [(" " * indent, "")], indent
            blanks = ""
        current += [(blanks, ""), *word] if blanks else word
        used += len(blanks) + size
    yield current


def _with_whole_code(words: Iterable[_Word], room: int) -> Iterator[_Word]:
    """Yield words, those between two backticks as one if they fit into `room` columns."""
    code: list[_Word] = []
    ticks = 0
    for word in words:
        code.append(word)
        ticks += sum(text.count("`") for text, _ in word[1])
        if ticks % 2:
            continue
        joined = [span for blanks, spans in code for span in ((blanks, ""), *spans)][1:]
        if sum(cells(text) for text, _ in joined) <= room:
            yield code[0][0], joined
        else:
            yield from code
        code.clear()
    yield from code


def _words(line: Sequence[Span]) -> Iterator[_Word]:
    """Yield the words of a line, each with the blanks before it; a word may be of several styles."""
    blanks, word = "", list[Span]()
    for text, style in line:
        for piece in _PIECE.findall(text):
            if not piece.startswith(" "):
                word.append((piece, style))
                continue
            if word:
                yield blanks, word
                blanks, word = "", []
            blanks += piece
    if word:
        yield blanks, word


def cut(code: str, start: int, end: int, width: int | None) -> tuple[str, int, int]:
    """Return a line of code cut to `width` columns, and where the part from `start` to `end` stands in it."""
    if width is None or cells(code) <= width:
        return code, start, end
    room = max(width - 2 * len(_CUT), 8)
    first = 0 if end <= room else max(0, min(start, end - room) if end - start <= room else start)
    before = _CUT if first else ""
    last = first
    while last < len(code) and cells(code[first : last + 1]) <= width - len(before) - len(_CUT):
        last += 1
    after = _CUT if last < len(code) else ""
    moved = len(before) - first
    return before + code[first:last] + after, start + moved, min(end, last) + moved
