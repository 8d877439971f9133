"""Flow-insensitive facts about the names of one scope: everything assigned to them, and how they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from unplace.analysis.syntax.nodes import PLACES, SCOPES, code_of, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_NAMED = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""The types of nodes that bind the name in their field `name`."""

_NEUTRAL = frozenset([ast.Attribute, ast.Subscript, ast.BinOp, ast.Dict, ast.Return, ast.Yield])
"""The types of nodes that neither bind names nor tell how they are used."""

_ITERATES = frozenset(["enumerate", "zip", "reversed", "list", "tuple", "sorted", "iter", "map"])


@dataclass(slots=True)
class Bindings:
    """An index of the names of one scope, made in one walk over its nodes.

    - `sources[name]`: what is assigned to the name: expressions, definitions, or another node where the assignment
      isn't plain
    - `iterated`: the names that are iterated over or unpacked: `for row in x`, `zip(x, y)`, `a, b = x`
    - `replaced[name]`: the indices of its elements that are replaced by the result of a call on them: `x[i] = f(x[i])`
    - `added[name]`, `extended[name]`: what is added to it as an element, and the collections whose elements are
    """

    sources: dict[str, list[ast.AST]] = field(default_factory=dict)
    iterated: set[str] = field(default_factory=set)
    replaced: dict[str, list[ast.expr]] = field(default_factory=dict)
    added: dict[str, list[ast.expr]] = field(default_factory=dict)
    extended: dict[str, list[ast.expr]] = field(default_factory=dict)

    @classmethod
    def of(cls, scope: Scope) -> Bindings:
        """Return the index of a scope, without the nodes of the scopes inside it."""
        found = cls()
        for node in scope.nodes:
            if type(node) not in _NEUTRAL:
                found._add(node)
        return found

    def _add(self, node: Any) -> None:
        kind = type(node)
        if kind is ast.Call:
            self._add_call(node)
        elif kind is ast.Assign:
            for target in node.targets:
                self._add_target(target, node.value)
        else:
            self._add_binding(node, kind)

    def _add_binding(self, node: Any, kind: type) -> None:
        """Record a node that binds names other than by a plain assignment, or that adds to a list."""
        if kind is ast.AnnAssign or kind is ast.NamedExpr:
            if isinstance(node.target, ast.Name) and node.value is not None:
                self._put(node.target.id, node.value)
        elif kind in SCOPES:
            self._put(node.name, node)
        elif kind is ast.For or kind is ast.AsyncFor or kind is ast.comprehension:
            self._put_all(node.target, node)
            self._add_iterated(node.iter)
        elif kind is ast.AugAssign and type(node.target) is ast.Name:
            self.extended.setdefault(node.target.id, []).append(node.value)
        elif kind is ast.withitem and node.optional_vars is not None:
            self._put_all(node.optional_vars, node)

    def _add_call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and node.args:
            name = function.value.id
            if function.attr in modules.ADDING:
                self.added.setdefault(name, []).append(node.args[-1])
            elif function.attr in modules.EXTENDING:
                self.extended.setdefault(name, []).append(node.args[0])
        if last_name(function) in _ITERATES:
            for argument in node.args:
                self._add_iterated(argument)

    def _add_target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._put(target.id, value)
            return
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self.added.setdefault(target.value.id, []).append(value)
            if _is_made_of(target, value):
                self.replaced.setdefault(target.value.id, []).append(target.slice)
            return
        if not isinstance(target, ast.Tuple | ast.List):
            return
        self._add_iterated(value)
        plain = not any(isinstance(e, ast.Starred) for e in target.elts)
        for index, element in enumerate(target.elts):
            if isinstance(element, ast.Name) and plain:
                self._put(element.id, _element(value, index, len(target.elts)))
            else:
                self._put_all(element, target)

    def _add_iterated(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            self.iterated.add(node.id)

    def replaces_elements(self, name: str) -> bool:
        """Tell whether elements of a name are replaced, one by one, by the result of a call on them.

        The name is a list then, in most cases: `xs[i] = layer(xs[i])`.
        """
        return any(map(self.counts, self.replaced.get(name, ())))

    def counts(self, node: ast.expr) -> bool:
        """Tell whether an index is certainly a number: a literal, or a name that loops over numbers bind."""
        if isinstance(node, ast.Name):
            sources = self.sources.get(node.id, [])
            return bool(sources) and all(isinstance(s, ast.For) and yields_numbers(s, node.id) for s in sources)
        return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)

    def _put(self, name: str, source: ast.AST) -> None:
        self.sources.setdefault(name, []).append(source)

    def _put_all(self, target: ast.AST, source: ast.AST) -> None:
        for node in walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._put(node.id, source)


