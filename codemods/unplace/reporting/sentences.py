"""Words a finding as a linter does: what is wrong, how harmful it is, and whether `unplace` can repair it."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from unplace.diagnostics.catalogue import Convention, Observed, Purpose
from unplace.diagnostics.findings import Applicability, Finding, Harm, Status
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Reason

OBSERVED = "observed"
NO_FIX = "no fix"
NO_FIX_HERE = "no fix in this file"
"""What an editor says, which may still offer a fix in another file."""


def headline(finding: Finding) -> str:
    """Return the headline: `masked store can break autograd: saved by exp() in line 12`."""
    form = finding.form.value
    if finding.status is Status.KEPT:
        return f"{form} is kept"
    if finding.harm is Harm.HARMFUL and finding.form is Form.DATA_STORE:
        return f"{form} cuts the gradient without an error"
    if finding.awaited is not None:
        by = finding.saved_by
        why = f"saved by {by.operation} in {by.place}" if by is not None else "torch forbids writing this tensor"
        return f"{form} can break autograd where {finding.awaited.value}: {why}"
    if finding.saved_by is not None:
        return f"{form} can break autograd: saved by {finding.saved_by.operation} in {finding.saved_by.place}"
    savers = [dict(told.parts)["saver"] for told in finding.ran if told.kind is Observed.RAISED]
    if savers:
        return f"{form} broke autograd in a run: saved by {savers[0]}()"
    if finding.harm is Harm.HARMFUL:
        return f"{form} raises where gradients are recorded: torch forbids writing this tensor"
    if finding.harm is Harm.HARMLESS:
        return f"{form} of a tensor that nothing saved for backward"
    return f"{form} may break autograd: code that isn't known may have saved the tensor"


def harm(finding: Finding) -> str:
    """Return the harm in a word, or in two where a run showed it: `observed harmful`."""
    return f"observed {finding.harm.value}" if finding.is_observed_harmful else finding.harm.value


def safety(applicability: Applicability, assumptions: Collection[str]) -> str:
    """Return how sure an edit is, in a word; none for one that is made by default and yet rests on something."""
    return "" if applicability is Applicability.SAFE and assumptions else applicability.value


def fix(finding: Finding, none: str = NO_FIX) -> str:
    """Return `safe fix`, `unsafe fix` or that there is none; what is kept for its kind may have one with `--unsafe`.

    A fix that is made by default and yet rests on something is called `fix`: what it assumes is named beside it.
    """
    if finding.applicability is not None:
        return f"{safety(finding.applicability, finding.assumptions)} fix".lstrip()
    return "unsafe fix" if finding.reason.kind is Purpose.UNKNOWN_KIND_UNSAFE else none


def advice(finding: Finding) -> str:
    """Return what the fix does and what it assumes, or why there is no fix."""
    is_made = finding.applicability is not None and finding.status is Status.REWRITTEN
    if not is_made and finding.applicability is not Applicability.OBSERVED:
        return finding.message
    parts = [finding.message]
    for title, reasons in groupby(finding.assumed, backing):
        told = "; ".join(map(str, reasons))
        parts.append(told if title == OBSERVED else f"{title}: {told}")
    if finding.verified is not None:
        parts.append(str(finding.verified))
    return "; ".join(parts)


def advice_lines(finding: Finding) -> list[tuple[str, str]]:
    """Return what runs showed, the fix or why there is none, and what it rests on, as titles and texts of lines."""
    lines = [("in the runs", "; ".join(map(str, finding.ran)))] if finding.ran else []
    lines.append(("reason" if finding.status is Status.KEPT else fix(finding), finding.message))
    return lines + grounds(finding)


def grounds(finding: Finding) -> list[tuple[str, str]]:
    """Return what an edit that is made rests on, and what calls showed, as titles and texts."""
    assumed = finding.assumed if finding.status is Status.REWRITTEN else ()
    verified = [("verified", str(finding.verified))] if finding.verified is not None else []
    return [(backing(each), str(each)) for each in assumed] + verified


def backing(assumed: Reason) -> str:
    """Return the title of what an edit rests on: `assumes`, or `observed` for what runs showed, or `by convention`."""
    titles = {Observed: OBSERVED, Convention: "by convention"}
    return next((title for kind, title in titles.items() if isinstance(assumed.kind, kind)), "assumes")


def full(finding: Finding, none: str = NO_FIX) -> str:
    """Return headline, fix and advice in one line, for formats with a single text per finding.

    `none` stands for a fix that there isn't.
    """
    return f"{headline(finding)} [{harm(finding)}, {fix(finding, none)}: {advice(finding)}]"
