"""Snapshots: the facts at one program point, kept for queries after the walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from unplace.analysis.domain.facts import Definition, Facts
from unplace.analysis.domain.gradmode import Record
from unplace.analysis.domain.heap import Heap, Slot
from unplace.analysis.domain.values import Link, Obj, Objs, Origin, Saved, Token, Value
from unplace.analysis.domain.views import UNCERTAIN, Views

K = TypeVar("K")

IN_ATTRIBUTES = (Origin.ATTRIBUTE, Origin.REGISTERED)
"""The origins of what an attribute of an argument may hold."""


@dataclass(slots=True)
class _Answers:
    """The memoised answers of a snapshot."""

    shared: dict[tuple[Objs, Objs], bool] = field(default_factory=dict)
    reachable: dict[Objs, Objs] = field(default_factory=dict)
    keepers: dict[Objs, Saved | None] = field(default_factory=dict)
    sharing: dict[Objs, tuple[tuple[Slot, Value], ...]] = field(default_factory=dict)
    parted: dict[frozenset[Link], Snapshot] = field(default_factory=dict)
    bound: dict[Obj, list[tuple[str, Value]]] | None = None
    stored: dict[Obj, list[tuple[Slot, Value]]] | None = None
    escaped: Objs | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Facts):
    """Immutable facts, so that each query is answered once: the rules often repeat a query."""

    env: Mapping[str, Value]
    binds: Mapping[str, Token]
    heap: Heap
    bases: Views
    definitions: Mapping[Obj, Definition]
    kept: Mapping[Obj, Saved]
    saved: Mapping[Obj, frozenset[Saved]]
    record: Record
    _answers: _Answers = field(default_factory=_Answers, init=False, repr=False)

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with an object of the other."""
        known = self._answers.shared
        found = known.get((first, second))
        if found is None:
            found = known[first, second] = Facts.may_share(self, first, second)
        return found

    def parted(self, links: frozenset[Link] = UNCERTAIN) -> Snapshot:
        """Return these facts, except that what these links alone connect doesn't share memory."""
        known = self._answers.parted
        if links not in known:
            known[links] = replace(self, bases=self.bases.parted(links))
        return known[links]

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Return all objects that can be reached from these through views and slots."""
        asked, known = frozenset(objs), self._answers.reachable
        found = known.get(asked)
        if found is None:
            found = known[asked] = Facts.reachable(self, asked)
        return found

    def kept_by(self, objs: Objs) -> Saved | None:
        """Return the escape record of one of these objects, or of one sharing its memory; None if none escaped."""
        known = self._answers.keepers
        if objs not in known:
            if self._answers.escaped is None:
                self._answers.escaped = self.roots(self.kept)
            known[objs] = None if self._answers.escaped.isdisjoint(self.roots(objs)) else Facts.kept_by(self, objs)
        return known[objs]

    def slots_sharing(self, objs: Objs) -> tuple[tuple[Slot, Value], ...]:
        """Return the slots whose values may share memory with one of these objects."""
        known = self._answers.sharing
        found = known.get(objs)
        if found is None:
            slots, may_share = self.heap.items(), self.bases.may_share
            found = known[objs] = tuple((slot, value) for slot, value in slots if may_share(value.objs, objs))
        return found

    def names_bound_to(self, obj: Obj) -> Sequence[tuple[str, Value]]:
        """Return the names that are certainly bound to an object, with their values."""
        found = self._answers.bound
        if found is None:
            found = self._answers.bound = _for_certain(self.env.items())
        return found.get(obj, ())

    def slots_with(self, obj: Obj) -> Sequence[tuple[Slot, Value]]:
        """Return the slots that certainly hold an object, with their values."""
        found = self._answers.stored
        if found is None:
            found = self._answers.stored = _for_certain(self.heap.items())
        return found.get(obj, ())

    def from_callers(self, obj: Obj) -> str | None:
        """Return the parameter by which callers pass an object, or its attribute that holds it: `x`, `self.queue`."""
        if obj.parameter is not None:
            return obj.parameter
        if obj.origin not in IN_ATTRIBUTES:
            return None
        found = (f"{holder.parameter}.{key}" for (holder, key), _ in self.slots_with(obj) if holder.parameter)
        return next(found, None)


def _for_certain(places: Iterable[tuple[K, Value]]) -> dict[Obj, list[tuple[K, Value]]]:
    """Return an index of places by the object that each certainly holds."""
    found: dict[Obj, list[tuple[K, Value]]] = {}
    for place, value in places:
        if len(value.objs) == 1 and isinstance(value.identity, Obj):
            (obj,) = value.objs
            found.setdefault(obj, []).append((place, value))
    return found
