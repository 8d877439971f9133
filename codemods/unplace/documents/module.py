"""A module and where it stands in its file: here, the whole file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unplace.diagnostics.findings import Finding, InCell, Problem
from unplace.diagnostics.reasons import Line
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.rewriter import Programs


class Module:
    """The text of a module, and the way from it to the text of the file."""

    def __init__(self, text: str, warnings: Sequence[Problem] = ()) -> None:
        """`warnings` are about the parts of the file that aren't in the module, although they should be."""
        self.text = text
        self.warnings = warnings

    def offset_in_file(self, offset: int) -> int | None:
        """Where in the file an offset of the module stands; None where it stands in for something else."""
        return offset

    def offset_from_file(self, offset: int) -> int | None:
        """The offset of the module that stands at one of the file; None where none does."""
        return offset

    def written(self, text: str, offset: int) -> str:
        """How a text that is put at an offset of the module is written in the file."""
        return text

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits of the file that do to it what these do to the module."""
        found: list[Edit] = []
        for edit in edits:
            start, end = self.offset_in_file(edit.start), self.offset_in_file(edit.end)
            if start is None or end is None:
                raise RuntimeError(f"an edit at {edit.start}:{edit.end} of the module is outside of the file")
            found.append(Edit(start, end, self.written(edit.replacement, edit.start)))
        return found

    def programs(self, programs: Programs | None) -> Programs | None:
        """Where its program comes from."""
        return programs

    def named(self, line: Line) -> Line:
        """Return a line of the module as people know it."""
        return line

    def line_of(self, cell: int | None, line: int) -> int | None:
        """The line of the module that people know as this one; None where there is none."""
        return line if line <= len(Text(self.text).starts) else None

    def column(self, line: int, column: int) -> int:
        """The column that people know as this one of a line of the module."""
        return column

    def in_cell(self, finding: Finding) -> InCell | None:
        """The place of a finding in the cell of a notebook."""
        return None

    def sections(self) -> list[tuple[int, str]]:
        """The names of its parts, where they have some, each with the offset in the file."""
        return []

    def problem(self, problem: Problem) -> Problem:
        """A problem at a line of the module, at the place that people know."""
        return problem


class Patchwork(Module):
    """A module whose lines stand here and there in the file."""

    def __init__(self, text: str, warnings: Sequence[Problem] = ()) -> None:
        super().__init__(text, warnings)
        self.own = Text(text)
        places = ((self.offset_in_file(start), start) for start in self.own.starts)
        self._starts = [(place, start) for place, start in places if place is not None]

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits of the file; lines put in front of one go behind the line before that, if it is in the file.

        What they are put in front of may not be in it, or stand there behind something that isn't fit for them. What
        is put at the end of that line as well comes before them.
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
        """The offset of the module, looked for in the line of the module that begins last before it in the file."""
        start = next((start for place, start in reversed(self._starts) if place <= offset), None)
        candidates = range(start, self.own.line_end(start) + 1) if start is not None else ()
        return next((candidate for candidate in candidates if self.offset_in_file(candidate) == offset), None)
