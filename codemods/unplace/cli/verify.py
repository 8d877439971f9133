"""Implements `unplace verify`: runs two versions of a module and compares values, side effects and gradients."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from unplace.cli.parsing import Command
from unplace.cli.running import Inputs, Measure, Memory, Timeout, parse_limits, parse_place, require_torch
from unplace.text.visible import visible_lines

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXAMPLES = """
\b
Examples:
  unplace verify old.py new.py                            what example() in the files returns
  unplace verify old.py model.py --entry Net              a function or module; arguments from its signature
  unplace verify old.py model.py --entry Net --inputs inputs.py:example

\b
The function that --inputs names returns what to call and its arguments:
  def example(Net):
      return Net(width=8), (torch.randn(2, 8, requires_grad=True),)

\b
Exit codes:
  0  equal
  1  different
  2  can't run or can't be judged, or the command line is wrong
"""

FORMATS = ("rich", "json")

Before = Annotated[str, typer.Argument(metavar="BEFORE", help="The file, or the folder of a package, as it was.")]
After = Annotated[str, typer.Argument(metavar="AFTER", help="The file or folder as it is now.")]
EntryName = Annotated[
    str | None, typer.Option("--entry", metavar="NAME", help="What to call.  [default: what example() returns]")
]
Format = Annotated[str, typer.Option("--output-format", metavar="|".join(FORMATS), help="How to report.")]


@app.command(cls=Command, epilog=EXAMPLES)
def verify(
    before: Before,
    after: After,
    entry: EntryName = None,
    inputs: Inputs = None,
    measure: Measure = False,
    timeout: Timeout = None,
    memory: Memory = None,
    output_format: Format = "rich",
) -> None:
    """Run two versions of a module and compare values, side effects and gradients.

    This RUNS the code of both files, each version in a process of its own with a limit on its time and memory.
    Outputs, arguments and the module's state afterwards, gradients of parameters and inputs, and the random numbers
    drawn must be equal. Where the original's backward raises an in-place error, its gradient is found by finite
    differences. A module is compared in training and in evaluation mode. Needs torch.
    """
    if output_format not in FORMATS:
        raise typer.BadParameter(f"{output_format} isn't one of {', '.join(FORMATS)}.", param_hint="--output-format")
    source = None if inputs is None else parse_place("--inputs", inputs)
    limits = parse_limits(timeout, memory)
    require_torch()
    from unplace.reporting import verification as report  # imports torch, which takes its time
    from unplace.reporting.styled import width_of, write_lines
    from unplace.reporting.wrapping import INDENT, wrapped
    from unplace.verification.loading import CannotRunError
    from unplace.verification.proof import Verdict
    from unplace.verification.versions import verify_files

    try:
        result = verify_files(before, after, entry, inputs=source, limits=limits, measure=measure)
    except CannotRunError as error:
        if output_format == "json":
            print(report.failure(entry or "example", str(error)))  # noqa: T201
        print(visible_lines(f"can't run: {error}"), file=sys.stderr)  # noqa: T201
        raise typer.Exit(2) from None
    if output_format == "json":
        print(report.document(result))  # noqa: T201
    else:
        width = width_of(sys.stdout)
        write_lines(sys.stdout, (part for line in report.lines(result) for part in wrapped(line, width, INDENT)))
    raise typer.Exit({Verdict.EQUAL: 0, Verdict.DIFFERENT: 1, Verdict.UNDECIDED: 2}[result.verdict])
