"""The join of states where control flow meets: branches, loops, handlers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from unplace.analysis.domain import gradmode
from unplace.analysis.domain.facts import ANY, Definition, weaker
from unplace.analysis.domain.heap import Heap, Slot
from unplace.analysis.domain.state import State, join_bases, weak_join
from unplace.analysis.domain.values import Obj, Origin, Saved, Token, Value

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


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
            gradmode.joined(s.record for s in states),
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
        result = heaps[0].fork()
        differing: list[tuple[Slot, list[Value | None]]] = []
        merged: dict[Obj, dict[Hashable, Value]] = {}
        for holder in self._unlike(heaps):
            fields = merged[holder] = {}
            own: list[tuple[Hashable, list[Value | None]]] = []
            self._split([heap.of(holder) for heap in heaps], fields, own)
            result.put(holder, fields)
            differing += [((holder, key), values) for key, values in own]
        differing.sort(key=lambda item: _sort_key(item[0]))
        classes: dict[Hashable, Hashable] = {}
        for slot, values in differing:
            holder, key = slot
            merged[holder][key] = self._join(slot, values, classes)
            result.put(holder, merged[holder])
        result.partly = frozenset().union(*(heap.partly for heap in heaps), self._left_first(differing))
        return result

    def _unlike(self, heaps: Sequence[Heap]) -> list[Obj]:
        """Return the objects whose fields aren't the same in all heaps, or need the tokens of this merge again."""
        first, others = heaps[0].holders, [heap.holders for heap in heaps[1:]]
        found: list[Obj] = []
        for holder, fields in first.items():
            for other in others:
                if other.get(holder) is not fields:
                    found.append(holder)
                    break
            else:
                if any(map(self._has_own, fields.values())):
                    found.append(holder)
        return [*found, *dict.fromkeys(holder for other in others for holder in other if holder not in first)]

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
        identity, shape, dtype = value.identity, value.shape, value.dtype
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
            return joined.with_tokens(_distinctness(key[0], present), None, None)
        if len(present) < len(values):
            return joined.with_tokens(None, None, None)
        return joined.with_tokens(
            self._token("identity", key, [v.identity for v in present], classes),
            self._token("shape", key, [v.shape for v in present], classes),
            self._token("dtype", key, [v.dtype for v in present], classes),
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
    found = dict(state.saved)
    for obj in state.unheld(new):
        known = frozenset().union(*(table.get(obj, ()) for table in tables))
        own = new[obj] - known
        if any(s.on_path for s in own) and any(s.certain and s.on_path for s in new[obj]):
            found[obj] = (new[obj] & known).union(s._replace(on_path=False) for s in own)
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
        and first.record == second.record
        and first.definitions.keys() == second.definitions.keys()
    )
