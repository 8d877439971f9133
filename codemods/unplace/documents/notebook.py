"""Reads notebooks: the code cells as one module, each character of it mapped to its place in the JSON text.

Only the JSON text is edited: unedited parts keep their bytes, down to the escapes in the strings of an edited line.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from json.decoder import JSONDecoder
from typing import Any

from unplace.diagnostics.findings import Finding, InCell, Problem
from unplace.diagnostics.reasons import Line
from unplace.documents.cells import Python, as_python
from unplace.documents.ipynb import as_notebook
from unplace.documents.module import Module, Patchwork
from unplace.documents.order import HEADER, AnyOrder
from unplace.text.positions import Text, with_plain_line_ends
from unplace.transform.rewriter import Programs

_SPACE = re.compile(r"[ \t\r\n]*")
_LETTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
_DECODER = JSONDecoder()


def read_notebook(text: str, path: str) -> list[Module]:
    """Return the module of a notebook in a list, empty without Python cells; raise `SourceError` for any other file."""
    cells = list(_cells(text)) if _language(as_notebook(text).get("metadata")) == "python" else []
    return [Notebook(text, path, cells)] if cells else []


def _language(metadata: Any) -> str:
    """Return the language that the notebook's metadata name; Python where they name none."""
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        told = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(told, dict) and isinstance(told.get(name), str):
            return str(told[name]).lower()
    return "python"


@dataclass(frozen=True, slots=True)
class _String:
    """A string of the JSON text: its content begins at `offset` of its cell, and `start:end` is inside the quotes."""

    offset: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell: its number (from 1, among all cells), its text, its strings, and the JSON between two strings."""

    number: int
    source: str
    strings: tuple[_String, ...]
    separator: str | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the module that belongs to a cell: its number in the cell, and its offset in the cell's text."""

    cell: _Cell
    number: int
    offset: int
    is_own: bool


class Notebook(Patchwork):
    """The code cells of a notebook in order, each after a line that names it; all lines end with a line feed."""

    def __init__(self, file: str, path: str, cells: Iterable[_Cell]) -> None:
        """Take the JSON text of a valid notebook and its code cells."""
        self._file = file
        self._ascii = file.isascii()
        self._lines: list[_Line | None] = []
        self._letters: dict[_String, list[int]] = {}  # the start of each letter of a string, and the end of the last
        pieces: list[str] = []
        warnings: list[Problem] = []
        for cell in cells:
            python = as_python(with_plain_line_ends(cell.source))
            end = "" if python.text.endswith("\n") or not python.text else "\n"
            pieces.append(f"{HEADER}{cell.number}\n{python.text}{end}")
            self._lines += [None, *_lines(cell, python)]
            if python.error is not None:
                warnings.append(_left_alone(cell, python.error, path))
        super().__init__("".join(pieces), warnings)

    def offset_in_file(self, offset: int) -> int | None:
        """Return the offset in the JSON text of a character of a cell."""
        number, column = self.own.place(offset)
        line = self._lines[number - 1] if number <= len(self._lines) else None
        if line is None or not line.is_own:
            return None
        return self._offset(line.cell, line.offset + column - 1)

    def _offset(self, cell: _Cell, offset: int) -> int:
        """Return the offset of a character of a cell; between two strings, that of the later one."""
        string = cell.strings[bisect_right([string.offset for string in cell.strings], offset) - 1]
        if offset == string.offset:
            return string.start
        if string not in self._letters:
            letters = _LETTER.finditer(self._file, string.start, string.end)
            self._letters[string] = [*(letter.start() for letter in letters), string.end]
        return self._letters[string][offset - string.offset]

    def written(self, text: str, offset: int) -> str:
        """Return the text escaped for the JSON strings there, each line in its own string where the cell has it so.

        Its lines end as the cell's lines do.
        """
        line = self._lines[self.own.place(offset)[0] - 1]
        assert line is not None
        newline = json.dumps(Text(line.cell.source).newline)[1:-1]
        escaped = (json.dumps(part, ensure_ascii=self._ascii)[1:-1] for part in text.split("\n"))
        return (newline if line.cell.separator is None else f'{newline}"{line.cell.separator}"').join(escaped)

    def programs(self, programs: Programs | None) -> Programs:
        """Return programs in which the cells run in any order."""
        return AnyOrder(programs)

    def named(self, line: Line) -> Line:
        """Return the line of the cell for a line of the module; lines outside cells stay."""
        found = self._lines[line.number - 1] if line.number <= len(self._lines) else None
        return line if found is None else Line(found.number, found.cell.number)

    def in_cell(self, finding: Finding) -> InCell:
        """Return the place of a finding in its cell."""
        first, last = self._lines[finding.line - 1], self._lines[finding.end_line - 1]
        assert first is not None
        assert last is not None
        return InCell(first.cell.number, first.number, finding.column, last.number, finding.end_column)

    def problem(self, problem: Problem) -> Problem:
        """Return a problem of the module as a problem of its cell."""
        line = self._lines[problem.line - 1] if problem.line is not None else None
        if line is None:
            return problem
        return replace(problem, line=line.number, cell=line.cell.number)

    def line_of(self, cell: int | None, line: int) -> int | None:
        """Return the line of the module for a line of a cell; None where there is none."""
        known = ((place.cell.number, place.number) if place is not None else None for place in self._lines)
        return next((number for number, place in enumerate(known, 1) if place == (cell, line)), None)

    def sections(self) -> list[tuple[int, str]]:
        """Return the offset in the file at which each cell's text begins, with the name of the cell."""
        firsts = [line for line in self._lines if line is not None and line.number == 1]
        return [(line.cell.strings[0].start, f"cell {line.cell.number}") for line in firsts]


