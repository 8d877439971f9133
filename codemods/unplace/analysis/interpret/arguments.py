"""The evaluated arguments of a call, and their binding to parameters."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from unplace.analysis.domain.graph import of_all
from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import DICT, TUPLE, Obj, Value
from unplace.analysis.syntax.classes import is_static
from unplace.diagnostics.forms import is_true


@dataclass(slots=True)
class Arguments:
    """The evaluated arguments of one call; `exact` is False with `*args` or `**kwargs`, which is in `rest`.

    `spread` are the names of the keywords in `**kwargs`, where all of these and no `*args` are known; else None.
    """

    positional: list[Value] = field(default_factory=list)
    nodes: list[ast.expr] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    rest: list[Value] = field(default_factory=list)
    exact: bool = True
    spread: frozenset[str] | None = frozenset()

    def copy(self) -> Arguments:
        """Return a copy whose values can be replaced."""
        return replace(self, positional=list(self.positional), keywords=dict(self.keywords))

    def all(self) -> list[Value]:
        """Return all arguments."""
        return [*self.positional, *self.keywords.values(), *self.rest]

    def at(self, position: int, name: str) -> tuple[ast.expr, Value] | None:
        """Return the argument passed at a position or by a name."""
        if name in self.keywords:
            return self.keyword_nodes[name], self.keywords[name]
        if position < len(self.positional):
            return self.nodes[position], self.positional[position]
        return None

    def named_nodes(self, bound: Mapping[str, Value]) -> dict[str, ast.expr]:
        """Return the argument expressions by parameter name, given the bound values."""
        pairs = [*zip(self.positional, self.nodes, strict=True)]
        pairs += [(value, self.keyword_nodes[name]) for name, value in self.keywords.items()]
        return {name: node for name, value in bound.items() for other, node in pairs if other is value}

    def stored_in(self, fields: tuple[str, ...]) -> dict[str, Value] | None:
        """Return the arguments by field name; None where the call can't be matched with the fields."""
        named = dict(zip(fields, self.positional, strict=False))
        is_matched = self.exact and len(self.positional) <= len(fields) and self.keywords.keys() <= set(fields)
        return {**named, **self.keywords} if is_matched and not named.keys() & self.keywords.keys() else None

    def bind(self, parameters: tuple[str, ...]) -> dict[str, Value]:
        """Return the arguments by parameter name; surplus positional ones are named `*0`, `*1` and so on."""
        extra = {f"*{i}": value for i, value in enumerate(self.positional[len(parameters) :])}
        return {**dict(zip(parameters, self.positional, strict=False)), **extra, **self.keywords}


def is_true_given(found: tuple[ast.expr, Value] | None) -> bool:
    """Tell whether an argument is the literal True."""
    return found is not None and is_true(found[0])


def is_unknown_flag(found: tuple[ast.expr, Value] | None, arguments: Arguments) -> bool:
    """Tell whether an argument may be True without being a literal: a variable, or hidden in `**kwargs`."""
    if found is None:
        return not arguments.exact
    return not isinstance(found[0], ast.Constant)


def bind_loosely(function: Function, arguments: Arguments, receiver: Value | None) -> dict[str, Value] | None:
    """Return what each parameter may receive, where `*args` or `**kwargs` stand in the call or in the signature.

    A variadic parameter stands for all that it may receive. None where the call can't be matched with the signature.
    """
    node = function.scope.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return None
    signature = node.args
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    given = [
        (value, isinstance(n, ast.Starred)) for value, n in zip(arguments.positional, arguments.nodes, strict=True)
    ]
    if receiver is not None and not is_static(node):
        given.insert(0, (receiver, False))
    exact = next((i for i, (_, is_starred) in enumerate(given) if is_starred), len(given))
    bound = {name: value for name, (value, _) in zip(names, given[:exact], strict=False)}
    surplus = [value for value, _ in given[min(exact, len(names)) :]]
    known = {*names, *(a.arg for a in signature.kwonlyargs)}
    bound.update((name, value) for name, value in arguments.keywords.items() if name in known)
    unnamed = [value for name, value in arguments.keywords.items() if name not in known]
    if (exact > len(names) and signature.vararg is None) or (unnamed and signature.kwarg is None):
        return None
    loose = [*(surplus if exact < len(given) else []), *arguments.rest]
    for name in sorted(known - bound.keys()) if loose else ():
        bound[name] = reduce(weak_join, loose)._replace(identity=None)
    for variadic, values, kind in ((signature.vararg, surplus, TUPLE), (signature.kwarg, unnamed, DICT)):
        if variadic is not None:
            inside = [*values, *arguments.rest]
            objs, graph = frozenset[Obj]().union(*(v.objs for v in inside)), of_all(v.graph for v in inside)
            bound[variadic.arg] = Value(kind, objs, graph=graph)
    return bound


def bind_parameters(function: Function, arguments: Arguments, receiver: Value | None) -> dict[str, Value] | None:
    """Return the arguments by parameter name; None when the call can't be matched with the signature."""
    node = function.scope.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return None
    signature = node.args
    if not arguments.exact or signature.vararg or signature.kwarg:
        return None  # see `bind_loosely`
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
