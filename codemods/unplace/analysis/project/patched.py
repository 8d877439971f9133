"""Finds what code patches: modules whose `forward` or class it replaces, and functions and classes of torch.

net.fc.forward = quick                          setattr(net.fc, "forward", quick)
net.fc.__class__ = Quick                        F.relu = quick
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.places import Places
from unplace.analysis.syntax.bindings import NamedStore
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.syntax.scopes import Scope

ACTING = ("forward", "__class__")
"""The attributes that decide what a call of a module does."""


@once
def patched(module: ModuleIndex) -> Places:
    """Return the places of the modules that the code of a file makes do something else when they are called."""
    found = Places()
    for scope, holder in _patched_in(module):
        found.add(module, scope, holder)
    return found


def _patched_in(module: ModuleIndex) -> Iterator[tuple[Scope, ast.expr]]:
    for scope, node in module.attribute_stores():
        if node.attr in ACTING and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            yield scope, node.value
    for scope, stored, name in _stored_by_name(module):
        if name in ACTING:
            yield scope, stored.holder


@once
def patched_names(module: ModuleIndex) -> frozenset[str]:
    """Return the qualified names of what the code of a file replaces in other modules; for a method, of its class."""
    return frozenset(canonical(name.removesuffix(".forward")) for name in _replaced_in(module))


def _replaced_in(module: ModuleIndex) -> Iterator[str]:
    for scope, node in module.attribute_stores():
        replaced = module.qualified(scope, node)
        if replaced is not None:
            yield replaced
    for scope, stored, name in _stored_by_name(module):
        holder = module.qualified(scope, stored.holder)
        if holder is not None:
            yield f"{holder}.{name}"


def _stored_by_name(module: ModuleIndex) -> Iterator[tuple[Scope, NamedStore, str]]:
    """Iterate over the stores under a constant name, `setattr(module, "forward", quick)`, with scope and name."""
    for scope, _, stored in module.storing_calls():
        if stored is not None and isinstance(stored.name, ast.Constant):
            yield scope, stored, str(stored.name.value)
