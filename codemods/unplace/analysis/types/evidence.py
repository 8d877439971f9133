"""What the use of an object says of its kind: `x.sigmoid()` proves a tensor, `x.clone()` hints at one."""

from __future__ import annotations

import ast
from enum import IntEnum
from functools import cache

from unplace import torchapi
from unplace.torchapi import members
from unplace.torchapi.shared_names import COMMON, RARE


class Evidence(IntEnum):
    """How much a use says for a tensor."""

    NONE = 0
    HINT = 1  # objects of a few other classes can be used so as well
    PROOF = 2


def is_idiom(name: str) -> bool:
    """Whether a hint is as good as a proof for an object that is used like a tensor in every other way."""
    return name in members.IDIOMS


@cache
def of_name(name: str) -> Evidence:
    """What it says that a method or attribute of this name is looked up."""
    if name in COMMON or name.startswith("__") or not torchapi.is_tensor_member(name):
        return Evidence.NONE
    return Evidence.HINT if name in RARE else Evidence.PROOF


def of_call(node: ast.Call) -> Evidence:
    """What a method call says of its receiver: `x.sigmoid()`, `x.exp()`, `x.size(0)`, `x.sum(dim=1)`."""
    if not isinstance(node.func, ast.Attribute):
        return Evidence.NONE
    name = node.func.attr
    if name in members.WITHOUT_ARGUMENTS:
        return Evidence.NONE if node.args or node.keywords else Evidence.PROOF
    if name == "size":  # an array's size is no function
        return Evidence.PROOF if node.args else Evidence.HINT
    if any(k.arg in ("dim", "keepdim") for k in node.keywords) and torchapi.tensor_method(name) is not None:
        return Evidence.PROOF
    return of_name(name)


def is_attribute_of_tensor(name: str) -> bool:
    """Whether a name may be looked up on a tensor; private ones are often added by hand."""
    return name.startswith("_") or torchapi.is_tensor_member(name)
