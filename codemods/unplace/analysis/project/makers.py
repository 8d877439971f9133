"""Finds the call that makes what a name or an attribute holds, where the file shows one and nothing else.

net = nn.Linear(2, 2)                   self.optimizer = torch.optim.Adam(net.parameters())
net(x)                                  self.optimizer.step()
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.scopes import Scope


class Maker(NamedTuple):
    """A call that makes an object, and the scope of the call."""

    scope: Scope
    call: ast.Call


def maker_of(module: ModuleIndex, scope: Scope, node: ast.expr) -> Maker | None:
    """Return the one call that makes what a name or an attribute of `self` holds; None if there is none, or several."""
    stored = list(_stored(module, scope, node))
    if len(stored) != 1:
        return None
    where, value = stored[0]
    return Maker(where, value) if isinstance(value, ast.Call) else None


def _stored(module: ModuleIndex, scope: Scope, node: ast.expr) -> list[tuple[Scope, ast.AST | None]]:
    """Return everything that the file binds to a name, or a class to an attribute of its objects, with the scopes."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        owner = module.class_of(scope)
        return list(owner.assigned.get(node.attr, ())) if owner is not None else []
    binder = module.scopes.owner(scope, node.id) if isinstance(node, ast.Name) else None
    if binder is None or not isinstance(node, ast.Name):
        return []
    return [(binder, source) for source in module.bindings(binder).sources.get(node.id, ())]
