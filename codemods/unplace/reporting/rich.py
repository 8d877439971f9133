"""Shows a run to people: the rewritten and the refused operations with the reasons, each behind its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unplace.reporting import sentences
from unplace.reporting.concise import STYLES
from unplace.reporting.quoting import Quoted
from unplace.reporting.styled import Span
from unplace.reporting.wrapping import INDENT, wrapped
from unplace.runs.outcome import Outcome


def lines(outcomes: Sequence[Outcome], width: int | None = None) -> Iterator[list[Span]]:
    """Yield the findings, each with its assumptions; operations that are kept as they are don't appear."""
    for outcome in outcomes:
        quoted = Quoted(outcome)
        for finding in quoted.in_order():
            if not finding.is_reported:
                continue
            headline = [
                (f"{outcome.path}:{quoted.place(finding)}: ", "bold"),
                (finding.code, "cyan"),
                (f" [{finding.status.value}] ", STYLES[finding.status]),
                (finding.message, ""),
            ]
            yield from wrapped(headline, width, INDENT)
            for title, text in sentences.grounds(finding):
                yield from wrapped([(f"  {title}: ", "dim"), (text, "")], width, INDENT)
