"""The options that commands which run users' code have in common."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from unplace.verification.limits import Limits

Inputs = Annotated[
    str | None,
    typer.Option(metavar="FILE:NAME", help="A function that returns what to call and its arguments."),
]
Timeout = Annotated[
    str | None, typer.Option(metavar="SECONDS", help="Time for each step of the code that is run.  [default: 300]")
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="GIB", help="Memory for its data, on Linux.  [default: what the machine has]"),
]
Measure = Annotated[bool, typer.Option("--measure", help="Compare time and memory of forward and backward, too.")]


def parse_place(option: str, text: str) -> tuple[Path, str]:
    """A `FILE:NAME`; a usage error for anything else."""
    file, colon, name = text.rpartition(":")
    if not (file and colon and name):
        raise typer.BadParameter(f"{text} is not FILE:NAME.", param_hint=option)
    return Path(file), name


def parse_limits(timeout: str | None, memory: str | None) -> Limits:
    """The limits that the options name."""
    from unplace.verification.limits import GIB, SECONDS, Limits, physical_memory

    gib = _positive("--memory", memory)
    seconds = _positive("--timeout", timeout) or SECONDS
    return Limits(seconds, physical_memory() if gib is None else int(gib * GIB))


def require_torch() -> None:
    """End with an error where torch isn't installed."""
    if importlib.util.find_spec("torch") is None:
        print("running code needs torch, which isn't installed here: pip install 'unplace[verify]'", file=sys.stderr)  # noqa: T201
        raise typer.Exit(2)


def _positive(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise typer.BadParameter(f"{text} is not a positive number.", param_hint=option)
    return number
