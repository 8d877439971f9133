"""Look-ups: which kinds of objects may have a method or attribute of a name, and what a tensor's gives."""

from __future__ import annotations

from functools import cache

from unplace import torchapi
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
from unplace.analysis.types import evidence
from unplace.analysis.types.callees import RESULTS
from unplace.analysis.types.relations import ANYTHING, Relation, member

_TYPES: dict[int, tuple[type, ...]] = {
    NUMBER: (int, float),
    TEXT: (str,),
    LIST: (list,),
    TUPLE: (tuple,),
    SHAPE: (tuple,),
    DICT: (dict,),
}

_GIVING_THE_LIKE = frozenset(["astype", "copy", "to_numpy", "toarray", "todense"])
"""Methods of arrays, frames and containers that give another one."""


@cache
def having(name: str) -> int:
    """Return the kinds of the objects that may have a method or attribute of a name.

    People give tensors attributes of their own; but one that is a method of Python's types isn't meant for a tensor.
    """
    of_python = {kind for kind, types in _TYPES.items() if any(hasattr(known, name) for known in types)}
    found = ARRAY | MODULE | CALLABLE | NAMESPACE | OTHER | sum(of_python)
    return found | TENSOR if evidence.is_attribute_of_tensor(name) or not of_python else found


def of_attribute(name: str) -> Relation | None:
    """Return the relation of an object and its attribute; None where the attribute says nothing."""
    operator = torchapi.tensor_attribute(name)
    return member(having(name), RESULTS[operator.result]) if operator is not None else None


def of_method(name: str) -> Relation | None:
    """Return the relation of an object and the result of its method; None where the method says nothing."""
    operator = torchapi.tensor_method(name)
    if operator is not None and not operator.result_when:
        return member(having(name), RESULTS[operator.result])
    return member(having(name), TENSOR) if torchapi.inplace_method(name) is not None else None


def given_by_others(name: str) -> int:
    """Return the likely kinds of what a method gives that no tensor has: arrays give arrays, and a copy is alike."""
    return ANYTHING & ~TENSOR if name in _GIVING_THE_LIKE else ANYTHING
