"""Tells whether a module has several layers with weights in a row, as far as the file shows how it is made.

The backward of such a module asks for the weights of all layers but the first: the gradients of the earlier ones go
through them. That of a single layer asks for its weight only if its input has a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_SEVERAL = 2


def has_layers_in_a_row(module: ModuleIndex, scope: Scope, callee: ast.expr) -> bool:
    """Tell whether a called module has several layers, or is made where the file doesn't show it."""
    made = _made(module, scope, callee)
    return made is None or _layers(module, *made, set()) >= _SEVERAL


def _made(module: ModuleIndex, scope: Scope, node: ast.expr) -> tuple[Scope, ast.Call] | None:
    """Return the one call that makes what a name or an attribute of `self` holds, and its scope."""
    if isinstance(node, ast.Attribute):
        owner = module.class_of(scope)
        stored = list(owner.assigned.get(node.attr, ())) if owner is not None else []
    else:
        binder = module.scopes.owner(scope, path_of(node) or "")
        sources = module.bindings(binder).sources.get(path_of(node) or "", []) if binder is not None else []
        stored = [(binder, source) for source in sources if binder is not None and isinstance(source, ast.expr)]
    if len(stored) != 1:
        return None
    where, value = stored[0]
    return (where, value) if isinstance(value, ast.Call) else None


def _layers(module: ModuleIndex, scope: Scope, call: ast.Call, seen: set[Class]) -> int:
    """Return the number of layers of what a call makes; `_SEVERAL` where it can't be told."""
    name = module.qualified(scope, call.func) or ""
    if modules.has_weight(name):
        return 1
    if name == modules.SEQUENTIAL:
        return sum(_layers_of(module, scope, argument, seen) for argument in call.args)
    if name.startswith("torch.nn."):
        return _SEVERAL if modules.has_layers(name) else 0
    owner = next((own for own in module.classes.values() if own.node.name == last_name(call.func)), None)
    if owner is None or owner in seen:
        return _SEVERAL
    return sum(_layers_of(module, where, value, seen | {owner}) for where, value in _held(owner))


def _held(owner: Class) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the calls whose results a class stores in attributes, each with its scope."""
    for stored in owner.assigned.values():
        yield from ((where, value) for where, value in stored if isinstance(value, ast.Call))


def _layers_of(module: ModuleIndex, scope: Scope, node: ast.expr, seen: set[Class]) -> int:
    return _layers(module, scope, node, seen) if isinstance(node, ast.Call) else _SEVERAL
