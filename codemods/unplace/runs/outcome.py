"""Computes the outcome of one file: bytes in, findings and new bytes (or a problem) out. Nothing is written here."""

from __future__ import annotations

import ast
import gc
import os
import platform
import traceback
import warnings
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from unplace import documents
from unplace.analysis.project.basis import Basis
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Problem, Status, Trouble
from unplace.files.discovery import shown
from unplace.files.surroundings import Surroundings
from unplace.runs.garbage import collecting_rarely
from unplace.runs.limits import BYTES, SPLIT, LimitError, NoMemoryError, limited
from unplace.text.dialects import version_for
from unplace.text.edits import Edit, apply_edits
from unplace.text.source import Source, SourceError
from unplace.transform import rewriter
from unplace.transform.rewriter import Alone

if TYPE_CHECKING:
    from unplace.analysis.project.files import Project


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after."""

    before: Source
    after: Source


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings in one file and its change; a file with a problem has neither.

    `edits` are the edits of the text that make the change, in order. `source` is the file as it was, where there are
    findings. `basis` names what the outcome depends on in other files. `along` has the paths of the files that are only
    right together with this one as it is after the change.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    change: Change | None = None
    problem: Problem | None = None
    edits: tuple[Edit, ...] = ()
    source: Source | None = None
    warnings: tuple[Problem, ...] = ()
    basis: Basis = field(default_factory=Basis)
    along: frozenset[str] = frozenset()

    def count(self, status: Status) -> int:
        """Count the findings with this status."""
        return sum(finding.status is status for finding in self.findings)


def rewrite_file(path: str, options: Options, project: Project | None = None) -> Outcome:
    """Read one file and work out its outcome; a file that can't be read or is too large gets one with a problem."""
    try:
        size = Path(path).stat().st_size
        data = Path(path).read_bytes() if size <= BYTES else b""
    except OSError as error:
        return failed(shown(path), f"cannot read: {error.strerror or error}; check its mode bits")
    if size > BYTES:
        large = f"{size / 2**20:.0f} MiB are more than the {BYTES // 2**20} that a file may have"
        return failed(shown(path), f"too large: {large}; leave it out (`exclude` in the configuration)")
    if project is None:
        return rewrite_bytes(data, shown(path), options, around=Surroundings([str(Path(path).absolute())]))
    outcome = rewrite_bytes(data, shown(path), options, project)
    return replace(outcome, basis=project.basis(str(Path(path).absolute())))


def rewrite_bytes(
    data: bytes, path: str, options: Options, project: Project | None = None, around: Surroundings | None = None
) -> Outcome:
    """Compute the outcome of a file's contents; any error becomes a problem of this file, never an exception.

    `project` gives access to the other files of the run, `around` to those around the only one.
    """
    if project is None:
        with closing(Alone(around)) as alone:
            outcome = _worked_out(data, path, options, alone)
        return outcome if around is None else replace(outcome, basis=Basis(taken=frozenset(around.taken)))
    try:
        return _worked_out(data, path, options, project)
    finally:
        project.end()


def _worked_out(data: bytes, path: str, options: Options, programs: Project | Alone) -> Outcome:
    try:
        source = documents.read(data, path, markdown=options.markdown)
        with warnings.catch_warnings(), limited(), collecting_rarely():
            warnings.simplefilter("ignore")  # Python's warnings about the user's escape sequences don't matter here
            return _rewrite(source, path, options, programs)
    except SourceError as error:
        return failed(path, error.message, error.line, error.column)
    except LimitError as error:
        trouble = Trouble.NO_MEMORY if isinstance(error, NoMemoryError) else None
        return Outcome(path, problem=Problem(path, _explained(str(error), error), trouble=trouble))
    except Exception as error:
        return failed(path, internal_error(error))


