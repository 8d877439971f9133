"""Implements `unplace rewrite`: rewrites files in place, or shows the changes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from unplace.cli import files
from unplace.cli.options import JUDGED, NO_OPTIONS, NOTHING, RUN, Chosen, Common, Paths, takes_settings
from unplace.cli.parsing import Command
from unplace.cli.running import RUNNING, Inputs, Measure, Memory, Timeout, parse_plan, verified
from unplace.diagnostics.findings import Status
from unplace.observation.facts import Observations
from unplace.reporting import PLACED, TEXTS, concise, document, json, rich
from unplace.reporting.diff import write as write_patch
from unplace.reporting.styled import width_of, write_lines
from unplace.reporting.summary import Summary

if TYPE_CHECKING:
    from unplace.runs.outcome import Outcome

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace rewrite --diff                      show what would change in this folder, as a patch
  unplace rewrite models/                     rewrite the files
  unplace rewrite --check models/             exit 1 if something would change
  unplace rewrite --unsafe --diff models/     with edits that rest on an assumption
  unplace rewrite --no-whole-program --diff .  others may call its functions, even if it looks like a program
  unplace rewrite --all models/               also parts of a tensor in every round of a loop, at the cost of copies
  unplace rewrite --functional models/        leave no store either: for torch.func, torch.export
  unplace rewrite --select UNP003 model.py    one rule only
  unplace rewrite --only harmful models/      only what breaks backward for certain
  unplace rewrite - < model.py > new.py       standard input to standard output
  unplace rewrite net.py --verify net.py:Net  run Net before and after; write only what holds
  unplace rewrite --facts unplace-facts.json --verify-edits    call what was edited, as runs did, with random tensors
  unplace rewrite . --verify-command "pytest -q tests/"    the same with your tests

\b
Exit codes:
  0  done
  1  with --check: something would change
  2  a file could not be handled (the others are), nothing could be verified, or the command line is wrong
"""


Diff = Annotated[
    bool,
    typer.Option(
        "--diff",
        help="Print a patch; write nothing. With --output-format rich or concise, a report goes to stderr.",
        rich_help_panel=RUN,
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.", rich_help_panel=RUN)
]
Every = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Remove harmless writes to a part of a tensor in loops, too, at the cost of copies.",
        rich_help_panel=JUDGED,
    ),
]
Verify = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE:NAME",
        help="Run this function or module before and after; write only what holds.",
        rich_help_panel=RUNNING,
    ),
]
VerifyEdits = Annotated[
    bool,
    typer.Option(
        "--verify-edits",
        help="Call each edited function before and after, with random tensors, as the runs in --facts did or as its "
        "signature tells; write only what holds.",
        rich_help_panel=RUNNING,
    ),
]
VerifyCommand = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND",
        help="Run a command, such as the tests, before and after; write only what holds.",
        rich_help_panel=RUNNING,
    ),
]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings()
def rewrite(
    paths: Paths = None,
    diff: Diff = False,
    check: Check = False,
    every: Every = False,
    chosen: Chosen = NOTHING,
    common: Common = NO_OPTIONS,
    verify: Verify = None,
    verify_edits: VerifyEdits = False,
    verify_command: VerifyCommand = None,
    inputs: Inputs = None,
    measure: Measure = False,
    timeout: Timeout = None,
    memory: Memory = None,
) -> None:
    """Rewrite in-place tensor operations in Python files and notebooks.

    Folders are searched for *.py and *.ipynb files. Files that .gitignore excludes are left out, and so are
    environments, caches and build folders. A path that you name is always taken, unless you give --force-exclude.

    With --verify, --verify-edits or --verify-command, your code is RUN in a scratch copy, in processes of its own.
    Without them, nothing is run.
    """
    named = paths or list(files.HERE)
    files.check_usage(named, common)
    if files.STDIN in named and (verify or verify_edits or verify_command):
        raise typer.BadParameter("standard input cannot be verified.", param_hint="--verify")
    run = common.settings(chosen)
    calls = (run.options.facts or Observations(str(Path.cwd()))) if verify_edits else None
    plan = parse_plan(verify or [], verify_command, inputs, timeout, memory, measure=measure, calls=calls)
    write = not (diff or check)
    _check_format(common.output_format, diff=diff, write=write)
    run = run.with_changes(every=True) if every else run
    report_to = sys.stdout
    verification: dict[str, Any] | None = None
    if named == [files.STDIN]:
        outcomes = [files.outcome_of_stdin(common.stdin_filename or files.STDIN, run, write=write)]
        report_to = sys.stderr if write else sys.stdout
    else:
        outcomes = files.work_out(named, run, common, files.Doing.REWRITE, verifies=plan is not None)
        if plan is not None:
            with files.interruptible([], files.Doing.REWRITE):
                outcomes, verification = verified(outcomes, plan)
        outcomes = files.write(outcomes) if write else outcomes
    _show(outcomes, verification, _Form(diff, write, common), report_to)
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if check and any(outcome.change for outcome in outcomes) else 0)


@dataclass(frozen=True, slots=True)
class _Form:
    """What is printed of a run."""

    diff: bool
    write: bool
    common: Common


def _show(outcomes: list[Outcome], verification: dict[str, Any] | None, form: _Form, report_to: TextIO) -> None:
    """Print the patch and the report that are asked for, and the conclusion of the run."""
    output_format, is_text, diff = form.common.output_format, form.common.is_text, form.diff
    if diff:
        write_patch(sys.stdout, outcomes)
    if output_format is not None and not is_text:
        text = json.document(outcomes, verification) if output_format == "json" else document(output_format, outcomes)
        print(text, file=report_to, flush=True)
    elif not diff or output_format is not None:
        stream = sys.stderr if diff else report_to
        is_concise = output_format == "concise"
        write_lines(stream, concise.lines(outcomes) if is_concise else rich.lines(outcomes, width_of(stream)))
    if is_text or report_to is sys.stdout:
        told = Summary.of(outcomes).sentences(applied=form.write) if is_text else []
        files.conclude(outcomes, told, quiet=form.common.quiet)
    if (
        diff
        and output_format is None
        and not form.common.quiet
        and any(outcome.count(Status.REFUSED) for outcome in outcomes)
    ):
        files.print_error("`--check` instead of `--diff` lists them with the reasons.")


def _check_format(output_format: str | None, *, diff: bool, write: bool) -> None:
    """Raise `BadParameter` for a format that doesn't fit the other options."""
    if diff and output_format is not None and output_format not in TEXTS:
        reason = f"{output_format} holds no patch; leave out --diff and add --check, or leave out --output-format."
        raise typer.BadParameter(reason, param_hint="--output-format")
    if write and output_format in PLACED:
        reason = f"{output_format} says where something is to be done; add --check, or use `unplace check`."
        raise typer.BadParameter(reason, param_hint="--output-format")
