"""Finds where a file switches modules to working in place after they were made: `m.inplace = True`."""

from __future__ import annotations

import ast

from unplace.analysis.project.module import ModuleIndex, once


@once
def switches_inplace(module: ModuleIndex) -> bool:
    """Tell whether the file sets the flag of modules other than the object of the method that does it."""
    nodes = (node for scope in module.scopes.by_node.values() for node in scope.nodes)
    return any(_switches(node) for node in nodes)


def _switches(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        is_setattr = isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(node.args) == 3
        return is_setattr and isinstance(node.args[1], ast.Constant) and node.args[1].value == "inplace"
    if not isinstance(node, ast.Assign) or (isinstance(node.value, ast.Constant) and not node.value.value):
        return False
    targets = (target for target in node.targets if isinstance(target, ast.Attribute) and target.attr == "inplace")
    return any(not (isinstance(target.value, ast.Name) and target.value.id == "self") for target in targets)