def yields_numbers(loop: ast.For, name: str) -> bool:
    """Tell whether a loop binds a name to numbers: those of a range, or the indices of an enumeration."""
    called = last_name(loop.iter.func) if isinstance(loop.iter, ast.Call) else None
    if isinstance(loop.target, ast.Tuple):
        first = loop.target.elts[0]
        return called == "enumerate" and isinstance(first, ast.Name) and first.id == name
    return called == "range"


def names_of_exceptions(handler: ast.ExceptHandler) -> set[str]:
    """Return the names of the exceptions that a handler catches; that of all of them where it names none."""
    if handler.type is None:
        return {"BaseException"}
    return {name for part in walk(handler.type) if (name := last_name(part)) is not None}


def assigned_names(statement: ast.Assign) -> set[str]:
    """Return the names that an assignment binds, including those in tuples and lists."""
    targets = (n for target in statement.targets for n in walk(target))
    return {n.id for n in targets if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def bound_by(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Iterate over the names that nodes bind, in whatever form: targets, imports, definitions, handlers, patterns."""
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            yield node.rest
        elif isinstance(node, _NAMED) and node.name is not None:
            yield node.name


def _is_made_of(element: ast.expr, value: ast.expr) -> bool:
    """Tell whether a value is the result of calls on an element: `f(x[i])` for `x[i]`."""
    read = [n for call in walk(value) if isinstance(call, ast.Call) for n in walk(call) if isinstance(n, ast.Subscript)]
    return bool(read) and code_of(element) in map(code_of, read)


def _element(value: ast.expr, index: int, count: int) -> ast.AST:
    """Return the part of an unpacked value that the target at `index` receives."""
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == count:
        if not any(isinstance(e, ast.Starred) for e in value.elts):
            return value.elts[index]
    place = ast.copy_location(ast.Constant(index), value)
    return ast.copy_location(ast.Subscript(value, place, ast.Load()), value)


def is_text(node: ast.expr) -> bool:
    """Tell whether an expression is a string literal or an f-string."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_text_key(node: ast.expr) -> bool:
    """Tell whether a subscript asks by a text, which no tensor takes: `x["a"]`, `x["a", "b"]`."""
    return any(map(is_text_key, node.elts)) if isinstance(node, ast.Tuple) else is_text(node)


def root_name(node: ast.expr) -> str | None:
    """Return the name at the bottom of a chain of attributes, subscripts and calls."""
    root = root_of(node)
    return root.id if root is not None else None


def root_of(node: ast.expr) -> ast.Name | None:
    """Return the node of the name at the bottom of a chain of attributes, subscripts and calls."""
    while not isinstance(node, ast.Name):
        if isinstance(node, PLACES):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return None
    return node


def last_name(node: ast.AST) -> str | None:
    """Return the last part of a dotted name: `relu` for `relu`, `F.relu` and `self.relu`."""
    if type(node) is ast.Attribute:
        return node.attr
    return node.id if type(node) is ast.Name else None


SETTERS = ("setattr", "__setattr__")
"""The functions that store an attribute by its name."""


class NamedStore(NamedTuple):
    """A store in an attribute whose name is an expression: `setattr(holder, name, value)`."""

    holder: ast.expr
    name: ast.expr
    value: ast.expr


def named_store(call: ast.Call) -> NamedStore | None:
    """Return what a call stores in an attribute by its name; None for other calls and for unpacked arguments.

    setattr(module, "norm", quick)              builtins.setattr(...)
    module.__setattr__("norm", quick)           object.__setattr__(module, "norm", quick)
    """
    function = call.func
    setter = function.attr if type(function) is ast.Attribute else getattr(function, "id", None)
    if setter not in SETTERS or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    match setter, call.args:
        case "setattr" | "__setattr__", [holder, name, value]:
            return NamedStore(holder, name, value)
        case "__setattr__", [name, value] if isinstance(function, ast.Attribute):
            return NamedStore(function.value, name, value)
    return None
