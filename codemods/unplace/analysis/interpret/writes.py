"""Records of in-place operations, and predicates over the tensors that take part in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from unplace import torchapi
from unplace.analysis.domain.gradmode import Record
from unplace.analysis.domain.graph import NO_GRAPH, Graph, of_all
from unplace.analysis.domain.refs import GENERAL, Instance, Variant
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import (
    DICT,
    DISCRETE,
    LIST,
    NO_OBJS,
    NUMBER,
    NUMBER_VALUE,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Link,
    Objs,
    Value,
    is_same,
)
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import members, results


@dataclass(slots=True)
class Write:
    """One in-place operation, with the facts that hold just before it.

    `target` is the expression of the written tensor (`x` in `x[i] = v`), `value` its abstract value.
    """

    node: ast.AST
    kind: WriteKind
    target: ast.expr
    value: Value
    state: Snapshot
    statement: ast.stmt
    name: str = ""  # the method or qualified function, where there is one
    operands: tuple[Value, ...] = ()
    source: ast.Call | None = None  # the call that made the writing module
    inside: ast.AST | None = None  # the comprehension around the write
    autocast: bool = False  # inside a `with torch.autocast` block, where results have other dtypes
    data: ast.Attribute | None = None  # `y.data`, if the write goes through it
    is_local: bool = False  # the written tensor was made in the same round of `inside`
    is_one_of_several: bool = False  # the call runs several layers, or one of several
    in_any_order: bool = False  # the call runs layers in an order that isn't known
    is_unclear: bool = False  # nothing shows whether the written object is a tensor
    variant: Variant = GENERAL  # of the function that a call hands the tensor to

    @property
    def record(self) -> Record:
        """The grad mode that the operation runs in."""
        return self.state.record

    @property
    def operator(self) -> torchapi.InplaceMethod | torchapi.InplaceFunction | None:
        """The entry of torch's table for the in-place operator that the write names, if it names one."""
        if self.kind.is_method:
            return torchapi.inplace_method(self.name)
        return torchapi.inplace_function(self.name) if self.kind is WriteKind.FUNCTION else None

    @property
    def is_elementwise(self) -> bool:
        """Whether the operation computes each element that it writes only from elements at the same position."""
        if not self.kind.is_method:
            return self.kind is WriteKind.AUGMENTED
        method = torchapi.inplace_method(self.name)
        operator = torchapi.tensor_method(method.functional) if method is not None and method.functional else None
        return operator is not None and operator.elementwise

    @property
    def short_name(self) -> str:
        """The name that the operator has out of place, without its module: `add` for `torch.add_`."""
        return self.name.rsplit(".", 1)[-1].removesuffix("_")

    def reads_what_it_writes(self, *, certainly: bool = False) -> bool:
        """Tell whether an operand may be (`certainly`: is) another view of the target's memory.

        The order in which torch then reads and writes isn't defined, and autograd's formula isn't the derivative of the
        result.
        """
        found = self.overlapping(self.state)
        return any(self._has_same_owner(operand) for operand in found) if certainly else bool(found)

    def overlapping(self, state: Snapshot) -> tuple[Value, ...]:
        """Return the operands that may be other views of the target's memory, where `state` holds."""
        if not self.kind.is_whole or self.kind is WriteKind.DATA:  # a store to `.data` writes no memory
            return ()
        return tuple(operand for operand in self.operands if self._overlaps(operand, state))

    def _overlaps(self, operand: Value, state: Snapshot) -> bool:
        if not operand.objs or operand.may_be(LIST | TUPLE | DICT) or is_same(operand, self.value):
            return False
        if operand.objs & self.value.objs or self.reads_permuted(operand):
            return False
        return state.may_share(operand.objs, self.value.objs)

    def reads_permuted(self, operand: Value) -> bool:
        """Tell whether an operand is the target itself with its dimensions permuted, `a += a.t()`: torch refuses that.

        Measured: a sparse tensor isn't refused, and is read before it is written.
        """
        bases = [self.state.bases.get(obj) for obj in operand.objs if obj.operator in members.PERMUTING]
        views = [base.objs for base in bases if base is not None and base.link is Link.VIEW]
        is_all = bool(views) and len(views) == len(operand.objs)
        return self.is_elementwise and is_all and all(objs == self.value.objs for objs in views)

    def _has_same_owner(self, operand: Value) -> bool:
        owners = {self.state.owner(obj) for obj in operand.objs | self.value.objs}
        return len(owners) == 1 and None not in owners


Handings = dict[tuple[ast.Call, str, Scope], tuple[Scope, Write]]
"""The tensors that calls pass to functions which write them, by call, parameter and callee, with the callee."""


class Given(NamedTuple):
    """What a call gives the function that it runs: graphs by parameter, what it fixes, and the grad mode."""

    graphs: Mapping[str, Graph]
    variant: Variant
    record: Record


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A call that can't be resolved but may reach a function of the file.

    `write` records the arguments, and all that is reachable from them, as written; `values` has the value of each.
    """

    write: Write
    values: Mapping[ast.expr, Value]


def stays_in_place(kind: WriteKind, name: str, value: Value) -> bool:
    """Tell whether a method has no out-of-place equivalent for this tensor, so that the call has to stay.

    That is `fill_diagonal_`; on a tensor with a graph also `copy_`, random fills and comparisons, because they send
    zeros to its gradient.
    """
    method = torchapi.inplace_method(name) if kind.is_method else None
    if method is None:
        return False
    if method.kind in ("copy", "random") or (method.dtype == "bool" and value.dtype != "bool"):
        return can_be_tracked(value)
    return method.kind == "diagonal"


def is_data_attribute(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Tell whether an expression is the `.data` of something: `x.data`."""
    return isinstance(node, ast.Attribute) and node.attr == "data"


def is_tensor_data(node: ast.AST, values: Mapping[ast.expr, Value]) -> TypeGuard[ast.Attribute]:
    """Tell whether an expression may be the `.data` of a tensor, rather than a field of an own class: `batch.data`.

    That of a packed sequence can't be assigned either: it is a named tuple.
    """
    if not is_data_attribute(node):
        return False
    owner = values.get(node.value)
    return owner is None or owner.may_be(TENSOR | UNKNOWN) or not isinstance(owner.ref, Instance)


def as_arguments(given: Mapping[str, Value]) -> dict[str, Value]:
    """Return the arguments of an operator of torch, by parameter.

    Through an index or a mask, no gradient flows; and torch takes bounds as two numbers or as two tensors.
    """
    bound = {name: v._replace(graph=NO_GRAPH) if name in results.CHOOSING else v for name, v in given.items()}
    if any(bound[name].must_be(NUMBER) for name in results.BOUNDS if name in bound):
        bound |= {name: NUMBER_VALUE for name in results.BOUNDS if name in bound}
    return bound


def can_be_tracked(value: Value) -> bool:
    """Tell whether a value may be a tensor in an autograd graph; integer and bool tensors never are."""
    return bool(value.graph) and value.dtype not in DISCRETE and value.may_be(TENSOR | UNKNOWN)


def graph_of(*operands: Value) -> Graph:
    """Return the graph of what is calculated from some operands where autograd records."""
    return of_all(o.graph for o in operands if can_be_tracked(o))


def anything(values: list[Value]) -> Objs:
    """Return the objects of all these values."""
    return frozenset().union(*(v.objs for v in values)) if values else NO_OBJS
