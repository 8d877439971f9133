"""The judges of a trial: each says what is wrong with a scratch copy, if it finds something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from unplace.verification.loading import ModuleFile, locate
from unplace.verification.scratch import Scratch

if TYPE_CHECKING:
    from unplace.verification.versions import Result


NOT_REACHED = "it reaches no edit"
"""The obstacle of a call that says nothing of any edit."""


class Judgement(NamedTuple):
    """The complaint about a scratch copy (None where nothing is wrong), and the result of an entry.

    A call of an edited function was compared `times` times; else `obstacle` tells why it judged nothing.
    """

    complaint: str | None
    result: Result | None = None
    obstacle: str | None = None
    times: int = 0


class Judge(Protocol):
    """A test that a rewrite has to pass."""

    def judgement(self) -> Judgement:
        """Judge the scratch copy as it is now."""
        ...


def versions_of(file: Path, scratch: Scratch, folders: Iterable[Path]) -> tuple[ModuleFile, ModuleFile]:
    """Return a file and its copy in a scratch folder; imports are also looked up in `folders`, which are copied."""
    before = locate(file)
    search = tuple(dict.fromkeys([*before.search, *folders]))
    copy = ModuleFile(scratch.path(file), before.name, tuple(map(scratch.path, search)))
    return replace(before, search=search), copy
