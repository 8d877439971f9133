"""Finds what a file puts in the place of parameters, so that `layer.weight` may be a tensor with a graph.

self.fc.weight = self.generate(z)               fast weights, generated ones
delattr(net, name); setattr(net, name, fast)
self.fc = weight_norm(nn.Linear(3, 3))          computed anew in each call
"""

from __future__ import annotations

import ast

from unplace.analysis.project.module import AttributeStore, ModuleIndex, once, parents_in
from unplace.analysis.syntax.bindings import last_name
from unplace.torchapi import is_registered_name, modules


@once
def may_be_computed(module: ModuleIndex, place: str) -> bool:
    """Tell whether the file may have put a computed tensor in the place of a parameter: `self.fc.weight`."""
    name = place.rpartition(".")[2]
    if any(module.calls_named(maker) for maker in modules.COMPUTING_PARAMETERS):
        return True
    if any(s is not None and _may_be(name, s.name) and not _is_parameter(s.value) for s in module.stores_by_name()):
        return True
    return any(not store.of_element and _is_computed(module, store) for store in module.stores_of(name))


def _may_be(name: str, given: ast.expr) -> bool:
    return not isinstance(given, ast.Constant) or given.value == name


def _is_computed(module: ModuleIndex, store: AttributeStore) -> bool:
    """Tell whether a store puts anything but a parameter in an attribute of another object than the method's own."""
    statement = parents_in(module, store.scope).get(store.node)
    return not store.is_own and not (isinstance(statement, ast.Assign) and _is_parameter(statement.value))


def _is_parameter(value: ast.expr) -> bool:
    """Tell whether a value is a new parameter, that of another module, or None."""
    if isinstance(value, ast.Call):
        return last_name(value.func) == modules.PARAMETER.rpartition(".")[2]
    is_none = isinstance(value, ast.Constant) and value.value is None
    return is_none or (isinstance(value, ast.Attribute) and is_registered_name(value.attr))
