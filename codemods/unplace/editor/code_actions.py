"""Makes code actions: the rewrites of the operations in a range of lines, in the form that an editor offers.

Positions in the results are those of the protocol: lines from 0, characters in code units from 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from unplace import documents, rules
from unplace.config import suppressions
from unplace.config.options import Options
from unplace.diagnostics.findings import Applicability, FileReport, Finding, Harm, Problem, Status, Trouble
from unplace.editor.document import Document
from unplace.reporting import sentences
from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import LineRanges, Text
from unplace.text.trees import parsed

FIX_ALL = "source.fixAll.unplace"

_REWRITE = "refactor.rewrite"
_LONGEST = 70
"""The letters of code that a title shows."""

_FIXES = 20
"""The largest number of single rewrites offered at once, because each is planned separately."""

_SEVERITIES = {Harm.HARMFUL: 2, Harm.POSSIBLE: 4, Harm.HARMLESS: 4}  # warning, hint, hint
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def code_actions(document: Document, options: Options, first: int, last: int, column: int | None = None) -> list[Any]:
    """Return the `CodeAction` objects for lines `first` to `last` (from 1), or for the operation at a column (from 1).

    Each action is planned separately, as if every other operation stayed in place. Raises `SyntaxError` where CPython
    can't parse the text.
    """
    text = Text(document.text)
    findings = [
        finding
        for finding in planned(document, options).findings
        if finding.is_reported and finding.line <= last and first <= finding.end_line
    ]
    if column is not None:
        here = [f for f in findings if (f.line, f.column) <= (first, column) < (f.end_line, f.end_column)]
        findings = here or findings
    actions: list[Any] = []
    for finding in findings[:_FIXES]:
        for fix in _fixes(document, text, options, finding):
            same = next((other for other in actions if other["edit"] == fix["edit"]), None)
            if same is None:
                actions.append(fix)
            else:  # operations that can only be rewritten together
                same["diagnostics"] += fix["diagnostics"]
    around = _function_around(document, findings)
    if around is not None:
        actions += _rewrite_all(document, text, options, f"Rewrite all in `{around[0]}`", _REWRITE, around[1])
    actions += fix_all(document, options)
    actions += _rewrite_all(document, text, options, "Rewrite all in this file (unplace)", _REWRITE, None)
    if findings:
        ignoring, _ = documents.ignoring_edits(document.text, findings, document.path)
        if ignoring:
            actions.append(action(document, text, "Ignore here (unplace)", "quickfix", ignoring, findings))
    return actions + _comment_removals(document, text, options, first, last)


def fix_all(document: Document, options: Options) -> list[Any]:
    """Return a list with the `CodeAction` object that fixes all that is shown as a warning; empty where it can't."""
    only = frozenset({Harm.HARMFUL}) if options.only is None else options.only & {Harm.HARMFUL}
    wanted = replace(options, only=only, unused=False)
    return _rewrite_all(document, Text(document.text), wanted, "Fix all warnings in this file (unplace)", FIX_ALL, None)


def _comment_removals(document: Document, text: Text, options: Options, first: int, last: int) -> list[Any]:
    """Return the removals of comments in these lines that hold nothing back."""
    if not document.is_python:
        return []
    actions = []
    for warning in planned(document, options).warnings:
        if warning.trouble is not Trouble.UNUSED_SUPPRESSION or warning.line is None:
            continue
        edit = suppressions.removal(document.text, warning) if first <= warning.line <= last else None
        if edit is not None:
            _, shown = of_comment(document, text, warning)
            removal = action(document, text, "Remove the unused suppression (unplace)", "quickfix", [edit])
            actions.append({**removal, "diagnostics": [shown], "isPreferred": True})
    return actions


def diagnostic(document: Document, text: Text, finding: Finding) -> dict[str, Any]:
    """Return a finding as a `Diagnostic` object."""
    start = text.offset_of(finding.line, finding.column)
    address = rules.address(finding.code)
    return {
        **({"codeDescription": {"href": address}} if address is not None else {}),
        "range": document.range(text, start, text.offset_of(finding.end_line, finding.end_column)),
        "severity": _SEVERITIES[finding.harm],
        "code": finding.code,
        "source": "unplace",
        "message": sentences.full(finding, sentences.NO_FIX_HERE),
    }


def is_about_comment(warning: Problem) -> bool:
    """Tell whether a problem is about a suppression comment that is invalid or unused."""
    return warning.line is not None and warning.trouble in (Trouble.UNUSED_SUPPRESSION, Trouble.INVALID_SUPPRESSION)


def of_comment(document: Document, text: Text, warning: Problem) -> tuple[str, dict[str, Any]]:
    """Return a problem with a comment as a `Diagnostic` object, with the URI of the part that it is in."""
    assert warning.trouble is not None
    uri, span = document.to_line_end(text, warning)
    return uri, {
        "range": span,
        "severity": 2,
        "code": warning.trouble.value,
        "source": "unplace",
        "message": warning.message,
        "tags": [1] if warning.trouble is Trouble.UNUSED_SUPPRESSION else [],  # `Unnecessary`: shown faded
    }


