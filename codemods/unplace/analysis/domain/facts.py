"""What can be asked about one point of the program: who may share memory with whom, and who can be reached."""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.values import Link, Obj, Objs, Origin, Saved, Token, Value
from unplace.analysis.domain.views import Views

ANY = "*"  # the field that stands for all elements of a container
DISTINCT: Token = ("distinct",)  # the identity of that field where no two elements are the same object


@dataclass(frozen=True, slots=True)
class Definition:
    """The expression that made a view, and the bindings of the names in it: it can be replayed while they hold."""

    expression: ast.expr
    uses: Mapping[str, Token]


class Facts:
    """The facts at one program point, to be read.

    Tokens compare equal only where the things they stand for are the same. `touched` are the objects that were written
    as a whole, which the rules turn into a rebinding.
    """

    __slots__ = ()

    env: Mapping[str, Value]
    binds: Mapping[str, Token]
    heap: Heap
    bases: Views
    definitions: Mapping[Obj, Definition]
    kept: Mapping[Obj, Saved]
    saved: Mapping[Obj, frozenset[Saved]]
    touched: Collection[Obj]

    def has_distinct_elements(self, holder: Obj) -> bool:
        """Whether no two elements of a container can share memory."""
        slots = [(key, value) for key, value in self.fields_of(holder) if value.objs]
        if any(key == ANY for key, _ in slots):
            return len(slots) == 1 and slots[0][1].identity == DISTINCT
        return not any(
            self.may_share(one.objs, other.objs) for i, (_, one) in enumerate(slots) for _, other in slots[i + 1 :]
        )

    def reachable_slots(self, holders: Objs) -> Iterator[tuple[Hashable, Value]]:
        """The slots of several holders."""
        for holder in holders:
            yield from self.fields_of(holder)

    def is_unheld(self, value: Value) -> bool:
        """Whether the value was made in this round and no slot holds it yet."""
        obj = value.identity
        if not isinstance(obj, Obj) or obj.old or obj.origin is not Origin.FRESH or obj in self.bases:
            return False
        return not any(obj in held.objs for held in self.heap.values())

    def fields_of(self, holder: Obj) -> Iterable[tuple[Hashable, Value]]:
        """The known slots of an object."""
        return self.heap.of(holder).items()

    def owner(self, obj: Obj) -> Obj | None:
        """The tensor whose memory an object looks into for certain; itself where it is no view."""
        while (base := self.bases.get(obj)) is not None:
            if base.link is not Link.VIEW or len(base.objs) != 1:
                return None
            (obj,) = base.objs
        return obj

    def overlap(self, first: Obj, second: Obj) -> bool:
        """Whether the two may share memory."""
        return self.bases.overlap(first, second)

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Whether an object of one set may share memory with one of the other."""
        return any(self.bases.overlap(a, b) for a in first for b in second)

    def roots(self, objs: Iterable[Obj]) -> Objs:
        """The objects and everything they may be views of."""
        return frozenset().union(*map(self.bases.roots, objs))

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Everything that can be reached from these objects through views and slots."""
        found: set[Obj] = set()
        todo = set(objs)
        while todo:
            new = set().union(*map(self.bases.roots, todo)) - found
            found |= new
            todo = {obj for holder in new & self.heap.owners for obj in self.heap.held_by(holder)} - found
        return frozenset(found)

    def kept_by(self, objs: Objs) -> Saved | None:
        """The code out of sight that was handed one of these objects, or something sharing its memory."""
        own, roots = self.roots(objs), self.bases.roots
        for holder, keeper in self.kept.items():
            if not own.isdisjoint(roots(holder)) and any(self.overlap(obj, holder) for obj in objs):
                return keeper
        return None
