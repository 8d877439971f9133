"""Leaves flags alone that other edits make harmless, where a run repairs only harm of some kinds.

    self.relu = nn.ReLU(inplace=True)           self.relu = nn.ReLU(inplace=True)
    ...                                         ...
    out = self.relu(out)                        out = self.relu(out)
    out += identity                             out = out + identity
    return self.relu(out)                       return self.relu(out)

Both the sum and the second call overwrite what the first call saved; but the second may write a sum that is a new
tensor. Each flag is tried: the text in which it stays is analysed again. Statements that are alike stay alike: they are
all written out, or none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Applicability, FileReport, Finding, Status
from unplace.text.edits import Edit, apply_edits
from unplace.text.trees import parsed

_OF_FLAGS = (Rewrite.FLAG_DROPPED, Rewrite.FLAG_CLEARED)

Left = Callable[[str], int]
"""Counts the operations of a text that the run would have to repair."""


def without_needless(report: FileReport, left: Left) -> FileReport:
    """Return a report less the fixes of flags without which nothing more is left than with them.

    A flag is tried beside the other fixes in its statement of the module's top level, whose edits its finding takes if
    they repair it, too.
    """
    starts = [statement.lineno for statement in parsed(report.before).body]
    groups: dict[int, set[int]] = {}
    for finding in report.findings:
        if finding.status is Status.REWRITTEN and finding.fix is not None and not finding.elsewhere:
            groups.setdefault(bisect_right(starts, finding.line), set()).add(finding.fix)
    flags = {f.fix for f in report.findings if f.reason.kind in _OF_FLAGS and f.fix is not None}
    several = [fixes for fixes in groups.values() if len(fixes) > 1 and fixes & flags]
    remaining = left(report.after) if several else 0
    needless: set[int] = set()
    findings = list(report.findings)
    for fixes in several:
        needed = set(fixes)
        for fix in sorted(fixes & flags):
            tried = apply_edits(report.before, _edits(report, needless | {fix}))
            if len(needed) > 1 and left(tried) <= remaining:
                needless.add(fix)
                needed.remove(fix)
        beside = [finding for finding in report.findings if finding.fix in needed]
        findings = [_repaired(f, beside) if f.fix in fixes - needed else f for f in findings]
    if not needless:
        return report
    edits = _edits(report, needless)
    return replace(report, after=apply_edits(report.before, edits), findings=findings, edits=edits)


def _edits(report: FileReport, needless: set[int]) -> list[Edit]:
    """Return the edits of a report less those that only the fixes in `needless` make."""
    made = [finding for finding in report.findings if finding.status is Status.REWRITTEN]
    theirs = {edit for finding in made if finding.fix in needless for edit in finding.edits}
    return sorted({*report.edits} - theirs | {e for f in made if f.fix not in needless for e in f.edits})


def _repaired(finding: Finding, beside: list[Finding]) -> Finding:
    """Return a finding that the edits of others repair."""
    return replace(
        finding,
        reason=Rewrite.REPAIRED_BESIDE(),
        edits=tuple(sorted({edit for other in beside for edit in other.edits})),
        assumed=tuple(dict.fromkeys(assumption for other in beside for assumption in other.assumed)),
        applicability=Applicability.of_all(other.applicability for other in beside),
    )
