"""How a run is shown: one module per output format."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unplace.runs.outcome import Outcome

TEXTS = ("rich", "concise")
"""Lines for people."""

PLACED = ("sarif", "github", "gitlab", "junit")
"""Documents for programs, about places in the files as they are: they make no sense once these are written."""

FORMATS = (*TEXTS, "json", *PLACED)


def document(name: str, outcomes: Sequence[Outcome]) -> str:
    """The run in one of the formats for programs, imported only when it is asked for."""
    text: str = import_module(f"unplace.reporting.{name}").document(outcomes)
    return text