def with_ignores(outcome: Outcome, options: Options, project: Project | None = None) -> Outcome:
    """Return the change that ends each reported line with a comment that ignores its findings.

        y += k

        y += k  # unplace: ignore[UNP001]

    The findings of the outcome are those that get a comment. What is ignored stays in place, which can make its
    neighbours findings: they get comments, too. `project` gives access to the other files of the run.
    """
    before = outcome.source
    if before is None:
        return Outcome(outcome.path, problem=outcome.problem)
    marked: dict[tuple[int, int, int, int, str], Finding] = {}
    source, current = before, outcome
    while True:
        told = (finding for finding in current.findings if finding.is_reported)
        reported = {(f.line, f.column, f.end_line, f.end_column, f.code): f for f in told}
        new = [finding for place, finding in reported.items() if place not in marked]
        edits, unmarked = documents.ignoring_edits(source.text, new, outcome.path, markdown=options.markdown)
        if not edits:
            break
        without = {(finding.line, finding.column) for finding, _ in unmarked}
        marked |= {place: finding for place, finding in reported.items() if place[:2] not in without}
        source = source.with_text(apply_edits(source.text, edits))
        current = rewrite_bytes(source.data, outcome.path, options, project)
    change = Change(before, source) if marked else None
    found = tuple(marked.values())
    return Outcome(
        outcome.path, found, change, current.problem, source=before, warnings=tuple(problem for _, problem in unmarked)
    )


def failed(path: str, message: str, line: int | None = None, column: int | None = None) -> Outcome:
    """Return the outcome of a file that could not be handled."""
    return Outcome(path, problem=Problem(path, message, line, column))


def _rewrite(source: Source, path: str, options: Options, programs: Project | Alone) -> Outcome:
    try:
        return _reported(source, path, options, programs)
    except (SyntaxError, RecursionError, MemoryError) as error:
        failure = error.with_traceback(None)  # the traceback keeps the objects alive that filled the memory
    gc.collect()
    if documents.is_python(path, markdown=options.markdown):
        reject_invalid(source.text, path)
    raise failure


def _reported(source: Source, path: str, options: Options, programs: Project | Alone) -> Outcome:
    is_known = options.facts is not None and options.facts.has(path)
    if not is_known and not rewriter.may_have_sites(source.data) and not _may_get_tensors(source, path, programs):
        documents.reject_broken(source.text, path, markdown=options.markdown)  # a broken file is always reported
        return Outcome(path)
    report = documents.rewrite(source.text, path, options, programs)
    findings, warned = tuple(report.findings), tuple(report.warnings)
    if not report.changed:
        return Outcome(path, findings, source=source if findings else None, warnings=warned)
    after = source.with_text(report.after)
    return Outcome(path, findings, Change(source, after), edits=tuple(report.edits), source=source, warnings=warned)


def _may_get_tensors(source: Source, path: str, programs: Project | Alone) -> bool:
    """Tell whether a file that doesn't speak of tensors may be called with some by another file, and write them."""
    if isinstance(programs, Alone) or not rewriter.may_write_argument(source.data):
        return False
    return programs.is_imported_beside_torch(str(Path(path).absolute()))


def reject_invalid(text: str, path: str) -> None:
    """Raise `SourceError` where Python can't parse a text: the file itself is at fault then, and none of our rules."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        is_markdown = PurePath(path).suffix.lower() in documents.MARKDOWN
        advice = _OF_MARKDOWN if is_markdown else _advice(version_for(error))
        message = f"cannot parse: {error.msg}; {advice}"
        raise SourceError(message, error.lineno or 1, max(error.offset or 1, 1)) from None
    except (RecursionError, MemoryError):
        nested = f"nested too deeply for the parser of Python {platform.python_version()}"
        raise SourceError(f"cannot parse: {nested}; {SPLIT}") from None


_OF_MARKDOWN = "this is Markdown: --markdown takes its Python blocks"


def _advice(version: str | None) -> str:
    if version == "2":
        return "this looks like Python 2: convert the file, or leave it out"
    needed = "the version that the file is written for" if version is None else f"Python {version}, which it needs"
    running = f"Python {platform.python_version()} runs this and can't parse it"
    return f"{running}: correct the line, or run unplace with {needed}"


def internal_error(error: Exception, left_out: str = "nothing written") -> str:
    """Return what is said about a fault of the tool itself."""
    reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return _explained(f"internal error, {left_out}: {reason}; please report it with this file", error)


def _explained(message: str, error: Exception) -> str:
    """Return a message, with the traceback where `UNPLACE_DEBUG` is set."""
    if os.environ.get("UNPLACE_DEBUG"):
        return f"{message}\n{''.join(traceback.format_exception(error)).rstrip()}"
    return message
