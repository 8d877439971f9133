"""Tells whether a module has several layers with weights in a row, as far as the file shows how it is made.

The backward of such a module asks for the weights of all layers but the first: the gradients of the earlier ones go
through them. That of a single layer asks for its weight only if its input has a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.makers import class_made, maker_of
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_SEVERAL = 2


def has_layers_in_a_row(module: ModuleIndex, scope: Scope, callee: ast.expr) -> bool:
    """Tell whether a called module has several layers, or is made where the file doesn't show it."""
    made = maker_of(module, scope, callee)
    return made is None or _layers(module, *made, set()) >= _SEVERAL


def _layers(module: ModuleIndex, scope: Scope, call: ast.Call, seen: set[Class]) -> int:
    """Return the number of layers of what a call makes; `_SEVERAL` where it can't be told."""
    name = module.qualified(scope, call.func) or ""
    if modules.has_weight(name):
        return 1
    if name == modules.SEQUENTIAL:
        return sum(_layers_of(module, scope, argument, seen) for argument in call.args)
    if name.startswith("torch.nn."):
        return _SEVERAL if modules.has_layers(name) else 0
    owner = class_made(module, call)
    if owner is None or owner in seen:
        return _SEVERAL
    return sum(_layers_of(module, where, value, seen | {owner}) for where, value in _held(owner))


def _held(owner: Class) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the calls whose results a class stores in attributes, each with its scope."""
    for stored in owner.assigned.values():
        yield from ((where, value) for where, value in stored if isinstance(value, ast.Call))


def _layers_of(module: ModuleIndex, scope: Scope, node: ast.expr, seen: set[Class]) -> int:
    return _layers(module, scope, node, seen) if isinstance(node, ast.Call) else _SEVERAL
