"""Shows a run to people: under each file's name, the rewritten and the refused operations with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unplace.diagnostics.findings import Applicability, Status
from unplace.reporting.concise import STYLES
from unplace.reporting.styled import Span
from unplace.runs.outcome import Outcome


def lines(outcomes: Sequence[Outcome]) -> Iterator[list[Span]]:
    """Yield the files with findings; operations that are kept as they are don't appear."""
    for outcome in outcomes:
        findings = [finding for finding in outcome.findings if finding.is_reported]
        if not findings:
            continue
        yield [(outcome.path, "bold")]
        width = max(len(finding.place) for finding in findings)
        for finding in findings:
            place = finding.place
            yield [
                (f"  {place:<{width}}  ", "dim"),
                (finding.code, "cyan"),
                (f"  {finding.status.value:<9}  ", STYLES[finding.status]),
                (finding.message, ""),
            ]
            word = "observed" if finding.applicability is Applicability.OBSERVED else "assumes"
            for assumption in finding.assumptions if finding.status is Status.REWRITTEN else ():
                yield [(f"  {'':<{width}}  {'':<{len(finding.code)}}  {word:<9}  {assumption}", "dim")]
        yield []
