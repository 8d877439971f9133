"""Converts positions: `ast` counts columns in UTF-8 bytes, editors and people in characters. No other module does."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from itertools import accumulate, count
from operator import add
from token import COMMENT, STRING, tok_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenize import TokenInfo

_SINGLE_QUOTED = re.compile(r"'[^'\"\\]*'")
_FORMATTED = {"FSTRING_START": 1, "FSTRING_END": -1}  # before Python 3.12 an f-string is one token
_LINE_END = re.compile(r"\r\n|\r|\n")

LineRanges = tuple[tuple[int, int], ...]
"""The first and last line of each range of lines, from 1, both inclusive."""


def with_plain_line_ends(text: str) -> str:
    """Return the text with `\\n` for each line end of CPython's parser, because `tokenize` knows no other."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


def tokens(text: str) -> Iterator[TokenInfo]:
    """Return the tokens of a text that can be parsed, with lines counted as CPython's parser does."""
    import tokenize  # only now: it takes a while, and most files need none

    return tokenize.generate_tokens(io.StringIO(with_plain_line_ends(text)).readline)


def _starts(text: str) -> list[int]:
    """Return the offset of each line."""
    if "\r" in text:
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    ends = accumulate(map(len, text.split("\n")[:-1]))
    return [0, *map(add, ends, count(1))]


class Text:
    """A module's source with the offsets of its lines, counted as CPython's parser does."""

    def __init__(self, text: str) -> None:
        """Take the decoded source with its own line ends."""
        self.text = text
        self.starts = _starts(text)
        self.newline = self._newline()
        self._commented: frozenset[int] | None = None
        self._prefers_double = text.count('"') > text.count("'")

    @property
    def line_count(self) -> int:
        """The number of lines; an empty one after the last line end doesn't count."""
        return len(self.starts) - (self.starts[-1] == len(self.text))

    def _newline(self) -> str:
        match = _LINE_END.search(self.text)
        return match.group() if match else "\n"

    def quoted(self, code: str) -> str:
        """Return a line of code with double quotes around its plain single-quoted strings, if the file prefers them."""
        if "'" not in code or not self._prefers_double:
            return code
        characters, formatted = list(code), 0
        for token in tokens(code):
            formatted += _FORMATTED.get(tok_name[token.type], 0)
            if token.type == STRING and not formatted and _SINGLE_QUOTED.fullmatch(token.string):
                characters[token.start[1]] = characters[token.end[1] - 1] = '"'
        return "".join(characters)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place in the terms of `ast`: line from 1, column in UTF-8 bytes from 0."""
        start = self.starts[line - 1]
        piece = self.text[start : start + column]
        if piece.isascii():
            return start + column
        whole = self.text[start : self.end_of(line)]
        return start + len(whole.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass"))

    def offset_of(self, line: int, column: int) -> int:
        """Return the offset of a place as people count: line and column from 1, the column in characters."""
        return self.starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its line end."""
        return self.text[self.starts[number - 1] : self.end_of(number)].rstrip("\r\n")

    def end_of(self, number: int) -> int:
        """Return the offset behind a line, counted from 1, and its line end."""
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the start and end offset of a node."""
        place: Any = node
        return self.offset(place.lineno, place.col_offset), self.offset(place.end_lineno, place.end_col_offset)

    def slice(self, node: ast.AST) -> str:
        """Return the source of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1, the column in characters."""
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            if self.starts[middle] <= offset:
                low = middle
            else:
                high = middle
        return low + 1, offset - self.starts[low] + 1

    def editor_place(self, offset: int, encoding: str) -> tuple[int, int]:
        """Return line and column of an offset for an editor: from 0, the column in code units of an encoding."""
        line, column = self.place(offset)
        return line - 1, _units(self.text[offset - column + 1 : offset], encoding)

    def from_editor(self, line: int, character: int, encoding: str) -> tuple[int, int]:
        """Return line and column, both from 1, of an editor's place; outside the text, of the nearest place in it."""
        if line >= len(self.starts):
            return self.place(len(self.text))
        start = self.starts[line]
        end = self.line_end(start)
        for offset in range(start, end):
            character -= _units(self.text[offset], encoding)
            if character < 0:
                return line + 1, offset - start + 1
        return line + 1, end - start + 1

    def before(self, offset: int) -> str:
        """Return the text between the start of the line and an offset."""
        line, _ = self.place(offset)
        return self.text[self.starts[line - 1] : offset]

    def indentation(self, offset: int) -> str | None:
        """Return the blanks before a statement at `offset`, without form feeds; None where it doesn't begin its line.

        A statement doesn't begin its line after a semicolon, in a block on the line of its header, and in a line that a
        backslash continues.
        """
        blanks = self.before(offset)
        if blanks.strip(" \t\f"):
            return None
        is_behind = self.text[: offset - len(blanks)].endswith(("\\\n", "\\\r\n", "\\\r"))
        if is_behind and self.place(offset)[0] - 1 not in self._lines_with_comments():
            return None
        return blanks.replace("\f", "")

    def _lines_with_comments(self) -> frozenset[int]:
        """Return the lines, from 1, that end in a comment, where a backslash at the end continues nothing."""
        if self._commented is None:
            self._commented = frozenset(token.start[0] for token in tokens(self.text) if token.type == COMMENT)
        return self._commented

    def line_end(self, offset: int) -> int:
        """Return the offset at which the line of `offset` ends, before its line break."""
        match = _LINE_END.search(self.text, offset)
        return match.start() if match else len(self.text)


_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def _units(text: str, encoding: str) -> int:
    """Return the length of a text in code units of `utf-8`, `utf-16` or `utf-32`."""
    if text.isascii():
        return len(text)
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    return len(text.encode(codec, "surrogatepass")) // _UNIT_BYTES[encoding]
