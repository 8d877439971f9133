"""Implements `unplace check`, the linter's view of the in-place operations; the files stay as they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from unplace.cli import files
from unplace.cli.completion import one_of
from unplace.cli.options import (
    NOTHING,
    Chosen,
    Config,
    ForceExclude,
    Isolated,
    Jobs,
    Markdown,
    NoCache,
    Paths,
    Since,
    StdinFilename,
    settings,
    takes_settings,
)
from unplace.cli.parsing import Command
from unplace.config.options import Options
from unplace.diagnostics.findings import Harm
from unplace.reporting import FORMATS, TEXTS, document, lint
from unplace.reporting.styled import write_lines
from unplace.reporting.summary import number
from unplace.runs.many import project_of
from unplace.runs.outcome import Outcome, with_ignores

app = typer.Typer(add_completion=False, rich_markup_mode=None)

REPORTED = frozenset({Harm.HARMFUL})
"""The harm of the operations that are reported unless the user asks for others."""

EXAMPLES = """
\b
Examples:
  unplace check .                             list the in-place operations that break backward
  unplace check --only harmful,possible .     also those that code out of sight may make harmful
  unplace check --all models/                 every in-place operation, and what is or may be none of a tensor
  unplace check --statistics .                how many there are of each rule
  unplace check --since main .                only in lines that changed since you left `main`
  unplace check --output-format sarif . > unplace.sarif
  unplace check --add-ignores models/         mark all that is there now with `# unplace: ignore[...]`

\b
Exit codes:
  0  nothing harmful found (nothing of the harm that --only names), or --add-ignores marked it
  1  something was found
  2  a file could not be handled (the others are), or the command line is wrong
"""

Statistics = Annotated[bool, typer.Option("--statistics", help="Count the findings by rule instead of listing them.")]
All = Annotated[bool, typer.Option("--all", help="List every operation, harmless, kept and of an unknown kind.")]
AddIgnores = Annotated[
    bool, typer.Option("--add-ignores", help="Write a comment `# unplace: ignore[...]` behind each finding.")
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(FORMATS), autocompletion=one_of(FORMATS), help="How to report the run.  [default: rich]"
    ),
]


@app.command(cls=Command, epilog=EXAMPLES)
@takes_settings()
def check(
    paths: Paths,
    statistics: Statistics = False,
    every: All = False,
    add_ignores: AddIgnores = False,
    chosen: Chosen = NOTHING,
    since: Since = None,
    output_format: Format = None,
    config: Config = None,
    isolated: Isolated = False,
    markdown: Markdown = False,
    force_exclude: ForceExclude = False,
    jobs: Jobs = None,
    no_cache: NoCache = False,
    stdin_filename: StdinFilename = None,
) -> None:
    """Report in-place tensor operations that break autograd, without changing any file.

    Those that may be harmful and those that are harmless are counted; --only and --all list them. Which files are
    looked at is decided as for `unplace rewrite`.
    """
    files.check_usage(
        paths,
        stdin_filename=stdin_filename,
        since=since,
        force_exclude=force_exclude,
        output_format=output_format,
        formats=FORMATS,
        jobs=jobs,
    )
    is_text = output_format is None or output_format in TEXTS
    if statistics and not is_text:
        raise typer.BadParameter(f"is text; it doesn't go with {output_format}.", param_hint="--statistics")
    if add_ignores and (paths == [files.STDIN] or statistics or output_format is not None):
        raise typer.BadParameter("goes with files and folders, and without a report.", param_hint="--add-ignores")
    run = settings(chosen, config=config, isolated=isolated, markdown=markdown, force_exclude=force_exclude)
    harms = run.options.only or REPORTED
    if add_ignores:
        run = replace(run, options=replace(run.options, only=harms))
    if paths == [files.STDIN]:
        outcomes = [files.outcome_of_stdin(stdin_filename or files.STDIN, run, write=False)]
    else:
        outcomes = files.work_out(paths, run, since, jobs, cached=not no_cache)
    if add_ignores:
        _add_ignores(outcomes, run.options)
    found = lint.listed(outcomes, harms)
    shown = outcomes if every or output_format == "json" else found
    if is_text:
        view = lint.statistics if statistics else lint.concise if output_format == "concise" else lint.rich
        write_lines(sys.stdout, view(shown))
    else:
        typer.echo(document(output_format or "", shown))
    files.conclude(outcomes, lint.summary(outcomes, harms, every=every) if is_text else ())
    failed = any(outcome.problem for outcome in outcomes)
    raise typer.Exit(2 if failed else 1 if any(outcome.findings for outcome in found) else 0)


def _add_ignores(outcomes: Sequence[Outcome], options: Options) -> None:
    """Write the suppression comments and end the command."""
    project = project_of([str(Path(outcome.path).absolute()) for outcome in outcomes])
    done = files.write([with_ignores(outcome, options, project) for outcome in outcomes])
    marked = [outcome for outcome in done if outcome.change is not None]
    count = number(sum(len(outcome.findings) for outcome in marked), "in-place operation")
    files.conclude(done, [f"Marked {count} in {number(len(marked), 'file')} of {len(done)}."])
    raise typer.Exit(2 if any(outcome.problem or outcome.warnings for outcome in done) else 0)
