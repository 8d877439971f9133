"""Which objects look into the memory of which others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from unplace.analysis.domain.values import Base, Obj, Objs, Token

Pieces = frozenset[tuple[Token, Hashable]]
"""The pieces that were cut out on the way from a view to its base, each with its split."""

_WHOLE: Pieces = frozenset()


class _Ancestry(NamedTuple):
    """An object and everything it may be a view of: with the pieces on the way, and as a set."""

    pieces: Mapping[Obj, Pieces]
    roots: Objs


class Views(dict[Obj, Base]):
    """The bases of views by object.

    Who is an ancestor of whom is found once for all forks; a change forgets only what leads through the object.
    """

    __slots__ = ("_found", "_stale")

    def __init__(self, bases: Mapping[Obj, Base] | None = None) -> None:
        """Begin with the bases of some views."""
        super().__init__(bases if bases is not None else {})
        self._found: dict[Obj, _Ancestry] = {}
        self._stale: set[Obj] = set()

    def fork(self) -> Views:
        """Return an independent copy that shares what was found."""
        other = Views(self)
        other._found = self._fresh()
        return other

    def __setitem__(self, obj: Obj, base: Base) -> None:
        if self.get(obj) != base:
            self._stale.add(obj)
            super().__setitem__(obj, base)

    def __delitem__(self, obj: Obj) -> None:
        self._stale.add(obj)
        super().__delitem__(obj)

    def forget(self, obj: Obj) -> None:
        """Let an object be no view."""
        if obj in self:
            del self[obj]

    def ancestors(self, obj: Obj) -> Mapping[Obj, Pieces]:
        """Return the object and everything it may be a view of, with the pieces that were cut out on the way."""
        return self._ancestry(obj).pieces

    def roots(self, obj: Obj) -> Objs:
        """Return the object and everything it may be a view of."""
        return self._ancestry(obj).roots

    def overlap(self, first: Obj, second: Obj) -> bool:
        """Tell whether two objects may share memory."""
        if first is second:
            return True
        left, right = self._ancestry(first), self._ancestry(second)
        if left.roots.isdisjoint(right.roots):
            return False
        pieces = right.pieces
        return any(not _disjoint(own, pieces[ancestor]) for ancestor, own in left.pieces.items() if ancestor in pieces)

    def _ancestry(self, obj: Obj) -> _Ancestry:
        known = self._fresh() if self._stale else self._found
        found = known.get(obj)
        if found is None:
            pieces = self._walk(obj)
            found = known[obj] = _Ancestry(pieces, frozenset(pieces))
        return found

    def _fresh(self) -> dict[Obj, _Ancestry]:
        """Return what was found, without what has changed since."""
        if self._stale:
            stale = self._stale
            self._found = {obj: found for obj, found in self._found.items() if stale.isdisjoint(found.roots)}
            self._stale = set()
        return self._found

    def _walk(self, obj: Obj) -> Mapping[Obj, Pieces]:
        if obj not in self:
            return {obj: _WHOLE}
        found = {obj: _WHOLE}
        todo = [obj]
        while todo:
            current = todo.pop()
            base = self.get(current)
            if base is None:
                continue
            pieces = found[current] | {base.piece} if base.piece else found[current]
            for parent in base.objs:
                if parent not in found:
                    found[parent] = pieces
                    todo.append(parent)
        return found


def _disjoint(first: Pieces, second: Pieces) -> bool:
    """Tell whether two views were cut from different pieces of one split."""
    return any(split == other and piece != part for split, piece in first for other, part in second)
