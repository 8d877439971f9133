"""Implements `unplace code-action`: prints the fixes for a line as objects of the Language Server Protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from unplace.cli.options import NOTHING, Chosen, Config, Isolated, settings, takes_settings
from unplace.cli.parsing import Command
from unplace.cli.sources import checked, read_file
from unplace.files.discovery import shown
from unplace.runs.across import spanning
from unplace.runs.among import project_around
from unplace.runs.limits import limited

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace code-action model.py --line 42
  unplace code-action model.py --line 42 --column 9 --stdin < buffer

\b
Exit codes:
  0  printed, even if there is nothing to offer
  2  the file could not be handled, or the command line is wrong
"""

File = Annotated[str, typer.Argument(metavar="FILE", help="The file, or the name of the text on standard input.")]
Line = Annotated[str, typer.Option(metavar="N", help="The first line, from 1.")]
EndLine = Annotated[str | None, typer.Option(metavar="N", help="The last line.  [default: the first]")]
Column = Annotated[str | None, typer.Option(metavar="M", help="The column in the first line, from 1, in characters.")]
Version = Annotated[str | None, typer.Option(metavar="V", help="The version that the editor gives the text.")]
Stdin = Annotated[bool, typer.Option("--stdin", help="Read the text from standard input, not from the file.")]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings()
def code_action(
    file: File,
    line: Line,
    end_line: EndLine = None,
    column: Column = None,
    document_version: Version = None,
    stdin: Stdin = False,
    chosen: Chosen = NOTHING,
    config: Config = None,
    isolated: Isolated = False,
) -> None:
    """Print what an editor can offer for some lines.

    The JSON array holds CodeAction objects of the Language Server Protocol: the rewrite of one operation, of all in its
    function, of all in the file, and a comment that ignores it. Positions in them count UTF-16 code units from 0.
    """
    first = _number("--line", line)
    last = first if end_line is None else _number("--end-line", end_line)
    if last < first:
        raise typer.BadParameter("is before --line.", param_hint="--end-line")
    at = None if column is None else _number("--column", column)
    version = None if document_version is None else _number("--document-version", document_version, least=0)
    absolute = Path(file).absolute()
    given = settings(chosen, config=config, isolated=isolated)
    options = given.of(str(absolute))
    name = shown(str(absolute))
    source = checked(name, sys.stdin.buffer.read) if stdin else read_file(file, name)
    from unplace.editor.across_files import across_files
    from unplace.editor.code_actions import code_actions, planned
    from unplace.editor.document import Document
    from unplace.editor.plans import Plans

    project = project_around(str(absolute), given.exclude, source.data)
    document = Document(source.text, absolute.as_uri(), str(absolute), version, plans=Plans(project))
    with limited():
        actions = code_actions(document, options, first, last, at)
        if project is not None and document.is_python:
            findings = planned(document, options).findings
            here = [each for each in findings if each.line <= last and first <= each.end_line]
            found = spanning(str(absolute), here, options, project, {str(absolute): source.data})
            actions = [*across_files(document, found, first, last, {}), *actions]
    typer.echo(json.dumps(actions, indent=2))


def _number(option: str, text: str, least: int = 1) -> int:
    if not text.isdecimal() or int(text) < least:
        raise typer.BadParameter(f"{text} is not a number from {least}.", param_hint=option)
    return int(text)
