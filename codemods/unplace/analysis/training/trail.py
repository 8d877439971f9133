"""What statements do, one after the other: for those who want them in another order.

What isn't known to be harmless is unclear: a call of code not in sight, a write to a container, a branch either of
whose ways may be gone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unplace import torchapi
from unplace.analysis.training.values import (
    Function,
    Given,
    Instance,
    Items,
    Known,
    Layer,
    Method,
    Named,
    Optimizer,
    Table,
    Tensor,
    Thing,
    Weights,
    weights_of,
)
from unplace.torchapi import members

_PURE = frozenset(
    [
        *("abs", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min"),
        *("print", "range", "round", "str", "sum", "tuple", "zip"),
    ]
)
"""The functions of Python that change nothing of what they get."""

_OF_TRAINING = frozenset(["step", "zero_grad", "parameters", "named_parameters"])
"""The methods of modules and optimizers that are recorded by themselves, or change nothing."""

Key = tuple[int, str]
"""A name of some names, or an attribute of an object."""


class Ran(NamedTuple):
    """A statement that ran from a time to another, and its place in a block, whose run began at `entered`."""

    block: Sequence[ast.stmt]
    entered: int
    place: int
    start: int
    end: int


@dataclass(slots=True)
class Doing:
    """What was done in a time: the names that were read or bound, and the weights that were read or written.

    `is_drawing` tells that it may have drawn random numbers, or run a layer, and `is_unclear` that it may have done
    anything.
    """

    read: set[Key] = field(default_factory=set)
    bound: set[Key] = field(default_factory=set)
    touched: set[Weights] = field(default_factory=set)
    is_drawing: bool = False
    is_unclear: bool = False

    def is_independent_of(self, other: Doing) -> bool:
        """Tell whether two stretches of code may change places, as far as names and random numbers go."""
        is_clear = not any((self.is_unclear, other.is_unclear, self.is_drawing, other.is_drawing))
        meet = self.bound & (other.read | other.bound) or other.bound & self.read
        return is_clear and not meet


@dataclass(slots=True, eq=False)
class Trail:
    """All that was done, each with its time."""

    statements: list[Ran] = field(default_factory=list)
    _read: list[tuple[int, Key]] = field(default_factory=list)
    _bound: list[tuple[int, Key]] = field(default_factory=list)
    _touched: list[tuple[int, Weights]] = field(default_factory=list)
    _drawn: list[int] = field(default_factory=list)
    _unclear: list[int] = field(default_factory=list)
    _owners: dict[int, object] = field(default_factory=dict)  # kept, so that no other object gets their numbers

    def reads(self, time: int, owner: object, name: str) -> None:
        """Record that a name is read."""
        self._read.append((time, self._key(owner, name)))

    def binds(self, time: int, owner: object, name: str) -> None:
        """Record that a name is bound."""
        self._bound.append((time, self._key(owner, name)))

    def touches(self, time: int, weights: Iterable[Weights]) -> None:
        """Record that weights, or their gradients, are read or written."""
        self._touched += [(time, each) for each in weights]

    def is_unclear(self, time: int) -> None:
        """Record that anything may happen."""
        self._unclear.append(time)

    def calls(self, time: int, callee: Thing, given: Given) -> None:
        """Record what a call does by itself; functions of the run are executed."""
        for thing in given.all():
            self.touches(time, weights_of(thing))
        if "out" in given.named or "inplace" in given.named:
            self.is_unclear(time)
        if isinstance(callee, Layer):
            self._drawn.append(time)
        elif isinstance(callee, Named):
            self._calls_named(time, callee.qualified)
        elif isinstance(callee, Method):
            self.touches(time, weights_of(callee.receiver) if callee.name not in _OF_TRAINING else ())
            if not _is_harmless(callee, given):
                self.is_unclear(time)
        elif not isinstance(callee, Function | Instance | Items):
            self.is_unclear(time)

    def _calls_named(self, time: int, qualified: str) -> None:
        room, _, last = qualified.rpartition(".")
        operator = torchapi.function(qualified)
        written = torchapi.inplace_function(qualified)
        if operator is not None and not operator.writes:
            self._drawn += [time] if operator.random else []
        elif (written is None or written.kind != "gradient") and (room != "builtins" or last not in _PURE):
            self.is_unclear(time)

    def between(self, start: int, end: int) -> Doing:
        """Return what was done between two times."""
        return Doing(
            {key for time, key in self._read if start <= time <= end},
            {key for time, key in self._bound if start <= time <= end},
            {weights for time, weights in self._touched if start <= time <= end},
            any(start <= time <= end for time in self._drawn),
            any(start <= time <= end for time in self._unclear),
        )

    def together(self, times: Sequence[int]) -> list[Ran] | None:
        """Return the statements, of the innermost run of a block, in which things at some times happened."""
        around = [[ran for ran in self.statements if ran.start <= time <= ran.end] for time in times]
        for innermost in sorted(around[0], key=lambda ran: ran.start - ran.end, reverse=True):
            found = [next((ran for ran in rans if ran.entered == innermost.entered), None) for rans in around]
            if all(found):
                return [ran for ran in found if ran is not None]
        return None

    def _key(self, owner: object, name: str) -> Key:
        self._owners[id(owner)] = owner
        return id(owner), name


def _is_harmless(method: Method, given: Given) -> bool:
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Optimizer):
        return name in _OF_TRAINING and not any(isinstance(thing, Function) for thing in given.all())
    if isinstance(receiver, Tensor):
        operator = torchapi.tensor_method(name)
        return name in members.HANDING_VALUES or (operator is not None and not operator.writes and not operator.random)
    if isinstance(receiver, Layer | Instance | Items | Table):
        return name in _OF_TRAINING
    return isinstance(receiver, Known)
