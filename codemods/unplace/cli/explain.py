"""`unplace explain`: why an operation is rewritten, kept or refused, or why it counts for none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unplace.cli.options import Config, Isolated, PreserveDtype, TargetTorch, Unsafe, fail, settings
from unplace.cli.parsing import Command
from unplace.cli.sources import read_file
from unplace.discovery import shown
from unplace.limits import limited
from unplace.reporting.styled import write_lines

app = typer.Typer(add_completion=False, rich_markup_mode=None)

FORMATS = ("rich", "json")
EXAMPLES = """
\b
Examples:
  unplace explain model.py:42                 the in-place operations of line 42
  unplace explain model.py:42:9               the one at column 9
  unplace explain --output-format json model.py:42

\b
Exit codes:
  0  explained
  2  the file could not be handled, or the command line is wrong
"""

Place = Annotated[str, typer.Argument(metavar="FILE:LINE[:COLUMN]", help="The place; lines and columns count from 1.")]
Format = Annotated[str, typer.Option(metavar="|".join(FORMATS), help="How to print it.")]


@app.command(cls=Command, epilog=EXAMPLES)
def explain(
    place: Place,
    unsafe: Unsafe = None,
    preserve_dtype: PreserveDtype = None,
    target_torch: TargetTorch = None,
    output_format: Format = "rich",
    config: Config = None,
    isolated: Isolated = False,
) -> None:
    """Explain the in-place operations in a line.

    For each one: what its target is and why, who else sees that memory, what autograd saved, the verdict, what it
    assumes, and the edit. For what looks like one and isn't: why not. Rules, harm and comments don't limit it.
    """
    if output_format not in FORMATS:
        raise typer.BadParameter(f"{output_format} is none of {', '.join(FORMATS)}.", param_hint="--output-format")
    path, line, column = _parsed(place)
    options = settings(
        unsafe=unsafe, preserve_dtype=preserve_dtype, target_torch=target_torch, config=config, isolated=isolated
    ).options
    name = shown(str(Path(path).absolute()))
    source = read_file(path, name)
    if line > source.text.count("\n") + 1:
        fail(f"{name}:{line}: the file has only {len(source.text.splitlines())} lines")
    from unplace.explanation import explain as explain_text
    from unplace.reporting import explained

    with limited():
        report = explain_text(source.text, name, options, line, column)
    if output_format == "json":
        typer.echo(explained.document(report, name, line, source))
    else:
        write_lines(sys.stdout, explained.lines(report, name, line, source))


def _parsed(place: str) -> tuple[str, int, int | None]:
    """The path, line and column of `FILE:LINE[:COLUMN]`."""
    parts = place.split(":")
    numbers: list[int] = []
    while len(parts) > 1 and len(numbers) < 2 and parts[-1].isdecimal():
        numbers.insert(0, int(parts.pop()))
    if not numbers or 0 in numbers:
        raise typer.BadParameter(f"{place} is no FILE:LINE or FILE:LINE:COLUMN, counted from 1.", param_hint="PLACE")
    return ":".join(parts), numbers[0], numbers[1] if len(numbers) == 2 else None
