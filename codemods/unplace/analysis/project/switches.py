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
    return [(scope, *found) for scope in scopes for found in _set_in(scope)]


def _set_in(scope: Scope) -> Iterator[tuple[ast.Assign | ast.Call, ast.expr]]:
    """Iterate over the nodes of a scope that set the flag of a module, each with what it is set to."""
    for call in scope.of(ast.Call):
        stored = named_store(call)
        if stored is not None and isinstance(stored.name, ast.Constant) and stored.name.value == "inplace":
            yield call, stored.value
    for statement in scope.of(ast.Assign):
        if any(map(_is_flag, statement.targets)):
            yield statement, statement.value


def _is_flag(target: ast.expr) -> bool:
    """Tell whether a target is the flag of another object than that of the method."""
    if not isinstance(target, ast.Attribute) or target.attr != "inplace":
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id == "self")
