"""Runs the commands that read many files: from the paths of the command line to outcomes and exit codes."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, unique
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from unplace import signals
from unplace.cli.options import Common, Settings, fail
from unplace.config.options import Options
from unplace.documents import suffixes
from unplace.files.discovery import discover
from unplace.files.surroundings import Surroundings
from unplace.reporting import FORMATS
from unplace.reporting.progress import watched
from unplace.reporting.styled import width_of
from unplace.reporting.wrapping import INDENT, wrapped
from unplace.runs.many import project_of, rewrite_files, together, written
from unplace.runs.outcome import Outcome, rewrite_bytes
from unplace.text.visible import visible_lines

if TYPE_CHECKING:
    from unplace.analysis.project.files import Project
    from unplace.files.changes import Changes
    from unplace.runs.cache import Results

STDIN = "-"
HERE = (".",)
"""The paths of a run for which none is named."""


@unique
class Doing(Enum):
    """What a run does, as progress and interrupts call it."""

    CHECK = "Checking"
    REWRITE = "Rewriting"


def check_usage(paths: Sequence[str], given: Common) -> None:
    """Raise `BadParameter` for paths and options that don't go together."""
    if "" in paths:
        raise typer.BadParameter("a path is empty; write `.` for this folder.", param_hint="PATHS")
    if STDIN in paths and len(paths) > 1:
        raise typer.BadParameter("`-` (standard input) cannot be mixed with other paths.", param_hint="PATHS")
    if given.stdin_filename is not None and STDIN not in paths:
        raise typer.BadParameter("only goes with `-` (standard input) as the path.", param_hint="--stdin-filename")
    for option, value in (("--since", given.since), ("--exclude", given.exclude)):
        if value and STDIN in paths:
            raise typer.BadParameter("says nothing of standard input; name files or folders.", param_hint=option)
    if given.force_exclude and STDIN in paths and given.stdin_filename is None:
        raise typer.BadParameter("says of standard input only with --stdin-filename.", param_hint="--force-exclude")
    form, jobs = given.output_format, given.jobs
    if form is not None and form not in FORMATS:
        raise typer.BadParameter(f"{form} isn't one of {', '.join(FORMATS)}.", param_hint="--output-format")
    if jobs is not None and not (jobs.isdecimal() and int(jobs)):
        raise typer.BadParameter(f"{jobs} is not a number of processes (1 or more).", param_hint="--jobs")


def outcome_of_stdin(name: str, settings: Settings, *, write: bool) -> Outcome:
    """Return the outcome for standard input; with `write`, print the new text, or the input where nothing changes.

    Input that can't be handled is printed unchanged, so that a pipe loses nothing. So is input whose name is that of a
    file that is excluded by force.
    """
    data = sys.stdin.buffer.read()
    path = str(Path(name).absolute())
    is_excluded = settings.force_exclude and settings.exclude.match(path)
    around = Surroundings([path]) if name != STDIN else None
    outcome = Outcome(name) if is_excluded else rewrite_bytes(data, name, settings.of(path), around=around)
    if write:
        sys.stdout.buffer.write(outcome.change.after.data if outcome.change else data)
        sys.stdout.buffer.flush()
    return outcome


def work_out(
    paths: Sequence[str], settings: Settings, given: Common, doing: Doing, *, verifies: bool = False
) -> list[Outcome]:
    """Return the outcome of each file; write nothing.

    No rewrite needs edits of several files where the changes are verified, or only those of some lines are wanted.
    """
    markdown = settings.options.markdown
    found = discover(
        map(Path, paths), settings.exclude, suffixes(markdown=markdown), force_exclude=settings.force_exclude
    )
    for warning in () if given.quiet else found.warnings:
        print_error(f"warning: {warning}")
    if not found.files and not found.problems:
        print_error("warning: No Python files found under the given path(s)")
    changes = None if given.since is None else _since(given.since, found.files)
    apart = "--since" if changes is not None else "--verify" if verifies else None
    options_of = settings.with_changes(
        changed=changes.lines if changes is not None else None, spans_later=apart is None and len(found.files) > 1
    ).of
    problems = [*found.problems, *(changes.problems if changes is not None else ())]
    outcomes = [Outcome(problem.path, problem=problem) for problem in problems]
    with interruptible([], doing):
        project = functools.cache(functools.partial(project_of, found.files))
        each = _each(found.files, options_of, given.jobs, project, cached=not given.no_cache)
        outcomes += watched(each, len(found.files), doing.value)
        return _across(outcomes, options_of, apart, project, markdown=markdown)


