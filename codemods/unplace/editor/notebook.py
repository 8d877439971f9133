"""Presents a notebook that an editor holds as one text per cell in the form of a notebook file.

`unplace.documents` can then handle it, and only places and edits have to be translated. Every line of a cell is a line
of that file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from unplace.diagnostics.findings import Problem
from unplace.editor.document import Document
from unplace.text.edits import Edit
from unplace.text.positions import Text


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its URI and version in the editor, and its text; None for a cell that isn't Python."""

    uri: str
    version: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Notebook(Document):
    """A notebook, with the cell that the editor asks about."""

    cells: Sequence[Cell] = ()
    asked: str = ""
    _rows: Sequence[tuple[Cell, int] | None] = field(default=(), compare=False)

    @classmethod
    def of(cls, cells: Sequence[Cell], asked: str, uri: str, path: str, version: int, encoding: str) -> Notebook:
        """Return the notebook with these cells."""
        lines = ['{"cells": [']
        rows: list[tuple[Cell, int] | None] = [None]
        for number, cell in enumerate(cells):
            source = "" if cell.text is None else cell.text
            kind = "markdown" if cell.text is None else "code"
            starts = Text(source).starts
            lines += [f'{"," if number else ""}{{"cell_type": "{kind}", "source": [']
            pieces = [source[start:end] for start, end in zip(starts, [*starts[1:], len(source)], strict=True)]
            lines += [json.dumps(piece, ensure_ascii=False) + "," for piece in pieces[:-1]]
            lines += [json.dumps(pieces[-1], ensure_ascii=False), "]}"]
            rows += [None, *((cell, index) for index in range(len(pieces))), None]
        lines += ['], "metadata": {}}', ""]
        return cls("\n".join(lines), uri, path, version, encoding, cells=cells, asked=asked, _rows=rows)

    @property
    def parts(self) -> Sequence[tuple[str, int | None]]:
        """The URIs and versions of the cells."""
        return [(cell.uri, cell.version) for cell in self.cells]

    def part_of(self, line: int) -> str:
        """Return the URI of the cell that contains a line of the file."""
        return self._row(line)[0].uri

    def to_line_end(self, text: Text, problem: Problem) -> tuple[str, dict[str, Any]]:
        """Return the URI of the cell with a problem, and the range in it; the problem's line counts in the cell."""
        assert problem.cell is not None
        cell = self.cells[problem.cell - 1]
        return cell.uri, Document(cell.text or "", cell.uri, self.path, encoding=self.encoding).to_line_end(
            Text(cell.text or ""), problem
        )[1]

    def from_editor(self, text: Text, line: int, character: int) -> tuple[int, int]:
        """Return line and column in the file for a place in the cell that the editor asks about."""
        cell = next(cell for cell in self.cells if cell.uri == self.asked)
        own = Text(cell.text or "")
        number, column = own.from_editor(line, character, self.encoding)
        before = own.line(number)[: column - 1]
        row = next(index for index, row in enumerate(self._rows, 1) if row == (cell, number - 1))
        return row, len(json.dumps(before, ensure_ascii=False))

    def changes(self, text: Text, edits: Iterable[Edit]) -> list[dict[str, Any]]:
        """Return edits of the file as edits of its cells."""
        by_cell: dict[str, list[dict[str, Any]]] = {}
        for edit in edits:
            uri = self.part_of(text.place(edit.start)[0])
            written = "".join(json.loads(f'["{edit.replacement}"]'))
            place = self.range(text, edit.start, edit.end)
            by_cell.setdefault(uri, []).append({"range": place, "newText": written})
        versions = dict(self.parts)
        return [
            {"textDocument": {"uri": uri, "version": versions[uri]}, "edits": written}
            for uri, written in by_cell.items()
        ]

    def _place(self, text: Text, offset: int) -> tuple[int, int]:
        line, column = text.place(offset)
        before = text.line(line)[1 : column - 1]
        own = Text(json.loads(f'"{before}"'))
        return self._row(line)[1], own.editor_place(len(own.text), self.encoding)[1]

    def _row(self, line: int) -> tuple[Cell, int]:
        row = self._rows[line - 1]
        assert row is not None, "nothing is found between cells"
        return row
