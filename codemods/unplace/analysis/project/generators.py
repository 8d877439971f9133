"""Tells whether the consumers of a generator hold what it yields while it goes on.

for state in rollout(h):            holds `state` for one round
    loss = loss + state.sum()
states = list(rollout(h))           holds them all
"""

from __future__ import annotations

import ast

from unplace.analysis.project.module import ModuleIndex, once, parents_in
from unplace.analysis.syntax.scopes import Scope

_COMPUTING = (ast.AugAssign, ast.BinOp, ast.Compare, ast.Expr, ast.UnaryOp)
_HOLDING = frozenset(["add", "append", "appendleft", "extend", "insert", "put", "setdefault"])
"""Methods of containers that hold their arguments."""


@once
def are_held(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether the file shows that a consumer of a generator holds what it got when it asks for the next."""
    node = scope.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:  # `@contextmanager`
        return True
    return any(_holds(module, caller, call) for caller, call in module.calls_named(scope.name))


def _holds(module: ModuleIndex, scope: Scope, call: ast.Call) -> bool:
    parents = parents_in(module, scope)
    loop = parents.get(call)
    if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) and loop.func.id in ("enumerate", "zip"):
        loop = parents.get(loop)
    if not isinstance(loop, ast.For) or scope.is_module:
        return True
    names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    uses = [n for n in scope.names if n.id in names and isinstance(n.ctx, ast.Load)]
    inside = {n for statement in loop.body for n in ast.walk(statement)}
    is_kept = any(n not in inside or not _computes(parents.get(n)) for n in uses)
    return is_kept or not names.isdisjoint(scope.captured)


def _computes(parent: ast.AST | None) -> bool:
    """Tell whether an expression around a name computes with it, and doesn't hand it on."""
    if isinstance(parent, ast.Attribute):
        return True
    if isinstance(parent, ast.Call):
        return not isinstance(parent.func, ast.Attribute) or parent.func.attr not in _HOLDING
    return isinstance(parent, _COMPUTING)
