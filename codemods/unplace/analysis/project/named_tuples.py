"""Finds the classes that calls make of a list of names: `State = namedtuple("State", ["h", "c"])`."""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Class, Parents
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.scopes import Scope

FUNCTIONS = ("collections.namedtuple", "typing.NamedTuple")


@once
def made_by(module: ModuleIndex, call: ast.Call) -> Class | None:
    """Return the class that a call makes, with what its constructor stores; None where its fields aren't written out.

    Further options (`rename=True`) may change the fields.
    """
    if len(call.args) != 2 or any(keyword.arg != "defaults" for keyword in call.keywords):
        return None
    fields = _fields(call.args[1])
    name = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    if not isinstance(name, str) or not name.isidentifier() or not fields:
        return None
    (node,) = ast.parse(f"class {name}: pass").body
    assert isinstance(node, ast.ClassDef)
    ast.copy_location(node, call)
    made = Class(node, Scope(node, name, module.scopes.module), lambda: Parents(("typing.NamedTuple",)))
    made.fields = tuple(fields)
    made.declared.update({field: annotation for field, annotation in fields.items() if annotation is not None})
    return made


def _fields(node: ast.expr) -> dict[str, ast.expr | None]:
    """Return the names of the fields with their annotations; empty where they aren't written out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return dict.fromkeys(node.value.replace(",", " ").split())
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    found: dict[str, ast.expr | None] = {}
    for part in parts:
        pair = part.elts if isinstance(part, ast.Tuple) and len(part.elts) == 2 else [part, None]
        named, annotation = pair
        if not isinstance(named, ast.Constant) or not isinstance(named.value, str):
            return {}
        found[named.value] = annotation
    return found
