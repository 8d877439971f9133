"""The facts at one program point as they are kept for questions after the walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from unplace.analysis.domain.facts import Definition, Facts
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.values import Obj, Objs, Saved, Token, Value
from unplace.analysis.domain.views import Views


@dataclass(slots=True)
class _Answers:
    """What was asked of a snapshot."""

    shared: dict[tuple[Objs, Objs], bool] = field(default_factory=dict)
    reachable: dict[Objs, Objs] = field(default_factory=dict)
    keepers: dict[Objs, Saved | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Facts):
    """Facts that don't change any more, so that each question is answered once: the rules ask the same ones often."""

    env: Mapping[str, Value]
    binds: Mapping[str, Token]
    heap: Heap
    bases: Views
    definitions: Mapping[Obj, Definition]
    kept: Mapping[Obj, Saved]
    saved: Mapping[Obj, frozenset[Saved]]
    touched: frozenset[Obj]
    _answers: _Answers = field(default_factory=_Answers, init=False, repr=False)

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with one of the other."""
        known = self._answers.shared
        found = known.get((first, second))
        if found is None:
            found = known[first, second] = Facts.may_share(self, first, second)
        return found

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Return everything that can be reached from these objects through views and slots."""
        asked, known = frozenset(objs), self._answers.reachable
        found = known.get(asked)
        if found is None:
            found = known[asked] = Facts.reachable(self, asked)
        return found

    def kept_by(self, objs: Objs) -> Saved | None:
        """Return the code out of sight that was handed one of these objects, or something sharing its memory."""
        known = self._answers.keepers
        if objs not in known:
            known[objs] = Facts.kept_by(self, objs)
        return known[objs]
