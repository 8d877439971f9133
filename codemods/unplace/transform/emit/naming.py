"""Names for values that are computed before the statement that stores them.

delta = bias @ y[1:]                        new_y = torch.sqrt(y[positive])
y = y.clone()                               y = y.clone()
y[1:] += delta                              y[positive] = new_y

and for a changed copy beside a leaf: `new_x = x.clone()`.
"""

from __future__ import annotations

import ast

from unplace.analysis.syntax.bindings import last_name, root_name
from unplace.torchapi.members import CHANGING
from unplace.transform.emit.layout import new_name

_WORDS: dict[type[ast.operator], str] = {ast.Add: "delta", ast.Sub: "delta", ast.Mult: "factor", ast.Div: "factor"}


def name_for(taken: set[str], operation: ast.AST, target: ast.expr, value: ast.expr) -> str:
    """Return a name that isn't taken for a value that an operation combines with its target, or stores in it."""
    return new_name(taken, _wanted(operation, target, value))


def name_for_changed(taken: set[str], name: str) -> str:
    """Return a name that isn't taken for a changed copy of what another name holds: `new_x`."""
    plain = name.strip("_")
    return new_name(taken, f"new_{plain}" if plain and not plain.startswith("new") else f"{name}_changed")


def _wanted(operation: ast.AST, target: ast.expr, value: ast.expr) -> str:
    """Return the word that says what the value is: that of its attribute or index, or what the operation does."""
    if isinstance(value, ast.Attribute):
        return value.attr
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Name):
        return f"{root_name(value)}_{value.slice.id}"
    if isinstance(operation, ast.AugAssign) and type(operation.op) in _WORDS and value is operation.value:
        return _WORDS[type(operation.op)]
    if isinstance(operation, ast.Call) and (word := CHANGING.get(last_name(operation.func) or "")) is not None:
        return word
    written = ((last_name(target) if isinstance(target, ast.Attribute) else root_name(target)) or "").strip("_")
    return f"new_{written}" if written and not written.startswith("new") else "value"
