"""Writes GitHub Actions workflow commands, which put each finding beside its line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from unplace.reporting import sentences
from unplace.reporting.lint import LEVELS, reported
from unplace.runs.outcome import Outcome
from unplace.text.visible import visible

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def document(outcomes: Sequence[Outcome]) -> str:
    """Return the report with one workflow command per line."""
    lines = []
    for outcome in outcomes:
        for finding in reported(outcome):
            place: dict[str, str | int | None] = {
                "title": f"unplace {finding.code}",
                "file": PurePath(outcome.path).as_posix(),
                "line": finding.line,
                "col": finding.column,
                "endLine": finding.end_line,
                "endColumn": finding.end_column,
            }
            lines.append(_command(_LEVELS[LEVELS[finding.harm]], place, sentences.full(finding)))
        problem = outcome.problem
        if problem is not None:
            place = {
                "title": "unplace",
                "file": PurePath(outcome.path).as_posix(),
                "line": problem.line,
                "col": problem.column,
            }
            lines.append(_command("error", place, problem.message))
    return "\n".join(lines)


def _command(level: str, place: dict[str, str | int | None], message: str) -> str:
    parts = (
        f"{key}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in place.items()
        if value is not None
    )
    return f"::{level} {','.join(parts)}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
