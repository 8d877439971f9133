"""Follows what the statements of a scope put at the end of a list, in the order in which they run.

layers = [nn.Linear(3, 3)]
layers.append(nn.ELU())             one element more
layers += [nn.Linear(3, 3)]         the same
if norm:
    layers.append(nn.LayerNorm(3))  an open number of elements
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.project.module import home
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_APPENDING = "append"


@dataclass(frozen=True, slots=True)
class Growing:
    """A statement of a scope's own block that adds elements to a list; `elements` is None where the code may vary."""

    statement: ast.stmt
    elements: tuple[ast.expr, ...] | None

    def is_over(self, node: ast.expr) -> bool:
        """Tell whether the statement has ended where a node is evaluated."""
        return (self.statement.end_lineno or node.lineno) < node.lineno

    def has_begun(self, node: ast.expr) -> bool:
        """Tell whether the statement may have run, in part at least, where a node is evaluated."""
        return self.statement.lineno <= node.lineno


def is_display(source: object) -> bool:
    """Tell whether an expression spells out the elements of a list or tuple."""
    return isinstance(source, ast.List | ast.Tuple) and not any(isinstance(e, ast.Starred) for e in source.elts)


def growing(scope: Scope, name: str, source: ast.expr) -> list[Growing] | None:
    """Return the statements that add to the list which `source` makes, in order; None where the order isn't known."""
    bindings = home(scope).bindings(scope)
    added = [*bindings.added.get(name, ()), *bindings.extended.get(name, ())]
    if not added:
        return []
    body = scope.node.body
    if not isinstance(body, list) or not any(getattr(statement, "value", None) is source for statement in body):
        return None
    found = [_adding(scope, part) for part in added]
    known = [each for each in found if each is not None]
    return sorted(known, key=lambda each: each.statement.lineno) if len(known) == len(found) else None


def _adding(scope: Scope, part: ast.expr) -> Growing | None:
    """Return the statement that adds an element, or those of a collection; None where it isn't added at the end."""
    parents = home(scope).scopes.parents
    outer = parents[part]
    called = outer.func.attr if isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute) else None
    if called != _APPENDING and called not in modules.EXTENDING and not isinstance(outer, ast.AugAssign):
        return None
    statement = outer if isinstance(outer, ast.AugAssign) else parents[outer]
    elements = _elements(part, is_one=called == _APPENDING) if isinstance(statement, ast.AugAssign | ast.Expr) else None
    while parents[statement] is not scope.node:
        statement, elements = parents[statement], None
    assert isinstance(statement, ast.stmt)
    return Growing(statement, elements)


def _elements(part: ast.expr, *, is_one: bool) -> tuple[ast.expr, ...] | None:
    if is_one:
        return (part,)
    return tuple(part.elts) if is_display(part) and isinstance(part, ast.List | ast.Tuple) else None
