"""Implements `unplace rewrite`: rewrites files in place, or shows the changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from unplace.cli import files
from unplace.cli.completion import one_of
from unplace.cli.options import (
    NOTHING,
    Chosen,
    Config,
    ForceExclude,
    Isolated,
    Jobs,
    Markdown,
    NoCache,
    Paths,
    Since,
    StdinFilename,
    settings,
    takes_settings,
)
from unplace.cli.parsing import Command
from unplace.cli.running import Inputs, Measure, Memory, Timeout, parse_plan, verified
from unplace.diagnostics.findings import Status
from unplace.reporting import FORMATS, PLACED, TEXTS, concise, document, json, rich
from unplace.reporting.diff import write as write_patch
from unplace.reporting.styled import write_lines
from unplace.reporting.summary import Summary

if TYPE_CHECKING:
    from unplace.runs.outcome import Outcome

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace rewrite --diff .                    show what would change, as a patch
  unplace rewrite models/                     rewrite the files
  unplace rewrite --check models/             exit 1 if something would change
  unplace rewrite --unsafe --diff models/     with edits that rest on an assumption
  unplace rewrite --whole-program --diff .    an application: nothing outside calls its functions
  unplace rewrite --select UNP003 model.py    one rule only
  unplace rewrite --only harmful models/      only what breaks backward for certain
  unplace rewrite - < model.py > new.py       standard input to standard output
  unplace rewrite net.py --verify net.py:Net  run Net before and after; write only what holds
  unplace rewrite . --verify-command "pytest -q tests/"    the same with your tests

\b
Exit codes:
  0  done
  1  with --check: something would change
  2  a file could not be handled (the others are), nothing could be verified (then nothing is written), or the
     command line is wrong
"""


Diff = Annotated[
    bool,
    typer.Option(
        "--diff", help="Print a patch; write nothing. With --output-format rich or concise, a report goes to stderr."
    ),
]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(FORMATS), autocompletion=one_of(FORMATS), help="How to report the run.  [default: rich]"
    ),
]
Verify = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE:NAME", help="Run this function or module before and after; write only what holds."),
]
VerifyCommand = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="Run a command, such as the tests, before and after; write only what holds."),
]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings()
def rewrite(
    paths: Paths,
    diff: Diff = False,
    check: Check = False,
    chosen: Chosen = NOTHING,
    since: Since = None,
    output_format: Format = None,
    config: Config = None,
    isolated: Isolated = False,
    markdown: Markdown = False,
    force_exclude: ForceExclude = False,
    jobs: Jobs = None,
    no_cache: NoCache = False,
    stdin_filename: StdinFilename = None,
    verify: Verify = None,
    verify_command: VerifyCommand = None,
    inputs: Inputs = None,
    measure: Measure = False,
    timeout: Timeout = None,
    memory: Memory = None,
) -> None:
    """Rewrite in-place tensor operations in Python files and notebooks.

    Folders are searched for *.py and *.ipynb files. What .gitignore files exclude is left out, and so are environments,
    caches and build folders; a path that is named is always taken, but for --force-exclude.

    With --verify and --verify-command your code is RUN, in a scratch copy and in processes of its own; without them
    nothing is.
    """
    files.check_usage(
        paths,
        stdin_filename=stdin_filename,
        since=since,
        force_exclude=force_exclude,
        output_format=output_format,
        formats=FORMATS,
        jobs=jobs,
    )
    if files.STDIN in paths and (verify or verify_command):
        raise typer.BadParameter("standard input cannot be verified.", param_hint="--verify")
    plan = parse_plan(verify or [], verify_command, inputs, timeout, memory, measure=measure)
    write = not (diff or check)
    _check_format(output_format, diff=diff, write=write)
    run = settings(chosen, config=config, isolated=isolated, markdown=markdown, force_exclude=force_exclude)
    report_to = sys.stdout
    verification: dict[str, Any] | None = None
    if paths == [files.STDIN]:
        outcomes = [files.outcome_of_stdin(stdin_filename or files.STDIN, run, write=write)]
        report_to = sys.stderr if write else sys.stdout
    else:
        outcomes = files.work_out(paths, run, since, jobs, cached=not no_cache, verifies=plan is not None)
        if plan is not None:
            with files.interruptible([]):
                outcomes, verification = verified(outcomes, plan)
        outcomes = files.write(outcomes) if write else outcomes
    _show(outcomes, verification, diff=diff, write=write, output_format=output_format, report_to=report_to)
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if check and any(outcome.change for outcome in outcomes) else 0)


def _show(
    outcomes: list[Outcome],
    verification: dict[str, Any] | None,
    *,
    diff: bool,
    write: bool,
    output_format: str | None,
    report_to: TextIO,
) -> None:
    """Print the patch and the report that are asked for, and the conclusion of the run."""
    is_text = output_format is None or output_format in TEXTS
    if diff:
        write_patch(sys.stdout, outcomes)
    if output_format is not None and not is_text:
        text = json.document(outcomes, verification) if output_format == "json" else document(output_format, outcomes)
        print(text, file=report_to, flush=True)
    elif not diff or output_format is not None:
        lines = concise.lines if output_format == "concise" else rich.lines
        write_lines(sys.stderr if diff else report_to, lines(outcomes))
    if is_text or report_to is sys.stdout:
        files.conclude(outcomes, Summary.of(outcomes).sentences(applied=write) if is_text else ())
    if diff and output_format is None and any(outcome.count(Status.REFUSED) for outcome in outcomes):
        files.print_error("`--check` instead of `--diff` lists them with the reasons.")


def _check_format(output_format: str | None, *, diff: bool, write: bool) -> None:
    """Raise `BadParameter` for a format that doesn't fit the other options."""
    if diff and output_format is not None and output_format not in TEXTS:
        reason = f"{output_format} holds no patch; leave out --diff and add --check, or leave out --output-format."
        raise typer.BadParameter(reason, param_hint="--output-format")
    if write and output_format in PLACED:
        reason = f"{output_format} says where something is to be done; add --check, or use `unplace check`."
        raise typer.BadParameter(reason, param_hint="--output-format")
