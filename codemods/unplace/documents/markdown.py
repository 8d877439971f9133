"""Reads Markdown: the fenced Python blocks of a file count as the cells of a notebook.

A block may continue those above it, be another version of one, or stand alone: cells that run in any order include all
three cases. The module has as many lines as the file, so that line numbers are the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt

from unplace.diagnostics.findings import Problem
from unplace.documents.cells import Python, as_python, left_alone
from unplace.documents.module import Module, Patchwork
from unplace.documents.order import HEADER, AnyOrder
from unplace.text.positions import Text
from unplace.transform.rewriter import Programs

_PYTHON = re.compile(r"[{.\s]*(?:python3?|py3?)(?![\w-])", re.IGNORECASE)
_MARKER = re.compile(r"[^>\s]")


def read_markdown(text: str, path: str) -> list[Module]:
    """Return the module of a Markdown file in a list; empty where the file has no Python block."""
    file = Text(text)
    blocks = list(_blocks(file))
    return [Markdown(file, path, blocks)] if blocks else []


@dataclass(frozen=True, slots=True)
class _Block:
    """A Python block: the number of its first line (from 1), its content, and the margin that a new line needs."""

    first: int
    source: str
    margin: str


class Markdown(Patchwork):
    """The Python blocks of a file, each in its own lines; the margin before a line (indentation, `>`) is left out."""

    def __init__(self, file: Text, path: str, blocks: Iterable[_Block]) -> None:
        """Take the Python blocks of the file."""
        self._file = file
        lines = [""] * len(file.starts)
        self._before: dict[int, tuple[str, str]] = {}  # the prefix of each line, and the margin of new lines beside it
        warnings: list[Problem] = []
        for number, block in enumerate(blocks, 1):
            prefixes = [
                self._prefix(line, content) for line, content in enumerate(block.source.split("\n"), block.first)
            ]
            python = _read(block, prefixes)
            lines[block.first - 2] = f"{HEADER}{number}"
            for line, content in enumerate(python.text.removesuffix("\n").split("\n"), block.first):
                lines[line - 1] = content
            for line, (prefix, is_own) in enumerate(zip(prefixes, python.is_own, strict=False), block.first):
                if is_own and prefix is not None:
                    self._before[line] = prefix, block.margin
            if python.error is not None:
                message = f"cannot parse: {python.error.msg}; the block is left alone, and what it names is unknown"
                warnings.append(Problem(path, message, block.first - 1 + (python.error.lineno or 1)))
        super().__init__("\n".join(lines), warnings)

    def _prefix(self, line: int, content: str) -> str | None:
        """Return the text before the content of a line; None where the file's line doesn't end with this content."""
        if line > len(self._file.starts):
            return None
        whole = self._file.line(line)
        return whole[: len(whole) - len(content)] if whole.endswith(content) else None

    def offset_in_file(self, offset: int) -> int | None:
        """Return the offset in the file of a character of a block."""
        line, column = self.own.place(offset)
        before = self._before.get(line)
        return None if before is None else self._file.starts[line - 1] + len(before[0]) + column - 1

    def column(self, line: int, column: int) -> int:
        """Return the column in the file, which counts the margin before the line."""
        return column + len(self._before.get(line, ("", ""))[0])

    def written(self, text: str, offset: int) -> str:
        """Return the text with the file's line ends, and with the margin of the block before each new line."""
        _, margin = self._before[self.own.place(offset)[0]]
        return text.replace("\n", self._file.newline + margin)

    def programs(self, programs: Programs | None) -> Programs:
        """Return programs in which the blocks run in any order, and no block displays a value."""
        return AnyOrder(programs, shows=False)


def _read(block: _Block, prefixes: Sequence[str | None]) -> Python:
    """Return a block as Python; leave it alone where one of its lines can't be found in the file."""
    python = as_python(block.source)
    for number, (prefix, is_own) in enumerate(zip(prefixes, python.is_own, strict=False), 1):
        if is_own and prefix is None:
            message = "a tab belongs in part to what stands before the block (write spaces)"
            return left_alone(block.source, SyntaxError(message, ("", number, 1, None)))
    return python


def _blocks(file: Text) -> Iterator[_Block]:
    """Yield the nonempty Python blocks of a file."""
    for token in MarkdownIt("commonmark").parse(file.text):
        if token.type == "fence" and token.map is not None and _PYTHON.match(token.info) and token.content:
            fence = token.map[0] + 1
            yield _Block(fence + 1, token.content, _margin(file.line(fence).partition(token.markup)[0]))


def _margin(opening: str) -> str:
    """Return the margin for the lines of a block from the text before its fence: for `- > ` that is `  > `."""
    margin = _MARKER.sub(" ", opening)
    return f"{margin} " if margin.endswith(">") else margin
