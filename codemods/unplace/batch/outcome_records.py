"""Turns the outcomes and problems of files into records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from unplace.batch.records import ErrorRecord, FileRecord, ReasonRecord, SiteRecord
from unplace.batch.verifying import Place
from unplace.diagnostics.findings import Finding, Harm, Problem, Status
from unplace.diagnostics.reasons import Reason
from unplace.reporting.quoting import Quoted
from unplace.runs.outcome import Outcome
from unplace.text.positions import Text


def file_records(outcomes: Iterable[Outcome], left_out: Collection[Place]) -> Iterator[FileRecord]:
    """Yield the records of the files with findings; `left_out` has the places that verification took back."""
    for outcome in outcomes:
        if outcome.findings:
            text = Text(outcome.source.text if outcome.source is not None else "")
            cells = Quoted(outcome) if any(finding.cell for finding in outcome.findings) else None
            sites = tuple(
                _site(
                    finding,
                    text.line(finding.line) if cells is None else cells.quotes(finding)[0].code,
                    (outcome.path, finding.line, finding.column) in left_out,
                )
                for finding in outcome.findings
            )
            change = outcome.change
            texts = (None, None) if change is None else (change.before.text, change.after.text)
            yield FileRecord(outcome.path, sites, *texts)


def error_records(problems: Iterable[Problem]) -> Iterator[ErrorRecord]:
    """Yield the records of problems: files that could not be read or worked out."""
    for problem in problems:
        yield ErrorRecord(problem.path, problem.message, problem.line, problem.column)


def _site(finding: Finding, source: str, left_out: bool) -> SiteRecord:
    saved, place = finding.saved_by, finding.cell or finding
    return SiteRecord(
        line=place.line,
        column=place.column,
        code=finding.code,
        status=finding.status.value,
        applicability=finding.applicability.value if finding.applicability else None,
        harm=_harm(finding).value,
        message=finding.message,
        assumptions=finding.assumptions,
        saved_by=f"{saved.operation} in {saved.place}" if saved else None,
        left_out=left_out,
        source=source.rstrip(),
        reasons=tuple(dict.fromkeys(map(_without_names, _reasons(finding)))),
        cell=finding.cell.number if finding.cell is not None else None,
        verified=str(finding.verified or ""),
        in_file=finding.line,
    )


def _harm(finding: Finding) -> Harm:
    """Return the harm that `unplace check` counts: a write that goes to the clone for another does none any more."""
    is_repaired = finding.status is Status.KEPT and finding.harm is Harm.HARMFUL
    return Harm.HARMLESS if is_repaired else finding.harm


def _reasons(finding: Finding) -> Sequence[Reason]:
    """Return the assumptions of a finding's rewrite, or why it isn't rewritten; nothing for one that is kept."""
    if finding.status is Status.KEPT:
        return ()
    return (finding.reason,) if finding.applicability is None else finding.assumed


def _without_names(reason: Reason) -> ReasonRecord:
    return ReasonRecord(reason.code, reason.opened)
