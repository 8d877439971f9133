"""Answers the language server's questions about a document as objects of the protocol; knows nothing of the transport.

A document is first analysed by itself, as in `unplace check FILE`. What the other files of its workspace tell comes
later, from another process (`unplace.editor.workspace`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

from unplace import documents
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding, Harm, Problem, Status
from unplace.editor import hovering, workspace
from unplace.editor.across_files import across_files
from unplace.editor.code_actions import (
    FIX_ALL,
    code_actions,
    diagnostic,
    fix_all,
    is_about_comment,
    of_comment,
    only_in,
    planned,
)
from unplace.editor.document import Document
from unplace.editor.outline import Edited, Outline, head
from unplace.editor.plans import Plans
from unplace.editor.settings import Settings
from unplace.reporting import explained
from unplace.runs.across import Spanning
from unplace.text.positions import Text
from unplace.text.source import Source
from unplace.text.trees import parsed
from unplace.transform.rewriter import may_have_sites

SHOWN = frozenset({Harm.HARMFUL, Harm.POSSIBLE})
"""The harm of the operations that get a diagnostic unless the configuration asks for others."""

_LONG = 4000
"""The lines of a text whose first diagnostics are those of its beginning."""

_VERY_LONG = 10_000
"""The lines of a text that takes long to parse."""

_PORTION = 300
"""The least lines of the functions and classes that are looked at before the time is asked for."""

_SPANNING = 8
"""The most refused operations of a text for which edits of several files are tried."""

Place = tuple[int, int]
"""A line and a character in the terms of the protocol: from 0, in code units of the document's encoding."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The findings in the last version of a document that could be parsed."""

    text: str
    options: Options
    outline: Outline
    findings: Sequence[Finding]
    warnings: Sequence[Problem]
    spanning: Sequence[Spanning] = ()

    def moved_to(self, text: str) -> tuple[list[Finding], list[Problem]]:
        """Return the findings and problems in lines that another version still has, at their place there."""
        edited = Edited.between(self.text, text)
        return edited.moved(self.findings), edited.moved_problems(self.warnings)


