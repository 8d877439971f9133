"""Counts the operations of a migration by kind, repository, rule and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from unplace.batch.records import ReasonRecord, RepositoryRecord, Result, SiteRecord


class Verdict(str, Enum):
    """The result for an operation; one that verification took back is `LEFT_OUT`."""

    REWRITTEN = "rewritten"
    REFUSED = "refused"
    LEFT_OUT = "left out"
    KEPT = "kept"


class Cause(str, Enum):
    """The cause that a group of operations has in common."""

    REFUSED = "Refused"
    LEFT_OUT = "Left out by verification"
    NEEDS_UNSAFE = "Waits for --unsafe"
    ASSUMED = "Rewritten on an assumption"
    CONVENTIONAL = "Rewritten by convention"
    OBSERVED = "Rewritten on what a run showed"


_CAUSES: dict[str | None, Cause] = {"conventional": Cause.CONVENTIONAL, "observed": Cause.OBSERVED}


@dataclass(frozen=True, slots=True)
class Why:
    """A reason why operations were refused, left out or rewritten on an assumption; names and lines are left open."""

    cause: Cause
    reason: ReasonRecord

    @property
    def text(self) -> str:
        """The reason in English."""
        return self.reason.text


def verdict_of(site: SiteRecord) -> Verdict:
    """Return the verdict on an operation."""
    return Verdict.LEFT_OUT if site.left_out else Verdict(site.status)


def reasons_of(site: SiteRecord) -> tuple[Why, ...]:
    """Return the groups that an operation counts in, each once."""
    verdict = verdict_of(site)
    if verdict is Verdict.KEPT:
        return ()
    if verdict is Verdict.LEFT_OUT:
        cause = Cause.LEFT_OUT
    elif verdict is Verdict.REFUSED:
        cause = Cause.REFUSED if site.applicability is None else Cause.NEEDS_UNSAFE
    else:
        cause = _CAUSES.get(site.applicability, Cause.ASSUMED)
    return tuple(Why(cause, reason) for reason in site.reasons)


class Tally:
    """Counts operations by verdict, harm and applicability."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Verdict, str, str | None]] = Counter()

    def add(self, site: SiteRecord) -> None:
        """Count one operation."""
        self._counts[verdict_of(site), site.harm, site.applicability] += 1

    def count(self, verdict: Verdict | None = None, *, harm: str | None = None, fix: str | None = None) -> int:
        """Return the number of operations of this kind; None stands for any."""
        return sum(
            count
            for (one, does, can), count in self._counts.items()
            if verdict in (None, one) and harm in (None, does) and fix in (None, can)
        )


@dataclass(slots=True)
class Row:
    """The counts of one repository, without its operations and texts."""

    record: RepositoryRecord
    tally: Tally
    changed: int
    """The number of its files that are rewritten."""


@dataclass(slots=True)
class Group:
    """The operations that share one reason: how many there are, and in which repositories."""

    count: int = 0
    repositories: set[int] = field(default_factory=set)


class Totals:
    """The figures of the repositories counted so far. Their texts are not kept, so that many fit into memory."""

    def __init__(self, records: Iterable[RepositoryRecord] = ()) -> None:
        self.rows: list[Row] = []
        self.tally = Tally()
        self.rules: dict[str, Tally] = {}
        self.reasons: dict[Why, Group] = {}
        for record in records:
            self.add(record)

    def add(self, record: RepositoryRecord) -> None:
        """Count a repository."""
        tally = Tally()
        for site in (site for file in record.found for site in file.sites):
            for one in (tally, self.tally, self.rules.setdefault(site.code, Tally())):
                one.add(site)
            for reason in reasons_of(site):
                group = self.reasons.setdefault(reason, Group())
                group.count += 1
                group.repositories.add(len(self.rows))
        changed = sum(file.after is not None and file.after != file.before for file in record.found)
        self.rows.append(Row(_without_sites(record), tally, changed))

    @property
    def files(self) -> int:
        """The number of Python files that were read."""
        return sum(row.record.files for row in self.rows)

    @property
    def lines(self) -> int:
        """The number of lines in these files."""
        return sum(row.record.lines for row in self.rows)

    @property
    def changed(self) -> int:
        """The number of files that are rewritten."""
        return sum(row.changed for row in self.rows)

    @property
    def errors(self) -> int:
        """The number of files that could not be handled."""
        return sum(len(row.record.errors) for row in self.rows)

    @property
    def seconds(self) -> float:
        """The sum of the times that the repositories took, in seconds."""
        return sum(row.record.seconds for row in self.rows)

    def results(self, result: Result) -> int:
        """Return the number of repositories with this result."""
        return sum(row.record.result is result for row in self.rows)

    def ranked_reasons(self) -> list[tuple[Why, Group]]:
        """Return the reasons, the most frequent first."""
        causes = list(Cause)
        return sorted(
            self.reasons.items(), key=lambda item: (-item[1].count, causes.index(item[0].cause), item[0].text)
        )

    def headline(self, *, dry_run: bool) -> str:
        """Return a sentence that says how many repositories are migrated."""
        migrated = self.results(Result.MIGRATED)
        verb = "would be" if dry_run else "was" if migrated == 1 else "were"
        given = counted(len(self.rows), "repository", "repositories")
        return f"{migrated:,} of {given} {verb} migrated."

    def sentences(self, *, dry_run: bool) -> list[str]:
        """Return the sentences that a reader needs first."""
        lines = []
        rewritten = self.tally.count(Verdict.REWRITTEN)
        if rewritten:
            harmful = self.tally.count(Verdict.REWRITTEN, harm="harmful")
            why = " (they break backward or cut a gradient)" if harmful else ""
            verb = "would be" if dry_run else "was" if rewritten == 1 else "were"
            files = counted(self.changed, "file", "files")
            operations = counted(rewritten, "in-place operation", "in-place operations")
            lines.append(f"{operations} {verb} rewritten in {files}; {harmful:,} of them harmful{why}.")
        waiting = self.tally.count(Verdict.REFUSED, fix="unsafe")
        refused = self.tally.count(Verdict.REFUSED)
        if refused:
            more = f", {waiting:,} of which `--unsafe` rewrites, on the assumptions listed below" if waiting else ""
            lines.append(f"{refused:,} {'was' if refused == 1 else 'were'} refused{more}.")
        if left_out := self.tally.count(Verdict.LEFT_OUT):
            lines.append(f"Left out by the verification: {left_out:,}.")
        others = [
            f"{count:,} {result.value}"
            for result in (Result.REJECTED, Result.FAILED, Result.SKIPPED, Result.UNCHANGED)
            if (count := self.results(result))
        ]
        if others:
            lines.append(f"The other repositories: {', '.join(others)}.")
        if self.errors:
            lines.append(f"{counted(self.errors, 'file', 'files')} could not be handled.")
        return lines


def _without_sites(record: RepositoryRecord) -> RepositoryRecord:
    return replace(record, found=())


def counted(count: int, one: str, more: str) -> str:
    """Return a count with its noun: `1 file`, `2,310 files`."""
    return f"{count:,} {one if count == 1 else more}"


def duration(seconds: float) -> str:
    """Return a time as people say it: `0.4 s`, `34 s`, `3 min 10 s`, `1 h 4 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
