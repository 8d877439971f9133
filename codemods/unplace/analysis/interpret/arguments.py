"""The arguments of a call, evaluated and matched with parameters."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.values import Value
from unplace.analysis.syntax.classes import is_static


@dataclass(slots=True)
class Arguments:
    """The arguments of one call, evaluated; `exact` is False with `*args` or `**kwargs`."""

    positional: list[Value] = field(default_factory=list)
    nodes: list[ast.expr] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    exact: bool = True

    def all(self) -> list[Value]:
        """Every argument."""
        return [*self.positional, *self.keywords.values()]

    def at(self, position: int, name: str) -> tuple[ast.expr, Value] | None:
        """The argument passed at a position or by a name."""
        if name in self.keywords:
            return self.keyword_nodes[name], self.keywords[name]
        if position < len(self.positional):
            return self.nodes[position], self.positional[position]
        return None

    def named_nodes(self, bound: Mapping[str, Value]) -> dict[str, ast.expr]:
        """The argument expressions by parameter name, given the values by parameter name."""
        pairs = [*zip(self.positional, self.nodes, strict=True)]
        pairs += [(value, self.keyword_nodes[name]) for name, value in self.keywords.items()]
        return {name: node for name, value in bound.items() for other, node in pairs if other is value}

    def stored_in(self, fields: tuple[str, ...]) -> dict[str, Value] | None:
        """The arguments by the name of the field that takes each; None where the call can't be matched with them."""
        named = dict(zip(fields, self.positional, strict=False))
        is_matched = self.exact and len(self.positional) <= len(fields) and self.keywords.keys() <= set(fields)
        return {**named, **self.keywords} if is_matched and not named.keys() & self.keywords.keys() else None

    def bind(self, parameters: tuple[str, ...]) -> dict[str, Value]:
        """The arguments by parameter name; more than there are names are left out."""
        extra = {f"*{i}": value for i, value in enumerate(self.positional[len(parameters) :])}
        return {**dict(zip(parameters, self.positional, strict=False)), **extra, **self.keywords}


def is_true(found: tuple[ast.expr, Value] | None) -> bool:
    """Whether an argument is the literal True."""
    return found is not None and isinstance(found[0], ast.Constant) and found[0].value is True


def is_unknown_flag(found: tuple[ast.expr, Value] | None, arguments: Arguments) -> bool:
    """Whether an argument may be True without being the literal: a variable, or hidden in `**kwargs`."""
    if found is None:
        return not arguments.exact
    return not isinstance(found[0], ast.Constant)


def bind_parameters(function: Function, arguments: Arguments, receiver: Value | None) -> dict[str, Value] | None:
    """Arguments by parameter name, or None when the call can't be matched with the signature."""
    node = function.scope.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return None
    signature = node.args
    if not arguments.exact or signature.vararg or signature.kwarg:
        return None
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    values = list(arguments.positional)
    if receiver is not None and not is_static(node):
        values.insert(0, receiver)
    if len(values) > len(names):
        return None
    bound: dict[str, Value] = dict(zip(names, values, strict=False))
    known = {*names, *(a.arg for a in signature.kwonlyargs)}
    if not arguments.keywords.keys() <= known:
        return None
    bound.update(arguments.keywords)
    return bound
