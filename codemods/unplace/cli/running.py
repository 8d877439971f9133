"""Handles the options of commands that run users' code."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unplace.text.visible import visible_lines

if TYPE_CHECKING:
    from unplace.observation.facts import Observations
    from unplace.runs.outcome import Outcome
    from unplace.verification.resource_limits import Limits
    from unplace.verification.trial import Plan

RUNNING = "Verification, which runs your code"

Inputs = Annotated[
    str | None,
    typer.Option(
        metavar="FILE:NAME", help="A function that returns what to call and its arguments.", rich_help_panel=RUNNING
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS", help="Time for each step of the code that is run.  [default: 300]", rich_help_panel=RUNNING
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="GIB", help="Memory for its data, on Linux.  [default: what the machine has]", rich_help_panel=RUNNING
    ),
]
Measure = Annotated[
    bool,
    typer.Option("--measure", help="Compare time and memory of forward and backward, too.", rich_help_panel=RUNNING),
]


def parse_place(option: str, text: str) -> tuple[Path, str]:
    """Return file and name of a `FILE:NAME`; raise `BadParameter` for anything else."""
    file, colon, name = text.rpartition(":")
    if not (file and colon and name):
        raise typer.BadParameter(f"{text} is not FILE:NAME.", param_hint=option)
    return Path(file), name


def parse_limits(timeout: str | None, memory: str | None) -> Limits:
    """Return the limits that the options set."""
    from unplace.verification.resource_limits import GIB, SECONDS, Limits, physical_memory

    gib = _positive("--memory", memory)
    seconds = _positive("--timeout", timeout) or SECONDS
    return Limits(seconds, physical_memory() if gib is None else int(gib * GIB))


def parse_plan(
    entries: Sequence[str],
    command: str | None,
    inputs: str | None,
    timeout: str | None,
    memory: str | None,
    *,
    measure: bool,
    calls: Observations | None = None,
) -> Plan | None:
    """Return the plan that the options of `rewrite` ask to run; None where they ask for none.

    `calls` are the facts, if need be empty, whose calls edited functions get.
    """
    if not entries and command is None and calls is None:
        if measure or any(option is not None for option in (inputs, timeout, memory)):
            raise typer.BadParameter("only goes with --verify.", param_hint="--inputs, --measure, --timeout, --memory")
        return None
    places = [parse_place("--verify", entry) for entry in entries]
    source = None if inputs is None else parse_place("--inputs", inputs)
    limits = parse_limits(timeout, memory)
    require_torch()
    from unplace.verification.resource_limits import COMMAND_SECONDS
    from unplace.verification.trial import Plan

    command_limits = limits if timeout is not None else replace(limits, seconds=COMMAND_SECONDS)
    return Plan(places, command, source, calls, measure, limits, command_limits)


def verified(outcomes: Sequence[Outcome], plan: Plan) -> tuple[list[Outcome], dict[str, Any]]:
    """Return the outcomes without the edits that fail the plan, and the verification as data for the JSON report.

    The progress is printed on standard error. Where nothing can be verified, the command ends with exit code 2.
    """
    from unplace.reporting.verification import conclusions, summary
    from unplace.verification.loading import CannotRunError
    from unplace.verification.trial import tried

    try:
        trial = tried(outcomes, plan, _say)
    except CannotRunError as error:
        _say(f"can't verify, so nothing is written: {error}")
        raise typer.Exit(2) from None
    for line in conclusions(trial):
        _say(line)
    return list(trial.outcomes), summary(trial)


def _say(line: str) -> None:
    print(visible_lines(line), file=sys.stderr, flush=True)  # noqa: T201


def require_torch() -> None:
    """End with an error where torch isn't installed."""
    if importlib.util.find_spec("torch") is None:
        _say("running code needs torch, which isn't installed here: pip install torch")
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