def planned(document: Document, options: Options, lines: LineRanges | None = None) -> FileReport:
    """Return the report on a document, or on the operations in some of its lines."""
    return document.plans.report(
        document.text, document.path, options if lines is None else only_in(options, document, lines)
    )


def only_in(options: Options, document: Document, lines: LineRanges) -> Options:
    """Return the options of a run that is only about some lines of a document."""
    return replace(options, changed={document.path: lines}, unused=False)


def _fixes(document: Document, text: Text, options: Options, finding: Finding) -> list[Any]:
    """Return the rewrite of one operation, with others that can only be rewritten along with it."""
    if finding.applicability is None:
        return []
    is_unsafe = finding.applicability is Applicability.UNSAFE
    wanted = replace(options, unsafe=options.unsafe or is_unsafe)
    alone = planned(document, wanted, ((finding.line, finding.end_line),))
    edits = _own_edits(finding, alone) if alone.changed else _only_edits(finding, planned(document, options))
    if not edits:
        return []
    told = title(text, finding, edits)
    if is_unsafe:
        told += f" (unsafe: assumes {'; '.join(finding.assumptions)})"
    fix = action(document, text, told, "quickfix", edits, [finding])
    return [{**fix, "isPreferred": not is_unsafe}]


def _own_edits(finding: Finding, line: FileReport) -> Sequence[Edit]:
    """Return the edits of one operation among those of its line; those of the whole line where it has none itself."""
    place = finding.line, finding.column, finding.code
    own = next((f for f in line.findings if (f.line, f.column, f.code) == place and f.edits), None)
    if own is None or own.status is not Status.REWRITTEN:
        return line.edits
    together = [own] if own.fix is None else [f for f in line.findings if f.fix == own.fix]
    return sorted({edit for f in together for edit in f.edits})


def _only_edits(finding: Finding, report: FileReport) -> Sequence[Edit]:
    """Return the edits of a report if they are all of one operation.

    Other files may prove an operation that its file alone doesn't; a report that knows them is on the whole file.
    """
    rewritten = [f for f in report.findings if f.status is Status.REWRITTEN]
    return report.edits if rewritten == [finding] and not finding.elsewhere else ()


def title(text: Text, finding: Finding, edits: Sequence[Edit]) -> str:
    """Return what a rewrite does: "Rewrite as `y = y + k`"; of another line, with its number."""
    first, last = finding.line, finding.end_line
    here = [edit for edit in edits if first <= text.place(edit.start)[0] <= last]
    if not here:
        first = last = text.place(min(edits).start)[0]
        here = [edit for edit in edits if text.place(edit.start)[0] == first]
    start = text.offset_of(first, 1)
    end = max(text.line_end(text.offset_of(last, 1)), *(edit.end for edit in here))
    moved = [Edit(edit.start - start, edit.end - start, edit.replacement) for edit in here]
    lines = [line.strip() for line in apply_edits(text.text[start:end], moved).splitlines() if line.strip()]
    was = {line.strip() for line in text.text[start:end].splitlines()}
    code = next((line for line in lines if line not in was), lines[0])
    more = f" and {len(lines) - 1} more" if len(lines) > last - first + 1 else ""
    place = "" if first == finding.line else f" line {first}"
    return f"Rewrite{place} as `{code if len(code) <= _LONGEST else code[: _LONGEST - 1] + '…'}`{more}"


def _function_around(document: Document, findings: list[Finding]) -> tuple[str, LineRanges] | None:
    """Return the name and the lines of the innermost function around the first finding; None where there is none."""
    if not findings:
        return None
    text = Text(document.text)
    offset = text.offset_of(findings[0].line, findings[0].column)
    for module in documents.modules_of(document.text, document.path):
        at, own = module.offset_from_file(offset), Text(module.text)
        if at is None:
            continue
        line, _ = own.place(at)
        around = [
            node
            for node in ast.walk(parsed(module.text))
            if isinstance(node, _FUNCTIONS) and node.end_lineno and node.lineno <= line <= node.end_lineno
        ]
        inner = max(around, key=lambda node: node.lineno, default=None)
        span = (module.offset_in_file(offset) for offset in own.span(inner)) if inner is not None else (None, None)
        start, end = span
        if inner is not None and start is not None and end is not None:
            return inner.name, ((text.place(start)[0], text.place(end)[0]),)
    return None


def _rewrite_all(
    document: Document, text: Text, options: Options, title: str, kind: str, lines: LineRanges | None
) -> list[Any]:
    report = planned(document, options, lines)
    return [action(document, text, title, kind, report.edits)] if report.changed else []


def action(
    document: Document, text: Text, title: str, kind: str, edits: Iterable[Edit], about: Iterable[Finding] = ()
) -> dict[str, Any]:
    """Return a `CodeAction` object that edits a document, with the diagnostics of what it is about."""
    return {
        "title": title,
        "kind": kind,
        "diagnostics": [diagnostic(document, text, finding) for finding in about],
        "edit": {"documentChanges": document.changes(text, edits)},
    }
