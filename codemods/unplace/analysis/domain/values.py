"""The abstract domain: kinds, abstract objects, and the abstract values of expressions.

Kinds are bit sets (plain integers: the interpreter joins them millions of times). A `Value` knows the abstract objects
that an expression may evaluate to, and carries tokens: two values with the same `identity` token are certainly the same
object, and two with the same `shape` or `dtype` token certainly have the same shape or dtype.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from unplace.analysis.domain.graph import UNSEEN, Graph

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
    """The origin of an abstract object; all but `FRESH` objects may be held by code that the analysis can't see."""

    FRESH = "fresh"
    PARAMETER = "parameter"
    ATTRIBUTE = "attribute"
    GLOBAL = "global"
    CLOSURE = "closure"
    CALL = "call"
    REGISTERED = "registered"  # a parameter, buffer or gradient: it is meant to be written in place


class Link(Enum):
    """The relation of an object's memory to that of its base."""

    VIEW = "view"  # always a view
    MAYBE = "maybe"  # a view, a copy or the base itself, depending on dtype, device or arguments
    EITHER = "either"  # the same, where the code in sight shows the sharing, or it is what mostly happens
    CALL = "call"  # the result of code that the analysis can't see, which may return its argument
    DATA = "data"  # its `.data` was set to the base, or to a view of it


Arms = Mapping[Hashable, bool]
"""Branches, by the statement that takes one of them."""

NO_ARMS: Arms = {}


class Obj(int):
    """An abstract object: all objects that one allocation site may create, or one object that comes from outside.

    `index` numbers objects in order of creation, in which they are sorted, and makes every order deterministic: it is
    the hash, and an integer has its hash without running Python code. But an object equals only itself. `old` marks the
    object that stands for those that earlier iterations of a loop made at the same site. `overlapping` marks expanded
    memory, where several elements share one address. `operator` names the method or attribute of tensors that made an
    object: `split`, `data`, and `__iter__` for the rows that a loop takes. `label` is for messages only. `parameter` is
    the name of the parameter that the object was passed for; None if it isn't an argument. `arms` are the branches,
    each of a statement that runs at most once, in which alone the object is made.
    """

    index: int
    origin: Origin
    label: str
    line: int
    old: bool
    overlapping: bool
    operator: str | None
    parameter: str | None
    arms: Arms

    def __new__(
        cls,
        index: int,
        origin: Origin,
        label: str,
        line: int,
        old: bool = False,
        overlapping: bool = False,
        operator: str | None = None,
    ) -> Obj:
        """Make an object that is no other one's equal."""
        self = super().__new__(cls, index)
        self.index, self.origin, self.label, self.line = index, origin, label, line
        self.old, self.overlapping, self.operator = old, overlapping, operator
        self.parameter = label.strip("`") if origin is Origin.PARAMETER else None
        self.arms = NO_ARMS
        return self

    def excludes(self, other: Obj) -> bool:
        """Tell whether the object is made only where another one isn't: in the other branch of an `if`."""
        return any(self.arms[fork] != arm for fork, arm in other.arms.items() if fork in self.arms)

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Obj({self.index}, {self.label})"


PARAMETER_MADE = "a parameter"  # the label of what `nn.Parameter(...)` returns
CONSUMER = "the consumer of the generator"  # what keeps a tensor that a generator yields
PARAMETER_GROUP = "a parameter group"  # the label of an element of `optimizer.param_groups`

ANY = "*"  # the slot that stands for all elements of a container

ITERATING = "__iter__"
"""The operator by which a loop or an unpacking takes the rows of a tensor."""

BY_CALLS = CALLED, LAYER_CALLED = "__call__", "forward"
"""The operators of what a call into code out of sight, or of a layer there, returned, and of the elements of that."""

SELECTING = "__getitem__"
"""The operator by which an index with tensors or lists in it copies elements."""

Objs = frozenset[Obj]
NO_OBJS: Objs = frozenset()


class Value(NamedTuple):
    """The abstract value of an expression: a tuple, because so many are made and compared."""

    kinds: int
    objs: Objs = NO_OBJS
    identity: Token = None
    shape: Token = None
    dtype: Token = None  # a name such as 'float32', or a token for an unknown dtype; None: nothing is known
    graph: Graph = UNSEEN
    ref: Hashable = None  # the object that a callable, class, module or namespace stands for
    likely: bool = False  # the kind is a good guess, not a proof

    def may_be(self, kinds: int) -> bool:
        """Tell whether the value may be of one of these kinds."""
        return bool(self.kinds & kinds)

    def must_be(self, kinds: int) -> bool:
        """Tell whether the value is certainly of one of these kinds."""
        return self.kinds & ~kinds == 0 and self.kinds != 0

    @property
    def is_tensor(self) -> bool:
        """Tell whether the value is a tensor wherever an in-place operation succeeds; else a number or None."""
        return self.kinds & TENSOR != 0 and self.kinds & ~(TENSOR | NUMBER | NONE) == 0

    def with_tokens(self, identity: Token, shape: Token, dtype: Token) -> Value:
        """Return the same value with other tokens; faster than `_replace`."""
        if identity is self.identity and shape is self.shape and dtype is self.dtype:
            return self
        return Value(self.kinds, self.objs, identity, shape, dtype, self.graph, self.ref, self.likely)


