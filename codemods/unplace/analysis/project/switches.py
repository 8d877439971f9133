"""Finds where a file switches modules to working in place after they were made: `m.inplace = True`."""

from __future__ import annotations

import ast

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import is_true

_FLAG = "inplace"

Switch = tuple[Scope, ast.Assign | ast.Call, ast.expr]
"""An assignment or a call of `setattr` that sets the flag of a module, with its scope and the assigned value."""


@once
def may_switch(module: ModuleIndex, flag: bool) -> bool:
    """Tell whether the file may set this flag of modules other than the object of the method that does it."""
    return any(not isinstance(value, ast.Constant) or bool(value.value) is flag for *_, value in _set(module))


def switches(module: ModuleIndex) -> list[Switch]:
    """Return where the file sets the flag of modules other than the object of the method to True."""
    return [found for found in _set(module) if is_true(found[2])]


@once
def _set(module: ModuleIndex) -> list[Switch]:
    """Return where the file sets the flag of modules to anything."""
    found: list[Switch] = []
    for scope, call, stored in module.storing_calls():
        if stored is not None and isinstance(stored.name, ast.Constant) and stored.name.value == _FLAG:
            found.append((scope, call, stored.value))
    for store in module.stores_of(_FLAG):
        statement = module.scopes.parents[store.node]
        is_target = isinstance(statement, ast.Assign) and store.node in statement.targets
        if isinstance(statement, ast.Assign) and is_target and not store.is_own:
            found.append((store.scope, statement, statement.value))
    return found
