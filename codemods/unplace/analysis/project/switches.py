"""Finds where a file switches modules to working in place after they were made: `m.inplace = True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import named_store
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import is_true

Switch = tuple[Scope, ast.Assign | ast.Call, ast.expr]
"""An assignment or a call of `setattr` that sets the flag of a module, with its scope and the assigned value."""


@once
def switches_inplace(module: ModuleIndex) -> bool:
    """Tell whether the file sets the flag of modules other than the object of the method that does it."""
    return any(not isinstance(value, ast.Constant) or bool(value.value) for *_, value in _set(module))


def switches(module: ModuleIndex) -> list[Switch]:
    """Return where the file sets the flag of modules other than the object of the method to True."""
    return [found for found in _set(module) if is_true(found[2])]


@once
def _set(module: ModuleIndex) -> list[Switch]:
    """Return where the file sets the flag of modules to anything."""
    scopes = module.scopes.by_node.values()
    return [(scope, *found) for scope in scopes for node in scope.nodes for found in _set_by(node)]


def _set_by(node: ast.AST) -> Iterator[tuple[ast.Assign | ast.Call, ast.expr]]:
    """Iterate over a node and what it assigns to the flag of a module, if it does so."""
    if isinstance(node, ast.Call):
        stored = named_store(node)
        if stored is not None and isinstance(stored.name, ast.Constant) and stored.name.value == "inplace":
            yield node, stored.value
    elif isinstance(node, ast.Assign) and any(map(_is_flag, node.targets)):
        yield node, node.value


def _is_flag(target: ast.expr) -> bool:
    """Tell whether a target is the flag of another object than that of the method."""
    if not isinstance(target, ast.Attribute) or target.attr != "inplace":
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id == "self")
