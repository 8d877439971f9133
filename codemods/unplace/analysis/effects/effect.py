"""The effect record: what a call does to its arguments, what it returns, and what autograd saves of both.

One record serves torch's operators and layers (`operators`, `layers`), Python's builtins and other libraries
(`models`), and the functions of the analysed files (`summaries`). It is applied in one place (`applying`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from unplace.analysis.domain.graph import ARGUMENTS, UNSEEN, Graph
from unplace.analysis.domain.values import Link, Origin, Token

NOBODY: frozenset[str] = frozenset()
EVERY = "*"
"""The parameter that stands for all arguments."""

REST = "**"
"""The parameter that stands for the keyword arguments; as a slot, it stands for all slots of another object."""

EACH = "#"
"""The slot that stands for one slot per extra argument of a variadic parameter."""

RESULT = "result"
LEFT = "attribute"  # a call left the tensor in an attribute of an argument
"""The name of the returned value as a part of an operation, as in torch's table."""

RETURNED = "return"
"""The name of the returned value among parameters: as a keyword, it can name none of them."""


class Save(NamedTuple):
    """An argument, or `RETURNED`, that autograd saves for backward; messages and rewrites call it `part`.

    It does so only if what brings the `graph`, in the terms of the callee, has one.
    """

    parameter: str
    certain: bool = True
    part: str | None = None
    graph: Graph = ARGUMENTS


class Kept(NamedTuple):
    """An operation that saved a returned tensor for backward, with its file ("" for a text alone) and line."""

    operation: str
    certain: bool
    place: tuple[str, int]
    graph: Graph = UNSEEN


class View(NamedTuple):
    """How a returned tensor looks into arguments; it has the dtype, shape and graph of the first of them.

    `is_piece`: the tensors of the returned sequence are disjoint. `forbidden`: torch refuses to write them in place.
    """

    of: tuple[str, ...]
    link: Link
    same_shape: bool = False
    is_piece: bool = False
    forbidden: bool = False


class Held(NamedTuple):
    """A slot of an argument that holds the returned value afterwards, if `certain` on every way that returns one."""

    parameter: str
    slot: str
    certain: bool = True


class Drawn(NamedTuple):
    """An element of an argument as a loop yields it or, for several arguments, an element of any of them.

    `is_copy`: the call copies its argument, as `list(xs)` does, so that a sequence gives its elements themselves.
    `part` is the index of the part of the element that counts, as the values of `dict(pairs)` are the second parts.
    """

    parameters: tuple[str, ...]
    is_copy: bool = False
    part: int | None = None


class Slot(NamedTuple):
    """The value in a slot of an argument: in a dictionary, under the given key; else in any slot; or the default."""

    of: str
    key: str = ""
    default: str = ""


class Attribute(NamedTuple):
    """The value that an attribute of an argument held before the call: `return self.h`."""

    of: str
    name: str


class Item(NamedTuple):
    """What an index takes of an argument of which the callee doesn't know what it is, `return x[i]`.

    If the argument is a tensor, it is a view of that, by this link.
    """

    of: str
    link: Link


Source = View | Drawn | Slot | Attribute | Item


class Returned(NamedTuple):
    """A returned value: fresh, one of these parameters or a view of it, or an object held elsewhere.

    - `parameters`: the parameters whose objects the value may be, or may view
    - `same`: the parameter that is certainly handed back itself
    - `foreign`: code that the analysis can't see may hold the value; `is_kept`: the code in sight has put it where
      other code finds it; `is_of_unseen`: it is what a call into unseen code returned, where unseen code may hold it
    - `is_view`: the value is a view of memory that the call made
    - `is_piece`: the value stands for the disjoint outputs of a split of such memory; `forbidden`: torch refuses to
      write them in place
    - `graph`: where the graph of the value comes from, in the terms of the callee
    - `held`: the slots of arguments that hold the value, or memory that it shares
    - `elements`: the slots of a returned container, with their values
    - `together`: pairs of elements that may share memory; `unseen`: those that do so only if unseen code makes them
    - `overlapping`: several elements of the tensor may share one address
    - `saved`: the operations that saved the tensor for backward, each with whether that is certain, which means on
      every way through the function
    - `source`: more than `parameters` tells, where it is known: which view of which of them the value is, or that it is
      one of their elements or attributes
    - `outside`: the origin of memory that no argument brings and that is the same in every call
    - `like`: the parameter whose shape and dtype the value has, and `dtype_of` the one whose dtype it has
    - `kind_of`: the parameter whose kind the value has
    - `is_new`: a constructor made the value
    - `may_be_leaf`: the call says whether the value gets a gradient
    - `holds`: False if no tensor can be reached from the value
    - `folded`: the value combines all arguments by `+` or, where `parameters` has them, may be one of them
    - `label`: the name of the value in messages
    - `operator`: the method or attribute of tensors that makes the value
    """

    kinds: int
    parameters: frozenset[str] = NOBODY
    same: str | None = None
    foreign: bool = False
    elements: tuple[tuple[Hashable, Returned], ...] = ()
    dtype: Token = None
    graph: Graph = ARGUMENTS
    ref: Hashable = None
    likely: bool = False
    together: frozenset[tuple[Hashable, Hashable]] = frozenset()
    overlapping: bool = False
    saved: frozenset[Kept] = frozenset()
    source: Source | None = None
    outside: Origin | None = None
    shape: Token = None
    like: str | None = None
    kind_of: str | None = None
    dtype_of: str | None = None
    is_new: bool = False
    may_be_leaf: bool = False
    holds: bool = True
    folded: bool = False
    label: str = ""
    operator: str | None = None
    held: frozenset[Held] = frozenset()
    is_view: bool = False
    is_piece: bool = False
    forbidden: bool = False
    unseen: frozenset[tuple[Hashable, Hashable]] = frozenset()
    is_kept: bool = False
    is_of_unseen: bool = False

    @property
    def is_cut(self) -> bool:
        """Tell whether the value stands for the disjoint outputs of a split of any memory."""
        return self.is_piece or (isinstance(self.source, View) and self.source.is_piece)


