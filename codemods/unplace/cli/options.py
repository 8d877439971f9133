"""Declares the options that several commands share, and combines them with the configuration file."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NoReturn

import typer

from unplace.cli.completion import several_of
from unplace.config.configuration import Configuration, ConfigurationError, find, load
from unplace.config.kinds import Given, Truth
from unplace.config.options import SETTINGS, Options, from_words
from unplace.config.selection import SelectionError
from unplace.config.settings import Setting
from unplace.files.patterns import Patterns
from unplace.text.visible import visible_lines

Paths = Annotated[list[str], typer.Argument(metavar="PATHS", help="Files and folders, or - for standard input.")]
Since = Annotated[
    str | None,
    typer.Option(metavar="REV", help="Only lines that changed since the merge base of this Git revision and HEAD."),
]
Config = Annotated[str | None, typer.Option(metavar="FILE", help="Take this configuration file and look for no other.")]
Isolated = Annotated[bool, typer.Option("--isolated", help="Take no configuration file.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Take Python blocks in Markdown files, too.")]
ForceExclude = Annotated[
    bool,
    typer.Option("--force-exclude", help="Leave out what the configuration excludes even where it is named."),
]
Jobs = Annotated[str | None, typer.Option(metavar="N", help="Processes to use.  [default: one per processor]")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Work everything out anew; keep no results for the next run.")
]
StdinFilename = Annotated[str | None, typer.Option(metavar="NAME", help="What to call standard input in reports.")]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run, and the patterns of excluded paths; with `force_exclude`, named paths are excluded, too."""

    options: Options
    exclude: Patterns | None
    force_exclude: bool


Chosen = Mapping[str, Any]
"""The values that the command line gives for the settings, by the names of these."""

NOTHING: Chosen = MappingProxyType({})


def takes_settings(*, narrowing: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that replaces a command's parameter `chosen` by the options of the settings."""
    options = [_parameter(each) for each in SETTINGS if each.flags and (narrowing or not each.narrows)]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(**given: Any) -> None:
            said = {option.name: given.pop(option.name) for option in options}
            command(**given, chosen={name: value for name, value in said.items() if value is not None})

        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += options if parameter.name == "chosen" else [parameter]
        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return called

    return decorated


def _parameter(declared: Setting) -> inspect.Parameter:
    """Return the option for a setting as a function parameter that typer understands."""
    kind, help = declared.kind, declared.help
    assert isinstance(kind, Given)
    if isinstance(kind, Truth):
        default = f"  [default: {kind.off}]" if kind.off is not None else ""
        option = typer.Option("/".join(declared.flags), help=help + default)
        annotation: Any = Annotated[bool | None, option]
    else:
        completion = several_of(kind.choices()) if kind.is_list else None
        option = typer.Option(*declared.flags, metavar=kind.metavar, autocompletion=completion, help=help)
        annotation = Annotated[list[str] | None if kind.is_list else str | None, option]
    return inspect.Parameter(
        declared.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=annotation
    )


def settings(
    chosen: Chosen,
    *,
    config: str | None = None,
    isolated: bool = False,
    markdown: bool = False,
    force_exclude: bool = False,
) -> Settings:
    """Return the settings of a run; the command line takes precedence over the configuration file."""
    told = configuration(config, isolated=isolated)
    try:
        options = from_words(replace(told.options, markdown=markdown), chosen)
    except SelectionError as error:
        raise typer.BadParameter(str(error), param_hint=error.option) from None
    return Settings(options, told.exclude, force_exclude)


def configuration(config: str | None, *, isolated: bool) -> Configuration:
    """Return the configuration in the file that the options name, or that holds in the working folder."""
    if config is not None and isolated:
        raise typer.BadParameter("cannot be given together with --isolated.", param_hint="--config")
    try:
        path = None if isolated else config if config is not None else find(Path.cwd())
        return Configuration() if path is None else load(path)
    except ConfigurationError as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    """Print a message and end with exit code 2."""
    print(visible_lines(message), file=sys.stderr)  # noqa: T201
    raise typer.Exit(2)
