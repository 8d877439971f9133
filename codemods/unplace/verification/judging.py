"""The judges of a trial: each says what is wrong with a scratch copy, if it finds something."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from unplace.verification.versions import Result


class Judgement(NamedTuple):
    """The complaint about a scratch copy (None where nothing is wrong), and the result of an entry.

    `obstacle` tells why an observed call judged nothing.
    """

    complaint: str | None
    result: Result | None = None
    obstacle: str | None = None


class Judge(Protocol):
    """A test that a rewrite has to pass."""

    def judgement(self) -> Judgement:
        """Judge the scratch copy as it is now."""
        ...
