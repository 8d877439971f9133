"""Describes a text that an editor holds, and maps its positions to those of the protocol."""

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
    """A file as the editor has it: its URI, its version there (None: as on disk), and its path for reports.

    Positions in it count code units of `encoding`: `utf-8`, `utf-16` or `utf-32`. All requests share `plans`.
    """

    text: str
    uri: str
    path: str
    version: int | None = None
    encoding: str = "utf-16"
    plans: Plans = field(default_factory=Plans, compare=False)

    @property
    def is_python(self) -> bool:
        """True where the text is one module from its first line to its last."""
        return documents.is_python(self.path)

    @property
    def parts(self) -> Sequence[tuple[str, int | None]]:
        """The URIs and versions of the parts that the editor holds as separate texts."""
        return [(self.uri, self.version)]

    def part_of(self, line: int) -> str:
        """Return the URI of the part that contains a line (from 1)."""
        return self.uri

    def range(self, text: Text, start: int, end: int) -> dict[str, Any]:
        """Return two offsets as a `Range` object."""
        first, last = (self._place(text, offset) for offset in (start, end))
        return {
            "start": {"line": first[0], "character": first[1]},
            "end": {"line": last[0], "character": last[1]},
        }

    def to_line_end(self, text: Text, problem: Problem) -> tuple[str, dict[str, Any]]:
        """Return the URI of the part with a problem, and the `Range` object from the problem to the end of its line."""
        assert problem.line is not None
        start = text.offset_of(problem.line, problem.column or 1)
        return self.uri, self.range(text, start, text.line_end(start))

    def from_editor(self, text: Text, line: int, character: int) -> tuple[int, int]:
        """Return line and column (both from 1) of a place in the editor (from 0)."""
        return text.from_editor(line, character, self.encoding)

    def changes(self, text: Text, edits: Iterable[Edit]) -> list[dict[str, Any]]:
        """Return edits as `TextDocumentEdit` objects."""
        written = [{"range": self.range(text, e.start, e.end), "newText": e.replacement} for e in edits]
        return [{"textDocument": {"uri": self.uri, "version": self.version}, "edits": written}]

    def _place(self, text: Text, offset: int) -> tuple[int, int]:
        return text.editor_place(offset, self.encoding)