class Left(NamedTuple):
    """An attribute of an argument with the value that a call leaves there: `self.h = self.h.exp()`."""

    parameter: str
    name: str
    value: Returned


class Effect(NamedTuple):
    """The effect of a call, by parameter.

    - `returned`: the returned value; None if nothing is known about it, nor about what else the call does with its
      arguments
    - `reads`: False if only the arguments themselves matter and not their content: `isinstance(x, list)`
    - `writes`: the tensors that are written, and `may_write` those that are if they are tensors at all
    - `writes_held`: the attributes of arguments whose tensors are written, `self.queue`, and `may_write_held` those
      that are if they hold tensors at all
    - `changes`: the objects whose slots change
    - `leaves`: the attributes of some of these objects that hold something else afterwards, on every way through the
      function, each with its value; nothing else in such an object changes
    - `keeps`: the arguments that escape, `surely_keeps` those that certainly do, `shows` those that only code out of
      sight gets
    - `saves`: the tensors that autograd saves, `saves_held` those in attributes of arguments, `self.h`, and
      `saves_captured` those of names of an enclosing function
    - `keeps_outer`, `writes_outer`: the object of a name of an outer scope escapes, or is written
    - `brings`: the graph of what is written, in the terms of the callee
    - `replaces`: the tensors whose `.data` is stored to, so that their views look at memory that they no longer have
    - `reshapes`: the tensors whose shape or strides change
    - `puts`: pairs of an argument (or its elements) and the container that it is put into
    - `moves`: the containers whose elements change places
    - `takes`: the containers that lose the element that is returned
    - `keeper`: the name, in messages, of the code or object to which the arguments escape
    """

    returned: Returned | None
    reads: bool = True
    writes: frozenset[str] = NOBODY
    changes: frozenset[str] = NOBODY
    keeps: frozenset[str] = NOBODY
    surely_keeps: frozenset[str] = NOBODY
    saves: tuple[Save, ...] = ()
    keeps_outer: bool = False
    writes_outer: bool = False
    replaces: frozenset[str] = NOBODY
    reshapes: frozenset[str] = NOBODY
    puts: tuple[tuple[str | Source, str], ...] = ()
    moves: frozenset[str] = NOBODY
    takes: tuple[Slot, ...] = ()
    keeper: str = ""
    may_write: frozenset[str] = NOBODY
    writes_held: frozenset[str] = NOBODY
    may_write_held: frozenset[str] = NOBODY
    saves_held: tuple[Save, ...] = ()
    saves_captured: tuple[Save, ...] = ()
    leaves: tuple[Left, ...] = ()
    shows: frozenset[str] = NOBODY
    brings: Graph = ARGUMENTS


def keeps_arguments(effect: Effect | None) -> bool:
    """Tell whether a function certainly keeps what it gets, or what it returns."""
    if effect is None:
        return False
    return bool(effect.surely_keeps) or (effect.returned is not None and _is_kept(effect.returned))


def _is_kept(returned: Returned) -> bool:
    return returned.is_kept or any(_is_kept(inner) for _, inner in returned.elements)


def leaves_alone(effect: Effect, name: str) -> bool:
    """Tell whether a function only reads the argument of a parameter, so that a copy would do as well."""
    return effect.returned is not None and hands_on(effect, name) and name not in _mentioned(effect.returned)


def hands_on(effect: Effect, name: str) -> bool:
    """Tell whether a function neither changes nor keeps the argument of a parameter, though it may return it."""
    touched = effect.writes | effect.may_write | effect.changes | effect.keeps | effect.replaces | effect.reshapes
    return effect.returned is not None and name not in touched


def _mentioned(returned: Returned) -> set[str]:
    own = set(returned.parameters) | ({returned.same} if returned.same is not None else set())
    return own.union(*(_mentioned(inner) for _, inner in returned.elements))
