"""Relations between the kinds of an operation's operands and its result: `tensor + number -> tensor`.

A relation is a set of tuples of kinds, one for each of its places. Narrowing the kinds that are possible at its places
to those that occur in a matching tuple is arc consistency (A. K. Mackworth, 1977). None is left out of all relations:
a value that may be None is one of the other kinds wherever it is used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    MODULE,
    NAMESPACE,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
)

KINDS = (TENSOR, NUMBER, TEXT, LIST, TUPLE, DICT, SHAPE, ARRAY, MODULE, CALLABLE, NAMESPACE, OTHER)
ANYTHING = sum(KINDS)
ITERABLE = ANYTHING & ~(NUMBER | NAMESPACE)
CALLED = CALLABLE | MODULE | OTHER
_SEQUENCES = (LIST, TUPLE, SHAPE, TEXT)

Masks = tuple[int, ...]
"""The kinds that are possible at each place of a relation."""


class Relation:
    """A set of tuples of kinds; the place `result` depends on the others, if one does."""

    def __init__(self, tuples: Iterable[Masks], result: int | None = -1) -> None:
        """Make a relation of tuples whose members may stand for several kinds; the last is the result, if any is."""
        self.result = result
        self._tuples = tuple(dict.fromkeys(tuples))
        self._known: dict[Masks, Masks] = {}

    def narrowed(self, masks: Masks) -> Masks:
        """Return the kinds of each place that occur in a tuple with possible kinds at the other places."""
        found = self._known.get(masks)
        if found is None:
            fitting = [t for t in self._tuples if all(kind & mask for kind, mask in zip(t, masks, strict=True))]
            columns = zip(*fitting, strict=True) if fitting else ((0,) for _ in masks)
            found = tuple(_either(column) & mask for column, mask in zip(columns, masks, strict=True))
            self._known[masks] = found
        return found


def _either(kinds: Iterable[int]) -> int:
    found = 0
    for kind in kinds:
        found |= kind
    return found


SAME = Relation(((kind, kind) for kind in KINDS), result=0)
"""A definition and its value."""

ELEMENT = Relation(
    [
        (TENSOR, TENSOR),
        (ARRAY, ARRAY | NUMBER),
        (SHAPE, NUMBER),
        (TEXT, TEXT),
        *((holder, ANYTHING) for holder in (LIST, TUPLE, DICT, MODULE, CALLABLE, OTHER)),
    ]
)
"""What is iterated over or unpacked, and what that yields."""

NEGATED = Relation([(kind, kind) for kind in (TENSOR, NUMBER, ARRAY, OTHER)])
"""The operand and the result of `-x`, `+x` and `~x`."""

_ALIKE = [(kind, kind) for kind in (TENSOR, ARRAY, *_SEQUENCES, MODULE, OTHER)]
_HOLDERS = [(holder, ANYTHING) for holder in (LIST, TUPLE, DICT, MODULE, OTHER)]

READ_AT = {
    "plain": Relation(  # x[i]
        [(TENSOR, TENSOR), (ARRAY, ARRAY | NUMBER), (SHAPE, NUMBER), (TEXT, TEXT), *_HOLDERS, (CALLABLE, OTHER)]
    ),
    "several": Relation(  # x[i, j]
        [(TENSOR, TENSOR), (ARRAY, ARRAY | NUMBER), (DICT, ANYTHING), (OTHER, ANYTHING), (CALLABLE, OTHER)]
    ),
    "cut": Relation(  # x[:, 0], x[None], x[..., i]
        [(TENSOR, TENSOR), (ARRAY, ARRAY | NUMBER), (OTHER, ANYTHING & ~TENSOR)]
    ),
    "slice": Relation(_ALIKE),  # x[1:]
    "text": Relation([(DICT, ANYTHING), (OTHER, ANYTHING), (MODULE, ANYTHING), (ARRAY, ARRAY)]),  # x["key"]
}
"""The indexed object and the result, by the form of the index."""

_ARRAYS = TENSOR | ARRAY | OTHER

MASKED = Relation([(_ARRAYS, ANYTHING), (ANYTHING & ~_ARRAYS, ANYTHING & ~(TENSOR | ARRAY))], result=None)
"""The indexed object and an index that is a comparison's result: a tensor of these picks from no list."""

_NUMERIC = NUMBER | TENSOR

_LISTED = _NUMERIC | ARRAY | LIST | TUPLE

_STORED = {
    "plain": [*((holder, ANYTHING) for holder in (LIST, DICT, MODULE, OTHER))],
    "several": [(DICT | OTHER, ANYTHING)],
    "cut": [(OTHER, ANYTHING)],
    "slice": [(LIST, ITERABLE), (OTHER, ANYTHING)],
}

