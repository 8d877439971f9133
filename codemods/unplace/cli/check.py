"""Implements `unplace check`, the linter's view of the in-place operations; the files stay as they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from unplace.cli import files
from unplace.cli.known import Known
from unplace.cli.options import (
    JUDGED,
    NO_OPTIONS,
    NOTHING,
    OUTPUT,
    RUN,
    Chosen,
    Common,
    Paths,
    Settings,
    fail,
    takes_settings,
)
from unplace.cli.parsing import Command
from unplace.cli.running import RUNNING, require_torch
from unplace.diagnostics.findings import Harm
from unplace.reporting import document, lint
from unplace.reporting.diff import write as write_patch
from unplace.reporting.styled import width_of, write_lines
from unplace.reporting.summary import Summary, number
from unplace.runs import baseline as baseline_file
from unplace.runs.many import project_of
from unplace.runs.outcome import Outcome, with_ignores

app = typer.Typer(add_completion=False, rich_markup_mode=None)

REPORTED = frozenset({Harm.HARMFUL})
"""The harm of the operations that are reported unless the user asks for others."""

EXAMPLES = """
\b
Examples:
  unplace check                               list the in-place operations in this folder that break backward
  unplace check --fix models/                 repair what is listed, and list what remains
  unplace check --fix --diff                  show the repairs as a patch; write nothing
  unplace check --only harmful,possible       also those that code out of sight may make harmful
  unplace check --all models/                 also harmless operations, and those of an unknown kind
  unplace check --statistics                  how many there are of each rule
  unplace check --since main                  only in lines that changed since you left `main`
  unplace check --exclude tests/ --exclude "*_pb2.py"
  unplace check --output-format sarif > unplace.sarif
  unplace check --facts unplace-facts.json --verify-findings    show each by a call that raises
  unplace check --write-baseline known.json   record what is there now; --baseline known.json reports the rest
  unplace check --add-ignores models/         mark all that is there now with `# unplace: ignore[...]`

\b
Exit codes:
  0  nothing harmful found (with --only: nothing of that harm), --fix left nothing, or findings were marked or recorded
  1  something was found, or --fix --diff would change something (0 with --exit-zero)
  2  a file could not be handled (the others are), or the command line is wrong
