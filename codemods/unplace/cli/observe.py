"""Implements `unplace observe`: runs a program and writes down what it shows about its in-place operations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unplace.cli.parsing import ProgramCommand

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace observe -- pytest -q                    what the tests show
  unplace observe train.py --epochs 1             what a script shows
  unplace observe -m package.train                a module
  unplace rewrite --facts unplace-facts.json .    rewrite what is proved, and what the runs showed

\b
The exit code is that of the program, or 2 where there is no such program.
"""

OUTPUT = "unplace-facts.json"

Words = Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGUMENTS]", help="A script or an installed command.")]
IsModule = Annotated[bool, typer.Option("-m", help="PROGRAM is a module, as with `python -m`.")]
Output = Annotated[str, typer.Option(metavar="FILE", help="Where to add the facts.")]


@app.command(cls=ProgramCommand, epilog=EXAMPLES)
def observe(words: Words, is_module: IsModule = False, output: Output = OUTPUT) -> None:
    """Run a Python program and note what its in-place operations work on: tensors, their dtypes, who else holds them.

    The operations are those in files below the working folder, without installed packages. The facts are added to
    those of earlier runs; no values of tensors are among them. Functions under torch.compile run eagerly.
    """
    from unplace.observation import facts, launching

    path = Path(output)
    try:
        known = facts.read(path) if path.exists() else facts.Observations(str(Path.cwd().resolve()))
        code, found = launching.observe(Path.cwd(), words[0], words[1:], is_module=is_module, known=path)
    except facts.FactsError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--output") from None
    except launching.NotFoundError as error:
        raise typer.BadParameter(f"{error}.", param_hint="PROGRAM") from None
    known.add(found)
    sys.stdout.flush()
    try:
        known.write(path)
    except OSError as error:
        raise typer.BadParameter(f"{path} can't be written: {error.strerror}.", param_hint="--output") from None
    sys.stderr.write(f"{found.summary()} The facts are in {path}.\n")
    raise typer.Exit(code)
