"""The state at one point of the program: names, heap, views, escapes, and the tensors that autograd saved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from unplace.analysis.domain.facts import ANY, Definition, Facts
from unplace.analysis.domain.gradmode import AS_CALLED, Record
from unplace.analysis.domain.graph import Graph, extended, joined
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.refs import join_refs
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import (
    NONE,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Names,
    Obj,
    Objs,
    Origin,
    Saved,
    Token,
    Value,
)
from unplace.analysis.domain.views import UNCERTAIN, Views
from unplace.diagnostics.catalogue import Alive
from unplace.diagnostics.reasons import Line, Reason

HIDDEN = "<"  # begins the names of live objects that have no name in the source: see `hidden_name`


def hidden_name(what: Alive, line: int) -> str:
    """Return the name under which a state keeps a live object that has no name in the source."""
    return f"{HIDDEN}{what.name} {line}"


def hidden_thing(name: str) -> Reason:
    """Return the description of the live object that a state keeps under such a hidden name."""
    what, line = name.removeprefix(HIDDEN).split(" ")
    return Alive[what](line=Line(int(line)))


@dataclass(slots=True)
class State(Facts):
    """The facts at the point that a walk has reached, changed by each statement that follows."""

    env: dict[str, Value] = field(default_factory=dict)
    binds: dict[str, Token] = field(default_factory=dict)
    heap: Heap = field(default_factory=Heap)
    bases: Views = field(default_factory=Views)
    definitions: dict[Obj, Definition] = field(default_factory=dict)
    kept: dict[Obj, Saved] = field(default_factory=dict)
    saved: dict[Obj, frozenset[Saved]] = field(default_factory=dict)
    record: Record = AS_CALLED

    @classmethod
    def of(cls, facts: Facts) -> State:
        """Return a state that starts with a copy of these facts."""
        return cls(
            dict(facts.env),
            dict(facts.binds),
            facts.heap.fork(),
            facts.bases.fork(),
            dict(facts.definitions),
            dict(facts.kept),
            dict(facts.saved),
            facts.record,
        )

    def fork(self) -> State:
        """Return an independent copy."""
        return State.of(self)

    def snapshot(self) -> Snapshot:
        """Return an immutable copy of the facts as they are now, for later queries."""
        return self.fork().frozen()

    def frozen(self) -> Snapshot:
        """Return the facts as a snapshot without copying them; the state must not change afterwards."""
        return Snapshot(
            self.env,
            self.binds,
            self.heap,
            self.bases,
            self.definitions,
            self.kept,
            self.saved,
            self.record,
        )

    def become(self, other: State) -> None:
        """Take over all facts of another state."""
        for name in ("env", "binds", "heap", "bases", "definitions", "kept", "saved", "record"):
            setattr(self, name, getattr(other, name))

    def forget_definitions(self, objs: Objs) -> None:
        """Forget how views are defined of which some tensors are the base, or a part of the definition."""
        for obj, definition in list(self.definitions.items()):
            used = frozenset().union(*(self.env[n].objs for n in definition.uses if n in self.env))
            if (used | {obj}) & objs or self.may_share(frozenset((obj,)), objs):
                del self.definitions[obj]

    def revise(self, change: Callable[[Value], Value]) -> None:
        """Replace each value that a name or slot holds by the result of `change`."""
        for name, held in self.env.items():
            self.env[name] = change(held)
        self.heap.revise(change)

    def put_into_graph(self, objs: Objs, graph: Graph) -> None:
        """Let every tensor that may share memory with one of some objects be part of a graph, too."""
        for name, held in self.env.items():
            if held.objs and extended(held.graph, graph) != held.graph and self.may_share(held.objs, objs):
                self.env[name] = held._replace(graph=extended(held.graph, graph))
        for slot, held in [(s, held) for s, held in self.heap.items() if extended(held.graph, graph) != held.graph]:
            if held.objs and self.may_share(held.objs, objs):
                self.heap[slot] = held._replace(graph=extended(held.graph, graph))

    def store(self, holder: Obj, name: str, value: Value, *, is_only: bool) -> None:
        """Store a value in an attribute of an object, whose old value may stay where `is_only` is False.

        It is True where no other object can be the one in question.
        """
        slot, heap = (holder, name), self.heap
        if is_only and not holder.old:
            heap[slot], heap.partly = value, heap.partly - {slot}
        elif slot in heap:
            heap[slot] = weak_join(heap[slot], value)
        else:
            heap[slot] = value
            if holder.origin is not Origin.FRESH:
                heap.partly |= {slot}

    def collapse(self, holders: Objs) -> None:
        """Forget which slot of a list holds which element, after an insertion, a removal or a move."""
        for holder in holders:
            distinctness = self.distinctness(holder)
            joined: Value | None = None
            for value in self.heap.of(holder).values():
                joined = value if joined is None else weak_join(joined, value)
            if joined is not None:
                self.heap.partly |= {(holder, key) for key in self.heap.of(holder)}
                self.heap.put(holder, {ANY: joined._replace(identity=distinctness)})

    def remove(self, holders: Objs, key: Hashable) -> None:
        """Remove an element: the entry of a dictionary under a known key, or one of a list, whose elements move up."""
        if key is not None and len(holders) == 1:
            (holder,) = holders
            if (holder, key) in self.heap and not holder.old:
                del self.heap[(holder, key)]
                self.heap.partly |= {(holder, key)}
                return
        self.collapse(holders)

    def narrow_to_tensor(self, value: Value) -> Value:
        """Return a value of uncertain kind as a tensor, and narrow it under all its names.

        An operation that only tensors support has just succeeded on it.
        """
        if not (value.kinds & UNKNOWN or value.likely):
            return value
        for name, held in self.env.items():
            if held.objs == value.objs and (held.kinds & UNKNOWN or held.likely):
                self.env[name] = held._replace(kinds=TENSOR, likely=False)
        return value._replace(kinds=TENSOR, likely=False)

    def unheld(self, objs: Collection[Obj]) -> set[Obj]:
        """Return those of some objects that no name or slot holds, nor a view of them."""
        left, held = set(objs), set[Obj]()
        for value in chain(self.env.values(), self.heap.values()):
            left -= value.objs
            if not left:
                return left
            held |= value.objs
        return left - self.seen(held)

    def let_go(self) -> None:
        """Make all saves uncertain: backward has freed what its graph saved, but another graph may hold tensors."""
        self.saved = {obj: frozenset(s._replace(certain=False) for s in saved) for obj, saved in self.saved.items()}

    def age(self, names: Names, born: set[Obj], *, are_many: bool = False) -> None:
        """Let the objects `born` in the iteration that just ended become old: made by earlier iterations.

        If `are_many`, an old container stands for those of several iterations, whose elements may be the same.
        """
        if not born:
            return
        for key, value in self.env.items():
            self.env[key] = aged_value(value, names, born)
        self.heap = self._aged_heap(names, born, are_many=are_many)
        self._age_bases(names, born)
        for obj in born.intersection(self.definitions):
            del self.definitions[obj]
        if not born.isdisjoint(self.kept):
            self.kept = {(names.aged(o) if o in born else o): k for o, k in self.kept.items()}
        if not born.isdisjoint(self.saved):
            saved: dict[Obj, frozenset[Saved]] = {}
            for obj, operations in self.saved.items():
                home = names.aged(obj) if obj in born else obj
                saved[home] = saved[home] | operations if home in saved else operations
            self.saved = saved

    def _age_bases(self, names: Names, born: set[Obj]) -> None:
        """Change the bases in place, so that what is known of the other views stays known.

        A view of an earlier one of its own kind has the bases of that: `lr = lr.to(device)`.
        """
        bases = self.bases
        for obj, base in bases.items():
            if obj.old or not (born.isdisjoint(base.objs) and born.isdisjoint(base.holders)):
                objs, holders = _aged_objs(base.objs, names, born), _aged_objs(base.holders, names, born)
                piece = None if obj.old else base.piece
                if not (objs is base.objs and holders is base.holders and piece is base.piece):
                    bases[obj] = Base(objs, base.link, piece, base.forbidden, holders, base.key)
        for obj in [obj for obj in bases if obj in born]:
            home, base = names.aged(obj), bases[obj]._replace(piece=None)
            if home in base.objs and len(base.objs) > 1:
                base = base._replace(objs=base.objs - {home})
            del bases[obj]
            bases[home] = join_bases(bases[home], base) if home in bases else base

    def _aged_heap(self, names: Names, born: set[Obj], *, are_many: bool) -> Heap:
        heap = Heap()
        for holder, fields in self.heap.holders.items():
            home = names.aged(holder) if holder in born else holder
            known = heap.of(home)
            changed = {k: new for k, v in fields.items() if (new := aged_value(v, names, born)) is not v}
            aged = {**fields, **changed} if changed else fields
            if are_many and home is not holder and ANY in aged:
                aged = {**aged, ANY: aged[ANY]._replace(identity=None)}
            if known:
                aged = {**known, **{k: weak_join(known[k], v) if k in known else v for k, v in aged.items()}}
            heap.put(home, aged)
        heap.partly = frozenset((names.aged(o) if o in born else o, key) for o, key in self.heap.partly)
        return heap


def _aged_objs(objs: Objs, names: Names, born: set[Obj]) -> Objs:
    return objs if born.isdisjoint(objs) else frozenset(names.aged(o) if o in born else o for o in objs)


def aged_value(value: Value, names: Names, born: set[Obj]) -> Value:
    """Return the value as the next iteration sees it, where the objects `born` in this one are old."""
    objs = _aged_objs(value.objs, names, born)
    identity, shape, dtype = value.identity, value.shape, value.dtype
    if type(identity) is Obj and identity in born:
        identity = names.aged(identity)
    if type(shape) is Obj and shape in born:
        shape = names.aged(shape)
    if type(dtype) is Obj and dtype in born:
        dtype = names.aged(dtype)
    if objs is value.objs and identity is value.identity and shape is value.shape and dtype is value.dtype:
        return value
    return Value(value.kinds, objs, identity, shape, dtype, value.graph, value.ref, value.likely)


def join_bases(first: Base, second: Base) -> Base:
    """Return the join of two possible bases of an object."""
    if first == second:
        return first
    links = {first.link, second.link}
    link = first.link if len(links) == 1 else Link.MAYBE if links <= UNCERTAIN else Link.EITHER
    piece = first.piece if first.piece == second.piece else None
    forbidden = first.forbidden or second.forbidden
    key = first.key if first.key == second.key else None
    return Base(first.objs | second.objs, link, piece, forbidden, first.holders | second.holders, key)


def weak_join(first: Value, second: Value) -> Value:
    """Return the join of two values at a place that isn't one variable, so that no identity survives."""
    if first is second:
        return first
    return Value(
        kinds=first.kinds | second.kinds,
        objs=first.objs | second.objs,
        identity=None,
        shape=first.shape if first.shape == second.shape else None,
        dtype=first.dtype if first.dtype == second.dtype else None,
        graph=joined(first.graph, second.graph),
        ref=first.ref if first.ref == second.ref else refs_of_either(first, second),
        likely=first.likely or second.likely,
    )


class Referring(Protocol):
    """A value, or the description of one."""

    @property
    def kinds(self) -> int:
        """The kinds of the value."""

    @property
    def ref(self) -> Hashable:
        """The object that the value stands for."""


def refs_of_either(first: Referring, second: Referring) -> Hashable:
    """Return what the join of two values stands for; a value without a reference is unseen, or None."""
    if first.ref is None or second.ref is None:
        known, other = (first, second) if second.ref is None else (second, first)
        return known.ref if other.kinds == NONE else join_refs(known.ref, None, is_open=True)
    return join_refs(first.ref, second.ref)