"""

Statistics = Annotated[
    bool,
    typer.Option("--statistics", help="Count the findings by rule instead of listing them.", rich_help_panel=OUTPUT),
]
All = Annotated[
    bool,
    typer.Option("--all", help="List every operation, harmless, kept and of an unknown kind.", rich_help_panel=JUDGED),
]
Fix = Annotated[
    bool, typer.Option("--fix", help="Repair what would be listed, and list what remains.", rich_help_panel=RUN)
]
Diff = Annotated[
    bool, typer.Option("--diff", help="With --fix: print a patch instead of writing files.", rich_help_panel=RUN)
]
AddIgnores = Annotated[
    bool,
    typer.Option(
        "--add-ignores", help="Write a comment `# unplace: ignore[...]` behind each finding.", rich_help_panel=RUN
    ),
]
BaselineFile = Annotated[
    str | None,
    typer.Option(
        "--baseline", metavar="FILE", help="Leave out the findings that this file knows.", rich_help_panel=JUDGED
    ),
]
WriteBaseline = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Record the findings in a file, for --baseline.", rich_help_panel=RUN),
]
ExitZero = Annotated[
    bool, typer.Option("--exit-zero", help="Exit with 0 even where something is found.", rich_help_panel=RUN)
]
VerifyFindings = Annotated[
    bool,
    typer.Option(
        "--verify-findings",
        help="Look for a call, made as the runs in --facts did, that raises because of what is listed.",
        rich_help_panel=RUNNING,
    ),
]


@dataclass(frozen=True, slots=True)
class _View:
    """What is listed, and how."""

    harms: frozenset[Harm]
    every: bool
    statistics: bool
    common: Common

    @property
    def lists_all(self) -> bool:
        """Whether operations of any harm are listed."""
        return self.every or self.common.output_format == "json"

    def show(self, outcomes: Sequence[Outcome], before: Sequence[str], behind: Sequence[str]) -> bool:
        """Print the report, with sentences before and behind the summary; tell whether something was found."""
        found = lint.listed(outcomes, self.harms)
        form, is_text = self.common.output_format, self.common.is_text
        shown = outcomes if self.lists_all else found
        if not is_text:
            typer.echo(document(form or "", shown))
        elif self.statistics:
            write_lines(sys.stdout, lint.statistics(shown))
        elif form == "concise":
            write_lines(sys.stdout, lint.concise(shown))
        else:
            write_lines(sys.stdout, lint.rich(shown, width_of(sys.stdout)))
        summary = [*before, *lint.summary(outcomes, self.harms, every=self.every), *behind]
        files.conclude(outcomes, summary if is_text else (), quiet=self.common.quiet)
        return any(outcome.findings for outcome in found)


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings(editing=False)
def check(
    paths: Paths = None,
    fix: Fix = False,
    diff: Diff = False,
    add_ignores: AddIgnores = False,
    write_baseline: WriteBaseline = None,
    exit_zero: ExitZero = False,
    chosen: Chosen = NOTHING,
    every: All = False,
    baseline: BaselineFile = None,
    statistics: Statistics = False,
    common: Common = NO_OPTIONS,
    verify_findings: VerifyFindings = False,
) -> None:
    """Report in-place tensor operations that break autograd.

    No file is changed, unless you give --fix, which repairs exactly what is listed, or --add-ignores. Operations that
    may be harmful and those that are harmless are counted; --only and --all list them. Files are chosen as for
    `unplace rewrite`. With --verify-findings, your code is RUN, in processes of its own.
    """
    named = paths or list(files.HERE)
    files.check_usage(named, common)
    run = common.settings(chosen)
    view = _View(run.options.only or REPORTED, every, statistics, common)
    if diff and not fix:
        raise typer.BadParameter("goes with --fix.", param_hint="--diff")
    _check_facts(run, makes_calls=verify_findings)
    writes = {"--fix": fix, "--add-ignores": add_ignores, "--write-baseline": write_baseline is not None}
    _check_view(view, [option for option, given in writes.items() if given], named)
    if fix or add_ignores:
        run = run.with_changes(only=view.harms)
    elif run.options.only is None and not view.lists_all:
        run = run.with_changes(only=view.harms, counts=True)

    def work_out() -> list[Outcome]:
        if named == [files.STDIN]:
            return [files.outcome_of_stdin(common.stdin_filename or files.STDIN, run, write=False)]
        return files.work_out(named, run, common, files.Doing.CHECK)

    outcomes = work_out()
    if add_ignores:
        _add_ignores(outcomes, run)
    if diff:
        _show_patch(outcomes, common, exit_zero=exit_zero)
    fixed: list[str] = []
    if fix and any(outcome.change for outcome in outcomes):
        done = files.write(outcomes)
        rewrites = Summary.of(done)
        fixed = [rewrites.rewrites(applied=True)] if rewrites.rewritten else []
        outcomes = _with_problems(work_out(), done)
    if verify_findings:
        outcomes = _with_calls(outcomes, view.harms, run)
    if write_baseline is not None:
        _write_baseline(write_baseline, outcomes, view.harms)
    known = Known(baseline, run)
    found = view.show(list(map(known.without, outcomes)), fixed, known.sentences())
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if found and not exit_zero else 0)


def _check_facts(run: Settings, *, makes_calls: bool) -> None:
    """Raise `BadParameter` where calls are to be made and none is known; without torch, end the command."""
    if makes_calls and run.options.facts is None:
        raise typer.BadParameter("needs --facts FILE, written by `unplace observe`.", param_hint="--verify-findings")
    if makes_calls:
        require_torch()


def _with_calls(outcomes: list[Outcome], harms: frozenset[Harm], run: Settings) -> list[Outcome]:
    """Return outcomes whose findings say whether a call that runs made raises because of them."""
    from unplace.diagnosis.showing import with_calls

    assert run.options.facts is not None
    return with_calls(outcomes, harms, run.options.facts)


def _show_patch(outcomes: list[Outcome], common: Common, *, exit_zero: bool) -> None:
    """Print the patch that `--fix` would make, and end the command."""
    write_patch(sys.stdout, outcomes)
    files.conclude(outcomes, Summary.of(outcomes).sentences(applied=False), quiet=common.quiet)
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if any(outcome.change for outcome in outcomes) and not exit_zero else 0)


def _check_view(view: _View, writes: Sequence[str], paths: Sequence[str]) -> None:
    """Raise `BadParameter` for options that don't go together; `writes` are the given ones that write files."""
    form = view.common.output_format
    if view.statistics and not view.common.is_text:
        raise typer.BadParameter(f"is text; it doesn't go with {form}.", param_hint="--statistics")
    if len(writes) > 1:
        raise typer.BadParameter(f"doesn't go with {writes[1]}.", param_hint=writes[0])
    for option in writes:
        if files.STDIN in paths:
            raise typer.BadParameter("goes with files and folders.", param_hint=option)
        if option != "--fix" and (view.statistics or form is not None):
            raise typer.BadParameter("goes with files and folders, and without a report.", param_hint=option)
        if view.every:
            raise typer.BadParameter("doesn't go with --all.", param_hint=option)


def _with_problems(outcomes: Sequence[Outcome], written: Sequence[Outcome]) -> list[Outcome]:
    """Return what a second look at the files finds, with the problems of writing them."""
    problems = {outcome.path: outcome.problem for outcome in written if outcome.problem is not None}
    return [replace(outcome, problem=problems.get(outcome.path, outcome.problem)) for outcome in outcomes]


def _add_ignores(outcomes: Sequence[Outcome], run: Settings) -> None:
    """Write the suppression comments and end the command."""
    places = [str(Path(outcome.path).absolute()) for outcome in outcomes]
    project = project_of(places)
    done = files.write(
        [with_ignores(outcome, run.of(path), project) for outcome, path in zip(outcomes, places, strict=True)]
    )
    marked = [outcome for outcome in done if outcome.change is not None]
    count = number(sum(len(outcome.findings) for outcome in marked), "in-place operation")
    files.conclude(done, [f"Marked {count} in {number(len(marked), 'file')} of {len(done)}."])
    raise typer.Exit(2 if any(outcome.problem or outcome.warnings for outcome in done) else 0)


def _write_baseline(path: str, outcomes: Sequence[Outcome], harms: frozenset[Harm]) -> None:
    """Write what is found as a baseline and end the command."""
    try:
        count = baseline_file.write(path, lint.listed(outcomes, harms))
    except OSError as error:
        fail(f"{path}: cannot write: {error.strerror}")
    files.conclude(outcomes, [f"Wrote {number(count, 'finding')} to {path}; --baseline {path} leaves them out."])
    raise typer.Exit(2 if any(outcome.problem for outcome in outcomes) else 0)