class Analyst:
    """Answers questions about documents, in one thread; raises `ConfigurationError` for a wrong configuration."""

    def __init__(self) -> None:
        self._plans = Plans()
        self._settings = Settings()
        self._known: dict[str, _Known] = {}

    def unless(self, is_cancelled: Callable[[], bool]) -> AbstractContextManager[None]:
        """End the work in the block with `CancelledError` as soon as `is_cancelled` returns true."""
        return self._plans.unless(is_cancelled)

    def close(self, uri: str, path: str) -> None:
        """Forget all about a document."""
        self._known.pop(uri, None)
        self._plans.forget(path)
        gc.collect()  # programs are large, and form reference cycles

    def diagnostics(
        self, document: Document, folders: Sequence[Path], *, at_a_glance: bool = False
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the `Diagnostic` objects of a document by the URIs of its parts, harmful operations first.

        While it can't be parsed, they are those of the lines that weren't edited. At a glance, only functions that were
        edited since the last time are analysed (all of them the first time), and operations that can only be rewritten
        after others aren't looked for.
        """
        found: dict[str, list[dict[str, Any]]] = {uri: [] for uri, _ in document.parts}
        options = self._options(document, folders)
        if options is None:
            self._known.pop(document.uri, None)
            return found
        document = replace(document, plans=self._plans)
        findings, warnings = self._found(document, options, at_a_glance)
        _show(found, document, options, findings)
        for warning in filter(is_about_comment, warnings):
            uri, shown = of_comment(document, Text(document.text), warning)
            found[uri].append(shown)
        return found

    def beginning(
        self, document: Document, folders: Sequence[Path], seconds: float
    ) -> dict[str, list[dict[str, Any]]] | None:
        """Return the diagnostics of the first functions and classes of a long text, after so many seconds.

        Of a very long text, its head is read alone, as if it were all: reading the rest takes longer. None for what
        isn't long or is known, and where there was time for all: a glance is as quick then.
        """
        options = self._options(document, folders)
        lines = document.text.count("\n")
        if options is None or not document.is_python or document.uri in self._known or lines < _LONG:
            return None
        document = replace(document, plans=self._plans)
        end = monotonic() + seconds
        start = head(document.text, _LONG) if lines >= _VERY_LONG else None
        if start is not None:
            found = _found_first(replace(document, text=start), options, end)
            if found is not None:
                return found
        return _found_first(document, options, end)

    def question(
        self, document: Document, folders: Sequence[Path], others: Mapping[str, str]
    ) -> workspace.Question | None:
        """Return the question what a document means among the files of its workspace folder.

        `others` are the texts of other documents by their paths. None for a document that has no such folder, is no
        module, can't be parsed or is excluded.
        """
        around = [folder for folder in folders if folder in Path(document.path).parents]
        options = self._options(document, folders)
        if not around or options is None or not document.is_python or _outline(document) is None:
            return None
        folder = max(around, key=lambda folder: len(folder.parts))
        return workspace.Question(document.text, document.path, str(folder), options, others)

    def adopt(self, document: Document, question: workspace.Question, report: FileReport) -> None:
        """Take the answer to a question as what is known of a document."""
        self._plans.adopt(document.text, document.path, question.options, report)
        outline = _outline(document)
        assert outline is not None
        known = _Known(document.text, question.options, outline, report.findings, report.warnings)
        self._known[document.uri] = known

    def further(self, document: Document, question: workspace.Question) -> workspace.Question | None:
        """Return the question how edits of several files rewrite what is refused in a document; None if nothing is."""
        known = self._known.get(document.uri)
        if known is None or known.text != document.text:
            return None
        refused = [each for each in known.findings if each.may_span and each.status is Status.REFUSED]
        refused.sort(key=lambda finding: list(Harm).index(finding.harm))
        return replace(question, refused=tuple(refused[:_SPANNING])) if refused else None

    def adopt_spanning(self, document: Document, found: Sequence[Spanning]) -> None:
        """Take the answer to the further question."""
        known = self._known.get(document.uri)
        if known is not None and known.text == document.text:
            self._known[document.uri] = replace(known, spanning=found)

    def _found(
        self, document: Document, options: Options, at_a_glance: bool
    ) -> tuple[Sequence[Finding], Sequence[Problem]]:
        if not document.is_python:
            report = planned(document, options)
            return report.findings, report.warnings
        known = self._known.get(document.uri)
        if known is not None and known.options != options:
            known = None
        outline = _outline(document)
        if outline is None:
            return known.moved_to(document.text) if known is not None else ([], [])
        if not at_a_glance:
            report = planned(document, options)
        elif known is None:
            report = _first_sight(document, options)
        else:
            report = _glanced(document, options, known, outline)
        is_same = known is not None and known.text == document.text
        spanning = known.spanning if known is not None and is_same else ()
        self._known[document.uri] = _Known(document.text, options, outline, report.findings, report.warnings, spanning)
        return report.findings, report.warnings

    def actions(
        self,
        document: Document,
        folders: Sequence[Path],
        start: Place,
        end: Place,
        only: Sequence[str] | None,
        others: Mapping[str, Document] = MappingProxyType({}),
    ) -> list[dict[str, Any]]:
        """Return the `CodeAction` objects for a range of a document, of the kinds in `only`; None stands for all.

        `others` are the other documents that the editor holds, by path.
        """
        options = self._options(document, folders)
        if options is None or (document.is_python and _outline(document) is None):
            return []
        document = replace(document, plans=self._plans)
        if _are_wanted(only, "quickfix", "refactor.rewrite"):
            text = Text(document.text)
            first, column = document.from_editor(text, *start)
            line = max(end[0] - (not end[1]), start[0])  # a selection of whole lines ends where the next one begins
            last, _ = document.from_editor(text, line, 0)
            found = code_actions(document, options, first, last, column if start == end else None)
            known = self._known.get(document.uri)
            if known is not None and known.text == document.text:
                found = [*across_files(document, known.spanning, first, last, others), *found]
        else:
            found = fix_all(document, options) if _are_wanted(only, FIX_ALL) else []
        return [action for action in found if _are_wanted(only, action["kind"])]

    def hover(
        self, document: Document, folders: Sequence[Path], place: Place, *, as_markdown: bool = False
    ) -> str | None:
        """Return the explanation of the operation at a place, as text or Markdown; None where there is none."""
        options = self._options(document, folders)
        if options is None:
            return None
        document = replace(document, plans=self._plans)
        line, column = document.from_editor(Text(document.text), *place)
        outline = _outline(document) if document.is_python else None
        if document.is_python and outline is None:
            return None
        around = outline.around(line) if outline is not None else None
        if around is not None:
            options = only_in(options, document, around)
        everything = options.unfiltered()
        report = _first_sight(document, everything) if document.is_python else planned(document, everything)
        if not any(_covers(finding, line, column) for finding in report.findings):
            return None
        seen = self._known.get(document.uri)
        known = seen.findings if seen is not None and seen.text == document.text else ()
        found = _explained(document, options, line, column, known)
        if found is None:
            return None
        return hovering.markdown(found) if as_markdown else "\n".join(row.text for row in found).rstrip()

    def _options(self, document: Document, folders: Sequence[Path]) -> Options | None:
        """Return the options for a document; None where it can hold no operation or is excluded."""
        if not may_have_sites(document.text.encode("utf-8", "surrogatepass")):
            return None
        return self._settings.options(Path(document.path), folders)


def _found_first(document: Document, options: Options, end: float) -> dict[str, list[dict[str, Any]]] | None:
    """Return the diagnostics in the functions and classes that there is time for, until there are some, or None."""
    outline = _outline(document)
    findings: list[Finding] = []
    for units in outline.portions(_PORTION) if outline is not None else ():
        findings += _first_sight(document, only_in(options, document, units)).findings
        if monotonic() >= end:
            found: dict[str, list[dict[str, Any]]] = {uri: [] for uri, _ in document.parts}
            _show(found, document, options, findings)
            if any(found.values()):
                return found
    return None


def _show(
    found: dict[str, list[dict[str, Any]]], document: Document, options: Options, findings: Sequence[Finding]
) -> None:
    """Add the diagnostics of findings to those of the parts of a document, harmful ones first."""
    text, harms = Text(document.text), list(Harm)
    for finding in sorted(findings, key=lambda finding: harms.index(finding.harm)):
        if finding.is_reported and finding.harm in (options.only or SHOWN):
            found[document.part_of(finding.line)].append(diagnostic(document, text, finding))


def _outline(document: Document) -> Outline | None:
    """Return the outline of a module; None while it can't be parsed."""
    try:
        return Outline.of(parsed(document.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # all that CPython's parser raises
        return None


def _first_sight(document: Document, options: Options) -> FileReport:
    return document.plans.first_sight(document.text, document.path, replace(options, unused=False))


def _glanced(document: Document, options: Options, known: _Known, outline: Outline) -> FileReport:
    """Return the known findings of a document, with new ones for the functions that were edited since."""
    edited = Edited.between(known.text, document.text)
    units = edited.units(known.outline, outline)
    if units is None:
        return _first_sight(document, options)
    found = _first_sight(document, only_in(options, document, units)).findings if units else ()
    others = [f for f in edited.moved(known.findings) if not any(first <= f.line <= last for first, last in units)]
    findings = sorted([*others, *found], key=lambda f: (f.line, f.column))
    warnings = edited.moved_problems(known.warnings)
    return FileReport(document.path, document.text, document.text, findings, warnings=warnings)


def _explained(
    document: Document, options: Options, line: int, column: int, known: Sequence[Finding]
) -> list[explained.Row] | None:
    """Return the explanation of the operation at a place of a document, row by row; None outside of its modules.

    `known` are the findings that the editor shows.
    """
    from unplace.transform.explanation import explain

    in_file = Text(document.text)
    (module,) = documents.modules_of(document.text, document.path)
    offset = module.offset_from_file(in_file.offset_of(line, column))
    if offset is None:
        return None
    at, own_column = Text(module.text).place(offset)
    told = known if document.is_python else ()
    found = explain(module.text, document.path, options, at, own_column, module.programs(document.plans), told)
    source = Source(document.text.encode("utf-8", "surrogatepass"), document.text, "utf-8")
    report, name = documents.located(module, replace(found, candidates=())), Path(document.path).name
    return list(explained.rows(report, name, source, module.named))


def _are_wanted(only: Sequence[str] | None, *kinds: str) -> bool:
    """Tell whether one of the kinds of actions is asked for; a kind that is asked for includes its subkinds."""
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only for kind in kinds)


def _covers(finding: Finding, line: int, column: int) -> bool:
    return (finding.line, finding.column) <= (line, column) < (finding.end_line, finding.end_column)