def _each(
    files: Sequence[str],
    options_of: Callable[[str], Options],
    jobs: str | None,
    project: Callable[[], Project | None],
    *,
    cached: bool,
) -> Iterator[Outcome]:
    """Yield the outcome of each file by itself, with the options that hold for it."""
    groups: dict[int, tuple[Options, list[str]]] = {}
    for path in files:
        options = options_of(path)
        if id(options) not in groups:  # of another configuration, which may say the same
            alike = (group for group in groups.values() if group[0] == options)
            groups[id(options)] = next(alike, (options, []))
        groups[id(options)][1].append(path)
    for options, members in {id(group): group for group in groups.values()}.values():
        is_cached = cached and options.changed is None and options.facts is None and len(files) > 1
        known = _earlier(files, options) if is_cached else None
        results = rewrite_files(members, options, int(jobs) if jobs else None, known, project)
        with contextlib.closing(results):
            yield from results
        if known is not None:
            _keep(known)


def _across(
    outcomes: list[Outcome],
    options_of: Callable[[str], Options],
    apart: str | None,
    project: Callable[[], Project | None],
    *,
    markdown: bool,
) -> list[Outcome]:
    """Return the outcomes with the rewrites that need edits in several files, unless an option leaves these out."""
    if len(outcomes) < 2 or not any(outcome.findings for outcome in outcomes):
        return outcomes
    from unplace.runs.across import across, waiting  # only now: one file needs none of it

    if apart is None:
        return across(outcomes, options_of, project())
    if waiting(outcomes, markdown=markdown):
        print_error(f"warning: {apart} leaves out rewrites that need edits in several files")
    return outcomes


def _earlier(files: Sequence[str], options: Options) -> Results | None:
    """Return the results of earlier runs for the files; None where they can't be read."""
    from unplace.runs.cache import Results, ResultsError, folder  # only now: one file is done sooner without

    try:
        return Results(folder(), files, options)
    except ResultsError as error:
        print_error(f"warning: {error}; --no-cache does without")
        return None


def _keep(results: Results) -> None:
    """Save the results of this run for later runs."""
    from unplace.runs.cache import ResultsError

    try:
        results.save()
    except ResultsError as error:
        print_error(f"warning: {error}; --no-cache does without")


def write(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Write the files that changed, and return the outcomes."""
    finished: list[Outcome] = []
    with interruptible(finished, Doing.REWRITE):
        for group in together(outcomes):
            with signals.put_off():  # so that the report of an interrupt counts every written file
                finished += written(group)
    places = {outcome.path: index for index, outcome in enumerate(outcomes)}
    return sorted(finished, key=lambda outcome: places[outcome.path])


@contextlib.contextmanager
def interruptible(finished: Sequence[Outcome], doing: Doing) -> Iterator[None]:
    """Say what was done when the block is interrupted; `finished` are the outcomes that are done."""
    try:
        with signals.as_exceptions():
            yield
    except KeyboardInterrupt as interrupt:
        count = sum(outcome.change is not None for outcome in finished)
        is_writing = doing is Doing.REWRITE
        print_error(f"Interrupted; files written: {count}." if is_writing else "Interrupted; checking changed no file.")
        raise typer.Exit(128 + getattr(interrupt, "number", 2)) from None


def _since(revision: str, files: Sequence[str]) -> Changes:
    from unplace.files.changes import BaselineError, changed_lines

    try:
        return changed_lines(revision, files)
    except BaselineError as error:
        fail(str(error))


def conclude(outcomes: Sequence[Outcome], sentences: Sequence[str], *, quiet: bool = False) -> None:
    """Print problems, warnings and the summary on standard error, so that standard output can be piped on.

    A quiet run prints the problems alone.
    """
    sys.stdout.flush()
    for outcome in outcomes:
        for warning in () if quiet else outcome.warnings:
            print_error(f"warning: {warning}")
        if outcome.problem is not None:
            print_error(str(outcome.problem))
    if outcomes and not quiet:
        width = width_of(sys.stderr)
        for sentence in sentences:
            for line in wrapped([(sentence, "")], width, INDENT):
                print_error("".join(text for text, _ in line))


def print_error(line: str) -> None:
    """Print a line on standard error."""
    print(visible_lines(line), file=sys.stderr)  # noqa: T201
