"""A text that an editor holds, and where in the protocol's terms its parts are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from unplace import documents
from unplace.diagnostics.findings import Problem
from unplace.editor.plans import Plans
from unplace.text.edits import Edit
from unplace.text.positions import Text


@dataclass(frozen=True, slots=True)
class Document:
    """A file as the editor has it: its address, its version there (None: as on disk), its path for reports.

    Positions in it count code units of `encoding`: `utf-8`, `utf-16` or `utf-32`. All that is planned shares `plans`.
    """

    text: str
    uri: str
    path: str
    version: int | None = None
    encoding: str = "utf-16"
    plans: Plans = field(default_factory=Plans, compare=False)

    @property
    def is_python(self) -> bool:
        """Whether the text is one module from its first line to its last."""
        return documents.is_python(self.path)

    @property
    def parts(self) -> Sequence[tuple[str, int | None]]:
        """The addresses and versions of what the editor takes for texts of their own in it."""
        return [(self.uri, self.version)]

    def part_of(self, line: int) -> str:
        """The address of the part that has a line (from 1)."""
        return self.uri

    def range(self, text: Text, start: int, end: int) -> dict[str, Any]:
        """Two offsets as a `Range` object."""
        first, last = (self._place(text, offset) for offset in (start, end))
        return {
            "start": {"line": first[0], "character": first[1]},
            "end": {"line": last[0], "character": last[1]},
        }

    def to_line_end(self, text: Text, problem: Problem) -> tuple[str, dict[str, Any]]:
        """The part that a problem is in, and the `Range` object from its place to the end of the line."""
        assert problem.line is not None
        start = text.offset_of(problem.line, problem.column or 1)
        return self.uri, self.range(text, start, text.line_end(start))

    def from_editor(self, text: Text, line: int, character: int) -> tuple[int, int]:
        """Line and column (both from 1) of a place in the editor (from 0)."""
        return text.from_editor(line, character, self.encoding)

    def changes(self, text: Text, edits: Iterable[Edit]) -> list[dict[str, Any]]:
        """Edits as `TextDocumentEdit` objects."""
        written = [{"range": self.range(text, e.start, e.end), "newText": e.replacement} for e in edits]
        return [{"textDocument": {"uri": self.uri, "version": self.version}, "edits": written}]

    def _place(self, text: Text, offset: int) -> tuple[int, int]:
        return text.editor_place(offset, self.encoding)
