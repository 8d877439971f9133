"""Walks over syntax trees, faster than those of `ast`: walking takes much of the time spent on a file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

_LEAVES = frozenset(
    [
        *(
            "arg",
            "asname",
            "attr",
            "conversion",
            "ctx",
            "id",
            "is_async",
            "kind",
            "kwd_attrs",
            "level",
            "module",
            "name",
        ),
        *("op", "ops", "rest", "simple", "str", "tag", "type_comment", "type_ignores"),
    ]
)
"""Fields that hold strings, numbers, operators or contexts, whatever the type of the node."""

SCOPES = frozenset([ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef])
"""The types of nodes that open a scope of their own."""


LOOPS = (ast.For, ast.AsyncFor, ast.While)
"""The types of loop statements."""

TRIES: tuple[type, ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
"""The types of `try` statements, with `except` or with `except*`."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
"""The types of statements that define a function."""

PLACES = (ast.Attribute, ast.Subscript)
"""The types of expressions that name a part of an object."""

DISPLAYS = (ast.Tuple, ast.List)
"""The types of displays that can be targets of an assignment."""

_PATHS = (ast.Name, *PLACES)

TEXTS = frozenset([str, bytes])
"""The types of constants that are texts."""

NUMBERS = frozenset([bool, int, float, complex])
"""The types of constants that are numbers."""

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""The types of comprehensions and generator expressions."""


class _Fields(dict[type, tuple[str, ...]]):
    """The fields that hold nodes, by type of node."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = issubclass(kind, ast.Constant | ast.Name | ast.alias | ast.Global | ast.Nonlocal | ast.MatchSingleton)
        found = self[kind] = () if plain else tuple(field for field in kind._fields if field not in _LEAVES)
        return found


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below a node, in the order of its fields, without operators and contexts."""
    found: list[ast.AST] = []
    for field in _FIELDS[type(node)]:
        value = getattr(node, field, None)
        if type(value) is list:
            found += value if None not in value else filter(None, value)  # `{**d}` has a key of None
        elif value is not None:
            found.append(value)
    return found


@dataclass(frozen=True, slots=True)
class Parents:
    """The parent of each node below `root`; one table serves all roots of a module."""

    root: ast.AST
    table: Mapping[ast.AST, ast.AST]

    def __contains__(self, node: ast.AST) -> bool:
        return node is not self.root and node in self.table

    def __getitem__(self, node: ast.AST) -> ast.AST:
        if node is self.root:
            raise KeyError(node)
        return self.table[node]

    def get(self, node: ast.AST) -> ast.AST | None:
        """Return the parent of a node; None for the root."""
        return None if node is self.root else self.table.get(node)


def walk(node: ast.AST, closed: Collection[type] = ()) -> Iterator[ast.AST]:
    """Iterate over a node and all nodes below it, in no particular order, without operators and contexts.

    Nodes of the types in `closed` are yielded, but not the nodes below them.
    """
    return _walk([node], closed)


def own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """Iterate over the nodes of a scope, including the definitions of inner scopes, but not the nodes in these."""
    body = getattr(root, "body", None)
    return _walk(list(body) if isinstance(body, list) else [body] if isinstance(body, ast.AST) else [], SCOPES)


def _walk(todo: list[ast.AST], closed: Collection[type]) -> Iterator[ast.AST]:
    fields = _FIELDS
    while todo:
        node = todo.pop()
        if node is None:
            continue
        yield node
        kind = type(node)
        for field in fields[kind] if kind not in closed else ():
            value = getattr(node, field, None)
            if type(value) is list:
                todo += value
            elif value is not None:
                todo.append(value)


def whole_number(node: ast.expr) -> int | None:
    """Return the integer that an expression spells out (`2`, `-1`), if it does."""
    if not isinstance(node, ast.Constant | ast.UnaryOp):
        return None
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def code_of(node: ast.AST) -> str:
    """Return what `ast.unparse` makes of an expression, faster for names, attributes and plain elements."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, _PATHS):
        return f"{code_of(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.value, _PATHS):
        index = node.slice
        if isinstance(index, ast.Name):
            return f"{code_of(node.value)}[{index.id}]"
        if isinstance(index, ast.Constant) and type(index.value) in (int, str) and index.kind is None:
            return f"{code_of(node.value)}[{index.value!r}]"
    return ast.unparse(node)
