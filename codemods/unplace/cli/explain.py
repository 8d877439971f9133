"""Implements `unplace explain`: tells why an operation is rewritten, kept or refused, or isn't one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from unplace import documents
from unplace.cli.completion import one_of
from unplace.cli.files import print_error
from unplace.cli.options import NOTHING, Chosen, Config, Isolated, fail, settings, takes_settings
from unplace.cli.parsing import Command
from unplace.cli.sources import read_file
from unplace.diagnostics.findings import Finding
from unplace.documents.module import Module
from unplace.files.discovery import shown
from unplace.files.surroundings import Surroundings
from unplace.reporting.styled import width_of, write_lines
from unplace.reporting.summary import number
from unplace.runs.among import outcome_among, project_around
from unplace.runs.limits import limited
from unplace.text.positions import Text
from unplace.text.source import Source
from unplace.transform.rewriter import Alone

app = typer.Typer(add_completion=False, rich_markup_mode=None)

FORMATS = ("rich", "json")
EXAMPLES = """
\b
Examples:
  unplace explain model.py:42                 the in-place operations of line 42
  unplace explain model.py:42:9               the one at column 9
  unplace explain "model.ipynb:cell 3:2"      line 2 of cell 3 of a notebook
  unplace explain README.md:12                line 12, in a Python block of a Markdown file
  unplace explain --output-format json model.py:42

\b
Exit codes:
  0  explained
  2  the file could not be handled, or the command line is wrong
"""

Place = Annotated[str, typer.Argument(metavar="FILE:LINE[:COLUMN]", help="The place; lines and columns count from 1.")]
Format = Annotated[
    str, typer.Option(metavar="|".join(FORMATS), autocompletion=one_of(FORMATS), help="How to print it.")
]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings(narrowing=False)
def explain(
    place: Place,
    chosen: Chosen = NOTHING,
    output_format: Format = "rich",
    config: Config = None,
    isolated: Isolated = False,
) -> None:
    """Explain the in-place operations in a line.

    For each operation, you see the verdict and what it assumes, the target and how it is known, who else sees its
    memory, what autograd saved, and the edit. For code that only looks like an in-place operation, you see why it is
    none. Operations that a rule, their harm or a comment leaves out of reports are explained, too.

    The other files of the working folder count, as in `unplace check`.
    """
    if output_format not in FORMATS:
        raise typer.BadParameter(f"{output_format} isn't one of {', '.join(FORMATS)}.", param_hint="--output-format")
    path, cell, line, column = _parsed(place)
    if cell is not None and output_format != "rich":
        raise typer.BadParameter("is for Python files; notebooks are explained as text.", param_hint="--output-format")
    own, given = os.path.normpath(Path(path).absolute()), settings(chosen, config=config, isolated=isolated)
    options, name = given.of(own), shown(own)
    source = read_file(path, name, markdown=True)
    module = _module(source, name, cell)
    at = module.line_of(cell, line) if module is not None else None
    if module is None or at is None:
        there_is = f"the file has only {number(Text(source.text).line_count, 'line')}"
        no_line = "no code cell has this number and line; cells count from 1, text cells included"
        fail(f"{name}:{line}: {there_is}" if cell is None else f"{name}:cell {cell}:{line}: {no_line}")
    for warning in module.warnings:
        print_error(f"warning: {warning}")
    if column is not None:
        column -= module.column(at, 1) - 1
    from unplace.reporting import explained
    from unplace.transform.explanation import explain as explain_text

    project = project_around(own, given.exclude)
    known: Sequence[Finding] = ()
    if project is not None and documents.is_python(name):
        known = outcome_among(own, project, lambda each: given.of(each).unfiltered()).findings
    programs = module.programs(project or Alone(Surroundings([own])))
    with limited():
        found = explain_text(module.text, own, options, at, column, programs, known)
    report = documents.located(module, found)
    if output_format == "json":
        typer.echo(explained.document(report, name, at, source))
    else:
        write_lines(sys.stdout, explained.lines(report, name, at, source, module.named, width_of(sys.stdout)))


def _module(source: Source, name: str, cell: int | None) -> Module | None:
    """Return the module of the file; end the command where the place doesn't fit the kind of file."""
    if cell is None and not documents.is_python(name):
        fail(f"{name}: name the cell of the notebook, as in `{name}:cell 2:5`")
    if cell is not None and documents.is_python(name):
        fail(f"{name}: has no cells; write {name}:LINE")
    module = next(iter(documents.modules_of(source.text, name, markdown=True)), None)
    if module is None and cell is None:
        fail(f"{name}: has no block of Python")
    return module


def _parsed(place: str) -> tuple[str, int | None, int, int | None]:
    """Return the path, cell, line and column of `FILE:[cell N:]LINE[:COLUMN]`."""
    parts = place.split(":")
    numbers: list[int] = []
    while len(parts) > 1 and len(numbers) < 2 and parts[-1].isdecimal():
        numbers.insert(0, int(parts.pop()))
    if not numbers or 0 in numbers:
        where = f"; `unplace check --all {place}` names the lines." if not numbers else "."
        text = f"{place} is no FILE:LINE or FILE:LINE:COLUMN, counted from 1{where}"
        raise typer.BadParameter(text, param_hint="PLACE")
    cell = re.fullmatch(r"cell ?(\d+)", parts[-1]) if len(parts) > 1 else None
    path = ":".join(parts[:-1] if cell else parts)
    return path, int(cell[1]) if cell else None, numbers[0], numbers[1] if len(numbers) == 2 else None
