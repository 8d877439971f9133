"""The facts at one program point as they are kept for questions after the walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from unplace.analysis.domain.facts import Definition, Facts, Pieces
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.values import Base, Obj, Objs, Saved, Token, Value

_Sharing = dict[tuple[Objs, Objs], bool]


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
    _ancestors: dict[Obj, Mapping[Obj, Pieces]] = field(default_factory=dict, init=False, repr=False)
    _roots: dict[Objs, Objs] = field(default_factory=dict, init=False, repr=False)
    _shared: _Sharing = field(default_factory=dict, init=False, repr=False)
    _reachable: dict[Objs, Objs] = field(default_factory=dict, init=False, repr=False)
    _keepers: dict[Objs, Saved | None] = field(default_factory=dict, init=False, repr=False)

    def ancestors(self, obj: Obj) -> Mapping[Obj, Pieces]:
        """Return the object and everything it may be a view of, with the pieces that were cut out on the way."""
        found = self._ancestors.get(obj)
        if found is None:
            found = self._ancestors[obj] = Facts.ancestors(self, obj)
        return found

    def roots(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and everything they may be views of."""
        asked = frozenset(objs)
        found = self._roots.get(asked)
        if found is None:
            found = self._roots[asked] = Facts.roots(self, asked)
        return found

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with one of the other."""
        found = self._shared.get((first, second))
        if found is None:
            meet = not self.roots(first).isdisjoint(self.roots(second))
            found = self._shared[first, second] = meet and Facts.may_share(self, first, second)
        return found

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Return everything that can be reached from these objects through views and slots."""
        asked = frozenset(objs)
        found = self._reachable.get(asked)
        if found is None:
            found = self._reachable[asked] = Facts.reachable(self, asked)
        return found

    def kept_by(self, objs: Objs) -> Saved | None:
        """Return the code out of sight that was handed one of these objects, or something sharing its memory."""
        if objs not in self._keepers:
            self._keepers[objs] = self._keeper(objs)
        return self._keepers[objs]

    def _keeper(self, objs: Objs) -> Saved | None:
        for holder, keeper in self.kept.items():
            if self.may_share(objs, frozenset((holder,))):
                return keeper
        return None
