"""What is true at one point of the program: names, heap, views, escapes, and what autograd holds."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from unplace.analysis.domain.values import (
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
from unplace.diagnostics.catalogue import Alive
from unplace.diagnostics.reasons import Line, Reason

Slot = tuple[Obj, Hashable]
K = TypeVar("K", str, Slot, Obj)
V = TypeVar("V")
ANY = "*"  # the field that stands for all elements of a container
HIDDEN = "<"  # begins the names of things that are alive without having a name in the source: see `hidden_name`
DISTINCT: Token = ("distinct",)  # the identity of that field where no two elements are the same object


def hidden_name(what: Alive, line: int) -> str:
    """Return the name under which a state keeps something that is alive without having a name in the source."""
    return f"{HIDDEN}{what.name} {line}"


def hidden_thing(name: str) -> Reason:
    """Say what is alive under such a name."""
    what, line = name.removeprefix(HIDDEN).split(" ")
    return Alive[what](line=Line(int(line)))


@dataclass(frozen=True, slots=True)
class Definition:
    """The expression that made a view, and the bindings of the names in it: it can be replayed while they hold."""

    expression: ast.expr
    uses: Mapping[str, Token]


@dataclass(slots=True)
class State:
    """The facts at one program point. Tokens compare equal only where the things they stand for are the same."""

    env: dict[str, Value] = field(default_factory=dict)
    binds: dict[str, Token] = field(default_factory=dict)
    heap: dict[Slot, Value] = field(default_factory=dict)
    bases: dict[Obj, Base] = field(default_factory=dict)
    definitions: dict[Obj, Definition] = field(default_factory=dict)
    kept: dict[Obj, Saved] = field(default_factory=dict)
    saved: dict[Obj, frozenset[Saved]] = field(default_factory=dict)
    touched: set[Obj] = field(default_factory=set)  # written as a whole, which the rules turn into a rebinding

    def fork(self) -> State:
        """An independent copy."""
        return State(
            dict(self.env),
            dict(self.binds),
            dict(self.heap),
            dict(self.bases),
            dict(self.definitions),
            dict(self.kept),
            dict(self.saved),
            set(self.touched),
        )

    def become(self, other: State) -> None:
        """Take over all facts of another state."""
        for name in ("env", "binds", "heap", "bases", "definitions", "kept", "saved", "touched"):
            setattr(self, name, getattr(other, name))

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

    def collapse(self, holders: Objs) -> None:
        """Forget which slot of a list holds which element: something was inserted, removed or moved."""
        for holder in holders:
            fields = dict(self.fields_of(holder))
            distinct = self.has_distinct_elements(holder)
            for key in fields:
                del self.heap[(holder, key)]
            joined: Value | None = None
            for value in fields.values():
                joined = value if joined is None else weak_join(joined, value)
            if joined is not None:
                self.heap[(holder, ANY)] = joined._replace(identity=DISTINCT if distinct else None)

    def remove(self, holders: Objs, key: Hashable) -> None:
        """An element was taken out: of one dictionary under a known key, or of a list, whose elements move up."""
        if key is not None and len(holders) == 1:
            (holder,) = holders
            if (holder, key) in self.heap and not holder.old:
                del self.heap[(holder, key)]
                return
        self.collapse(holders)

    def is_unheld(self, value: Value) -> bool:
        """Whether the value was made in this round and no slot holds it yet."""
        obj = value.identity
        if not isinstance(obj, Obj) or obj.old or obj.origin is not Origin.FRESH or obj in self.bases:
            return False
        return not any(obj in held.objs for held in self.heap.values())

    def narrow_to_tensor(self, value: Value) -> Value:
        """What a value of uncertain kind is, under all its names, once an operation that only tensors have ran."""
        if not (value.kinds & UNKNOWN or value.likely):
            return value
        for name, held in self.env.items():
            if held.objs == value.objs and (held.kinds & UNKNOWN or held.likely):
                self.env[name] = held._replace(kinds=TENSOR, likely=False)
        return value._replace(kinds=TENSOR, likely=False)

    def fields_of(self, holder: Obj) -> Iterator[tuple[Hashable, Value]]:
        """The known slots of an object."""
        for (owner, key), value in self.heap.items():
            if owner is holder:
                yield key, value

    def ancestors(self, obj: Obj) -> dict[Obj, frozenset[tuple[Token, Hashable]]]:
        """The object and everything it may be a view of, with the pieces that were cut out on the way."""
        found: dict[Obj, frozenset[tuple[Token, Hashable]]] = {obj: frozenset()}
        todo = [obj]
        while todo:
            current = todo.pop()
            base = self.bases.get(current)
            if base is None:
                continue
            pieces = found[current] | ({base.piece} if base.piece else frozenset())
            for parent in base.objs:
                if parent not in found:
                    found[parent] = pieces
                    todo.append(parent)
        return found

    def owner(self, obj: Obj) -> Obj | None:
        """The tensor whose memory an object looks into for certain; itself where it is no view."""
        while (base := self.bases.get(obj)) is not None:
            if base.link is not Link.VIEW or len(base.objs) != 1:
                return None
            (obj,) = base.objs
        return obj

    def overlap(self, first: Obj, second: Obj) -> bool:
        """Whether the two may share memory."""
        if first is second:
            return True
        left, right = self.ancestors(first), self.ancestors(second)
        return any(not _disjoint(pieces, right[ancestor]) for ancestor, pieces in left.items() if ancestor in right)

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Whether an object of one set may share memory with one of the other."""
        return any(self.overlap(a, b) for a in first for b in second)

    def roots(self, objs: Iterable[Obj]) -> Objs:
        """The objects and everything they may be views of."""
        return frozenset(ancestor for obj in objs for ancestor in self.ancestors(obj))

    def reachable(self, objs: Iterable[Obj]) -> Objs:
        """Everything that can be reached from these objects through views and slots."""
        slots: dict[Obj, list[Obj]] = {}
        for (holder, _), value in self.heap.items():
            if value.objs:
                slots.setdefault(holder, []).extend(value.objs)
        found: set[Obj] = set()
        todo = list(objs)
        while todo:
            obj = todo.pop()
            if obj in found:
                continue
            found.add(obj)
            base = self.bases.get(obj)
            if base is not None:
                todo.extend(base.objs)
            todo.extend(slots.get(obj, ()))
        return frozenset(found)

    def kept_by(self, objs: Objs) -> Saved | None:
        """The code out of sight that was handed one of these objects, or something sharing its memory."""
        for holder, keeper in self.kept.items():
            if any(self.overlap(obj, holder) for obj in objs):
                return keeper
        return None

    def let_go(self) -> None:
        """Backward has run: what its graph saved is free, and only another graph may still hold something."""
        self.saved = {obj: frozenset(s._replace(certain=False) for s in saved) for obj, saved in self.saved.items()}

    def age(self, names: Names, born: set[Obj]) -> None:
        """Let everything made in the iteration that just ended become what earlier iterations made."""
        if not born:
            return
        for key, value in self.env.items():
            self.env[key] = aged_value(value, names, born)
        heap: dict[Slot, Value] = {}
        for (holder, name), value in self.heap.items():
            slot = (names.aged(holder) if holder in born else holder, name)
            new = aged_value(value, names, born)
            heap[slot] = weak_join(heap[slot], new) if slot in heap else new
        self.heap = heap
        bases: dict[Obj, Base] = {}
        for obj, base in self.bases.items():
            home = names.aged(obj) if obj in born else obj
            new_base = base._replace(objs=_aged_objs(base.objs, names, born), piece=None if home.old else base.piece)
            bases[home] = join_bases(bases[home], new_base) if home in bases else new_base
        self.bases = bases
        self.definitions = {o: d for o, d in self.definitions.items() if o not in born}
        self.kept = {(names.aged(o) if o in born else o): k for o, k in self.kept.items()}
        saved: dict[Obj, frozenset[Saved]] = {}
        for obj, operations in self.saved.items():
            home = names.aged(obj) if obj in born else obj
            saved[home] = saved[home] | operations if home in saved else operations
        self.saved = saved
        self.touched = {names.aged(o) if o in born else o for o in self.touched}


