"""What the language server is asked about a document, as objects of the protocol; nothing here knows the transport.

A document is analysed by itself, as `unplace check FILE` does: what other files say about it takes a run over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unplace.editor.code_actions import (
    FIX_ALL,
    Document,
    code_actions,
    diagnostic,
    fix_all,
    only_in,
    planned,
    unused_comment,
)
from unplace.editor.outline import Edited, Outline
from unplace.editor.plans import Plans
from unplace.editor.settings import Settings
from unplace.findings import FileReport, Finding, Problem
from unplace.positions import Text
from unplace.rewriter import Options, may_have_sites
from unplace.source import Source
from unplace.trees import parsed

Place = tuple[int, int]
"""Line and character of the protocol: from 0, in code units of the document's encoding."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found in the last version of a document that could be parsed."""

    text: str
    options: Options
    outline: Outline
    findings: Sequence[Finding]
    warnings: Sequence[Problem]

    def moved_to(self, text: str) -> tuple[list[Finding], list[Problem]]:
        """What of it stands in lines that another version has, too."""
        edited = Edited.between(self.text, text)
        return edited.moved(self.findings), edited.moved_problems(self.warnings)


class Analyst:
    """Answers about documents; for one thread. Raises `ConfigurationError` where the configuration is wrong."""

    def __init__(self) -> None:
        self._plans = Plans()
        self._settings = Settings()
        self._known: dict[str, _Known] = {}

    def serve(self, is_cancelled: Callable[[], bool]) -> None:
        """From now on, end the work with `CancelledError` where this says so."""
        self._plans.is_cancelled = is_cancelled

    def forget(self, uri: str) -> None:
        """Know nothing of a document."""
        self._known.pop(uri, None)

    def diagnostics(
        self, document: Document, folders: Sequence[Path], *, at_a_glance: bool = False
    ) -> list[dict[str, Any]]:
        """The `Diagnostic` objects of a document; while it can't be parsed, those of the lines that weren't edited.

        At a glance, only the functions are looked at that were edited since the last time, all if it is the first; and
        it isn't asked which operations can be rewritten once others have been.
        """
        options = self._options(document, folders)
        if options is None:
            self.forget(document.uri)
            return []
        document = replace(document, plans=self._plans)
        known = self._known.get(document.uri)
        if known is not None and known.options != options:
            known = None
        outline = self._outline(document)
        if outline is None:
            findings, warnings = known.moved_to(document.text) if known is not None else ([], [])
        else:
            if not at_a_glance:
                report = planned(document, options)
                findings, warnings = list(report.findings), list(report.warnings)
            elif known is not None:
                findings, warnings = _glanced(document, options, known, outline)
            else:
                findings, warnings = list(_first_sight(document, options).findings), []
            self._known[document.uri] = _Known(document.text, options, outline, findings, warnings)
        text = Text(document.text)
        reported = [diagnostic(document, text, finding) for finding in findings if finding.is_reported]
        return [*reported, *(unused_comment(document, text, warning) for warning in warnings)]

    def actions(
        self, document: Document, folders: Sequence[Path], start: Place, end: Place, only: Sequence[str] | None
    ) -> list[dict[str, Any]]:
        """The `CodeAction` objects for a range of a document, of the kinds that are wanted or of all."""
        options = self._options(document, folders)
        if options is None or self._outline(document) is None:
            return []
        document = replace(document, plans=self._plans)
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
        outline = self._outline(document)
        if options is None or outline is None:
            return None
        document = replace(document, plans=self._plans)
        line, column = Text(document.text).from_editor(*place, document.encoding)
        around = outline.around(line)
        if around is not None:
            options = only_in(options, document, around)
        everything = replace(options, select=None, ignore=frozenset(), only=None, per_file_ignores=(), comments=False)
        if not any(_covers(f, line, column) for f in _first_sight(document, everything).findings):
            return None
        from unplace.explanation import explain
        from unplace.reporting.explained import lines

        report = explain(document.text, document.path, options, line, column, self._plans)
        source = Source(document.text.encode("utf-8", "surrogatepass"), document.text, "utf-8")
        shown = lines(replace(report, candidates=()), Path(document.path).name, line, source)
        return "\n".join("".join(text for text, _ in spans) for spans in shown).rstrip()

    def _options(self, document: Document, folders: Sequence[Path]) -> Options | None:
        """The options for a document; None where there is nothing to say about it."""
        if not may_have_sites(document.text.encode("utf-8", "surrogatepass")):
            return None
        return self._settings.options(Path(document.path), folders)

    def _outline(self, document: Document) -> Outline | None:
        """The outline of a document; None while it can't be parsed."""
        try:
            return Outline.of(parsed(document.text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # all that CPython's parser raises
            return None


def _first_sight(document: Document, options: Options) -> FileReport:
    return document.plans.first_sight(document.text, document.path, replace(options, unused=False))


def _glanced(
    document: Document, options: Options, known: _Known, outline: Outline
) -> tuple[list[Finding], list[Problem]]:
    """What is known of a document, with what the functions say that were edited since."""
    edited = Edited.between(known.text, document.text)
    warnings = edited.moved_problems(known.warnings)
    units = edited.units(known.outline, outline)
    if units is None:
        return list(_first_sight(document, options).findings), warnings
    found = _first_sight(document, only_in(options, document, units)).findings if units else ()
    others = [f for f in edited.moved(known.findings) if not any(first <= f.line <= last for first, last in units)]
    return sorted([*others, *found], key=lambda f: (f.line, f.column)), warnings


def _are_wanted(only: Sequence[str] | None, *kinds: str) -> bool:
    """Whether one of the kinds of actions is among those asked for, each with the kinds that it contains."""
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only for kind in kinds)


def _covers(finding: Finding, line: int, column: int) -> bool:
    return (finding.line, finding.column) <= (line, column) < (finding.end_line, finding.end_column)
