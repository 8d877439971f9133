"""Declares the options that several commands share, and combines them with the configuration file."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NoReturn, get_type_hints

import typer

from unplace.cli.completion import one_of, several_of
from unplace.config.configuration import Configuration, ConfigurationError, find, load
from unplace.config.kinds import AUTO, Decision, Files, Flag, Given
from unplace.config.nearest import Excluded, Nearest
from unplace.config.options import SETTINGS, Options, from_words
from unplace.config.selection import SelectionError
from unplace.config.settings import Setting
from unplace.reporting import FORMATS, TEXTS
from unplace.text.visible import visible_lines

FILES = "Files"
JUDGED = "What is judged"
PROVED = "What counts as proved"
OUTPUT = "Output"
CONFIGURATION = "Configuration"
RUN = "The run"

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATHS", help="Files and folders, or - for standard input.  [default: .]"),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="REV",
        help="Only lines that changed since the merge base of this Git revision and HEAD.",
        rich_help_panel=JUDGED,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Leave out these files, too; as in .gitignore. May be given several times.",
        rich_help_panel=FILES,
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Take this configuration file and look for no other.", rich_help_panel=CONFIGURATION
    ),
]
Isolated = Annotated[
    bool, typer.Option("--isolated", help="Take no configuration file.", rich_help_panel=CONFIGURATION)
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Take Python blocks in Markdown files, too.", rich_help_panel=FILES)
]
ForceExclude = Annotated[
    bool,
    typer.Option(
        "--force-exclude",
        help="Leave out what is excluded even where it is named.",
        rich_help_panel=FILES,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(FORMATS),
        autocompletion=one_of(FORMATS),
        help="How to report the run.  [default: rich]",
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print findings and errors only: no summary.", rich_help_panel=OUTPUT),
]
Jobs = Annotated[
    str | None,
    typer.Option(
        "--jobs", "-j", metavar="N", help="Processes to use.  [default: one per processor]", rich_help_panel=RUN
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Work everything out anew; keep no results for the next run.", rich_help_panel=RUN),
]
StdinFilename = Annotated[
    str | None, typer.Option(metavar="NAME", help="What to call standard input in reports.", rich_help_panel=FILES)
]


Chosen = Mapping[str, Any]
"""The values that the command line gives for the settings, by the names of these."""

NOTHING: Chosen = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Common:
    """The options, besides the settings, of the commands that read many files."""

    since: Since = None
    output_format: Format = None
    quiet: Quiet = False
    exclude: Exclude = None
    force_exclude: ForceExclude = False
    markdown: Markdown = False
    stdin_filename: StdinFilename = None
    config: Config = None
    isolated: Isolated = False
    jobs: Jobs = None
    no_cache: NoCache = False

    @property
    def is_text(self) -> bool:
        """True for reports that people read."""
        return self.output_format is None or self.output_format in TEXTS

    def settings(self, chosen: Chosen) -> Settings:
        """Return the settings of the run."""
        return settings(
            chosen,
            config=self.config,
            isolated=self.isolated,
            markdown=self.markdown,
            force_exclude=self.force_exclude,
            exclude=self.exclude,
        )


NO_OPTIONS = Common()


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run in the working folder, and the paths that are left out.

    With `force_exclude`, named ones are, too. `changes` are options that a command sets itself.
    """

    options: Options
    exclude: Excluded
    force_exclude: bool
    chosen: Chosen
    changes: Mapping[str, Any] = field(default_factory=dict)
    _by_configuration: dict[str | None, Options] = field(default_factory=dict)

    def of(self, path: str) -> Options:
        """Return the options for a file (an absolute path): those of its nearest configuration and the command line."""
        try:
            told = self.exclude.nearest.of_file(path)
        except ConfigurationError as error:
            fail(str(error))
        if told.path not in self._by_configuration:
            options = combined(told.options, self.chosen, markdown=self.options.markdown)
            self._by_configuration[told.path] = replace(options, **self.changes)
        return self._by_configuration[told.path]

    def with_changes(self, **changes: Any) -> Settings:
        """Return the settings with options that the command sets itself."""
        return replace(
            self, options=replace(self.options, **changes), changes={**self.changes, **changes}, _by_configuration={}
        )


def takes_settings(
    *, narrowing: bool = True, editing: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that replaces a command's parameter `chosen` by the options of the settings.

    A parameter `common` is replaced by the options in `Common`.
    """
    taken = (s for s in SETTINGS if (narrowing or not s.narrows) and (editing or not s.edits))
    options = [_parameter(each) for each in taken if each.flags]
    hints = get_type_hints(Common, include_extras=True)
    common = [
        inspect.Parameter(
            each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=each.default, annotation=hints[each.name]
        )
        for each in fields(Common)
    ]
    replaced = {"chosen": options, "common": common}

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)

        @wraps(command)
        def called(**given: Any) -> None:
            said = {option.name: given.pop(option.name) for option in options}
            if "common" in signature.parameters:
                given["common"] = Common(**{option.name: given.pop(option.name) for option in common})
            command(**given, chosen={name: value for name, value in said.items() if value is not None})

        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += replaced.get(parameter.name, [parameter])
        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return called

    return decorated


def _parameter(declared: Setting) -> inspect.Parameter:
    """Return the option for a setting as a function parameter that typer understands."""
    kind, help = declared.kind, declared.help
    assert isinstance(kind, Given)
    panel = JUDGED if declared.narrows else PROVED
    if isinstance(kind, Flag):
        off = AUTO if isinstance(kind, Decision) else kind.off
        default = f"  [default: {off}]" if off is not None else ""
        option = typer.Option("/".join(declared.flags), help=help + default, rich_help_panel=panel)
        annotation: Any = Annotated[bool | None, option]
    else:
        completion = several_of(kind.choices()) if kind.is_list else None
        option = typer.Option(
            *declared.flags, metavar=kind.metavar, autocompletion=completion, help=help, rich_help_panel=panel
        )
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
    exclude: Sequence[str] | None = None,
) -> Settings:
    """Return the settings of a run; the command line takes precedence over the configuration files."""
    told = configuration(config, isolated=isolated)
    try:
        given = Files().from_toml(list(exclude), str(Path.cwd())) if exclude else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--exclude") from None
    nearest = Nearest(told if isolated or config is not None else None)
    options = combined(told.options, chosen, markdown=markdown)
    return Settings(options, Excluded(nearest, given), force_exclude, chosen)


def combined(told: Options, chosen: Chosen, *, markdown: bool) -> Options:
    """Return the options of a configuration with those of the command line."""
    try:
        return from_words(replace(told, markdown=markdown), chosen)
    except SelectionError as error:
        raise typer.BadParameter(str(error), param_hint=error.option) from None


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
