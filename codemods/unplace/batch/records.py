"""Records: the result of a migration for each repository, as plain values to be stored, sent and reported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Result(str, Enum):
    """The ways in which the migration of a repository ends."""

    MIGRATED = "migrated"
    """The rewrite is committed on its branch; in a dry run it would be."""
    UNCHANGED = "unchanged"
    """There is nothing to rewrite."""
    REJECTED = "rejected"
    """The repository's verification accepts none of the rewrites."""
    SKIPPED = "skipped"
    """It is left alone, for a reason that its owner can remove: a dirty working tree, a branch that exists."""
    FAILED = "failed"
    """It could not be handled: there is no such repository, or Git reports an error."""


@dataclass(frozen=True, slots=True)
class ReasonRecord:
    """The reason that several operations share: its code, and its words with names and lines left open."""

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
    """True where verification took the rewrite back."""
    source: str = ""
    """The text of the line in which the finding begins."""
    reasons: tuple[ReasonRecord, ...] = ()
    cell: int | None = None
    """The number of a notebook's cell in which line and column count."""
    verified: str = ""
    """What calls before and after its rewrite showed, where they were made."""
    in_file: int = 0
    """The line of the file, which in a notebook is another one."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file with findings; `before` and `after` are its text where it changes."""

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
    """The command that verified a repository, and its verdict.

    `verdict` is `passed`, `failed` (the command fails without a rewrite, so it proves nothing), `rejected` (it fails
    with each of the rewrites), `timed out` or `not run`. `flaky` are the tests that judged nothing, because they
    sometimes pass and sometimes fail.
    """

    command: str
    verdict: str
    runs: int = 0
    seconds: float = 0.0
    output: str = ""
    flaky: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """The result of the migration of one repository."""

    name: str
    target: str
    result: Result
    reason: str = ""
    branch: str | None = None
    commit: str | None = None
    patch: str | None = None
    files: int = 0
    """The number of Python files and notebooks found."""
    lines: int = 0
    seconds: float = 0.0
    found: tuple[FileRecord, ...] = ()
    """The files with findings, changed or not."""
    errors: tuple[ErrorRecord, ...] = ()
    verification: VerificationRecord | None = None
