"""Decides tests by the constants that a call fixes: the literals and the Nones among its arguments.

def conv(x, w, act="relu"):
    x = F.conv2d(x, w)
    return F.relu(x) if act == "relu" else x          `conv(x, w, act=None)` returns what `conv2d` made
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable
from typing import NamedTuple

from unplace.analysis.domain.values import NONE, UNKNOWN, Origin, Value


class Constant(NamedTuple):
    """A literal with the name of its type, for `1 == True`; or `PRESENT`, an object of which no more is known."""

    type: str
    value: Hashable


PRESENT = Constant("", None)
"""Some object other than None."""

ABSENT = Constant("NoneType", None)
"""None."""

Fixed = frozenset[tuple[str, Constant]]
"""What a call fixes, by path: the parameter `act`, or the attribute `self.act` of the receiver."""

NOTHING: Fixed = frozenset()

Known = Callable[[ast.expr], Constant | None]
"""A function that returns the constant that an expression evaluates to, where it is known."""

_ORDERS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def literal(node: ast.expr) -> Constant | None:
    """Return the constant that a literal stands for; None for any other expression."""
    if isinstance(node, ast.Constant):
        return Constant(type(node.value).__name__, node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return Constant(type(value).__name__, -value) if isinstance(value, int | float) else None
    return None


def of_argument(node: ast.expr, value: Value) -> Constant | None:
    """Return the constant that an argument is; None where it may be None or something else.

    An object counts where the code has just made it: an annotation may lie about None.
    """
    found = literal(node)
    if found is not None:
        return found
    if value.must_be(NONE):
        return ABSENT
    is_made = bool(value.objs) and all(obj.origin is Origin.FRESH for obj in value.objs)
    return PRESENT if is_made and not value.kinds & (NONE | UNKNOWN) and not value.likely else None


def decided(test: ast.expr, known: Known) -> bool | None:
    """Return the outcome of a test, where the constants decide it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        outcome = decided(test.operand, known)
        return None if outcome is None else not outcome
    if isinstance(test, ast.BoolOp):
        outcomes = [decided(value, known) for value in test.values]
        ending = isinstance(test.op, ast.Or)  # the outcome of a part that decides the whole
        if ending in outcomes:
            return ending
        return None if None in outcomes else not ending
    if isinstance(test, ast.Compare):
        return _compared(test, known) if len(test.ops) == 1 else None
    found = known(test)
    return bool(found.value) if found is not None and found != PRESENT else None


def _compared(test: ast.Compare, known: Known) -> bool | None:
    comparison, other = test.ops[0], test.comparators[0]
    left = known(test.left)
    if left is None:
        return None
    if isinstance(comparison, ast.In | ast.NotIn):
        choices = [literal(e) for e in other.elts] if isinstance(other, ast.Tuple | ast.List | ast.Set) else [None]
        if left == PRESENT or None in choices:
            return None
        return (left.value in [c.value for c in choices if c is not None]) is isinstance(comparison, ast.In)
    right = known(other)
    if right is None:
        return None
    if isinstance(comparison, ast.Is | ast.IsNot):
        if ABSENT not in (left, right):
            return None
        return (left == right) is isinstance(comparison, ast.Is)
    if PRESENT in (left, right):
        return None
    if isinstance(comparison, ast.Eq | ast.NotEq):
        return (left.value == right.value) is isinstance(comparison, ast.Eq)
    order, first, second = _ORDERS.get(type(comparison)), left.value, right.value
    if order is None or not isinstance(first, int | float) or not isinstance(second, int | float):
        return None
    return order(first, second)
