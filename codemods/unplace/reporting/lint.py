"""Shows the linter's view to people: a line per finding, the findings under their files, or counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from unplace.diagnostics.findings import Applicability, Finding, Harm
from unplace.reporting import sentences
from unplace.reporting.styled import Span
from unplace.reporting.summary import number
from unplace.runs.outcome import Outcome

STYLES = {Harm.HARMFUL: "red", Harm.UNKNOWN: "yellow", Harm.HARMLESS: "dim"}
LEVELS = {Harm.HARMFUL: "error", Harm.UNKNOWN: "warning", Harm.HARMLESS: "note"}


def reported(outcome: Outcome) -> list[Finding]:
    """Return the findings that a linter reports for a file: all but operations that are meant to be in place."""
    return [finding for finding in outcome.findings if finding.is_reported]


def _listed(outcome: Outcome, every: bool) -> Sequence[Finding]:
    """Return the findings that are listed: those reported, or all."""
    return outcome.findings if every else reported(outcome)


def concise(outcomes: Sequence[Outcome], *, every: bool = False) -> Iterator[list[Span]]:
    """Yield a line for each finding: `path:line:column: CODE what is wrong [harmful, safe fix]`."""
    for outcome in outcomes:
        for finding in _listed(outcome, every):
            yield [
                (f"{outcome.path}:{finding.place}: ", "bold"),
                (finding.code, "cyan"),
                (f" {sentences.headline(finding)} ", ""),
                (f"[{finding.harm.value}, {sentences.fix(finding)}]", STYLES[finding.harm]),
            ]


def rich(outcomes: Sequence[Outcome], *, every: bool = False) -> Iterator[list[Span]]:
    """Yield the files with findings; each finding comes with what its fix does, or why there is none.

    With `every`, operations that are kept are listed, too.
    """
    for outcome in outcomes:
        findings = _listed(outcome, every)
        if not findings:
            continue
        yield [(outcome.path, "bold")]
        width = max(len(finding.place) for finding in findings)
        for finding in findings:
            place = finding.place
            yield [
                (f"  {place:<{width}}  ", "dim"),
                (finding.code, "cyan"),
                (f"  {finding.harm.value:<10}  ", STYLES[finding.harm]),
                (sentences.headline(finding), ""),
            ]
            indent = f"  {'':<{width}}  {'':<{len(finding.code)}}  "
            yield [(f"{indent}{sentences.fix(finding):<10}  {sentences.advice(finding)}", "dim")]
        yield []


def statistics(outcomes: Sequence[Outcome], *, every: bool = False) -> Iterator[list[Span]]:
    """Yield a line for each rule, harm and form: the number of findings and of safe fixes, most frequent first."""
    findings = [finding for outcome in outcomes for finding in _listed(outcome, every)]
    counts = Counter((finding.code, finding.harm, finding.form.value) for finding in findings)
    fixable = Counter(
        (finding.code, finding.harm, finding.form.value)
        for finding in findings
        if finding.applicability is Applicability.SAFE
    )
    width = len(str(max(counts.values(), default=0)))
    for (code, harm, form), count in sorted(counts.items(), key=lambda item: (-item[1], item[0][0], item[0][1].value)):
        yield [
            (f"{count:>{width}}  ", "bold"),
            (code, "cyan"),
            (f"  {harm.value:<8}", STYLES[harm]),
            (f"  {form}, {fixable[code, harm, form]} with a safe fix", ""),
        ]


def summary(outcomes: Sequence[Outcome], *, every: bool = False) -> list[str]:
    """Return the figures of a run in sentences; `every` tells that all findings are listed."""
    findings = [finding for outcome in outcomes for finding in reported(outcome)]
    files = sum(outcome.problem is None for outcome in outcomes)
    lines = []
    if findings:
        harms = Counter(finding.harm for finding in findings)
        parts = ", ".join(f"{harms[harm]} {harm.value}" for harm in STYLES if harms[harm])
        hit = sum(bool(reported(outcome)) for outcome in outcomes)
        lines.append(
            f"Found {number(len(findings), 'in-place operation')} in {number(hit, 'file')} of {files}: {parts}."
        )
        fixes = Counter(finding.applicability for finding in findings)
        if fixes[Applicability.SAFE]:
            lines.append(f"`unplace rewrite` repairs {fixes[Applicability.SAFE]} of them.")
        if fixes[Applicability.UNSAFE]:
            more = " more" if fixes[Applicability.SAFE] else ""
            lines.append(f"`unplace rewrite --unsafe` repairs {fixes[Applicability.UNSAFE]}{more}, on assumptions.")
    elif files:
        lines.append(f"Found nothing in {number(files, 'file')}.")
    unclear = sum(finding.is_unclear for outcome in outcomes for finding in outcome.findings)
    if unclear:
        hint = "" if every else ", which `--all` lists"
        lines.append(f"{number(unclear, 'statement')} may write a tensor in place or something else{hint}.")
    failed = len(outcomes) - files
    if failed:
        lines.append(f"{number(failed, 'file')} could not be handled.")
    return lines
