"""Shows a run: one module per output format."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unplace.runs.outcome import Outcome

TEXTS = ("rich", "concise")
"""The formats for people, line by line."""

PLACED = ("sarif", "github", "gitlab", "junit")
"""The formats for programs that point to places in the unchanged files, and make no sense once these are written."""

FORMATS = (*TEXTS, "json", *PLACED)


def document(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return the report of a run in one of the formats for programs; the module of the format is imported only now."""
    text: str = import_module(f"unplace.reporting.{name}").document(outcomes)
    return text
