"""Builds the tree of commands; a command's module is imported only when it is run or listed."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from unplace.cli.hints import command_hint
from unplace.cli.parsing import CommandGroup
from unplace.config.selection import guess
from unplace.version import __version__

PURPOSES = {
    "Find and repair": ("check", "rewrite", "explain", "rule"),
    "Run your code": ("diagnose", "observe", "show", "verify"),
    "Many repositories": ("migrate",),
    "Settings and editors": ("config", "server", "code-action"),
}
COMMANDS = tuple(name for names in PURPOSES.values() for name in names)

EXAMPLES = """
\b
Examples:
  unplace check               list the in-place operations in this folder that break backward
  unplace check --fix         repair them (--diff shows the changes)
  unplace rewrite --diff      remove all in-place operations, harmful or not; without --diff the files are written
  unplace explain net.py:17   why an operation is rewritten, kept or refused
  unplace diagnose train.py   run a program, and name the lines behind torch's error
  unplace COMMAND -h          the options of a command, with examples
"""


class _Commands(CommandGroup):
    """The group of commands; `unplace.cli.<name>.app` is the Typer application of each."""

    purposes = PURPOSES

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            told = command_hint(args[0])
            ctx.fail(f"No such command '{args[0]}'{f'; {told}' if told else f'.{guess(args[0], COMMANDS)}'}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return typer.main.get_command(importlib.import_module(f"unplace.cli.{cmd_name.replace('-', '_')}").app)


app = typer.Typer(
    cls=_Commands,
    add_completion=True,
    no_args_is_help=True,
    rich_markup_mode=None,  # otherwise errors and help import rich
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unplace {__version__}")
        raise typer.Exit


@app.callback()
def unplace(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Rewrite in-place PyTorch tensor operations that break autograd."""
