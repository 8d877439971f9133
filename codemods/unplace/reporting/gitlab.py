"""Writes a GitLab Code Quality report."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from unplace.diagnostics.findings import Harm
from unplace.reporting import sentences
from unplace.reporting.lint import reported
from unplace.runs.outcome import Outcome

_SEVERITIES = {Harm.HARMFUL: "major", Harm.POSSIBLE: "minor", Harm.HARMLESS: "info"}


def document(outcomes: Sequence[Outcome]) -> str:
    """Return the report as JSON text; a file that could not be handled is a finding of its own."""
    entries: list[dict[str, Any]] = []
    for outcome in outcomes:
        path = _path(outcome.path)
        for finding in reported(outcome):
            begin = {"line": finding.line, "column": finding.column}
            end = {"line": finding.end_line, "column": finding.end_column}
            location = {"path": path, "positions": {"begin": begin, "end": end}}
            entries.append(_entry(finding.code, sentences.full(finding), _SEVERITIES[finding.harm], location))
        if outcome.problem is not None:
            location = {"path": path, "lines": {"begin": outcome.problem.line or 1}}
            entries.append(_entry("unplace", outcome.problem.message, "critical", location))
    _add_fingerprints(entries)
    return json.dumps(entries, indent=2)


def _path(path: str) -> str:
    """Return a path as text that every JSON reader accepts: bytes in it that aren't UTF-8 become `�`."""
    return os.fsencode(PurePath(path).as_posix()).decode("utf-8", "replace")


def _entry(name: str, description: str, severity: str, location: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "check_name": name, "severity": severity, "location": location}


def _add_fingerprints(entries: list[dict[str, Any]]) -> None:
    """Give each entry a fingerprint without its line, so that it stays the same when code is added above."""
    seen: Counter[str] = Counter()
    for entry in entries:
        same = f"{entry['location']['path']}\0{entry['check_name']}\0{entry['severity']}"
        entry["fingerprint"] = hashlib.sha256(f"{same}\0{seen[same]}".encode()).hexdigest()
        seen[same] += 1
