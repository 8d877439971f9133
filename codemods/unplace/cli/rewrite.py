"""`unplace rewrite`: rewrite files in place, or show what would change."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from unplace.cli.parsing import Command
from unplace.cli.running import Inputs, Measure, Memory, Timeout, parse_plan, verified
from unplace.cli.selection import parse_codes
from unplace.discovery import discover
from unplace.findings import Status
from unplace.outcome import Outcome, rewrite_bytes
from unplace.reporting import concise, rich
from unplace.reporting.diff import write as write_patch
from unplace.reporting.progress import watched
from unplace.reporting.styled import write_lines
from unplace.reporting.summary import Summary
from unplace.rewriter import Options
from unplace.rules import codes
from unplace.running import rewrite_files, written

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace rewrite --diff .                    show what would change, as a patch
  unplace rewrite models/                     rewrite the files
  unplace rewrite --check models/             exit 1 if something would change
  unplace rewrite --unsafe --diff models/     with edits that rest on an assumption
  unplace rewrite --select UNP003 model.py    one rule only
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


STDIN = "-"
FORMATS = ("rich", "concise", "json")

Paths = Annotated[list[str], typer.Argument(metavar="PATHS...", help="Files and folders, or - for standard input.")]
Diff = Annotated[
    bool,
    typer.Option("--diff", help="Print a patch; write nothing. A report comes with it on --output-format."),
]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Apply edits that rest on an assumption, too.")]
PreserveDtype = Annotated[
    bool, typer.Option("--preserve-dtype", help="Cast results back wherever their dtype isn't known to stay the same.")
]
Select = Annotated[list[str] | None, typer.Option(metavar="CODE,...", help="Only these rules (codes or prefixes).")]
Ignore = Annotated[list[str] | None, typer.Option(metavar="CODE,...", help="Not these rules (codes or prefixes).")]
Format = Annotated[str | None, typer.Option(metavar="|".join(FORMATS), help="How to report the run.  [default: rich]")]
Jobs = Annotated[str | None, typer.Option(metavar="N", help="Processes to use.  [default: one per processor]")]
Verify = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE:NAME", help="Run this function or module before and after; write only what holds."),
]
VerifyCommand = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="Run a command, such as the tests, before and after; write only what holds."),
]
StdinFilename = Annotated[str | None, typer.Option(metavar="NAME", help="What to call standard input in reports.")]


@app.command(cls=Command, epilog=EXAMPLES)
def rewrite(
    paths: Paths,
    diff: Diff = False,
    check: Check = False,
    unsafe: Unsafe = False,
    preserve_dtype: PreserveDtype = False,
    select: Select = None,
    ignore: Ignore = None,
    output_format: Format = None,
    jobs: Jobs = None,
    stdin_filename: StdinFilename = None,
    verify: Verify = None,
    verify_command: VerifyCommand = None,
    inputs: Inputs = None,
    measure: Measure = False,
    timeout: Timeout = None,
    memory: Memory = None,
) -> None:
    """Rewrite in-place tensor operations in Python files.

    Folders are searched for *.py files. What .gitignore files exclude is left out, and so are environments, caches
    and build folders; a path that is named is always taken.

    With --verify and --verify-command your code is RUN, in a scratch copy and in processes of its own; without them
    nothing is.
    """
    _check_usage(paths, stdin_filename, output_format, jobs)
    if STDIN in paths and (verify or verify_command):
        raise typer.BadParameter("standard input cannot be verified.", param_hint="--verify")
    plan = parse_plan(verify or [], verify_command, inputs, timeout, memory, measure=measure)
    known = codes()
    options = Options(
        unsafe=unsafe,
        preserve_dtype=preserve_dtype,
        select=None if select is None else parse_codes("--select", select, known),
        ignore=parse_codes("--ignore", ignore or [], known),
    )
    write = not (diff or check)
    report_to = sys.stdout
    verification: dict[str, Any] | None = None
    if paths == [STDIN]:
        outcomes = [_rewrite_stdin(stdin_filename or STDIN, options, write=write)]
        report_to = sys.stderr if write else sys.stdout
    else:
        outcomes = _work_out(paths, options, int(jobs) if jobs else None)
        if plan is not None:
            with _interruptible([]):
                outcomes, verification = verified(outcomes, plan)
        outcomes = _write(outcomes) if write else outcomes
    if diff and output_format != "json":
        write_patch(sys.stdout, outcomes)
    if output_format == "json":
        from unplace.reporting.json import document

        print(document(outcomes, verification), file=report_to, flush=True)
    elif not diff or output_format is not None:
        lines = concise.lines if output_format == "concise" else rich.lines
        write_lines(sys.stderr if diff else report_to, lines(outcomes))
    if not (output_format == "json" and report_to is sys.stderr):
        _conclude(outcomes, applied=write, summarize=output_format != "json")
    if diff and output_format is None and any(outcome.count(Status.REFUSED) for outcome in outcomes):
        _print_error("`--check` instead of `--diff` lists them with the reasons.")
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if check and any(outcome.change for outcome in outcomes) else 0)


def _check_usage(paths: Sequence[str], stdin_filename: str | None, output_format: str | None, jobs: str | None) -> None:
    if "" in paths:
        raise typer.BadParameter("a path is empty; write `.` for this folder.", param_hint="PATHS")
    if STDIN in paths and len(paths) > 1:
        raise typer.BadParameter("`-` (standard input) cannot be mixed with other paths.", param_hint="PATHS")
    if stdin_filename is not None and STDIN not in paths:
        raise typer.BadParameter("only goes with `-` (standard input) as the path.", param_hint="--stdin-filename")
    if output_format not in (None, *FORMATS):
        raise typer.BadParameter(f"{output_format} is none of {', '.join(FORMATS)}.", param_hint="--output-format")
    if jobs is not None and not (jobs.isdecimal() and int(jobs)):
        raise typer.BadParameter(f"{jobs} is not a number of processes (1 or more).", param_hint="--jobs")


def _rewrite_stdin(name: str, options: Options, *, write: bool) -> Outcome:
    """Work on standard input; what can't be handled is passed on as it came, so that a pipe loses nothing."""
    data = sys.stdin.buffer.read()
    outcome = rewrite_bytes(data, name, options)
    if write:
        sys.stdout.buffer.write(outcome.change.after.data if outcome.change else data)
        sys.stdout.buffer.flush()
    return outcome


