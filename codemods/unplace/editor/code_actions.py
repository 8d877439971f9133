"""Code actions: the rewrites of the operations in a range of lines, as an editor can offer them.

Positions in the results are those of the protocol: lines from 0, characters in UTF-16 code units from 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from unplace.edits import Edit
from unplace.findings import Applicability, FileReport, Finding, Harm
from unplace.positions import Text
from unplace.reporting import sentences
from unplace.rewriter import LineRanges, Options, rewrite_text
from unplace.suppressions import ignoring_edits

_SEVERITIES = {Harm.HARMFUL: 1, Harm.UNKNOWN: 2, Harm.HARMLESS: 3}  # error, warning, information
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Document:
    """A text that an editor holds: its address, its version there (None: as on disk), its path for reports."""

    text: str
    uri: str
    path: str
    version: int | None = None


def code_actions(document: Document, options: Options, first: int, last: int, column: int | None = None) -> list[Any]:
    """The `CodeAction` objects for the lines `first` to `last` (from 1), or for what stands at a column (from 1).

    Every action is planned for itself: what it doesn't rewrite stays in place. Raises `SyntaxError` where CPython's
    parser does.
    """
    text = Text(document.text)
    findings = [
        finding
        for finding in _planned(document, options).findings
        if finding.is_reported and finding.line <= last and first <= finding.end_line
    ]
    if column is not None:
        here = [f for f in findings if (f.line, f.column) <= (first, column) < (f.end_line, f.end_column)]
        findings = here or findings
    actions: list[Any] = []
    for finding in findings:
        actions += _fixes(document, text, options, finding)
    for title, kind, lines in _wider(document, findings):
        report = _planned(document, options, lines)
        if report.changed:
            actions.append(_action(document, text, title, kind, report.edits))
    if findings:
        ignoring, _ = ignoring_edits(document.text, findings, document.path)
        if ignoring:
            actions.append(_action(document, text, "unplace: ignore here", "quickfix", ignoring, findings))
    return actions


def diagnostic(text: Text, finding: Finding) -> dict[str, Any]:
    """A finding as a `Diagnostic` object."""
    start = text.offset_of(finding.line, finding.column)
    return {
        "range": _range(text, start, text.offset_of(finding.end_line, finding.end_column)),
        "severity": _SEVERITIES[finding.harm],
        "code": finding.code,
        "source": "unplace",
        "message": sentences.full(finding),
    }


def _planned(document: Document, options: Options, lines: LineRanges | None = None) -> FileReport:
    limited = options if lines is None else replace(options, changed={document.path: lines})
    return rewrite_text(document.text, document.path, limited)


def _fixes(document: Document, text: Text, options: Options, finding: Finding) -> list[Any]:
    """The rewrite of one operation, with the others of its lines where they can't be told apart by lines."""
    if finding.applicability is None:
        return []
    is_unsafe = finding.applicability is Applicability.UNSAFE
    wanted = replace(options, unsafe=options.unsafe or is_unsafe)
    alone = _planned(document, wanted, ((finding.line, finding.end_line),))
    if not alone.changed:
        return []
    planned = next((f for f in alone.findings if (f.line, f.column) == (finding.line, finding.column)), finding)
    title = f"unplace: {planned.message}"
    if is_unsafe:
        title += f" (unsafe: assumes {'; '.join(finding.assumptions)})"
    action = _action(document, text, title, "quickfix", alone.edits, [finding])
    return [{**action, "isPreferred": not is_unsafe}]


def _wider(document: Document, findings: list[Finding]) -> list[tuple[str, str, LineRanges | None]]:
    """The rewrites of more than one operation: title, kind, and the lines that they are about."""
    wider: list[tuple[str, str, LineRanges | None]] = []
    if findings:
        line = findings[0].line
        tree = ast.parse(document.text)
        around = [
            node
            for node in ast.walk(tree)
            if isinstance(node, _FUNCTIONS) and node.end_lineno and node.lineno <= line <= node.end_lineno
        ]
        if around:
            inner = max(around, key=lambda node: node.lineno)
            lines = ((inner.lineno, inner.end_lineno or inner.lineno),)
            wider.append((f"unplace: rewrite all in `{inner.name}`", "refactor.rewrite", lines))
    wider.append(("unplace: rewrite all in this file", "source.fixAll.unplace", None))
    return wider


def _action(
    document: Document, text: Text, title: str, kind: str, edits: Iterable[Edit], about: Iterable[Finding] = ()
) -> dict[str, Any]:
    changes = [{"range": _range(text, edit.start, edit.end), "newText": edit.replacement} for edit in edits]
    target = {"uri": document.uri, "version": document.version}
    return {
        "title": title,
        "kind": kind,
        "diagnostics": [diagnostic(text, finding) for finding in about],
        "edit": {"documentChanges": [{"textDocument": target, "edits": changes}]},
    }


def _range(text: Text, start: int, end: int) -> dict[str, Any]:
    places = (text.utf16_place(start), text.utf16_place(end))
    first, last = ({"line": line, "character": character} for line, character in places)
    return {"start": first, "end": last}
