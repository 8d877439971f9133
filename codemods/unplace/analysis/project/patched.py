"""Finds what code patches: modules whose `forward` or class it replaces, and functions and classes of torch.

net.fc.forward = quick                          setattr(net.fc, "forward", quick)
net.fc.__class__ = Quick                        F.relu = quick
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.places import Places
from unplace.analysis.syntax.bindings import NamedStore, named_store
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.syntax.scopes import Scope

ACTING = ("forward", "__class__")
"""The attributes that decide what a call of a module does."""


@once
def patched(module: ModuleIndex) -> Places:
    """Return the places of the modules that the code of a file makes do something else when they are called."""
    found = Places()
    for scope in module.scopes.by_node.values():
        for holder in _patched_in(scope):
            found.add(module, scope, holder)
    return found


def _patched_in(scope: Scope) -> Iterator[ast.expr]:
    for node in _stored_attributes(scope):
        if node.attr in ACTING and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            yield node.value
    for stored, name in _stored_by_name(scope):
        if name in ACTING:
            yield stored.holder


@once
def patched_names(module: ModuleIndex) -> frozenset[str]:
    """Return the qualified names of what the code of a file replaces in other modules; for a method, of its class."""
    found = {name for scope in module.scopes.by_node.values() for name in _replaced_in(module, scope)}
    return frozenset(canonical(name.removesuffix(".forward")) for name in found)


def _replaced_in(module: ModuleIndex, scope: Scope) -> Iterator[str]:
    for node in _stored_attributes(scope):
        replaced = module.qualified(scope, node)
        if replaced is not None:
            yield replaced
    for stored, name in _stored_by_name(scope):
        holder = module.qualified(scope, stored.holder)
        if holder is not None:
            yield f"{holder}.{name}"


def _stored_attributes(scope: Scope) -> Iterator[ast.Attribute]:
    return (node for node in scope.of(ast.Attribute) if isinstance(node.ctx, ast.Store))


def _stored_by_name(scope: Scope) -> Iterator[tuple[NamedStore, str]]:
    """Iterate over the stores under a constant name, `setattr(module, "forward", quick)`, with the name."""
    for stored in filter(None, map(named_store, scope.of(ast.Call))):
        if isinstance(stored.name, ast.Constant):
            yield stored, str(stored.name.value)