def _lines(cell: _Cell, python: Python) -> Iterator[_Line]:
    starts = Text(cell.source).starts
    return (_Line(cell, i + 1, starts[i], is_own) for i, is_own in enumerate(python.is_own))


def _left_alone(cell: _Cell, error: SyntaxError, path: str) -> Problem:
    message = f"cannot parse: {error.msg}; the cell is left alone, and what it names counts as unknown in the others"
    return Problem(path, message, error.lineno or 1, max(error.offset or 1, 1), cell.number)


# -- JSON -------------------------------------------------------------------------------------------------------------


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the nonempty code cells of a notebook."""
    top = dict(_members(text, _space(text, 0)))
    for number, (start, _) in enumerate(_elements(text, top["cells"][0]), 1):
        if text[start] != "{":
            continue
        cell = dict(_members(text, start))
        kind, source = cell.get("cell_type"), cell.get("source")
        if kind is None or source is None or json.loads(text[slice(*kind)]) != "code":
            continue
        places = list(_elements(text, source[0])) if text[source[0]] == "[" else [source]
        if not places or any(text[first] != '"' for first, _ in places):
            continue
        strings: list[_String] = []
        content = ""
        for first, end in places:
            strings.append(_String(len(content), first + 1, end - 1))
            content += json.loads(text[first:end])
        yield _Cell(number, content, tuple(strings), _separator(text, source[0], places))


def _separator(text: str, start: int, places: list[tuple[int, int]]) -> str | None:
    """Return the JSON text between two strings of a list, or what would stand there; None where there is no list."""
    if text[start] != "[":
        return None
    if len(places) > 1:
        return text[places[0][1] : places[1][0]]
    before = text[start + 1 : places[0][0]]
    return f",{before}" if before else ", "


def _members(text: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the keys of the object at an offset, each with the start and end of its value."""
    at = _space(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        first = _space(text, _space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, first)
        yield key, (first, end)
        at = _behind_comma(text, end)


def _elements(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each value in the array at an offset."""
    at = _space(text, start + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _behind_comma(text, end)


def _behind_comma(text: str, at: int) -> int:
    at = _space(text, at)
    return _space(text, at + 1) if text[at] == "," else at


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
