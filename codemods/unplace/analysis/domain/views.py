"""Views: which objects look into the memory of which other objects, and where: by boxes.

    y[:, :n], y[:, n:]      y[0], y[1:]      y[..., 0], y[..., 1]      y[a:b], y[b:c]      y[::2], y[1::2]

A box is a range along each dimension, so that disjoint views are told apart. A bound is a number, or a token for an
expression; equal tokens are the same number. A dimension is counted from the left, from 0, or behind an ellipsis from
the right, from -1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from unplace.analysis.domain.values import ANY, Base, Link, Obj, Objs, Token

END: Token = ("end",)
"""The bound behind the last element."""


class Range(NamedTuple):
    """The elements from `lower` to before `upper`; with a step, from every `step` elements the one at `lower`."""

    lower: Token
    upper: Token
    step: int = 1

    def is_apart(self, other: Range) -> bool:
        """Tell whether no element lies in both ranges."""
        if self.step != 1 or other.step != 1:
            return self.step == other.step and self.lower != other.lower
        return _reaches(self.upper, other.lower) or _reaches(other.upper, self.lower)


class Box(frozenset[tuple[int, Range]]):
    """The known ranges of an index, each with its dimension."""

    __slots__ = ()

    def is_apart(self, other: Box) -> bool:
        """Tell whether no element lies in both boxes of one tensor."""
        return any(one == two and first.is_apart(second) for one, first in self for two, second in other)


def _reaches(upper: Token, lower: Token) -> bool:
    """Tell whether a range that ends before `upper` ends before `lower` begins."""
    if upper == lower:
        return True
    if not isinstance(upper, int) or not isinstance(lower, int):
        return False
    return upper < lower and (upper < 0) == (lower < 0)  # numbers below 0 count from the end


Pieces = frozenset[tuple[Token, Hashable]]
"""The pieces cut out on the way from a view to its base, each with the split that made it."""

_WHOLE: Pieces = frozenset()

UNSEEN = frozenset((Link.CALL,))
"""The links that only code out of sight could make."""

UNCERTAIN = UNSEEN | {Link.MAYBE}
"""The links that may be none at all: what a call returned may be new memory."""


class Views(dict[Obj, Base]):
    """The bases of views, by object.

    The ancestors of objects are computed once for all forks; a change of a base discards only the results that lead
    through its view.
    """

    __slots__ = ("_cut", "_joined", "_parted", "_pieces", "_roots", "_stale", "_told", "_views")

    def __init__(self, bases: Mapping[Obj, Base] | None = None) -> None:
        """Start with the bases of some views."""
        super().__init__(bases if bases is not None else {})
        self._views = set(self)  # the keys, as a set: operations between sets reuse the stored hashes
        self._cut = {obj for obj, base in self.items() if base.piece is not None}  # the pieces of a split
        self._roots: dict[Obj, Objs] = {}
        self._joined: dict[Objs, Objs] = {}
        self._pieces: dict[Obj, Mapping[Obj, Pieces]] = {}
        self._parted: dict[frozenset[Link], Views] = {}
        self._stale: set[Obj] = set()
        self._told: set[Obj] = set()  # the objects that results are about, and maybe more

    def fork(self) -> Views:
        """Return an independent copy that shares the results computed so far."""
        self._refresh()
        other = Views.__new__(Views)
        dict.update(other, self)
        other._views, other._cut = set(self._views), set(self._cut)
        other._roots, other._joined, other._pieces = self._roots, self._joined, self._pieces
        other._parted, other._told, other._stale = self._parted, self._told, set()
        return other

    def __setitem__(self, obj: Obj, base: Base) -> None:
        if self.get(obj) != base:
            self._stale.add(obj)
            self._views.add(obj)
            (self._cut.discard if base.piece is None else self._cut.add)(obj)
            super().__setitem__(obj, base)

    def __delitem__(self, obj: Obj) -> None:
        self._stale.add(obj)
        self._views.discard(obj)
        self._cut.discard(obj)
        super().__delitem__(obj)

    def parted(self, links: frozenset[Link]) -> Views:
        """Return the views that remain where none of these links is one.

        Elements stay with their holders, and are apart from the elements under other keys.
        """
        self._refresh()
        known = self._parted.get(links)
        if known is not None:
            return known
        found: dict[Obj, Base] = {}
        for obj, base in self.items():
            if base.holders and base.link in UNCERTAIN:
                piece = (("element", base.holders), base.key) if base.key is not None else None
                found[obj] = Base(base.holders, base.link, piece, base.forbidden, base.holders, base.key)
            elif base.link not in links:
                found[obj] = base
        self._parted[links] = Views(found)
        return self._parted[links]

    def forget(self, obj: Obj) -> None:
        """Record that an object is no view."""
        if obj in self:
            del self[obj]

    def roots(self, obj: Obj) -> Objs:
        """Return the object and all objects that it may be a view of."""
        if self._stale:
            self._refresh()
        known = self._roots
        found = known.get(obj)
        if found is None:
            found = known[obj] = self._closure(obj)
            self._told |= found
        return found

    def roots_of_all(self, objs: Iterable[Obj]) -> set[Obj]:
        """Return the objects and all objects that they may be views of, for objects that are rarely asked together."""
        if self._stale:
            self._refresh()
        known, found = self._roots, set(objs)
        for view in found & self._views:
            found |= known.get(view) or self.roots(view)
        return found

    def seen(self, objs: Iterable[Obj]) -> Objs:
        """Return the objects and all objects that they may be views of by what the code in sight shows."""
        found = set(objs)
        todo = found & self._views
        while todo:
            new = set[Obj]()
            for base in map(self.__getitem__, todo):
                is_doubtful = base.link is Link.CALL or (base.holders and base.link in UNCERTAIN)
                new |= base.holders if is_doubtful else base.objs
            todo = (new - found) & self._views
            found |= new
        return frozenset(found)

    def roots_of(self, objs: Objs) -> Objs:
        """Return the objects and all objects that they may be views of."""
        if self._stale:
            self._refresh()
        known = self._joined
        found = known.get(objs)
        if found is None:
            found = known[objs] = frozenset(self.roots_of_all(objs))
            self._told |= found
        return found

    def overlap(self, first: Obj, second: Obj) -> bool:
        """Tell whether two objects may share memory."""
        return self.may_share(frozenset((first,)), frozenset((second,)))

    def may_share(self, first: Objs, second: Objs) -> bool:
        """Tell whether an object of one set may share memory with an object of the other."""
        own, others = self.roots_of(first), self.roots_of(second)
        if own.isdisjoint(others):
            return False
        if any(a.arms for a in first) and any(b.arms for b in second):
            return any(self._may_meet(a, b) for a in first for b in second)
        if self._cut.isdisjoint(own) or self._cut.isdisjoint(others):
            return True
        return any(a is b or self._meet(a, b) for a in first for b in second)

    def _may_meet(self, first: Obj, second: Obj) -> bool:
        """Tell whether two objects may share memory, of which one may be made only where the other isn't."""
        if first is second or first.excludes(second) or self.roots(first).isdisjoint(self.roots(second)):
            return first is second
        return self._meet(first, second)

    def _meet(self, first: Obj, second: Obj) -> bool:
        """Tell whether two objects come from the same memory by ways that don't cut it into pieces apart."""
        left, right = self._cuts(first), self._cuts(second)
        if second in left or first in right:
            return True
        return any(not _disjoint(pieces, right[ancestor]) for ancestor, pieces in left.items() if ancestor in right)

    def _refresh(self) -> None:
        """Discard the results that lead through objects whose bases have changed."""
        stale = self._stale
        if not stale:
            return
        if stale.isdisjoint(self._told):  # new views, mostly: nothing is lost, but other forks don't know them
            self._roots, self._joined, self._pieces = dict(self._roots), dict(self._joined), dict(self._pieces)
        else:
            self._roots = {obj: roots for obj, roots in self._roots.items() if stale.isdisjoint(roots)}
            self._joined = {objs: roots for objs, roots in self._joined.items() if stale.isdisjoint(roots)}
            self._pieces = {obj: cuts for obj, cuts in self._pieces.items() if obj in self._roots}
        self._parted = {}
        self._stale = set()

    def _closure(self, obj: Obj) -> Objs:
        found = {obj}
        todo = found & self._views
        while todo:
            new: set[Obj] = set()
            for view in todo:
                new |= self._roots.get(view) or self[view].objs
            new -= found
            found |= new
            todo = new & self._views
        return frozenset(found)

    def _cuts(self, obj: Obj) -> Mapping[Obj, Pieces]:
        """Return the object and its ancestors, each with the pieces that were cut out on the way to it."""
        found = self._pieces.get(obj)
        if found is None:
            found = self._pieces[obj] = self._walk(obj)
        return found

    def _walk(self, obj: Obj) -> Mapping[Obj, Pieces]:
        found = {obj: _WHOLE}
        todo = [obj]
        while todo:
            current = todo.pop()
            base = self.get(current)
            if base is None:
                continue
            pieces = found[current] | {base.piece} if base.piece else found[current]
            for parent in base.objs:
                known = found.get(parent)
                common = pieces if known is None else known & pieces  # those of every way: `a` may be `y[0]` or `y[1]`
                if common != known:
                    found[parent] = common
                    todo.append(parent)
        return found


def _disjoint(first: Pieces, second: Pieces) -> bool:
    """Tell whether two views were cut from different pieces of one split."""
    return any(split == other and _is_apart(piece, part) for split, piece in first for other, part in second)


def _is_apart(piece: Hashable, part: Hashable) -> bool:
    if ANY in (piece, part):
        return False
    return piece.is_apart(part) if isinstance(piece, Box) and isinstance(part, Box) else piece != part
