"""The facts at one program point as they are kept for questions after the walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from unplace.analysis.domain.facts import Definition, Facts, Pieces
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.values import Base, Obj, Objs, Saved, Token, Value


@dataclass(slots=True)
class _Answers:
    """What was asked of a snapshot."""

    ancestors: dict[Obj, Mapping[Obj, Pieces]] = field(default_factory=dict)
    roots: dict[Objs, Objs] = field(default_factory=dict)
    shared: dict[tuple[Objs, Objs], bool] = field(default_factory=dict)
    reachable: dict[Objs, Objs] = field(default_factory=dict)
    keepers: dict[Objs, Saved | None] = field(default_factory=dict)
    kept_with: dict[Obj, list[int]] | None = None  # the places in `kept` of what may look into an object


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Facts):
    """Facts that don't change any more, so that each question is answered once: the rules ask the same ones often."""

    env: Mapping[str, Value]
    binds: Mapping[str, Token]
    heap: Heap
    bases: Mapping[Obj, Base]
    definitions: Mapping[Obj, Definition]
    kept: Mapping[Obj, Saved]
    saved: Mapping[Obj, frozenset[Saved]]
    touched: frozenset[Obj]
    _answers: _Answers = field(default_factory=_Answers, init=False, repr=False)

    def ancestors(self, obj: Obj) -> Mapping[Obj, Pieces]:
        """Return the object and everything it may be a view of, with the pieces that were cut out on the way."""
        known = self._answers.ancestors
        found = known.get(obj)
        if found is None:
            found = known[obj] = Facts.ancestors(self, obj)
        return found

    def roots(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and everything they may be views of."""
        asked, known = frozenset(objs), self._answers.roots
        found = known.get(asked)
        if found is None:
            found = known[asked] = Facts.roots(self, asked)
        return found

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with one of the other."""
        known = self._answers.shared
        found = known.get((first, second))
        if found is None:
            meet = not self.roots(first).isdisjoint(self.roots(second))
            found = known[first, second] = meet and Facts.may_share(self, first, second)
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
            known[objs] = self._keeper(objs)
        return known[objs]

    def _keeper(self, objs: Objs) -> Saved | None:
        with_root = self._kept_with()
        places = sorted({place for root in self.roots(objs) for place in with_root.get(root, ())})
        kept = list(self.kept.items()) if places else []
        return next((kept[p][1] for p in places if self.may_share(objs, frozenset((kept[p][0],)))), None)

    def _kept_with(self) -> Mapping[Obj, list[int]]:
        found = self._answers.kept_with
        if found is None:
            found = self._answers.kept_with = {}
            for place, holder in enumerate(self.kept):
                for root in self.ancestors(holder):
                    found.setdefault(root, []).append(place)
        return found
