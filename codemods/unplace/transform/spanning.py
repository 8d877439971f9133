"""Tells which refusals edits of several files of a run may do away with."""

from __future__ import annotations

from collections.abc import Iterable

from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal

_OF_CALLERS = (
    Refusal.CALLED_ELSEWHERE,
    Refusal.NAMED_ELSEWHERE,
    Refusal.ONLY_WRITES,
)
"""The refusals because of callers that may be in other files, each with the name of a function."""


def is_private(name: str) -> bool:
    """Tell whether a name says that code outside the package doesn't use it: `_step`."""
    return name.startswith("_") and not name.startswith("__")


def blamed(reason: Reason, harm: Harm, options: Options, *, is_whole: bool) -> set[str]:
    """Return the functions with callers that a refusal is about, which may be edited or, if harmful, be told of.

    `is_whole` says that the run has all files that may use the functions of the file.
    """
    parts = (part for r in reason.every() if r.kind in _OF_CALLERS for part in r.parts)
    names = {name for key, name in parts if key == "function" and isinstance(name, str)}
    is_open = options.unsafe or is_whole or harm is Harm.HARMFUL
    return {name for name in names - {*OF_INSTANCES} if (is_open or is_private(name)) and not name.endswith("_")}


def is_about_callers(assumed: Iterable[Reason]) -> bool:
    """Tell whether something is assumed that the calls of a private function may show to hold."""
    return any(assumption.kind is Assumption.CALLER_LOOKS_AWAY for assumption in assumed)
