"""Implements `unplace show`: prints a short script that raises torch's error because of an operation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unplace.cli.observe import OUTPUT
from unplace.cli.options import fail
from unplace.cli.parsing import Command
from unplace.cli.running import parse_place, require_torch

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace observe -- pytest -q           note how the functions are called
  unplace show net.py:17                 print a script that raises because of line 17
  unplace show net.py:17 > report.py     and keep it, for a bug report

\b
Exit codes:
  0  the script raises, and line 17 is why
  1  no call that runs made raises because of it
  2  there are no facts, or the command line is wrong
"""

Place = Annotated[str, typer.Argument(metavar="FILE:LINE", help="The operation, by its line.")]
Facts = Annotated[str, typer.Option(metavar="FILE", help="The facts of `unplace observe`.")]


@app.command(cls=Command, epilog=EXAMPLES)
def show(place: Place, facts: Facts = OUTPUT) -> None:
    """Print a short script that raises torch's in-place error because of an operation.

    The script calls a function as runs did that were observed, with random tensors of the same shapes and dtypes, and
    runs a backward. This RUNS your code: calls are tried in processes of their own until one raises, and torch's error
    has to come from this line.
    """
    path, line = parse_place("FILE:LINE", place)
    if not line.isdecimal() or not path.is_file():
        raise typer.BadParameter(f"{place} is no FILE:LINE of a file that is there.", param_hint="FILE:LINE")
    require_torch()
    from unplace.diagnosis.showing import script_of
    from unplace.observation.facts import FactsError, read

    if not Path(facts).is_file():
        fail(f"{facts}: no such file; `unplace observe` writes it, as in `unplace observe -- pytest -q`")
    try:
        script, tried = script_of(path.absolute(), int(line), read(Path(facts)))
    except FactsError as error:
        fail(str(error))
    except SyntaxError as error:
        fail(f"{path}:{error.lineno}: {error.msg}")
    if script is None:
        calls = f"none of {tried} calls that runs made raises" if tried else "no call was observed that can be made"
        typer.echo(f"{place}: {calls} because of this line", err=True)
        raise typer.Exit(1)
    typer.echo(script, nl=False)
