"""Prints one line per finding, as compilers do: `path:line:column: CODE [status] message`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unplace.diagnostics.findings import Status
from unplace.reporting.quoting import Quoted
from unplace.reporting.styled import Span
from unplace.runs.outcome import Outcome

STYLES = {Status.REWRITTEN: "green", Status.REFUSED: "yellow", Status.KEPT: "dim"}


def lines(outcomes: Sequence[Outcome]) -> Iterator[list[Span]]:
    """Yield a line for each rewritten or refused operation, in the order of the files."""
    for outcome in outcomes:
        quoted = Quoted(outcome)
        for finding in quoted.in_order():
            if finding.is_reported:
                yield [
                    (f"{outcome.path}:{quoted.place(finding)}: ", "bold"),
                    (finding.code, "cyan"),
                    (f" [{finding.status.value}] ", STYLES[finding.status]),
                    (finding.message, ""),
                ]
