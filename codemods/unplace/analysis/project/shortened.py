"""Finds the containers out of which code takes elements, so that they may be empty.

del net.layers[-1]              net.layers.pop(0)               net.layers._modules.clear()
layers = net.layers             def shorten(layers):            delattr(layers, "0")
del layers[-1]                      layers[1:] = []             shorten(net.layers)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.places import Places
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope

REMOVING = frozenset(["clear", "pop", "popitem", "remove"])
"""The methods that take elements out of a container."""


def shortened_in(scope: Scope) -> Iterator[ast.Name | ast.Attribute]:
    """Iterate over the names and attributes of containers out of which a scope takes elements."""
    for holder in (*map(_shortened_by_call, scope.of(ast.Call)), *map(_shortened_by_target, scope.of(ast.Subscript))):
        if isinstance(holder, ast.Attribute) and holder.attr == "_modules":
            holder = holder.value
        if isinstance(holder, ast.Name | ast.Attribute):
            yield holder


def _shortened_by_call(node: ast.Call) -> ast.expr | None:
    """Return the container out of which a call may take elements."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in REMOVING:
        return node.func.value
    return node.args[0] if node.args and last_name(node.func) == "delattr" else None


def _shortened_by_target(node: ast.Subscript) -> ast.expr | None:
    """Return the container out of which a deletion or the store of a slice may take elements."""
    if type(node.ctx) is ast.Load:
        return None
    return node.value if isinstance(node.ctx, ast.Del) or isinstance(node.slice, ast.Slice) else None


@once
def shortened(module: ModuleIndex) -> Places:
    """Return the places of the containers out of which the code of a file takes elements."""
    found = Places()
    for scope in module.scopes.by_node.values():
        for holder in shortened_in(scope):
            found.add(module, scope, holder)
    return found
