"""Markdown: the fenced Python blocks of a file, taken as the cells of a notebook.

A block may go on from those above it, be another version of one, or stand for itself: all that is among what cells that
run in any order may mean. The module has the lines of the file, so that line numbers say the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from unplace.documents.cells import as_python
from unplace.documents.module import Module, Patchwork
from unplace.documents.order import HEADER, AnyOrder
from unplace.findings import Problem
from unplace.positions import Text
from unplace.rewriter import Programs

_PYTHON = re.compile(r"[{.\s]*(?:python3?|py3?)(?![\w-])", re.IGNORECASE)


def read_markdown(text: str, path: str) -> list[Module]:
    """The module of a Markdown file; none where it has no Python block."""
    module = Markdown(text, path)
    return [module] if module.text.strip() else []


class Markdown(Patchwork):
    """The Python blocks of a file in their lines; what stands before a line (indentation, `>`) is left out of it."""

    def __init__(self, file: str, path: str) -> None:
        self._file = Text(file)
        lines = [""] * self._file.line_count
        self._prefixes: dict[int, str] = {}  # of the blocks' own lines, from 1
        warnings: list[Problem] = []
        for number, (first, source) in enumerate(_blocks(file), 1):
            python = as_python(source)
            lines[first - 2] = f"{HEADER}{number}"
            written = source.split("\n")
            for index, (line, is_own) in enumerate(zip(python.text.split("\n"), python.is_own, strict=False)):
                lines[first - 1 + index] = line
                prefix = self._prefix(first + index, written[index])
                if is_own and prefix is not None:
                    self._prefixes[first + index] = prefix
            if python.error is not None:
                message = f"cannot parse: {python.error.msg}; the block is left alone, and what it names is unknown"
                warnings.append(Problem(path, message, first - 1 + (python.error.lineno or 1)))
        super().__init__("".join(f"{line}\n" for line in lines) if self._prefixes else "", warnings)

    def _prefix(self, line: int, content: str) -> str | None:
        """What stands before the content of a line; None where the line isn't written as it reads."""
        start = self._file.starts[line - 1]
        whole = self._file.text[start : self._file.line_end(start)]
        return whole[: len(whole) - len(content)] if whole.endswith(content) else None

    def offset_in_file(self, offset: int) -> int | None:
        """Where a character of a block stands."""
        line, column = self.own.place(offset)
        prefix = self._prefixes.get(line)
        return None if prefix is None else self._file.starts[line - 1] + len(prefix) + column - 1

    def column(self, line: int, column: int) -> int:
        """The column in the file, where something stands before the line."""
        return column + len(self._prefixes.get(line, ""))

    def written(self, text: str, offset: int) -> str:
        """The text with the file's line ends, and before each line what stands before those of the block."""
        prefix = self._prefixes[self.own.place(offset)[0]]
        return text.replace("\n", self._file.newline + prefix)

    def programs(self, programs: Programs | None) -> Programs:
        """Programs in which the blocks run in any order."""
        return AnyOrder(programs)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The first line (from 1) of each Python block and its content."""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map is not None and _PYTHON.match(token.info) and token.content:
            yield token.map[0] + 2, token.content
