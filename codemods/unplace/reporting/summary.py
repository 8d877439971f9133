"""Computes the figures of a run, and the sentences that state them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unplace.diagnostics.catalogue import Left
from unplace.diagnostics.findings import Applicability, Status
from unplace.runs.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of files and operations of each kind in a run.

    `hidden` are the refused operations that `--unsafe` rewrites, `taken` the files whose functions were judged by the
    callers in the run alone.
    """

    files: int
    changed: int
    rewritten: int
    kept: Mapping[Left, int]
    refused: int
    errors: int
    hidden: int
    taken: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        """Count the files and operations of the outcomes."""
        findings = [finding for outcome in outcomes for finding in outcome.findings]
        statuses = [finding.status for finding in findings]
        return cls(
            files=len(outcomes),
            changed=sum(outcome.change is not None for outcome in outcomes),
            rewritten=statuses.count(Status.REWRITTEN),
            kept=Counter(finding.left for finding in findings if finding.left is not None),
            refused=statuses.count(Status.REFUSED),
            errors=sum(outcome.problem is not None for outcome in outcomes),
            hidden=sum(
                finding.status is Status.REFUSED and finding.applicability is Applicability.UNSAFE
                for finding in findings
            ),
            taken=len(frozenset().union(*(outcome.basis.taken for outcome in outcomes))),
        )

    def rewrites(self, *, applied: bool) -> str:
        """Return how many operations were rewritten, or would be, in how many files."""
        verb, operations = "Rewrote" if applied else "Would rewrite", number(self.rewritten, "in-place operation")
        return f"{verb} {operations} in {number(self.changed, 'file')} of {self.files}."

    def sentences(self, *, applied: bool) -> list[str]:
        """Return the summary as lines; `applied` says whether the files were written."""
        lines = []
        if self.rewritten:
            lines.append(self.rewrites(applied=applied))
        elif self.files > self.errors:
            lines.append(f"Nothing to rewrite in {number(self.files - self.errors, 'file')}.")
        kept = ", ".join(f"{self.kept[left]} {left.value}" for left in Left if self.kept.get(left))
        others = [f"{self.refused} refused"] if self.refused else []
        others += [f"{sum(self.kept.values())} kept ({kept})"] if kept else []
        if others:
            lines[-1] += f" {', '.join(others)}."
        if self.hidden:
            lines.append(f"{self.hidden} of the refused can be rewritten with `--unsafe`, on the assumptions it names.")
        lines += self.of_programs()
        if self.errors:
            lines.append(f"{number(self.errors, 'file')} could not be handled.")
        return lines

    def of_programs(self) -> list[str]:
        """Return the sentence on the files whose functions nothing beside the run calls, if there are any."""
        if not self.taken:
            return []
        files = number(self.taken, "file")
        return [f"Took {files} as part of a program that nothing else calls; `--no-whole-program` turns that off."]


def number(count: int, noun: str) -> str:
    """Return a count with its noun: `1 file`, `2 files`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
