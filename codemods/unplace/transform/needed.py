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
    flags = {f.fix: f for f in report.findings if f.status is Status.REWRITTEN and f.reason.kind in _OF_FLAGS}
    starts = [statement.lineno for statement in parsed(report.before).body] if flags else []
    remaining = left(report.after) if flags else 0
    for fix, flag in flags.items():
        others = [f for f in report.findings if f.status is Status.REWRITTEN and f.fix != fix]
        beside = [f for f in others if bisect_right(starts, f.line) == bisect_right(starts, flag.line)]
        edits = sorted({*report.edits} - ({*flag.edits} - {edit for f in others for edit in f.edits}))
        tried = apply_edits(report.before, edits)
        if beside and left(tried) <= remaining:
            findings = [_repaired(f, beside) if f.fix == fix else f for f in report.findings]
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
