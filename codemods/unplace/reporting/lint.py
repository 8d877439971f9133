"""Shows the linter's view to people: a line for each finding, the findings with their code, or counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from unplace.diagnostics.catalogue import Observed
from unplace.diagnostics.findings import Applicability, Awaited, Finding, Harm
from unplace.reporting import sentences
from unplace.reporting.quoting import Quoted, shown
from unplace.reporting.styled import Span
from unplace.reporting.summary import Summary, number
from unplace.reporting.wrapping import INDENT, wrapped
from unplace.runs.outcome import Outcome

STYLES = {Harm.HARMFUL: "red", Harm.POSSIBLE: "yellow", Harm.HARMLESS: "dim"}
LEVELS = {Harm.HARMFUL: "error", Harm.POSSIBLE: "warning", Harm.HARMLESS: "note"}


def reported(outcome: Outcome) -> list[Finding]:
    """Return the findings that a linter reports for a file: all but operations that are meant to be in place."""
    return [finding for finding in outcome.findings if finding.is_reported]


def listed(outcomes: Sequence[Outcome], harms: Collection[Harm]) -> list[Outcome]:
    """Return the outcomes with those reported findings alone that have one of the harms."""
    return [
        replace(outcome, findings=tuple(finding for finding in reported(outcome) if finding.harm in harms))
        for outcome in outcomes
    ]


def concise(outcomes: Sequence[Outcome]) -> Iterator[list[Span]]:
    """Yield a line for each finding: `path:line:column: CODE what is wrong [harmful, safe fix]`."""
    for outcome in outcomes:
        lines = Quoted(outcome)
        for finding in lines.in_order():
            yield [
                (f"{outcome.path}:{lines.place(finding)}: ", "bold"),
                (finding.code, "cyan"),
                (f" {sentences.headline(finding)} ", ""),
                (f"[{sentences.harm(finding)}, {sentences.fix(finding)}]", STYLES[finding.harm]),
            ]


def rich(outcomes: Sequence[Outcome], width: int | None = None) -> Iterator[list[Span]]:
    """Yield the findings, harmful ones first: each with its line, the line that saved, and what its fix does."""
    quoted = [(lines, finding) for lines in map(Quoted, outcomes) for finding in lines.in_order()]
    order = list(Harm)
    for lines, finding in sorted(quoted, key=lambda one: order.index(one[1].harm)):
        style = STYLES[finding.harm]
        headline = [
            (f"{lines.outcome.path}:{lines.place(finding)}: ", "bold"),
            (finding.code, "cyan"),
            (f" {sentences.headline(finding)} ", ""),
            (f"[{sentences.harm(finding)}]", style),
        ]
        yield from wrapped(headline, width, INDENT)
        yield from shown(lines.quotes(finding), style, width)
        for title, text in sentences.advice_lines(finding):
            yield from wrapped(
                [(f"  {title}: ", "green" if finding.applicability else "dim"), (text, "")], width, INDENT
            )
        yield []


def statistics(outcomes: Sequence[Outcome]) -> Iterator[list[Span]]:
    """Yield a line for each rule, harm and form: the number of findings and of safe fixes, most frequent first."""
    findings = [finding for outcome in outcomes for finding in outcome.findings]
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


def summary(outcomes: Sequence[Outcome], harms: Collection[Harm], *, every: bool = False) -> list[str]:
    """Return the figures of a run in sentences: of operations with one of the harms, and of all that isn't listed.

    With `every`, all findings are listed.
    """
    shown = listed(outcomes, list(Harm) if every else harms)
    findings = [finding for outcome in shown for finding in outcome.findings]
    hit = sum(bool(outcome.findings) for outcome in shown)
    files = sum(outcome.problem is None for outcome in outcomes)
    lines = []
    if findings:
        counts = Counter(finding.harm for finding in findings)
        parts = ", ".join(f"{counts[harm]} {harm.value}" for harm in Harm if counts[harm])
        lines.append(
            f"Found {number(len(findings), 'in-place operation')} in {number(hit, 'file')} of {files}: {parts}."
        )
        lines += _repaired([finding for finding in findings if finding.harm in harms])
        lines += _ran(findings)
    elif files:
        asked = " or ".join(harm.value for harm in Harm if harm in harms)
        lines.append(f"Found no {asked} in-place operation in {number(files, 'file')}.")
    lines += [] if every else _left_out(outcomes, harms)
    lines += Summary.of(outcomes).of_programs()
    failed = len(outcomes) - files
    if failed:
        lines.append(f"{number(failed, 'file')} could not be handled.")
    return lines


def _repaired(findings: Sequence[Finding]) -> Iterator[str]:
    fixes = Counter(finding.applicability for finding in findings)
    by_default = fixes[Applicability.SAFE] + fixes[Applicability.CONVENTIONAL]
    if by_default:
        so = f", {fixes[Applicability.CONVENTIONAL]} by convention" if fixes[Applicability.CONVENTIONAL] else ""
        yield f"`unplace check --fix` repairs {by_default} of them{so}."
    if fixes[Applicability.OBSERVED]:
        yield f"`unplace check --fix --facts ...` repairs {fixes[Applicability.OBSERVED]} on what runs showed."
    if fixes[Applicability.UNSAFE]:
        more = " more" if by_default else ""
        yield f"`unplace check --fix --unsafe` repairs {fixes[Applicability.UNSAFE]}{more}, on assumptions."


def _ran(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield sentences that count the operations that made torch raise in a run, and those that no run came to."""
    observed = [finding for finding in findings if finding.ran]
    harmful = sum(finding.is_observed_harmful for finding in observed)
    if harmful:
        yield f"Torch raised in the observed runs because of {harmful} of them."
    never = sum(Observed.NEVER_RAN in (reason.kind for reason in finding.ran) for finding in observed)
    if never:
        yield f"The observed runs never came to {never} of the {len(observed)} that the facts are about."


def _left_out(outcomes: Sequence[Outcome], harms: Collection[Harm]) -> Iterator[str]:
    """Yield a sentence that counts what isn't listed and says how to see it."""
    counts = Counter(finding.harm for outcome in outcomes for finding in reported(outcome))
    parts = [f"{counts[harm]:,} {harm.value}" for harm in Harm if counts[harm] and harm not in harms]
    unclear = sum(finding.is_unclear for outcome in outcomes for finding in outcome.findings)
    if unclear:
        parts.append(f"{number(unclear, 'statement')} of an unknown kind")
    if parts:
        yield f"Not listed: {', '.join(parts)} (`--all` lists everything)."
    waiting = sum(finding.awaited is Awaited.CALLER for outcome in outcomes for finding in reported(outcome))
    if waiting and Harm.POSSIBLE not in harms:
        yield f"{waiting} of these {'is' if waiting == 1 else 'are'} harmful where {Awaited.CALLER.value}."
