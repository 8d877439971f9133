"""The state at one point of the program: names, heap, views, escapes, and the tensors that autograd saved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Protocol, TypeVar

from unplace.analysis.domain.facts import ANY, Definition, Facts, weaker
from unplace.analysis.domain.heap import Heap, Slot
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
    Tracked,
    Value,
)
from unplace.analysis.domain.views import UNCERTAIN, Views
from unplace.diagnostics.catalogue import Alive
from unplace.diagnostics.reasons import Line, Reason

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
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
    touched: set[Obj] = field(default_factory=set)

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
            set(facts.touched),
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
            frozenset(self.touched),
        )

    def become(self, other: State) -> None:
        """Take over all facts of another state."""
        for name in ("env", "binds", "heap", "bases", "definitions", "kept", "saved", "touched"):
            setattr(self, name, getattr(other, name))

    def revise(self, change: Callable[[Value], Value]) -> None:
        """Replace each value that a name or slot holds by the result of `change`."""
        for name, held in self.env.items():
            self.env[name] = change(held)
        self.heap.revise(change)

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
                self.heap.put(holder, {ANY: joined._replace(identity=distinctness)})

    def remove(self, holders: Objs, key: Hashable) -> None:
        """Remove an element: the entry of a dictionary under a known key, or one of a list, whose elements move up."""
        if key is not None and len(holders) == 1:
            (holder,) = holders
            if (holder, key) in self.heap and not holder.old:
                del self.heap[(holder, key)]
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

    def held(self) -> Objs:
        """Return the objects that names and slots hold, with all that they may be views of."""
        return self.seen({obj for value in (*self.env.values(), *self.heap.values()) for obj in value.objs})

    def let_go(self) -> None:
        """Make all saves uncertain: backward has freed what its graph saved, but another graph may hold tensors."""
        self.saved = {obj: frozenset(s._replace(certain=False) for s in saved) for obj, saved in self.saved.items()}

    def age(self, names: Names, born: set[Obj]) -> None:
        """Let the objects `born` in the iteration that just ended become old: made by earlier iterations."""
        if not born:
            return
        for key, value in self.env.items():
            self.env[key] = aged_value(value, names, born)
        self.heap = self._aged_heap(names, born)
        self._age_bases(names, born)
        self.definitions = {o: d for o, d in self.definitions.items() if o not in born}
        self.kept = {(names.aged(o) if o in born else o): k for o, k in self.kept.items()}
        saved: dict[Obj, frozenset[Saved]] = {}
        for obj, operations in self.saved.items():
            home = names.aged(obj) if obj in born else obj
            saved[home] = saved[home] | operations if home in saved else operations
        self.saved = saved
        self.touched = {names.aged(o) if o in born else o for o in self.touched}

    def _age_bases(self, names: Names, born: set[Obj]) -> None:
        """Change the bases in place, so that what is known of the other views stays known."""
        bases = self.bases
        for obj, base in bases.items():
            if obj.old or not (born.isdisjoint(base.objs) and born.isdisjoint(base.holders)):
                objs, holders = _aged_objs(base.objs, names, born), _aged_objs(base.holders, names, born)
                bases[obj] = base._replace(objs=objs, holders=holders, piece=None if obj.old else base.piece)
        for obj in [obj for obj in bases if obj in born]:
            home, base = names.aged(obj), bases[obj]._replace(piece=None)
            del bases[obj]
            bases[home] = join_bases(bases[home], base) if home in bases else base

    def _aged_heap(self, names: Names, born: set[Obj]) -> Heap:
        heap = Heap()
        for holder, fields in self.heap.holders.items():
            home = names.aged(holder) if holder in born else holder
            known = heap.of(home)
            aged = {key: aged_value(value, names, born) for key, value in fields.items()}
            if known:
                aged = {**known, **{k: weak_join(known[k], v) if k in known else v for k, v in aged.items()}}
            heap.put(home, aged)
        heap.partly = frozenset((names.aged(o) if o in born else o, key) for o, key in self.heap.partly)
        return heap


def _aged_objs(objs: Objs, names: Names, born: set[Obj]) -> Objs:
    return objs if born.isdisjoint(objs) else frozenset(names.aged(o) if o in born else o for o in objs)


def aged_value(value: Value, names: Names, born: set[Obj]) -> Value:
    """Return the value as the next iteration sees it, where the objects `born` in this one are old."""

    def token(of: Token) -> Token:
        return names.aged(of) if isinstance(of, Obj) and of in born else of

    objs = _aged_objs(value.objs, names, born)
    identity, shape, dtype = token(value.identity), token(value.shape), token(value.dtype)
    if objs is value.objs and identity is value.identity and shape is value.shape and dtype is value.dtype:
        return value
    return value._replace(objs=objs, identity=identity, shape=shape, dtype=dtype)


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


_TRACKED_ORDER = (Tracked.NO, Tracked.MAYBE, Tracked.LEAF)


def join_tracked(first: Tracked, second: Tracked) -> Tracked:
    """Return the join of two roles in autograd graphs: `MAYBE` unless they agree."""
    if first is second:
        return first
    return Tracked.MAYBE


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
        tracked=join_tracked(first.tracked, second.tracked),
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


class Merger:
    """A join of states at one place; variables that are equal to each other in every state get a common new token."""

    def __init__(self, place: Hashable) -> None:
        """Start a merge at `place`; the tokens made here are `("phi", place, ...)`."""
        self.place = place

    def owns(self, token: Token) -> bool:
        """Tell whether this merge made the token in an earlier round of the fixpoint iteration."""
        return type(token) is tuple and len(token) == 4 and token[0] == "phi" and token[1] == self.place

    def merge(self, states: list[State]) -> State:
        """Return the join of the states; a name that some states leave unbound keeps its value from the others."""
        if len(states) == 1:
            return states[0]
        first = states[0]
        result = State(
            self._merge_values([s.env for s in states]),
            self._merge_binds([s.binds for s in states]),
            self._merge_heaps([s.heap for s in states]),
            first.bases.fork(),
            dict(first.definitions),
            dict(first.kept),
            dict(first.saved),
            set(first.touched),
        )
        for bases in _runs([s.bases for s in states])[1:]:
            for obj, base in bases.items():
                known = result.bases.get(obj)
                if known is not base:
                    result.bases[obj] = base if known is None else join_bases(known, base)
        for kept in _runs([s.kept for s in states])[1:]:
            for obj, keeper in kept.items():
                if obj not in result.kept:
                    result.kept[obj] = keeper
        for saved in _runs([s.saved for s in states])[1:]:
            for obj, operations in saved.items():
                known_saved = result.saved.get(obj)
                if known_saved is not operations:
                    result.saved[obj] = operations if known_saved is None else known_saved | operations
        for definitions in _runs([s.definitions for s in states])[1:]:
            for obj in [o for o, d in result.definitions.items() if not _same_definition(definitions.get(o), d)]:
                del result.definitions[obj]
        result.touched.update(*(s.touched for s in states[1:]))
        return result

    def _merge_binds(self, binds: list[dict[str, Token]]) -> dict[str, Token]:
        merged = dict(binds[0])
        for other in _runs(binds)[1:]:
            for name, token in other.items():
                if name not in merged or merged[name] != token:
                    merged[name] = ("bind", self.place, name)
            for name in merged.keys() - other.keys():
                merged[name] = ("bind", self.place, name)
        return merged

    def _merge_values(self, tables: list[dict[str, Value]]) -> dict[str, Value]:
        tables = _runs(tables)
        merged: dict[str, Value] = {}
        differing: list[tuple[str, list[Value | None]]] = []
        self._split(tables, merged, differing)
        differing.sort(key=lambda item: item[0])
        classes: dict[Hashable, Hashable] = {}
        for key, values in differing:
            merged[key] = self._join(key, values, classes)
        return merged

    def _merge_heaps(self, heaps: list[Heap]) -> Heap:
        heaps = _runs(heaps)
        result = Heap()
        differing: list[tuple[Slot, list[Value | None]]] = []
        for holder in dict.fromkeys(holder for heap in heaps for holder in heap.holders):
            fields = [heap.of(holder) for heap in heaps]
            if all(other is fields[0] for other in fields) and not any(map(self._has_own, fields[0].values())):
                result.put(holder, fields[0])
                continue
            merged: dict[Hashable, Value] = {}
            own: list[tuple[Hashable, list[Value | None]]] = []
            self._split(fields, merged, own)
            result.put(holder, merged)
            differing += [((holder, key), values) for key, values in own]
        differing.sort(key=lambda item: _sort_key(item[0]))
        classes: dict[Hashable, Hashable] = {}
        for slot, values in differing:
            result[slot] = self._join(slot, values, classes)
        result.partly = frozenset().union(*(heap.partly for heap in heaps), self._left_first(differing))
        return result

    def _left_first(self, differing: Iterable[tuple[Slot, list[Value | None]]]) -> Iterator[Slot]:
        """Iterate over the slots of objects from outside that not all joined states have stored or read."""
        for slot, values in differing:
            if slot[0].origin is not Origin.FRESH and slot[1] != ANY and None in values:
                yield slot

    def _split(
        self, tables: Sequence[Mapping[K, Value]], same: dict[K, Value], differing: list[tuple[K, list[Value | None]]]
    ) -> None:
        """Separate the entries on which all tables agree from those that must be joined."""
        first, others = tables[0], tables[1:]
        for key, value in first.items():
            for table in others:
                other = table.get(key)
                if other is not value and other != value:
                    differing.append((key, [table.get(key) for table in tables]))
                    break
            else:
                if self._has_own(value):
                    differing.append((key, [table.get(key) for table in tables]))
                else:
                    same[key] = value
        for key in dict.fromkeys(key for table in others for key in table if key not in first):
            differing.append((key, [table.get(key) for table in tables]))

    def _has_own(self, value: Value) -> bool:
        _, _, identity, shape, dtype, *_ = value
        return (
            (type(identity) is tuple and self.owns(identity))
            or (type(shape) is tuple and self.owns(shape))
            or (type(dtype) is tuple and self.owns(dtype))
        )

    def _join(self, key: Hashable, values: list[Value | None], classes: dict[Hashable, Hashable]) -> Value:
        present = [v for v in values if v is not None]
        joined = last = present[0]
        for value in present:
            if value is not last:
                joined, last = weak_join(joined, value), value
        if isinstance(key, tuple) and key[1] == ANY:
            return joined._replace(identity=_distinctness(key[0], present), shape=None, dtype=None)
        if len(present) < len(values):
            return joined._replace(identity=None, shape=None, dtype=None)
        return joined._replace(
            identity=self._token("identity", key, [v.identity for v in present], classes),
            shape=self._token("shape", key, [v.shape for v in present], classes),
            dtype=self._token("dtype", key, [v.dtype for v in present], classes),
        )

    def _token(self, aspect: str, key: Hashable, tokens: list[Token], classes: dict[Hashable, Hashable]) -> Token:
        first = tokens[0]
        is_one = tokens.count(first) == len(tokens)
        if is_one and first is not None and not self.owns(first):
            return first
        if None in tokens or (aspect == "dtype" and not is_one):
            return None
        group: Hashable = (aspect, tuple(tokens))
        if any(isinstance(t, Obj) and t.old for t in tokens):
            group = (aspect, key)
        return classes.setdefault(group, ("phi", self.place, aspect, _sort_key(key)))


def _distinctness(holder: Obj, elements: Sequence[Value]) -> Token:
    """Return what holds of the elements of a container on all ways, where those on each are known."""
    known = [element.identity for element in elements]
    return reduce(weaker, known, known[0]) if holder.origin is Origin.FRESH else None


def _runs(tables: list[T]) -> list[T]:
    """Return the tables without those equal to the one before: a walk is costly, and few statements change a table."""
    return [table for index, table in enumerate(tables) if index == 0 or table != tables[index - 1]]


def mark_left(states: Sequence[State]) -> None:
    """Mark what each state, at the end of a branch, has of saved tensors that it has let go of, before they are joined.

    if self.norm is not None:
        x = self.norm(x)                saves the old `x`, which the name no longer holds then
    x += 1
    """
    if len(_runs([state.saved for state in states])) > 1:
        tables = [_marked(state, [other for other in states if other is not state]) for state in states]
        for state, table in zip(states, tables, strict=True):
            state.saved = table


def _marked(state: State, others: list[State]) -> dict[Obj, frozenset[Saved]]:
    tables = _runs([other.saved for other in others])
    new = {obj: by for table in tables for obj, by in state.saved.items() if table.get(obj) is not by}
    certain = {obj for obj, by in new.items() if any(s.certain and s.on_path for s in by)}
    left = certain - state.held() if certain else certain
    if not left:
        return state.saved
    found = dict(state.saved)
    for obj in left:
        known = frozenset().union(*(other.saved.get(obj, ()) for other in others))
        found[obj] = frozenset(s if s in known else s._replace(on_path=False) for s in found[obj])
    return found


def _same_definition(first: Definition | None, second: Definition) -> bool:
    return first is not None and first.expression is second.expression and first.uses == second.uses


def _sort_key(key: Hashable) -> str:
    if isinstance(key, tuple):
        holder, name = key
        return f"{holder.index}.{name!r}"  # `1` and `"1"` are two keys
    return str(key)


def same_facts(first: State, second: State) -> bool:
    """Tell whether two states hold the same facts, which ends the fixpoint iteration."""
    return (
        first.env == second.env
        and first.heap == second.heap
        and first.bases == second.bases
        and first.binds == second.binds
        and first.kept.keys() == second.kept.keys()
        and first.saved == second.saved
        and first.touched == second.touched
        and first.definitions.keys() == second.definitions.keys()
    )