STORED_AT = {
    **{form: Relation([(TENSOR, _NUMERIC), (ARRAY, _LISTED), *rows], result=None) for form, rows in _STORED.items()},
    "text": Relation([(DICT | MODULE | OTHER | ARRAY, ANYTHING)], result=None),
}
"""The object that is stored into and the stored value, by the form of the index."""

STORED_AS_DATA = Relation([(TENSOR, TENSOR), (MODULE | OTHER | CALLABLE | NAMESPACE, ANYTHING)], result=None)
"""The owner of a stored attribute `data` and the value: torch accepts nothing but a tensor."""

STORED_AS = Relation([(TENSOR | MODULE | OTHER | CALLABLE | NAMESPACE, ANYTHING)], result=None)
"""The owner of any other stored attribute and the value."""


@cache
def member(having: int, results: int) -> Relation:
    """Return the relation of an object with an attribute or method to its value or result.

    Objects of the kinds `having` have it. `results` is what a tensor gives.
    """
    tuples = [(kind, ANYTHING) for kind in KINDS if kind & having and kind != TENSOR]
    return Relation([*tuples, (TENSOR, results)] if having & TENSOR else tuples)


def _numeric(operator: type[ast.operator]) -> list[Masks]:
    found: list[Masks] = [
        (TENSOR, TENSOR | ARRAY | NUMBER, TENSOR),
        (ARRAY | NUMBER, TENSOR, TENSOR),
        (ARRAY, ARRAY, ARRAY | NUMBER),
        (OTHER, TENSOR, TENSOR),
        (TENSOR, OTHER, TENSOR),
        (OTHER, ANYTHING & ~TENSOR, OTHER),
        (ANYTHING & ~TENSOR, OTHER, OTHER),
    ]
    if operator is not ast.MatMult:
        plain = NUMBER | LIST | TUPLE
        found += [(ARRAY, plain, ARRAY), (plain, ARRAY, ARRAY), (NUMBER, NUMBER, NUMBER)]
    if operator is ast.Add:
        found += [(kind, kind, kind) for kind in (*_SEQUENCES, MODULE)]
        found += [(SHAPE, TUPLE, TUPLE | SHAPE), (TUPLE, SHAPE, TUPLE | SHAPE)]
    elif operator is ast.Mult:
        found += [row for kind in _SEQUENCES for row in ((kind, NUMBER, kind), (NUMBER, kind, kind))]
    elif operator is ast.Mod:
        found += [(TEXT, ANYTHING, TEXT)]
    elif operator is ast.BitOr:
        found += [(DICT, DICT, DICT), (CALLABLE, CALLABLE, OTHER)]
    return found


OPERATION = {kind: Relation(_numeric(kind)) for kind in ast.operator.__subclasses__()}
"""Two operands and the result of an operator. Source: Python's, NumPy's and torch's operators, tried out."""

UPDATE = OPERATION | {ast.Add: Relation([*_numeric(ast.Add), (LIST, ITERABLE & ~TENSOR, LIST)])}
"""The target, the operand and the result of an augmented assignment: a list takes any iterable."""


def operator_of(node: ast.operator, *operands: ast.expr) -> type[ast.operator]:
    """Return the operator whose relation holds: a float repeats no list, so that a product with one is like `/`."""
    has_float = any(isinstance(operand, ast.Constant) and type(operand.value) is float for operand in operands)
    return ast.Div if has_float and isinstance(node, ast.Mult) else type(node)


_ORDERED = [
    (TENSOR, TENSOR | NUMBER | ARRAY, TENSOR),
    (NUMBER | ARRAY, TENSOR, TENSOR | ARRAY),
    (ARRAY, ANYTHING & ~TENSOR, ARRAY | NUMBER),
    (ANYTHING & ~TENSOR, ARRAY, ARRAY | NUMBER),
    (OTHER, ANYTHING, ANYTHING),
    (ANYTHING, OTHER, ANYTHING),
    *((kind, kind, NUMBER) for kind in (NUMBER, TEXT, LIST)),
    (TUPLE | SHAPE, TUPLE | SHAPE, NUMBER),
]
_EQUAL = [(ANYTHING, ANYTHING & ~TENSOR, NUMBER), (ANYTHING & ~TENSOR, ANYTHING, NUMBER)]

COMPARISON = {
    **dict.fromkeys((ast.Lt, ast.LtE, ast.Gt, ast.GtE), Relation(_ORDERED)),
    **dict.fromkeys((ast.Eq, ast.NotEq), Relation([*_ORDERED, *_EQUAL])),
    **dict.fromkeys((ast.Is, ast.IsNot, ast.In, ast.NotIn), Relation([(ANYTHING, ANYTHING, NUMBER)])),
}
"""Two operands and the result of a comparison."""
