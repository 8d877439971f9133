"""Implements `unplace rule`: prints what a rule does, why, and what it leaves alone, or what a file of models says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from unplace.cli.completion import one_of
from unplace.cli.helping import WIDEST
from unplace.cli.parsing import Command
from unplace.config.selection import no_rule
from unplace.reporting.styled import width_of
from unplace.reporting.wrapping import wrapped
from unplace.rules import codes, documentation

_MODELS = "models"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=Command)
def rule(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            autocompletion=one_of((*codes(), _MODELS)),
            help="The code of a rule, such as UNP001; or `models`, for the files that say what libraries do.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain all rules.")] = False,
) -> None:
    """Explain a rule.

    You see what the rule rewrites, what the result is, and what it leaves alone.
    """
    if code == _MODELS:
        from unplace.analysis.effects.model_files import documentation as of_models

        _print(f"{_MODELS}: {of_models()}")
        return
    if (code is None) is not every:
        raise typer.BadParameter("name one rule, or give --all.", param_hint="CODE")
    wanted = codes() if code is None else (code.upper(),)
    for position, one in enumerate(wanted):
        if one not in codes():
            raise typer.BadParameter(no_rule(one, codes()), param_hint="CODE")
        if position:
            typer.echo()
        _print(f"{one}: {documentation(one)}")


def _print(text: str) -> None:
    for line in _fitted(text, width_of(sys.stdout)):
        typer.echo(line)


def _fitted(text: str, width: int | None) -> Iterator[str]:
    """Yield the lines of a text whose paragraphs and lists are fitted to a terminal; code stays as it is."""
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ""
        if width is None or paragraph.startswith("    "):
            yield from paragraph.split("\n")
            continue
        for item in re.split(r"\n(?=- )", paragraph):
            joined = [(" ".join(line.strip() for line in item.split("\n")), "")]
            indent = 2 if item.startswith("- ") else 0
            yield from ("".join(part for part, _ in line) for line in wrapped(joined, min(width, WIDEST), indent))
