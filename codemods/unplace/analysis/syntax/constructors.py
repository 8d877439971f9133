"""Finds what a constructor stores that does nothing but store: its parameters, in attributes.

class State:
    def __init__(self, h, steps=0):
        self.h = h                      `State(x).h` is `x`
        self.steps, self.seen = steps, []
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from unplace.analysis.domain.refs import Class
from unplace.analysis.syntax.scopes import Scope

_PLAIN = frozenset([(), ("object",)])
_NAMED = frozenset(["__call__", "__eq__", "__hash__", "__init__", "__repr__", "__str__"])
"""The special methods that run where the code names the object; others run where it doesn't: `with state:`."""

_QUIET = (ast.Constant, ast.Dict, ast.List, ast.Load, ast.Name, ast.Set, ast.Tuple)


def own_constructor(cls: Class) -> Scope | None:
    """Return the constructor that the body of a class defines."""
    return next((scope for scope in cls.scope.inner if scope.name == "__init__"), None)


def is_plain(cls: Class) -> bool:
    """Tell whether calling a class without bases runs its own constructor and nothing else."""
    init = own_constructor(cls)
    if init is None or not isinstance(init.node, ast.FunctionDef) or not init.parameters or init.node.decorator_list:
        return False
    if cls.node.decorator_list or cls.node.keywords or cls.bases not in _PLAIN:
        return False
    methods = [s.name for s in cls.node.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
    return methods.count("__init__") == 1 and all(not name.startswith("__") or name in _NAMED for name in methods)


def stored_parameters(cls: Class) -> Mapping[str, str] | None:
    """Return the attributes in which a class without bases stores its parameters; None if calling it may do more."""
    init = own_constructor(cls)
    if init is None or not isinstance(init.node, ast.FunctionDef) or not is_plain(cls):
        return None
    parameters = {parameter.arg for parameter in init.parameters[1:]}
    found: dict[str, str] = {}
    for target, value in _stores(init.node.body):
        if target is None or value is None or not all(isinstance(part, _QUIET) for part in ast.walk(value)):
            return None
        if not isinstance(target, ast.Attribute) or not _is_own(target, init) or target.attr in cls.special:
            return None
        found.pop(target.attr, None)
        if isinstance(value, ast.Name) and value.id in parameters:
            found[target.attr] = value.id
    return found


def surely_stored(cls: Class) -> Mapping[str, str]:
    """Return the attributes in which a constructor certainly leaves its parameters, whatever else it does.

    self.h = h
    self.seen = h.cos()
    """
    init = own_constructor(cls)
    if init is None or not isinstance(init.node, ast.FunctionDef) or any(isinstance(n, ast.Return) for n in init.nodes):
        return {}
    rebound = {n.id for n in init.names if not isinstance(n.ctx, ast.Load)}
    parameters = {parameter.arg for parameter in init.parameters[1:]} - rebound
    stored = Counter(
        n.attr for n in ast.walk(init.node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    )
    return {
        target.attr: value.id
        for target, value in _stores(init.node.body)
        if isinstance(target, ast.Attribute) and _is_own(target, init) and stored[target.attr] == 1
        if isinstance(value, ast.Name) and value.id in parameters and target.attr not in cls.special
    }


def _is_own(target: ast.Attribute, init: Scope) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == init.parameters[0].arg


def _stores(body: list[ast.stmt]) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    """Iterate over what statements store, in which target; both are None for a statement that may do more."""
    for statement in body:
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield statement.target, statement.value
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _paired(target, statement.value)
        elif not isinstance(statement, ast.Pass) and not _is_text(statement):
            yield None, None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    """Iterate over the targets of an assignment with their values: `self.h, self.c = h, c`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value
