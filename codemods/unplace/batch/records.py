"""What a migration has to say of each repository: plain values, to be stored, sent to other machines and reported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Result(str, Enum):
    """How a repository's migration ended."""

    MIGRATED = "migrated"
    """Committed on its branch; in a dry run: would be."""
    UNCHANGED = "unchanged"
    """There is nothing to rewrite."""
    REJECTED = "rejected"
    """No rewrite is left that its verification accepts."""
    SKIPPED = "skipped"
    """Not touched, for a reason that its owner can remove: a dirty working tree, a branch that exists."""
    FAILED = "failed"
    """It could not be handled at all: no such repository, git's errors."""


@dataclass(frozen=True, slots=True)
class ReasonRecord:
    """A reason for all operations of which the same is said: its code, and its words with names and lines left open."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """One finding; the fields are those of `sites` in `reporting.json`.

    `reasons` say what its rewrite assumes, or why it isn't rewritten.
    """

    line: int
    column: int
    code: str
    status: str
    applicability: str | None
    harm: str
    message: str
    assumptions: tuple[str, ...] = ()
    saved_by: str | None = None
    left_out: bool = False
    """Whether verification took the rewrite back."""
    source: str = ""
    """The line that it begins in, for reports."""
    reasons: tuple[ReasonRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file with findings, with its text before and after where it changes."""

    path: str
    sites: tuple[SiteRecord, ...] = ()
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """A file that could not be handled, and why; `line` and `column` count from 1."""

    path: str
    message: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """The command that a repository was verified with.

    `verdict` is `passed`, `failed` (already before anything was rewritten: it proves nothing), `rejected` (it fails
    with whatever is rewritten), `timed out` or `not run`.
    """

    command: str
    verdict: str
    runs: int = 0
    seconds: float = 0.0
    output: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """What became of one repository."""

    name: str
    target: str
    result: Result
    reason: str = ""
    branch: str | None = None
    commit: str | None = None
    patch: str | None = None
    files: int = 0
    """How many Python files were read."""
    lines: int = 0
    seconds: float = 0.0
    found: tuple[FileRecord, ...] = ()
    """The files with findings, changed or not."""
    errors: tuple[ErrorRecord, ...] = ()
    verification: VerificationRecord | None = None
