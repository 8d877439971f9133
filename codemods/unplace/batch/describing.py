"""The message of the commit that a migration makes in a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unplace.batch.records import VerificationRecord
from unplace.diagnostics.catalogue import Verified
from unplace.diagnostics.findings import Applicability, Status
from unplace.reporting.summary import number
from unplace.runs.outcome import Outcome
from unplace.version import __version__

TITLE = "Rewrite in-place tensor operations out of autograd's way"
_GROUNDS = {
    Applicability.UNSAFE: "an assumption",
    Applicability.CONVENTIONAL: "a convention",
    Applicability.OBSERVED: "what a run showed",
}


def message(changed: Sequence[Outcome], verification: VerificationRecord | None) -> str:
    """Return the message of the commit: the title and the body; the same changes give the same message."""
    return f"{TITLE}\n\n{body(changed, verification)}"


def body(changed: Sequence[Outcome], verification: VerificationRecord | None) -> str:
    """Return the message without the title: what was done, how often by each rule, and why."""
    rewritten = [f for outcome in changed for f in outcome.findings if f.status is Status.REWRITTEN]
    rules = Counter(finding.code for finding in rewritten)
    resting = Counter(finding.applicability for finding in rewritten)
    lines = [
        "An operation that writes to a tensor in place can overwrite values that",
        "autograd has saved for the backward pass: it then fails, or a gradient is",
        "cut without an error. These operations compute a new tensor instead.",
        "",
        f"unplace {__version__} rewrote {number(len(rewritten), 'operation')} in {number(len(changed), 'file')}:",
        "",
        *(f"- {code}: {count}" for code, count in sorted(rules.items())),
    ]
    for applicability, ground in _GROUNDS.items():
        if count := resting[applicability]:
            lines += ["", f"{count} of them rest on {ground}, which the report of the migration names."]
    proved = sum(f.verified is not None and f.verified.kind is Verified.PROVED for f in rewritten)
    if proved:
        lines += [
            "",
            f"{proved} of them are proved by running: functions that the tests call were called",
            "before and after with random tensors, values and gradients compared.",
        ]
    if verification is not None:
        lines += ["", f"Verified with `{verification.command}`: what passed before passes afterwards."]
    return "\n".join(lines) + "\n"
