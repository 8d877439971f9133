"""Implements `unplace server`, the language server on standard input and output."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from unplace.cli.options import fail
from unplace.cli.parsing import Command

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=Command)
def server(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk on standard input and output, which it does anyway.")
    ] = True,
) -> None:
    """Run the language server.

    Editors start it themselves and talk to it on standard input and output. It shows the in-place operations while you
    type, explains them on hover, and offers the rewrites as code actions. It writes no files. Needs pygls.
    """
    if importlib.util.find_spec("pygls") is None:
        fail("the language server needs pygls, which isn't installed here: pip install 'pygls>=2.0'")
    from unplace.editor.server import serve

    raise typer.Exit(serve())
