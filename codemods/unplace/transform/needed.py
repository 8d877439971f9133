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
from unplace.text.edits import apply_edits
from unplace.text.trees import parsed

_OF_FLAGS = (Rewrite.FLAG_DROPPED, Rewrite.FLAG_CLEARED)


def without_needless(report: FileReport, left: Callable[[str], int]) -> FileReport:
    """Return a report less the fixes of flags that others beside them, in one class or function, make needless.

    `left` counts the operations of a text that the run would have to repair. The findings about such a flag take the
    edits beside it, which repair them, too.
    """
    starts = [statement.lineno for statement in parsed(report.before).body]
    made = [finding for finding in report.findings if finding.status is Status.REWRITTEN]
    for flag in [finding for finding in made if finding.reason.kind in _OF_FLAGS]:
        here = bisect_right(starts, flag.line)
        beside = [f for f in made if f.fix != flag.fix and bisect_right(starts, f.line) == here]
        own = {*flag.edits} - {edit for f in made if f.fix != flag.fix for edit in f.edits}
        edits = sorted({*report.edits} - own)
        tried = apply_edits(report.before, edits)
        if beside and left(tried) <= left(report.after):
            made = [_repaired(f, beside) if f.fix == flag.fix else f for f in made]
            findings = [_repaired(f, beside) if f.fix == flag.fix else f for f in report.findings]
            report = replace(report, after=tried, findings=findings, edits=edits)
    return report


def _repaired(finding: Finding, beside: list[Finding]) -> Finding:
    """Return a finding that the edits of others repair."""
    return replace(
        finding,
        reason=Rewrite.REPAIRED_BESIDE(),
        edits=tuple(sorted({edit for other in beside for edit in other.edits})),
        assumed=tuple(dict.fromkeys(assumption for other in beside for assumption in other.assumed)),
        applicability=Applicability.of_all(other.applicability for other in beside),
    )
