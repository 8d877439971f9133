"""Implements `unplace diagnose`: runs a program and names the line behind an in-place error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from unplace.cli.parsing import ProgramCommand
from unplace.cli.running import require_torch

if TYPE_CHECKING:
    from unplace.diagnosis.launcher import Program
    from unplace.observation.facts import Observations

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace diagnose train.py --epochs 1            run a script and explain its in-place error
  unplace diagnose -m package.train               a module
  unplace diagnose -- pytest tests/test_x.py::test_y
  unplace diagnose --fix train.py                 rewrite the culprits until the program runs
  unplace diagnose --silent train.py              also find gradients that are wrong without an error
  unplace diagnose --output-format json --output-file - train.py | jq .advice

\b
The exit code is that of the program; with --fix:
  0  the program runs now, or it ran before
  1  it could not be repaired, and no file was changed
  2  there is no such program, or the command line is wrong
"""

FORMATS = ("text", "json")

Words = Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGUMENTS]", help="A script or an installed command.")]
IsModule = Annotated[bool, typer.Option("-m", help="PROGRAM is a module, as with `python -m`.")]
Fix = Annotated[bool, typer.Option("--fix", help="Rewrite the culprits one by one until the program runs.")]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="With --fix: also rewrites that rest on an assumption.")]
Silent = Annotated[bool, typer.Option("--silent", help="Compare what backward uses with what was saved.")]
Format = Annotated[str, typer.Option(metavar="|".join(FORMATS), help="How to report.")]
OutputFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Where to write the report. With `-`, standard output holds the report alone, and the program prints to "
        "standard error.  [default: standard error, at the end]",
    ),
]


@app.command(cls=ProgramCommand, epilog=EXAMPLES)
def diagnose(
    words: Words,
    is_module: IsModule = False,
    fix: Fix = False,
    unsafe: Unsafe = False,
    silent: Silent = False,
    output_format: Format = "text",
    output_file: OutputFile = None,
) -> None:
    """Run a Python program and say which line is behind an in-place error.

    The program runs as it would without unplace: its input, output, arguments and exit code are its own, and its
    exception is the one that torch raised, with the diagnosis attached.
    """
    if output_format not in FORMATS:
        raise typer.BadParameter(f"{output_format} isn't one of {', '.join(FORMATS)}.", param_hint="--output-format")
    if unsafe and not fix:
        raise typer.BadParameter("only goes with --fix.", param_hint="--unsafe")
    others = {"--silent": silent, "--output-format json": output_format == "json", "--output-file": output_file}
    if fix and (given := [option for option, is_given in others.items() if is_given]):
        raise typer.BadParameter("doesn't go with --fix.", param_hint=given[0])
    if output_file is not None and not Path(output_file).absolute().parent.is_dir():
        raise typer.BadParameter(f"{Path(output_file).parent} is no folder.", param_hint="--output-file")
    require_torch()
    try:
        from unplace.diagnosis.launcher import NotFoundError, Program
    except ImportError as error:
        sys.stderr.write(f"unplace diagnose needs torch, which can't be imported here: {error}\n")
        raise typer.Exit(2) from None
    program = Program(words[0], tuple(words[1:]), is_module)
    try:
        program.check()
    except NotFoundError as error:
        raise typer.BadParameter(str(error), param_hint="PROGRAM") from None
    if fix:
        raise typer.Exit(_fix(program, unsafe=unsafe))
    raise typer.Exit(_run(program, silent=silent, as_json=output_format == "json", output_file=output_file))


def _run(program: Program, *, silent: bool, as_json: bool, output_file: str | None) -> int:
    from unplace.diagnosis import Diagnosed
    from unplace.diagnosis.launcher import report_exception

    exit_code = 0
    escaped: BaseException | None = None
    # JSON on standard error would be of no use with a text above it.
    with (
        _report_to(output_file) as stream,
        Diagnosed(silent=silent, reports=False, notes=not as_json or output_file is not None) as diagnosed,
    ):
        try:
            program.run()
        except BaseException as error:  # however the program ends
            escaped = error
            exit_code = report_exception(error)
        sys.stdout.flush()
        if as_json:
            report = json.dumps(diagnosed.document(), indent=2 if output_file else None)
        else:
            report = "\n\n".join(diagnosis.text for diagnosis in diagnosed.unseen(None if output_file else escaped))
        stream.write(f"{report}\n" if report or output_file else "")
    return exit_code


@contextmanager
def _report_to(output_file: str | None) -> Iterator[TextIO]:
    """Provide the stream for the report; for `-`, what is printed meanwhile goes to standard error."""
    if output_file is None:
        yield sys.stderr
    elif output_file != "-":
        path = Path(output_file).absolute()  # the program may go elsewhere
        report = StringIO()
        yield report
        path.write_text(report.getvalue(), "utf-8")
    else:
        sys.stdout.flush()
        with os.fdopen(os.dup(1), "w", encoding="utf-8") as stream:
            os.dup2(2, 1)
            try:
                yield stream
            finally:
                sys.stdout.flush()
                os.dup2(stream.fileno(), 1)


def _fix(program: Program, *, unsafe: bool) -> int:
    from unplace.diagnosis import observed_run
    from unplace.diagnosis.repair import RepairError, repair
    from unplace.loops.running import Runs
    from unplace.loops.search import search

    try:
        with Runs() as runs:
            runner = partial(observed_run.run, program)
            observe = partial(_observed, program)
            reorder = partial(search, program, runs)
            repaired = repair(runner, observe, reorder, unsafe=unsafe, tell=_say)
    except RepairError as error:
        _say(f"unplace: not repaired: {error}.")
        return 1
    if not repaired.changes:
        _say("unplace: no in-place error was raised; nothing to repair.")
        return repaired.exit_code
    _say(f"{repaired.diff()}unplace: the program runs now. {repaired.verdict}")
    if repaired.observed:
        _say(f"The rewrite rests on what the run showed: {'; '.join(repaired.observed)}.")
    return 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n" if text else "")


def _observed(program: Program) -> Observations:
    """Run the program once more, for what it shows about the operations in the working folder."""
    from unplace.observation.launching import observe

    return observe(Path.cwd(), program.name, program.arguments, is_module=program.is_module, quiet=True)[1]