def is_same(first: Value, second: Value) -> bool:
    """Tell whether two values are certainly one object."""
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
    """The memory that a view looks into.

    `objs` are the possible bases. `holders` are the objects whose element or attribute the object is: it shares memory
    with them, or is held by them, even if it shares none with the other bases; `key` is its index, where that is known.
    `piece` tells the outputs of one
    splitting operation apart: different pieces of the same split don't overlap. `forbidden` marks views that torch
    refuses to write in place.
    """

    objs: Objs
    link: Link
    piece: tuple[Token, Hashable] | None = None
    forbidden: bool = False
    holders: Objs = NO_OBJS
    key: Hashable = None


class Saved(NamedTuple):
    """A record that an operation saved a tensor for backward, or that a tensor escaped to code or to another object.

    `certain` is False for code that the analysis can't see. `node` is the operation where it is known, and `part` the
    parameter whose argument it saved, "result", "attribute" where a call left the tensor in one, or `CALLED` where code
    out of sight got it. `file` is set where the line is one of another file. `on_path` is False where the names that
    hold the tensor don't hold it on the paths on which it was saved. `inside` is the file and line of an operation in
    the function that `node` calls. `graph` is what the operation would need a gradient for.
    """

    operation: str
    line: int
    certain: bool = True
    node: ast.expr | ast.AugAssign | None = None
    part: str = ""
    file: str | None = None
    on_path: bool = True
    inside: tuple[str, int] | None = None
    graph: Graph = UNSEEN


def by_place(saved: Saved) -> tuple[int, str, str, int, tuple[str, int]]:
    """Return a key that sorts records by place and name, because the order of a set differs from run to run."""
    column = saved.node.col_offset if saved.node is not None else -1
    return saved.line, saved.operation, saved.part, column, saved.inside or ("", 0)


def in_order(saved: Iterable[Saved]) -> list[Saved]:
    """Return the records sorted by place and name."""
    return sorted(saved, key=by_place)


@dataclass(slots=True)
class Names:
    """A factory of abstract objects: one for each allocation site, and one more for its earlier iterations."""

    by_key: dict[Hashable, Obj] = field(default_factory=dict)
    arms: Arms = field(default_factory=dict)
    _keys: list[Hashable] = field(default_factory=list)

    def owns(self, obj: Obj) -> bool:
        """Tell whether the factory made an object; those worked out for other scopes aren't."""
        return obj.index < len(self._keys) and self.by_key.get(self._keys[obj.index]) is obj

    def key_of(self, obj: Obj) -> Hashable:
        """Return the key of an object's allocation site: a node and more; an old object has that of the newer one."""
        key = self._keys[obj.index]
        return self._keys[key[1]] if obj.old and isinstance(key, tuple) else key

    def at(self, index: int) -> Obj:
        """Return the object with an index."""
        return self.by_key[self._keys[index]]

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
        """Return the object of an allocation site: the same one on each call with this key."""
        found = self.by_key.get(key)
        if found is None:
            found = Obj(len(self.by_key), origin, label, line, False, overlapping, operator)
            found.arms = self.arms if origin is Origin.FRESH else NO_ARMS
            self.by_key[key] = found
            self._keys.append(key)
        elif found.arms is not self.arms and found.arms:
            found.arms = {fork: arm for fork, arm in found.arms.items() if self.arms.get(fork) is arm}
        return found

    def parts_of(self, split: Token) -> Obj | None:
        """Return the sequence that a splitting operation gave: the node of the call, or its key for an own function."""
        return self.by_key.get(split if isinstance(split, tuple) else (split, None))

    def aged(self, obj: Obj) -> Obj:
        """Return the old object of the site of `obj`, which stands for those that earlier iterations made there."""
        if obj.old:
            return obj
        key = ("old", obj.index)
        found = self.by_key.get(key)
        if found is None:
            found = Obj(len(self.by_key), obj.origin, obj.label, obj.line, True, obj.overlapping, obj.operator)
            self.by_key[key] = found
            self._keys.append(key)
        return found
