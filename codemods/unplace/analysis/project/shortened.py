"""Finds the containers out of which code takes elements, so that they may be empty.

del net.layers[-1]              net.layers.pop(0)               net.layers._modules.clear()
layers = net.layers             def shorten(layers):            delattr(layers, "0")
del layers[-1]                      layers[1:] = []             shorten(net.layers)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for

REMOVING = frozenset(["clear", "pop", "popitem", "remove"])
"""The methods that take elements out of a container."""


@dataclass(slots=True)
class Shortened:
    """The containers that lose elements in a file.

    `held` has those in attributes: by its name, the expressions for the objects that have it. `made` are the calls that
    make what a name stands for.
    """

    held: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)
    made: set[ast.AST] = field(default_factory=set)


def shortened_in(scope: Scope) -> Iterator[ast.Name | ast.Attribute]:
    """Iterate over the names and attributes of containers out of which a scope takes elements."""
    for node in scope.nodes:
        holder = _shortened_by(node)
        if isinstance(holder, ast.Attribute) and holder.attr == "_modules":
            holder = holder.value
        if isinstance(holder, ast.Name | ast.Attribute):
            yield holder


def _shortened_by(node: ast.AST) -> ast.expr | None:
    """Return the container out of which a call, a deletion or the store of a slice may take elements."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in REMOVING:
            return node.func.value
        return node.args[0] if last_name(node.func) == "delattr" and node.args else None
    if not isinstance(node, ast.Subscript):
        return None
    is_cut = isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Slice)
    return node.value if is_cut or isinstance(node.ctx, ast.Del) else None


@once
def shortened(module: ModuleIndex) -> Shortened:
    """Return the containers out of which the code of a file takes elements."""
    found = Shortened()
    for scope in module.scopes.by_node.values():
        for holder in shortened_in(scope):
            _add(module, scope, holder, found, set())
    return found


def _add(
    module: ModuleIndex, scope: Scope, holder: ast.AST, found: Shortened, seen: set[tuple[Scope | None, str]]
) -> None:
    """Record the container that an expression stands for; for a parameter, those that calls in the file pass."""
    if isinstance(holder, ast.Attribute):
        found.held.setdefault(holder.attr, []).append((scope, holder.value))
    elif isinstance(holder, ast.Call):
        found.made.add(holder)
    elif isinstance(holder, ast.Name):
        owner = module.scopes.owner(scope, holder.id)
        if owner is None or (owner, holder.id) in seen:
            return
        seen.add((owner, holder.id))
        for source in module.bindings(owner).sources.get(holder.id, ()):
            _add(module, owner, source, found, seen)
        if holder.id in {parameter.arg for parameter in owner.parameters}:
            for caller, call in module.calls_named(owner.name):
                passed = argument_for(owner, call, holder.id)
                if passed is not None:
                    _add(module, caller, passed, found, seen)
