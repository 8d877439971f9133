"""Implements `unplace config`: shows the settings that hold, and where they come from."""

from __future__ import annotations

import typer

from unplace.cli.options import Config, Isolated, configuration
from unplace.cli.parsing import Command
from unplace.config.configuration import shown

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=Command)
def config(config: Config = None, isolated: Isolated = False) -> None:
    """Show the settings that hold in this folder.

    Each setting is shown with the file that it comes from. Options of a command override it.
    """
    found = configuration(config, isolated=isolated)
    lines = [(f"{key} = {value}" if value else f"# {key} is not set", key) for key, value in shown(found)]
    width = max(len(line) for line, _ in lines)
    for line, key in lines:
        source = found.path if key in found.given else "default"
        typer.echo(f"{line:<{width}}  # {source}")
