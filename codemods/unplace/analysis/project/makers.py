"""Finds the call that makes what a name or an attribute holds, where the file shows one and nothing else.

net = nn.Linear(2, 2)                   self.optimizer = torch.optim.Adam(net.parameters())
net(x)                                  self.optimizer.step()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope

_MOST_NAMES = 3
"""The number of names after each other that are followed."""


class Maker(NamedTuple):
    """A call that makes an object, and the scope of the call."""

    scope: Scope
    call: ast.Call


def maker_of(module: ModuleIndex, scope: Scope, node: ast.expr) -> Maker | None:
    """Return the one call that makes what a name or an attribute holds; None if there is none, or several."""
    made = makers_of(module, scope, node)
    return made[0] if len(made) == 1 else None


def makers_of(module: ModuleIndex, scope: Scope, node: ast.expr) -> list[Maker]:
    """Return the calls of which one makes what a name or an attribute holds; none where it may be anything else.

    `self.optimizer = None` only says that there will be one.
    """
    return _makers(module, scope, node, _MOST_NAMES) or []


def _makers(module: ModuleIndex, scope: Scope, node: ast.expr, names: int) -> list[Maker] | None:
    """Return the calls that may make what a name or an attribute holds, behind other names: `self.opt = opt`."""
    found: list[Maker] = []
    for where, value in _stored(module, scope, node):
        if isinstance(value, ast.Call):
            found.append(Maker(where, value))
        elif not _is_none(value):
            is_name = isinstance(value, ast.Name | ast.Attribute) and names > 0
            behind = _makers(module, where, value, names - 1) if is_name else None  # type: ignore[arg-type]
            if not behind:
                return None
            found += behind
    return found


def class_made(module: ModuleIndex, call: ast.Call) -> Class | None:
    """Return the class of the file that a call makes an object of, by its name."""
    name = call.func.id if isinstance(call.func, ast.Name) else None
    return next((cls for cls in module.classes.values() if cls.node.name == name), None)


def _is_none(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _stored(module: ModuleIndex, scope: Scope, node: ast.expr) -> list[tuple[Scope, ast.AST | None]]:
    """Return everything that the file binds to a name or stores in an attribute, with the scopes."""
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            owner = module.class_of(scope)
            return list(owner.assigned.get(node.attr, ())) if owner is not None else []
        return [*_stored_at(module, scope, node)]
    binder = module.scopes.owner(scope, node.id) if isinstance(node, ast.Name) else None
    if binder is None or not isinstance(node, ast.Name):
        return []
    return [(binder, source) for source in module.bindings(binder).sources.get(node.id, ())]


def _stored_at(module: ModuleIndex, scope: Scope, node: ast.Attribute) -> Iterator[tuple[Scope, ast.AST | None]]:
    """Iterate over everything that the file stores under a longer path: `agent.optimizer`."""
    path = path_of(node) or ""
    for store in module.stores_of(node.attr) if path else ():
        if path_of(store.node) == path and is_same(module, store.scope, scope, path.partition(".")[0]):
            statement = module.scopes.parents[store.node]
            is_plain = isinstance(statement, ast.Assign) and store.node in statement.targets and not store.of_element
            yield store.scope, statement.value if isinstance(statement, ast.Assign) and is_plain else None


def is_same(module: ModuleIndex, maker: Scope, scope: Scope, name: str) -> bool:
    """Tell whether a name means the same object in two scopes: `self` does in two methods of a class."""
    if name == "self":
        return maker is scope or maker.enclosing_class is scope.enclosing_class
    return module.scopes.owner(maker, name) is module.scopes.owner(scope, name)
