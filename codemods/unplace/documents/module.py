"""Maps a module to its file: here, the module is the whole file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unplace.diagnostics.findings import Finding, InCell, Problem
from unplace.diagnostics.reasons import Line
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.rewriter import Programs


class Module:
    """The text of a module, and the mapping between this text and the text of the file."""

    def __init__(self, text: str, warnings: Sequence[Problem] = ()) -> None:
        """Take the text, and warnings about parts of the file that should be in the module but aren't."""
        self.text = text
        self.warnings = warnings

    def offset_in_file(self, offset: int) -> int | None:
        """Return the offset in the file for an offset of the module; None for text that the file doesn't have."""
        return offset

    def offset_from_file(self, offset: int) -> int | None:
        """Return the offset of the module for an offset of the file; None where the module has no such place."""
        return offset

    def written(self, text: str, offset: int) -> str:
        """Return a text to be inserted at an offset of the module in the form that the file needs."""
        return text

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """Return the edits of the file that correspond to these edits of the module."""
        found: list[Edit] = []
        for edit in edits:
            start, end = self.offset_in_file(edit.start), self.offset_in_file(edit.end)
            if start is None or end is None:
                raise RuntimeError(f"an edit at {edit.start}:{edit.end} of the module is outside of the file")
            found.append(Edit(start, end, self.written(edit.replacement, edit.start)))
        return found

    def programs(self, programs: Programs | None) -> Programs | None:
        """Return the `Programs` that make the module's program."""
        return programs

    def named(self, line: Line) -> Line:
        """Return a line of the module as people know it."""
        return line

    def line_of(self, cell: int | None, line: int) -> int | None:
        """Return the line of the module for a line as people know it; None where there is none."""
        return line if line <= len(Text(self.text).starts) else None

    def column(self, line: int, column: int) -> int:
        """Return the column as people know it for a column in a line of the module."""
        return column

    def in_cell(self, finding: Finding) -> InCell | None:
        """Return the place of a finding in its notebook cell; None outside notebooks."""
        return None

    def sections(self) -> list[tuple[int, str]]:
        """Return the names of the module's parts, if it has any, each with its offset in the file."""
        return []

    def problem(self, problem: Problem) -> Problem:
        """Return a problem of the module with its line as people know it."""
        return problem


class Patchwork(Module):
    """A module whose lines are scattered over the file."""

    def __init__(self, text: str, warnings: Sequence[Problem] = ()) -> None:
        super().__init__(text, warnings)
        self.own = Text(text)
        places = ((self.offset_in_file(start), start) for start in self.own.starts)
        self._starts = [(place, start) for place, start in places if place is not None]

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """Return the edits of the file; lines inserted before a line go behind the line above it, if the file has that.

        The line that follows the insertion may not be in the file, or may have a prefix there that doesn't fit the new
        lines. Text added to the end of the line above comes before them.
        """
        found: list[Edit] = []
        for edit in super().in_file(map(self._before_line_end, sorted(edits))):
            if found and found[-1].start == found[-1].end == edit.start == edit.end:
                found[-1] = Edit(edit.start, edit.end, found[-1].replacement + edit.replacement)
            else:
                found.append(edit)
        return found

    def _before_line_end(self, edit: Edit) -> Edit:
        is_whole = edit.replacement.endswith("\n") and self.text.endswith("\n", 0, edit.end)
        if not is_whole or self.offset_in_file(edit.end - 1) is None:
            return edit
        added = edit.replacement.removesuffix("\n")
        if edit.start == edit.end:
            return Edit(edit.start - 1, edit.end - 1, f"\n{added}")
        return Edit(edit.start, edit.end - 1, added)

    def offset_from_file(self, offset: int) -> int | None:
        """Return the offset of the module, from its last line that begins before `offset` in the file."""
        start = next((start for place, start in reversed(self._starts) if place <= offset), None)
        candidates = range(start, self.own.line_end(start) + 1) if start is not None else ()
        return next((candidate for candidate in candidates if self.offset_in_file(candidate) == offset), None)
