"""The heap: the values in the slots of objects, which are attributes, elements and entries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from unplace.analysis.domain.values import Obj, Objs, Value

Slot = tuple[Obj, Hashable]
Fields = Mapping[Hashable, Value]

_NO_FIELDS: Fields = MappingProxyType({})


class Heap:
    """A table from slots to values, grouped by object.

    The fields of an object are replaced, never mutated. So the forks of a heap share the fields that stay the same, and
    code that iterates over fields may store meanwhile.

    `partly` are the attributes that may still hold what they held first, because only some paths store another value:

        if reset:
            self.h = x.clone()
        h = self.h

    and the elements that only some paths have taken out of their list: `layers.pop()`.
    """

    __slots__ = ("_fields", "_owners", "partly")

    def __init__(self, fields: Mapping[Obj, Fields] | None = None) -> None:
        """Start with the fields of some objects, none of which is empty."""
        self._fields: dict[Obj, Fields] = dict(fields) if fields is not None else {}
        self._owners: frozenset[Obj] | None = None
        self.partly: frozenset[Slot] = frozenset()

    def fork(self) -> Heap:
        """Return an independent copy."""
        other = Heap(self._fields)
        other._owners = self._owners
        other.partly = self.partly
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heap) and self._fields == other._fields and self.partly == other.partly

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, slot: Slot) -> bool:
        return slot[1] in self._fields.get(slot[0], _NO_FIELDS)

    def __getitem__(self, slot: Slot) -> Value:
        return self._fields[slot[0]][slot[1]]

    def __setitem__(self, slot: Slot, value: Value) -> None:
        holder, key = slot
        self.put(holder, {**self._fields.get(holder, _NO_FIELDS), key: value})

    def __delitem__(self, slot: Slot) -> None:
        holder, key = slot
        rest = {other: value for other, value in self._fields[holder].items() if other != key}
        self.put(holder, rest)

    def get(self, slot: Slot) -> Value | None:
        """Return the value in a slot, or None if nothing is known about it."""
        return self._fields.get(slot[0], _NO_FIELDS).get(slot[1])

    def of(self, holder: Obj) -> Fields:
        """Return the fields of an object."""
        return self._fields.get(holder, _NO_FIELDS)

    def put(self, holder: Obj, fields: Fields) -> None:
        """Replace all fields of an object."""
        if (holder in self._fields) != bool(fields):
            self._owners = None
        if fields:
            self._fields[holder] = fields
        else:
            self._fields.pop(holder, None)

    def revise(self, change: Callable[[Value], Value]) -> None:
        """Replace each value by the result of `change`."""
        for holder, fields in self._fields.items():
            changed = {key: new for key, value in fields.items() if (new := change(value)) is not value}
            if changed:
                self._fields[holder] = {**fields, **changed}

    @property
    def holders(self) -> Mapping[Obj, Fields]:
        """The objects that have fields, each with its fields."""
        return self._fields

    @property
    def owners(self) -> frozenset[Obj]:
        """The set of objects that have fields."""
        if self._owners is None:
            self._owners = frozenset(self._fields)
        return self._owners

    def among(self, objs: Objs) -> Sequence[Obj]:
        """Return those of some objects that have fields, in the order of the table."""
        found = objs & self.owners
        return list(found) if len(found) < 2 else [holder for holder in self._fields if holder in found]

    def held_by(self, holders: Iterable[Obj]) -> set[Obj]:
        """Return the objects in the fields of holders that have some."""
        found = set[Obj]()
        return found.union(*[value.objs for holder in holders for value in self._fields[holder].values()])

    def items(self) -> Iterator[tuple[Slot, Value]]:
        """Iterate over all slots and their values, object by object."""
        for holder, fields in self._fields.items():
            for key, value in fields.items():
                yield (holder, key), value

    def values(self) -> Iterator[Value]:
        """Iterate over the values of all slots."""
        for fields in self._fields.values():
            yield from fields.values()
