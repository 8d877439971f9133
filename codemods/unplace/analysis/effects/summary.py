"""What calling a function of the run does, in terms of its parameters."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from unplace.analysis.domain.values import Tracked


@dataclass(frozen=True, slots=True)
class Result:
    """A returned value: fresh, or one of these parameters (or a view of it), or something held elsewhere.

    `same` names the parameter that is handed back itself, for certain. `together` are pairs of elements that may share
    memory. `overlapping`: several elements of the tensor may share one place. `saved` are the operations that keep the
    tensor for backward, each with whether that is certain: on every way through the function.
    """

    kinds: int
    parameters: frozenset[str] = frozenset()
    same: str | None = None
    foreign: bool = False
    elements: tuple[tuple[Hashable, Result], ...] = ()
    dtype: str | None = None
    tracked: Tracked = Tracked.MAYBE
    ref: Hashable = None
    likely: bool = False
    together: frozenset[tuple[Hashable, Hashable]] = frozenset()
    overlapping: bool = False
    saved: frozenset[tuple[str, bool]] = frozenset()


@dataclass(frozen=True, slots=True)
class Summary:
    """Effects of a call: parameters whose tensor is written, whose slots change, that are kept or saved.

    `surely_saves` and `surely_keeps`: those of which nothing is a guess. `keeps_outer` and `writes_outer` say the same
    of names of outer scopes. `reshapes` are parameters whose shape or strides change, `replaces` those whose `.data` is
    stored to: views of the tensor then look at memory that it has no more.
    """

    result: Result
    writes: frozenset[str]
    changes: frozenset[str]
    keeps: frozenset[str]
    surely_keeps: frozenset[str]
    saves: frozenset[str]
    surely_saves: frozenset[str]
    keeps_outer: bool
    writes_outer: bool
    replaces: frozenset[str]
    reshapes: frozenset[str]


def leaves_alone(summary: Summary, name: str) -> bool:
    """Whether the function only reads what is passed for a parameter: a copy would do as well."""
    touched = summary.writes | summary.changes | summary.keeps | summary.replaces | summary.reshapes
    return name not in touched and name not in _mentioned(summary.result)


def _mentioned(result: Result) -> set[str]:
    own = set(result.parameters) | ({result.same} if result.same is not None else set())
    return own.union(*(_mentioned(inner) for _, inner in result.elements))
