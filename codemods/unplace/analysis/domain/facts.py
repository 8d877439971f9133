"""Queries about one point of the program: which objects may share memory, and which objects can be reached."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from unplace.analysis.domain.gradmode import Record
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.values import ANY as ANY
from unplace.analysis.domain.values import CALLED, CONTAINER, Link, Obj, Objs, Origin, Saved, Token, Value
from unplace.analysis.domain.views import Views

DISTINCT: Token = ("distinct",)  # the identity of the slot `ANY` where no two elements are the same object
DISTINCT_RESULTS: Token = ("distinct results",)  # the same, if no call of unseen code returned one object twice
_DISTINCT = frozenset((DISTINCT, DISTINCT_RESULTS))


def weaker(first: Token, second: Token) -> Token:
    """Return what holds of the elements of a container where this is known of two groups of them."""
    both = {first, second}
    return None if not both <= _DISTINCT else DISTINCT if both == {DISTINCT} else DISTINCT_RESULTS


@dataclass(frozen=True, slots=True)
class Definition:
    """The expression that made a view, and the bindings of its names: while they hold, it can be rematerialised."""

    expression: ast.expr
    uses: Mapping[str, Token]


class Facts:
    """The facts at one program point, read-only.

    Tokens compare equal only where they stand for the same thing.
    """

    __slots__ = ()

    env: Mapping[str, Value]
    binds: Mapping[str, Token]
    heap: Heap
    bases: Views
    definitions: Mapping[Obj, Definition]
    kept: Mapping[Obj, Saved]
    saved: Mapping[Obj, frozenset[Saved]]
    record: Record

    def distinctness(self, holder: Obj) -> Token:
        """Return `DISTINCT` or `DISTINCT_RESULTS` where no two elements of a container share memory; None elsewhere."""
        slots = [(key, value) for key, value in self.fields_of(holder) if value.objs]
        if any(key == ANY for key, _ in slots):
            return slots[0][1].identity if len(slots) == 1 and slots[0][1].identity in _DISTINCT else None
        held = [value for _, value in slots]
        shared = any(self.may_share(one.objs, other.objs) for i, one in enumerate(held) for other in held[i + 1 :])
        return None if shared else DISTINCT

    def reachable_slots(self, holders: Objs) -> Iterator[tuple[Hashable, Value]]:
        """Iterate over the slots of several holders, with their values."""
        for holder in holders:
            yield from self.fields_of(holder)

    def newness(self, value: Value, drawn: Value | None = None, of: Value | None = None) -> Token:
        """Return how a new element stays apart from others: `DISTINCT` for one made in the current iteration.

        `DISTINCT_RESULTS` for the result of unseen code; None for what a slot holds already or a view, except one of
        what a loop has drawn `of` a tensor, or of tensors that share no memory: `[t.view(n, -1) for t in x.chunk(3)]`.
        """
        obj = value.identity
        if not isinstance(obj, Obj) or obj.old or any(obj in held.objs for held in self.heap.values()):
            return None
        base = self.bases.get(obj)
        if obj.origin is Origin.CALL and (base is None or base.link is Link.CALL):
            return DISTINCT_RESULTS
        if base is not None and base.link is not Link.CALL and drawn is not None and of is not None:
            is_distinct = bool(of.objs) and all(self.distinctness(holder) == DISTINCT for holder in of.objs)
            if not is_distinct or any(obj.overlapping for obj in self.roots(of.objs)):
                return None
            looked_at, known = self.roots(base.objs), self.roots(drawn.objs)
            return DISTINCT if all(o in known or o in self.bases for o in looked_at) else None
        return DISTINCT if obj.origin is Origin.FRESH and base is None else None

    def memory_of(self, value: Value) -> Objs:
        """Return the objects with the memory of a value: for a container, what it holds."""
        if not value.must_be(CONTAINER):
            return value.objs
        inside = self.reachable_slots(self.reachable(value.objs))
        return frozenset().union(*(held.objs for _, held in inside if not held.must_be(CONTAINER)))

    def is_apart(self, value: Value, others: Iterable[Value]) -> bool:
        """Tell whether nothing that other values reach shares memory with a value."""
        return not any(self.may_share(self.reachable(other.objs), value.objs) for other in others if other.objs)

    def is_open(self, holder: Obj) -> bool:
        """Tell whether a container may hold objects under keys that aren't known."""
        unknown = self.heap.get((holder, ANY))
        return unknown is not None and bool(unknown.objs)

    def fields_of(self, holder: Obj) -> Iterable[tuple[Hashable, Value]]:
        """Return the known slots of an object, with their values."""
        return self.heap.of(holder).items()

    def owner(self, obj: Obj) -> Obj | None:
        """Return the tensor that an object certainly views, the object itself if it is no view, or else None."""
        while (base := self.bases.get(obj)) is not None:
            if base.link is not Link.VIEW or len(base.objs) != 1:
                return None
            (obj,) = base.objs
        return obj

    def overlap(self, first: Obj, second: Obj) -> bool:
        """Tell whether two objects may share memory."""
        return self.bases.overlap(first, second)

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with an object of the other."""
        return self.bases.may_share(first, second)

    def roots(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and all objects that they may be views of."""
        return self.bases.roots_of(frozenset(objs))

    def may_be(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and all that they may be themselves; a view is another object than what it looks at."""
        found: set[Obj] = set()
        todo = set(objs)
        while todo:
            found |= todo
            bases = (self.bases.get(obj) for obj in todo)
            handed = (base.objs | base.holders for base in bases if base is not None and base.link is not Link.VIEW)
            todo = set().union(*handed) - found
        return frozenset(found)

    def seen(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and all that they may be views of by what the code in sight shows."""
        return self.bases.seen(objs)

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Return all objects that can be reached from these through views and slots."""
        found: set[Obj] = set()
        todo = set(objs)
        while todo:
            new = self.bases.roots_of_all(todo) - found
            found |= new
            todo = self.heap.held_by(new & self.heap.owners) - found
        return frozenset(found)

    def kept_by(self, objs: Objs) -> Saved | None:
        """Return the escape record of one of these objects, or of one sharing its memory; None if none escaped."""
        own, roots = self.roots(objs), self.bases.roots
        found: Saved | None = None
        for holder, keeper in self.kept.items():
            if not own.isdisjoint(roots(holder)) and any(self.overlap(obj, holder) for obj in objs):
                if keeper.part != CALLED:
                    return keeper
                found = found or keeper
        return found
