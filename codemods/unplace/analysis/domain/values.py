"""The abstract domain: kinds of values, abstract objects, and what an expression may evaluate to.

Kinds are bit sets (plain integers: the interpreter joins them millions of times). A `Value` knows the abstract
objects it may be, and carries tokens: two values with the same `identity` token are the same object for certain,
with the same `shape` / `dtype` token they have the same shape / dtype for certain.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

TENSOR = 1
NUMBER = 2
NONE = 4
TEXT = 8
LIST = 16
TUPLE = 32
DICT = 64
SHAPE = 128  # torch.Size, a tuple of ints
ARRAY = 256  # numpy
MODULE = 512  # an nn.Module
CALLABLE = 1024  # functions, classes, bound methods
NAMESPACE = 2048  # imported modules
OTHER = 4096  # known, and none of the above: a dtype, an optimizer, a context manager, ...
UNKNOWN = 8192

CONTAINER = LIST | TUPLE | DICT
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
DISCRETE = (*INTEGERS, "bool")
FLOATS = ("float64", "float32", "default", "float16", "bfloat16")  # default: torch's default dtype, whichever it is

Token = Hashable


class Origin(Enum):
    """Where an abstract object comes from; all but `FRESH` may be held by code that the analysis can't see."""

    FRESH = "fresh"
    PARAMETER = "parameter"
    ATTRIBUTE = "attribute"
    GLOBAL = "global"
    CLOSURE = "closure"
    CALL = "call"
    REGISTERED = "registered"  # a parameter, buffer or gradient: being written in place is its purpose


class Link(Enum):
    """How an object's memory relates to that of its base."""

    VIEW = "view"  # always a view
    MAYBE = "maybe"  # a view, a copy or the base itself, depending on layout, dtype or arguments
    CALL = "call"  # the result of code that the analysis can't see, which may hand its argument back
    DATA = "data"  # its `.data` was set to the base, or to a view of it


class Tracked(Enum):
    """Whether a tensor can be part of an autograd graph."""

    NO = "no"
    MAYBE = "maybe"
    LEAF = "leaf"  # made with requires_grad=True


@dataclass(frozen=True, slots=True, eq=False)
class Obj:
    """An abstract object: everything that one place in the source may create, or one thing that comes from outside.

    `old` stands for the objects that earlier iterations of a loop made at the same place. `index` numbers objects
    in order of creation and makes every order deterministic. `operator` names the method or attribute of tensors that
    made one: `split`, `data`, and `__iter__` for the rows that a loop takes. `label` is for messages alone.
    """

    index: int
    origin: Origin
    label: str
    line: int
    old: bool = False
    overlapping: bool = False  # expanded memory: several elements share one address
    operator: str | None = None

    def __hash__(self) -> int:
        return self.index

    @property
    def parameter(self) -> str | None:
        """The name of the parameter that the object was passed for, if it was."""
        return self.label.strip("`") if self.origin is Origin.PARAMETER else None


ITERATING = "__iter__"
"""The operator by which a loop or an unpacking takes the rows of a tensor."""

SELECTING = "__getitem__"
"""The operator by which an index with tensors or lists in it copies elements."""

Objs = frozenset[Obj]
NO_OBJS: Objs = frozenset()


class Value(NamedTuple):
    """What an expression may evaluate to; a tuple, because so many are made and compared."""

    kinds: int
    objs: Objs = NO_OBJS
    identity: Token = None
    shape: Token = None
    dtype: Token = None  # a name such as 'float32', or a token for an unknown dtype; None: nothing known
    tracked: Tracked = Tracked.MAYBE
    ref: Hashable = None  # what a callable, class, module or namespace stands for
    likely: bool = False  # the kind is a good guess, not a proof

    def may_be(self, kinds: int) -> bool:
        """Whether the value may be of one of these kinds."""
        return bool(self.kinds & kinds)

    def must_be(self, kinds: int) -> bool:
        """Whether the value is of one of these kinds for certain."""
        return self.kinds & ~kinds == 0 and self.kinds != 0

    @property
    def is_tensor(self) -> bool:
        """A tensor wherever an in-place tensor operation can succeed (a number or None may be mixed in)."""
        return self.kinds & TENSOR != 0 and self.kinds & ~(TENSOR | NUMBER | NONE) == 0


def is_same(first: Value, second: Value) -> bool:
    """Whether two values are one object for certain."""
    token = first.identity
    if token is None or token != second.identity:
        return False
    return not (isinstance(token, Obj) and token.old)


UNKNOWN_VALUE = Value(UNKNOWN)
NUMBER_VALUE = Value(NUMBER)
NONE_VALUE = Value(NONE)
TEXT_VALUE = Value(TEXT)
OTHER_VALUE = Value(OTHER)


class Base(NamedTuple):
    """The memory that an object looks into.

    `objs` are the possible bases; `piece` tells the outputs of one splitting operation apart: different pieces of
    the same split don't overlap. `forbidden` marks views that torch refuses to write in place.
    """

    objs: Objs
    link: Link
    piece: tuple[Token, Hashable] | None = None
    forbidden: bool = False


class Saved(NamedTuple):
    """An operation that kept a tensor for backward; `certain` is False for code the analysis can't see.

    `node` is the operation where it is known, `part` the parameter whose argument it kept, or "result".
    """

    operation: str
    line: int
    certain: bool = True
    node: ast.expr | ast.AugAssign | None = None
    part: str = ""


def in_order(saved: Iterable[Saved]) -> list[Saved]:
    """By place and name: sets have another order in each run."""
    return sorted(saved, key=lambda s: (s.line, s.operation, s.part, s.node.col_offset if s.node is not None else -1))


@dataclass(slots=True)
class Names:
    """Hands out abstract objects; one per place in the source, and one more for its earlier iterations."""

    by_key: dict[Hashable, Obj] = field(default_factory=dict)
    _keys: list[Hashable] = field(default_factory=list)

    def key_of(self, obj: Obj) -> Hashable:
        """What an object was made for: a node and more; that of a later iteration for one of an earlier."""
        key = self._keys[obj.index]
        return self._keys[key[1]] if obj.old and isinstance(key, tuple) else key

    def obj(
        self,
        key: Hashable,
        origin: Origin,
        label: str,
        line: int,
        *,
        overlapping: bool = False,
        operator: str | None = None,
    ) -> Obj:
        """The object of this place: the same one each time it is asked for."""
        found = self.by_key.get(key)
        if found is None:
            found = Obj(len(self.by_key), origin, label, line, False, overlapping, operator)
            self.by_key[key] = found
            self._keys.append(key)
        return found

    def aged(self, obj: Obj) -> Obj:
        """The object that stands for what earlier iterations made where `obj` is made."""
        if obj.old:
            return obj
        key = ("old", obj.index)
        found = self.by_key.get(key)
        if found is None:
            found = Obj(len(self.by_key), obj.origin, obj.label, obj.line, True, obj.overlapping, obj.operator)
            self.by_key[key] = found
            self._keys.append(key)
        return found