def _disjoint(first: frozenset[tuple[Token, Hashable]], second: frozenset[tuple[Token, Hashable]]) -> bool:
    """Whether two views were cut from different pieces of one split."""
    return any(split == other and piece != part for split, piece in first for other, part in second)


def _aged_objs(objs: Objs, names: Names, born: set[Obj]) -> Objs:
    return frozenset(names.aged(o) if o in born else o for o in objs) if objs & born else objs


def aged_value(value: Value, names: Names, born: set[Obj]) -> Value:
    """The value seen from the next iteration, in which the objects `born` in this one are old."""

    def token(of: Token) -> Token:
        return names.aged(of) if isinstance(of, Obj) and of in born else of

    objs = _aged_objs(value.objs, names, born)
    identity, shape, dtype = token(value.identity), token(value.shape), token(value.dtype)
    if objs is value.objs and identity is value.identity and shape is value.shape and dtype is value.dtype:
        return value
    return value._replace(objs=objs, identity=identity, shape=shape, dtype=dtype)


def join_bases(first: Base, second: Base) -> Base:
    """What is known of an object's base when it may be either."""
    if first == second:
        return first
    link = first.link if first.link is second.link else Link.MAYBE
    piece = first.piece if first.piece == second.piece else None
    return Base(first.objs | second.objs, link, piece, first.forbidden or second.forbidden)


