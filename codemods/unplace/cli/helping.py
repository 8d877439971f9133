"""Lays help out for the width of the terminal; typer calls the methods by the names that click gives them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from unplace.reporting.wrapping import cells, wrapped

NARROWEST, WIDEST = 40, 120
"""The columns between which help follows the terminal: longer lines are hard to read."""

_STEP = 2
_GAP = 2
_BETWEEN = "  "
"""What separates a command from the text about it."""

_STACKED_BELOW = 70
"""The columns below which the text about an option stands under it."""


class HelpFormatter:
    """Collects the lines of help. Nothing is broken at a hyphen, so that options stay whole."""

    def __init__(self) -> None:
        """Take the width of the terminal."""
        columns = shutil.get_terminal_size().columns
        self.width = min(max(columns, NARROWEST), WIDEST) - 1
        self._indented = 0
        self._lines: list[str] = []

    def getvalue(self) -> str:
        """Return what was written."""
        return "\n".join(self._lines) + "\n"

    @contextmanager
    def indentation(self) -> Iterator[None]:
        """Indent what is written within."""
        self._indented += _STEP
        yield
        self._indented -= _STEP

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Write a title, and indent what is written within."""
        self.write_paragraph()
        self._write(f"{name}:")
        with self.indentation():
            yield

    def write_paragraph(self) -> None:
        """Write an empty line, unless nothing stands before it."""
        if self._lines:
            self._lines.append("")

    def write_usage(self, prog: str, args: str = "") -> None:
        """Write how a command is called."""
        self._write(f"Usage: {prog} {args}", hanging=len("Usage: "))

    def write_text(self, text: str) -> None:
        """Write paragraphs, which an empty line separates."""
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.write_paragraph()
            self._write(" ".join(paragraph.split()))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30) -> None:
        """Write terms, each with the text about it beside it, or below it where there is no room."""
        stacked = self.width < _STACKED_BELOW
        beside = min(max(cells(term) for term, _ in rows), col_max) + _GAP
        under = 2 * _STEP if stacked else beside
        for term, text in rows:
            if stacked or cells(term) + _GAP > beside:
                self._write(term.rstrip(), hanging=under)
                self._write(" " * under + text, hanging=under)
            else:
                self._write(f"{term:<{beside}}{text}", hanging=under)

    def write_block(self, block: str) -> None:
        """Write a title with rows: as they stand where they fit, else each text below its command.

        Commands stay whole, so that they can be copied.
        """
        title, *rows = textwrap.dedent(block).splitlines()
        self._write(title)
        with self.indentation():
            rows = textwrap.dedent("\n".join(rows)).splitlines()
            fits = all(self._indented + cells(row) <= self.width for row in rows)
            for row in rows:
                command, gap, text = row.partition(_BETWEEN)
                if command.isdigit():
                    self._write(f"{command}{_BETWEEN}{text}", hanging=len(command + _BETWEEN))
                elif fits or not (command and gap):
                    self._lines.append(" " * self._indented + row)
                else:
                    self._lines.append(" " * self._indented + command)
                    self._write(" " * _STEP + text.strip(), hanging=_STEP)

    def _write(self, text: str, hanging: int = 0) -> None:
        """Write a text, broken at blanks; the lines after the first are indented by `hanging` more."""
        line = [(" " * self._indented + text, "")]
        broken = wrapped(line, self.width, self._indented + hanging)
        self._lines += ("".join(part for part, _ in parts) for parts in broken)