def _work_out(paths: Sequence[str], options: Options, jobs: int | None) -> list[Outcome]:
    """What becomes of each file; nothing is written."""
    found = discover(map(Path, paths))
    for warning in found.warnings:
        _print_error(f"warning: {warning}")
    if not found.files and not found.problems:
        _print_error("warning: No Python files found under the given path(s)")
    outcomes = [Outcome(problem.path, problem=problem) for problem in found.problems]
    with _interruptible([]), contextlib.closing(rewrite_files(found.files, options, jobs)) as results:
        outcomes.extend(watched(results, len(found.files)))
    return outcomes


def _write(outcomes: Sequence[Outcome]) -> list[Outcome]:
    finished: list[Outcome] = []
    with _interruptible(finished):
        finished.extend(map(written, outcomes))
    return finished


@contextlib.contextmanager
def _interruptible(finished: Sequence[Outcome]) -> Iterator[None]:
    """Say on an interrupt how many files are written; `finished` are those that are done."""
    try:
        yield
    except KeyboardInterrupt:
        count = sum(outcome.change is not None for outcome in finished)
        _print_error(f"Interrupted; files written: {count}.")
        raise typer.Exit(130) from None


def _conclude(outcomes: Sequence[Outcome], *, applied: bool, summarize: bool) -> None:
    """Problems and the summary go to standard error, so that what is on standard output can be piped on."""
    sys.stdout.flush()
    for outcome in outcomes:
        if outcome.problem is not None:
            _print_error(str(outcome.problem))
    if outcomes and summarize:
        for sentence in Summary.of(outcomes).sentences(applied=applied):
            _print_error(sentence)


def _print_error(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201
