"""The options that several commands share, and what they come to together with the configuration file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from unplace.cli.completion import several_of
from unplace.config.configuration import Configuration, ConfigurationError, find, load
from unplace.config.options import Options
from unplace.config.selection import SelectionError, parse_codes, parse_harms, parse_release
from unplace.diagnostics.findings import Harm
from unplace.files.patterns import Patterns
from unplace.rules import codes
from unplace.text.visible import visible_lines

T = TypeVar("T")

Paths = Annotated[list[str], typer.Argument(metavar="PATHS", help="Files and folders, or - for standard input.")]
Unsafe = Annotated[
    bool | None, typer.Option("--unsafe/--safe", help="Take edits that rest on an assumption, too.  [default: safe]")
]
PreserveDtype = Annotated[
    bool | None,
    typer.Option(
        "--preserve-dtype/--no-preserve-dtype",
        help="Cast results back wherever their dtype isn't known to stay the same.",
    ),
]
TargetTorch = Annotated[
    str | None, typer.Option(metavar="VERSION", help="The oldest torch that rewritten code has to run on.")
]
_some_codes = several_of(codes())
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="CODE,...", autocompletion=_some_codes, help="Only these rules (codes or prefixes)."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="CODE,...", autocompletion=_some_codes, help="Not these rules (codes or prefixes)."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HARM,...",
        autocompletion=several_of(harm.value for harm in Harm),
        help="Only operations of this harm: harmful, unknown, harmless.",
    ),
]
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
    """The options of a run, and what it leaves out of the folders that it walks; with `force_exclude`, of all paths."""

    options: Options
    exclude: Patterns | None
    force_exclude: bool


def settings(
    *,
    unsafe: bool | None = None,
    preserve_dtype: bool | None = None,
    target_torch: str | None = None,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    only: list[str] | None = None,
    config: str | None = None,
    isolated: bool = False,
    markdown: bool = False,
    force_exclude: bool = False,
) -> Settings:
    """The settings of a run: what the command line says goes before the configuration file."""
    told = configuration(config, isolated=isolated)
    known = codes()
    options = Options(
        unsafe=told.unsafe if unsafe is None else unsafe,
        preserve_dtype=told.preserve_dtype if preserve_dtype is None else preserve_dtype,
        target_torch=told.target_torch
        if target_torch is None
        else _parsed("--target-torch", lambda: parse_release(target_torch)),
        select=told.select if select is None else _parsed("--select", lambda: parse_codes(select, known)),
        ignore=told.ignore if ignore is None else _parsed("--ignore", lambda: parse_codes(ignore, known)),
        only=told.only if only is None else _parsed("--only", lambda: parse_harms(only)),
        per_file_ignores=told.per_file_ignores,
        markdown=markdown,
    )
    return Settings(options, told.exclude, force_exclude)


def configuration(config: str | None, *, isolated: bool) -> Configuration:
    """What the configuration file says that the options name, or that the working folder has."""
    if config is not None and isolated:
        raise typer.BadParameter("cannot be given together with --isolated.", param_hint="--config")
    try:
        path = None if isolated else config if config is not None else find(Path.cwd())
        return Configuration() if path is None else load(path)
    except ConfigurationError as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    """End with exit code 2, saying why."""
    print(visible_lines(message), file=sys.stderr)  # noqa: T201
    raise typer.Exit(2)


def _parsed(option: str, parse: Callable[[], T]) -> T:
    try:
        return parse()
    except SelectionError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
