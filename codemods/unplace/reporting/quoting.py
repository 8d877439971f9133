"""Quotes the lines that a finding is about: the one that writes, and under it the one that saved.

19 | weights /= weights.sum(dim=-1, keepdim=True)
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
16 | weights = torch.softmax(scores, dim=-1)
   |                 ------- saved here
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unplace import documents
from unplace.diagnostics.findings import Finding, SavedBy
from unplace.diagnostics.reasons import Line
from unplace.documents.module import Module
from unplace.reporting.styled import Span
from unplace.reporting.wrapping import cells, cut
from unplace.runs.outcome import Outcome
from unplace.text.positions import Text
from unplace.text.source import SourceError
from unplace.text.visible import visible

_TAB = 4
_CODE_STYLE = ""
_GUTTER_STYLE = "dim"
_SAVED_STYLE = "blue"


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of code with the part of it that is pointed at, columns from 0; `note` stands behind the mark."""

    name: str
    code: str
    start: int
    end: int
    mark: str
    note: str = ""


@dataclass(slots=True)
class Quoted:
    """The lines of one file that its findings are about."""

    outcome: Outcome
    _modules: Sequence[tuple[Module, Text]] = ()
    _in_file: Text = field(default_factory=lambda: Text(""))
    _shared: frozenset[tuple[int, int]] = frozenset()
    _others: dict[str, Text | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        source = self.outcome.source
        if source is None:
            return
        modules = documents.modules_of(source.text, self.outcome.path, markdown=True)
        self._modules = [(module, Text(module.text)) for module in modules]
        self._in_file = Text(source.text)
        places = Counter((finding.line, finding.column) for finding in self.outcome.findings)
        self._shared = frozenset(place for place, count in places.items() if count > 1)

    def in_order(self) -> list[Finding]:
        """Return the findings in the order of the text; those of one chain in that of its methods."""
        return sorted(self.outcome.findings, key=self._position)

    def _position(self, finding: Finding) -> tuple[int, int]:
        start = self._in_file.offset_of(finding.line, finding.column) if self._modules else 0
        found = self._method(finding)
        return start, found[2][0] if found is not None else 0

    def place(self, finding: Finding) -> str:
        """Return the place of a finding as text; of operations in one chain, `x.exp_().add_(1)`, that of the method."""
        found = self._method(finding)
        if found is None:
            return finding.place
        module, own, (start, _) = found
        line, column = own.place(start)
        name = module.named(Line(line)).place
        return f"{name}:{module.column(line, column)}"

    def quotes(self, finding: Finding) -> list[Quote]:
        """Return the line that writes, and the line that saved what it overwrites where that is known."""
        found = self._method(finding) or self._span(finding)
        if found is None:
            return []
        module, own, (start, end) = found
        line, column = own.place(start)
        code = own.line(line)
        last = min(column - 1 + end - start, len(code))
        quotes = [Quote(_number(module, line), code, column - 1, last, "^")]
        if finding.saved_by is not None:
            quotes += self._saver(finding.saved_by, module, own, line)
        return quotes

    def _span(self, finding: Finding) -> tuple[Module, Text, tuple[int, int]] | None:
        """Return the module of a finding and its start and end there."""
        ends = (finding.line, finding.column), (finding.end_line, finding.end_column)
        for module, own in self._modules:
            start, end = (module.offset_from_file(self._in_file.offset_of(*place)) for place in ends)
            if start is not None and end is not None:
                return module, own, (start, end)
        return None

    def _method(self, finding: Finding) -> tuple[Module, Text, tuple[int, int]] | None:
        """Return where the method of a call stands that begins where other operations do; None for all else."""
        found = self._span(finding) if (finding.line, finding.column) in self._shared else None
        if found is None:
            return None
        module, own, (start, end) = found
        try:
            call = ast.parse(f"({own.text[start:end]}\n)", mode="eval").body
        except SyntaxError:
            return None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            return None
        behind = start - 1 + Text(f"({own.text[start:end]}\n)").span(call.func)[1]
        return module, own, (behind - len(call.func.attr), behind)

    def _saver(self, saved: SavedBy, module: Module, own: Text, written: int) -> Iterator[Quote]:
        if saved.file is not None:
            if saved.file not in self._others:
                self._others[saved.file] = _other_file(self.outcome.path, saved.file)
            text = self._others[saved.file]
            line: int | None = saved.line
        else:
            text, line = own, module.line_of(saved.cell, saved.line)
        if text is None or line is None or line > text.line_count or (text is own and line == written):
            return
        code = text.line(line)
        name = re.search(rf"\b{re.escape(saved.operation.removesuffix('()').rpartition('.')[2])}\b", code)
        if name is None and saved.file is not None:
            return
        indented = len(code) - len(code.lstrip())
        start, end = name.span() if name is not None else (indented, len(code.split("  #")[0].rstrip()))
        named = f"{saved.file}:{line}" if saved.file is not None else _number(module, line)
        note = "saved here" if name is not None else f"{saved.operation} saved it here"
        yield Quote(named, code, start, end, "-", note)


def _number(module: Module, line: int) -> str:
    return str(module.named(Line(line)).number)


def _other_file(path: str, name: str) -> Text | None:
    """Return the text of a file that is named from the folder that holds it and another one; None if it isn't there."""
    for folder in Path(path).absolute().parents:
        other = folder / name
        if other.is_file():
            try:
                return Text(documents.read(other.read_bytes(), str(other)).text)
            except (OSError, SourceError):
                return None
    return None


def shown(quotes: Sequence[Quote], style: str, width: int | None) -> Iterator[list[Span]]:
    """Yield the lines that show the quotes, with the code moved to the left and cut to the width."""
    if not quotes:
        return
    gutter = max(len(quote.name) for quote in quotes)
    common = min(len(quote.code) - len(quote.code.lstrip()) for quote in quotes)
    for quote in quotes:
        code, start, end = _displayed(quote, common)
        room = None if width is None else width - gutter - len("   | ")
        code, start, end = cut(code, start, max(end, start + 1), room)
        yield [(f"  {quote.name:>{gutter}} | ", _GUTTER_STYLE), (code, _CODE_STYLE)]
        before, marks = cells(code[:start]), max(cells(code[start:end]), 1)
        for line in _pointing(quote, before, marks, style if quote.mark == "^" else _SAVED_STYLE, room):
            yield [(f"  {'':>{gutter}} | ", _GUTTER_STYLE), *line]


def _pointing(quote: Quote, before: int, marks: int, style: str, room: int | None) -> Iterator[list[Span]]:
    """Yield the marks under a line with the note behind them, or below them where there is no room."""
    marked = [(" " * before, ""), (quote.mark * marks, style)]
    size = cells(quote.note)
    if size and room is not None and before + marks + 1 + size > room:
        yield marked
        yield [(" " * max(min(before, room - size), 0), ""), (quote.note, style)]
    else:
        yield [*marked, (f" {quote.note}", style)] if size else marked


def _displayed(quote: Quote, common: int) -> tuple[str, int, int]:
    """Return a line without the common indentation, and with tabs and control characters as they are shown."""

    def before(column: int) -> str:
        return visible(quote.code[common : max(column, common)].expandtabs(_TAB))

    return before(len(quote.code)).rstrip(), len(before(quote.start)), len(before(quote.end))
