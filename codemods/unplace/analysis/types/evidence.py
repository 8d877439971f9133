"""Evidence of the kind of an object, from its uses: `x.sigmoid()` proves a tensor, `x.clone()` hints at one."""

from __future__ import annotations

import ast
from enum import IntEnum
from functools import cache

from unplace import torchapi
from unplace.analysis.syntax.nodes import whole_number
from unplace.torchapi import members
from unplace.torchapi.shared_names import COMMON, RARE


class Evidence(IntEnum):
    """The strength of the evidence that a use gives for a tensor."""

    NONE = 0
    HINT = 1  # objects of a few other classes can be used in the same way
    PROOF = 2


def is_idiom(name: str) -> bool:
    """Tell whether a hint is as good as a proof for an object that is used like a tensor in every other way."""
    return name in members.IDIOMS


@cache
def of_name(name: str) -> Evidence:
    """Return the evidence for a tensor in the lookup of a method or attribute of this name."""
    if name in COMMON or name.startswith("__") or not torchapi.is_tensor_member(name):
        return Evidence.NONE
    return Evidence.HINT if name in RARE else Evidence.PROOF


def of_call(node: ast.Call) -> Evidence:
    """Return the evidence of a method call for its receiver: `x.sigmoid()`, `x.exp()`, `x.size(0)`, `x.sum(dim=1)`."""
    if not isinstance(node.func, ast.Attribute):
        return Evidence.NONE
    name = node.func.attr
    if name in members.WITHOUT_ARGUMENTS:
        return Evidence.NONE if node.args or node.keywords else Evidence.PROOF
    if _takes_sizes(node, name):
        return Evidence.PROOF
    if name == "size":  # the size of an array isn't a method
        return Evidence.PROOF if node.args else Evidence.HINT
    if any(k.arg in ("dim", "keepdim") for k in node.keywords) and torchapi.tensor_method(name) is not None:
        return Evidence.PROOF
    return of_name(name) if may_be_of_tensor(node, name) else Evidence.NONE


def _takes_sizes(node: ast.Call, name: str) -> bool:
    """Tell whether a call names sizes or dimensions as only tensors take them: `x.view(b, -1)`, `x.transpose(1, 2)`."""
    least = members.WITH_SIZES.get(name)
    if least is None or len(node.args) < least:
        return False
    numbers = {number for number in map(whole_number, node.args) if number is not None}
    return bool(numbers) if name != "transpose" else len(numbers) == 2 and numbers not in members.OF_A_MATRIX


def may_be_of_tensor(node: ast.Call, name: str) -> bool:
    """Tell whether tensors may have the method: not a flow's `inverse(x, context)`, as theirs takes fewer arguments."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return True
    operator, in_place = torchapi.tensor_method(name), torchapi.inplace_method(name)
    if operator is not None and not operator.variadic and name not in members.WITH_OLD_FORMS:
        return len(node.args) < len(operator.parameters)
    return not node.args or in_place is None or in_place.parameters != ("self",)


def is_attribute_of_tensor(name: str) -> bool:
    """Tell whether a tensor may have an attribute; private ones count, which are often added by hand."""
    return name.startswith("_") or torchapi.is_tensor_member(name)
