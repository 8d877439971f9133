"""Shapes typer's commands: parameters are only flags and text, which halves the start-up time; help has groups."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from unplace.cli.helping import WIDEST, HelpFormatter
from unplace.cli.hints import hint

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class _Helping:
    """Lays help out by the project's own formatter, and says what an unknown option may mean."""

    epilog: str | None

    def parse_args(self: Any, ctx: Any, args: list[str]) -> Any:
        """Parse the words of the command line; an unknown option is answered with what may be meant."""
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except _UsageError as error:
            name = getattr(error, "option_name", None)
            if not (isinstance(name, str) and hasattr(error, "possibilities")):
                raise
            ctx.fail(f"No such option: {name}{self._told(ctx, name)}")

    def _told(self: Any, ctx: Any, name: str) -> str:
        """Return what follows the name of an option that the command doesn't have."""
        known = hint(ctx.info_name or "", name)
        if known is not None:
            return f"; {known}"
        options = [option for parameter in self.get_params(ctx) for option in parameter.opts + parameter.secondary_opts]
        near = difflib.get_close_matches(name, options, n=1, cutoff=0.75)
        return f". Did you mean {near[0]}?" if near else ""

    def get_help(self: Any, ctx: Any) -> str:
        """Return the help, as wide as the terminal."""
        formatter = HelpFormatter()
        self.format_help(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the blocks of examples and exit codes."""
        for block in (self.epilog or "").split("\b\n")[1:]:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_block(block.rstrip())


class Command(_Helping, TyperCommand):
    """A command whose parameters are flags and text."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, prepared for flags and text."""
        return _as_written(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line, without the braces that newer versions of typer put around a name."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options, under the titles of their groups."""
        groups: dict[str, list[Any]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            is_argument = parameter.param_type_name == "argument"
            title = getattr(parameter, "rich_help_panel", None) or ("Arguments" if is_argument else "Options")
            if row is not None:
                groups.setdefault(title, []).append(row)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class CommandGroup(_Helping, TyperGroup):
    """A group of such commands, listed by purpose; its own parameters are flags and text, too."""

    purposes: dict[str, tuple[str, ...]]

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, prepared for flags and text."""
        return _as_written(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first sentence of what each does."""
        for purpose, names in self.purposes.items():
            with formatter.section(purpose):
                formatter.write_dl(list(self._rows(ctx, names)), col_max=12)

    def _rows(self, ctx: Any, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        for name in names:
            command = self.get_command(ctx, name)
            assert command is not None
            yield name.ljust(12), command.get_short_help_str(WIDEST)


class _AsWritten:
    """Converts no value, since all are text already."""

    def coerce(self, value: Any, **_: object) -> Any:
        return list(value) if isinstance(value, tuple) else value


def _as_written(parameters: Any) -> Any:
    # Since 0.29 typer makes a pydantic validator for each parameter, `--help` included: 80 ms of a run that takes 160.
    # If these attributes have other names, runs are slower and help says more, but nothing else changes.
    for parameter in parameters:
        parameter._runtime_param = _AsWritten()
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = _no_type
    return parameters


def _no_type(ctx: Any) -> None:
    """Return no type for help to show beside an argument's metavar."""


class ProgramCommand(Command):
    """A command whose options end at the first word that isn't one: the rest belongs to the program."""

    allow_interspersed_args = False