_TRACKED_ORDER = (Tracked.NO, Tracked.MAYBE, Tracked.LEAF)


def join_tracked(first: Tracked, second: Tracked) -> Tracked:
    """The more cautious of the two."""
    if first is second:
        return first
    return Tracked.MAYBE


def weak_join(first: Value, second: Value) -> Value:
    """What is known of a value that may be either, at a place that is not one variable (so nothing is 'the same')."""
    if first is second:
        return first
    return Value(
        kinds=first.kinds | second.kinds,
        objs=first.objs | second.objs,
        identity=None,
        shape=first.shape if first.shape == second.shape else None,
        dtype=first.dtype if first.dtype == second.dtype else None,
        tracked=join_tracked(first.tracked, second.tracked),
        ref=first.ref if first.ref == second.ref else None,
        likely=first.likely or second.likely,
    )


class Merger:
    """Joins states at one place of the program, giving variables that agreed everywhere a common new token."""

    def __init__(self, place: Hashable) -> None:
        """`place` names the merge: tokens made here are `("phi", place, ...)`."""
        self.place = place

    def owns(self, token: Token) -> bool:
        """Whether this merge made the token in an earlier round of the fixpoint."""
        return type(token) is tuple and len(token) == 4 and token[0] == "phi" and token[1] == self.place

    def merge(self, states: list[State]) -> State:
        """The join of the states; unbound names stay bound to what they are bound to elsewhere."""
        if len(states) == 1:
            return states[0]
        first = states[0]
        result = State(
            self._merge_values([s.env for s in states]),
            self._merge_binds([s.binds for s in states]),
            self._merge_values([s.heap for s in states]),
            dict(first.bases),
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

    def _merge_values(self, tables: list[dict[K, Value]]) -> dict[K, Value]:
        tables = _runs(tables)
        first, others = tables[0], tables[1:]
        merged: dict[K, Value] = {}
        differing: list[tuple[K, list[Value | None]]] = []
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
                    merged[key] = value
        for key in dict.fromkeys(key for table in others for key in table if key not in first):
            differing.append((key, [table.get(key) for table in tables]))
        differing.sort(key=lambda item: _sort_key(item[0]))
        classes: dict[Hashable, Hashable] = {}
        for key, values in differing:
            merged[key] = self._join(key, values, classes)
        return merged

    def _has_own(self, value: Value) -> bool:
        return any(type(token) is tuple and self.owns(token) for token in (value.identity, value.shape, value.dtype))

    def _join(self, key: Hashable, values: list[Value | None], classes: dict[Hashable, Hashable]) -> Value:
        present = [v for v in values if v is not None]
        joined = last = present[0]
        for value in present:
            if value is not last:
                joined, last = weak_join(joined, value), value
        if len(present) < len(values) or (isinstance(key, tuple) and key[1] == ANY):
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


def _runs(tables: list[dict[K, V]]) -> list[dict[K, V]]:
    """Tables without those that say the same as the one before, of which a statement leaves most: each costs a walk."""
    return [table for index, table in enumerate(tables) if index == 0 or table != tables[index - 1]]


def _same_definition(first: Definition | None, second: Definition) -> bool:
    return first is not None and first.expression is second.expression and first.uses == second.uses


def _sort_key(key: Hashable) -> str:
    if isinstance(key, tuple):
        holder, name = key
        return f"{holder.index}.{name}"
    return str(key)


def same_facts(first: State, second: State) -> bool:
    """Whether two states say the same: the fixpoint test."""
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
