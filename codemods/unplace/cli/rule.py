"""Implements `unplace rule`: prints what a rule does, why, and what it leaves alone."""

from __future__ import annotations

from typing import Annotated

import typer

from unplace.cli.completion import one_of
from unplace.cli.parsing import Command
from unplace.config.selection import no_rule
from unplace.rules import codes, documentation

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=Command)
def rule(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", autocompletion=one_of(codes()), help="The code of a rule, such as UNP001."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain all rules.")] = False,
) -> None:
    """Explain a rule.

    What it rewrites into what, and what it leaves alone.
    """
    if (code is None) is not every:
        raise typer.BadParameter("name one rule, or give --all.", param_hint="CODE")
    wanted = codes() if code is None else (code.upper(),)
    for position, one in enumerate(wanted):
        if one not in codes():
            raise typer.BadParameter(no_rule(one, codes()), param_hint="CODE")
        title, _, text = documentation(one).partition("\n")
        if position:
            typer.echo()
        typer.echo(f"{one}: {title}\n{text}")
