"""Writes the whole run as one JSON object, for programs.

    {
      "version": "0.1.0",                        of unplace
      "files": {
        "models/rnn.py": {"changed": true, "error": null},
        "models/bad.py": {"changed": false, "error": {"message": "cannot parse: ...", "line": 3, "column": 7}}
      },
      "summary": {"files": 2, "changed": 1, "rewritten": 1, "kept": 0, "refused": 0, "errors": 1},
      "sites": [
        {"path": "models/rnn.py", "line": 12, "column": 9, "end_line": 12, "end_column": 15, "code": "UNP001",
         "form": "augmented assignment", "status": "rewritten", "applicability": "safe", "harm": "harmful",
         "saved_by": {"operation": "exp()", "line": 11}, "message": "...", "assumptions": []}
      ]
    }

Lines and columns count from 1, columns in characters; an end is exclusive. In a notebook they are those of the cell,
whose number is `cell` (from 1, among all cells). `status` is `rewritten`, `kept` or `refused`; `applicability` is
`safe`, `observed`, `unsafe`, or null where nothing can be rewritten; `left` of a kept one is the principle by which it
stays, `unknown kind`, `meant`, `normal form` or `cost`; `harm` is `harmful`, `harmless` or `possible`, and `saved_by`
the operation that saved the memory for backward, where it is certain, with its `file` where that is another one (as
seen from the folder that holds both); `awaited` of a possible one is what would make it harmful, if that is known: "a
caller passes a tensor with a graph". `line` and `column` of an error are null where it concerns the file as a whole.
With `--check`, `changed` and `rewritten` say what would happen. A run with `--verify` adds `verification`, described in
`reporting.verification`. Names and meanings stay; later versions may add keys.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from unplace.diagnostics.findings import Finding, Problem, SavedBy
from unplace.reporting.summary import Summary
from unplace.runs.outcome import Outcome
from unplace.version import __version__


def document(outcomes: Sequence[Outcome], verification: dict[str, Any] | None = None) -> str:
    """Return the run as JSON text (ASCII only, so that no terminal or pipe can garble it)."""
    summary = Summary.of(outcomes)
    figures = ("files", "changed", "rewritten", "kept", "refused", "errors")
    run: dict[str, Any] = {
        "version": __version__,
        "files": {outcome.path: _file(outcome) for outcome in outcomes},
        "summary": {**{name: getattr(summary, name) for name in figures}, "kept": sum(summary.kept.values())},
        "sites": [site(outcome.path, finding) for outcome in outcomes for finding in outcome.findings],
    }
    if verification is not None:
        run["verification"] = verification
    return json.dumps(run, indent=2)


def _file(outcome: Outcome) -> dict[str, Any]:
    return {"changed": outcome.change is not None, "error": _error(outcome.problem) if outcome.problem else None}


def _error(problem: Problem) -> dict[str, Any]:
    return {"message": problem.message, "line": problem.line, "column": problem.column}


def site(path: str, finding: Finding) -> dict[str, Any]:
    """Return one finding as an entry of `sites`."""
    saved, place = finding.saved_by, finding.cell or finding
    return {
        "path": path,
        **({"cell": finding.cell.number} if finding.cell is not None else {}),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "code": finding.code,
        "form": finding.form.value,
        "status": finding.status.value,
        "applicability": finding.applicability.value if finding.applicability else None,
        "harm": finding.harm.value,
        "saved_by": _saved_by(saved) if saved else None,
        **({"left": finding.left.value} if finding.left is not None else {}),
        **({"awaited": finding.awaited.value} if finding.awaited is not None else {}),
        "message": finding.message,
        "assumptions": list(finding.assumptions),
        **({"observed": list(map(str, finding.ran))} if finding.ran else {}),
        **({"verified": str(finding.verified)} if finding.verified is not None else {}),
    }


def _saved_by(saved: SavedBy) -> dict[str, Any]:
    cell = {"cell": saved.cell} if saved.cell is not None else {}
    file = {"file": saved.file} if saved.file is not None else {}
    return {"operation": saved.operation, **cell, "line": saved.line, **file}
