"""Writes SARIF 2.1.0, for code scanning services and editors, with the fixes.

Columns count Unicode code points, and lines end as in Python (see `columnKind` and `newlineSequences`). Paths in the
working folder are relative to it. A result's `properties` hold its harm, fix and assumptions, as in the other formats.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from unplace import rules
from unplace.diagnostics.findings import Finding, Problem, Status
from unplace.reporting import sentences
from unplace.reporting.lint import LEVELS, reported
from unplace.runs.outcome import Outcome
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(outcomes: Sequence[Outcome]) -> str:
    """Return the run as one SARIF log."""
    codes = rules.codes()
    problems = [outcome.problem for outcome in outcomes if outcome.problem is not None]
    texts = {
        str(Path(outcome.path).absolute()): (outcome.path, Text(outcome.source.text))
        for outcome in outcomes
        if outcome.along and outcome.source is not None
    }
    run = {
        "tool": {"driver": {"name": "unplace", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "invocations": [
            {
                "executionSuccessful": not problems,
                "toolExecutionNotifications": [_notification(problem) for problem in problems],
            }
        ],
        "results": [result for outcome in outcomes for result in _results(outcome, codes, texts)],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> dict[str, Any]:
    text = rules.documentation(code)
    address = rules.address(code)
    return {
        "id": code,
        "shortDescription": {"text": text.splitlines()[0]},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": f"# {code}\n\n{text}"},
        **({"helpUri": address} if address is not None else {}),
        "defaultConfiguration": {"level": "warning"},
    }


def _notification(problem: Problem) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": _artifact(problem.path)}
    if problem.line is not None:
        location["region"] = {"startLine": problem.line, "startColumn": problem.column or 1}
    return {"level": "error", "message": {"text": problem.message}, "locations": [{"physicalLocation": location}]}


def _results(outcome: Outcome, codes: Sequence[str], texts: Mapping[str, tuple[str, Text]]) -> list[dict[str, Any]]:
    findings = reported(outcome)
    if not findings:
        return []
    assert outcome.source is not None
    text = Text(outcome.source.text)
    return [_result(outcome.path, finding, text, codes, texts) for finding in findings]


def _result(
    path: str, finding: Finding, text: Text, codes: Sequence[str], texts: Mapping[str, tuple[str, Text]]
) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": LEVELS[finding.harm],
        "message": {"text": sentences.full(finding)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(path), "region": region}, **_cell(finding)}],
        "properties": {
            "harm": finding.harm.value,
            "status": finding.status.value,
            "applicability": finding.applicability.value if finding.applicability else None,
            "assumptions": list(finding.assumptions),
        },
    }
    if finding.status is Status.REWRITTEN:  # applying all fixes gives the same result as a rewrite
        changed = [(path, text, finding.edits)] if finding.edits else []
        changed += [(*texts[other], edits) for other, edits in finding.elsewhere]
        changes = [
            {"artifactLocation": _artifact(name), "replacements": _replacements(edits, of)}
            for name, of, edits in changed
        ]
        result["fixes"] = [{"description": {"text": sentences.advice(finding)}, "artifactChanges": changes}]
    return result


def _cell(finding: Finding) -> dict[str, Any]:
    """Return the logical location of a finding in a notebook cell; the physical location is its place in the file."""
    return {"logicalLocations": [{"fullyQualifiedName": finding.place}]} if finding.cell is not None else {}


def _replacements(edits: Iterable[Edit], text: Text) -> list[dict[str, Any]]:
    replacements = []
    for edit in sorted(edits):
        line, column = text.place(edit.start)
        end_line, end_column = text.place(edit.end)
        region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        replacements.append({"deletedRegion": region, "insertedContent": {"text": edit.replacement}})
    return replacements


def _artifact(path: str) -> dict[str, str]:
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(PurePath(path).as_posix()))}
