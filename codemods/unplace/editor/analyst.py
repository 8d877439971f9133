"""What the language server is asked about a document, as objects of the protocol; nothing here knows the transport.

A document is analysed by itself, as `unplace check FILE` does: what other files say about it takes a run over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unplace.editor.code_actions import FIX_ALL, Document, code_actions, diagnostic, fix_all, planned
from unplace.editor.memory import Memory
from unplace.editor.settings import Settings
from unplace.findings import FileReport, Finding
from unplace.positions import Text
from unplace.rewriter import Options, first_round, may_have_sites
from unplace.source import Source

Place = tuple[int, int]
"""Line and character of the protocol: from 0, in code units of the document's encoding."""


class Analyst:
    """Answers about documents; for one thread. Raises `ConfigurationError` where the configuration is wrong."""

    def __init__(self) -> None:
        self._memory = Memory()
        self._settings = Settings()

    def diagnostics(
        self, document: Document, folders: Sequence[Path], *, at_first_sight: bool = False
    ) -> list[dict[str, Any]]:
        """The `Diagnostic` objects of a document; none while it can't be parsed.

        At first sight it isn't known yet which operations can be rewritten once others have been.
        """
        options = self._options(document, folders)
        if options is None:
            return []
        document = self._with_memory(document)
        text = Text(document.text)
        report = _first_sight(document, options) if at_first_sight else planned(document, options)
        return [diagnostic(document, text, finding) for finding in report.findings if finding.is_reported]

    def actions(
        self, document: Document, folders: Sequence[Path], start: Place, end: Place, only: Sequence[str] | None
    ) -> list[dict[str, Any]]:
        """The `CodeAction` objects for a range of a document, of the kinds that are wanted or of all."""
        options = self._options(document, folders)
        if options is None:
            return []
        document = self._with_memory(document)
        if _are_wanted(only, "quickfix", "refactor.rewrite"):
            text = Text(document.text)
            first, column = text.from_editor(*start, document.encoding)
            last = max(first, end[0] + (end[1] > 0))  # a selection of whole lines ends where the next one begins
            found = code_actions(document, options, first, last, column if start == end else None)
        else:
            found = fix_all(document, options) if _are_wanted(only, FIX_ALL) else []
        return [action for action in found if _are_wanted(only, action["kind"])]

    def hover(self, document: Document, folders: Sequence[Path], place: Place) -> str | None:
        """The explanation of the operation at a place, as text; None where there is none."""
        options = self._options(document, folders)
        if options is None:
            return None
        document = self._with_memory(document)
        line, column = Text(document.text).from_editor(*place, document.encoding)
        everything = Options(unsafe=options.unsafe, preserve_dtype=options.preserve_dtype, comments=False)
        if not any(_covers(f, line, column) for f in _first_sight(document, everything).findings):
            return None
        from unplace.explanation import explain
        from unplace.reporting.explained import lines

        report = explain(document.text, document.path, options, line, column, document.programs)
        source = Source(document.text.encode("utf-8", "surrogatepass"), document.text, "utf-8")
        shown = lines(replace(report, candidates=()), Path(document.path).name, line, source)
        return "\n".join("".join(text for text, _ in spans) for spans in shown).rstrip()

    def _options(self, document: Document, folders: Sequence[Path]) -> Options | None:
        """The options for a document; None where there is nothing to say about it."""
        if not may_have_sites(document.text.encode("utf-8", "surrogatepass")):
            return None
        options = self._settings.options(Path(document.path), folders)
        if options is None:
            return None
        try:
            self._memory.begin(document.path, document.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # all that CPython's parser raises
            return None
        return options

    def _with_memory(self, document: Document) -> Document:
        return replace(document, programs=self._memory)


def _first_sight(document: Document, options: Options) -> FileReport:
    return first_round(document.text, document.path, options, document.programs)


def _are_wanted(only: Sequence[str] | None, *kinds: str) -> bool:
    """Whether one of the kinds of actions is among those asked for, each with the kinds that it contains."""
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only for kind in kinds)


def _covers(finding: Finding, line: int, column: int) -> bool:
    return (finding.line, finding.column) <= (line, column) < (finding.end_line, finding.end_column)
