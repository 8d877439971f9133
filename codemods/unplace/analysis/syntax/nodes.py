"""Walks over syntax trees, faster than those of `ast`: much of the cost of looking at a file is in them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

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
"""Fields that hold strings, numbers, operators and contexts, whatever the type of the node."""

SCOPES = frozenset([ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef])
"""The types of the nodes that open a scope of their own."""


LOOPS = (ast.For, ast.AsyncFor, ast.While)
"""The loops among the statements."""


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of a type of node that hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = issubclass(kind, ast.Constant | ast.Name | ast.alias | ast.Global | ast.Nonlocal | ast.MatchSingleton)
        found = self[kind] = () if plain else tuple(field for field in kind._fields if field not in _LEAVES)
        return found


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below, in the order of the fields; operators and contexts are left out."""
    found: list[ast.AST] = []
    for field in _FIELDS[type(node)]:
        value = getattr(node, field, None)
        if type(value) is list:
            found += [child for child in value if child is not None]  # `{**d}` has a key of None
        elif value is not None:
            found.append(value)
    return found


def parents_below(root: ast.AST) -> dict[ast.AST, ast.AST]:
    """The parent of each node below a node."""
    return {child: node for node in walk(root) for child in children(node)}


def walk(node: ast.AST, closed: Collection[type] = ()) -> Iterator[ast.AST]:
    """The node and all below it, in no particular order; operators and contexts are left out.

    Nodes of the types `closed` are yielded, but not looked into.
    """
    return _walk([node], closed)


def own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes inside it, whose definitions are included."""
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


def code_of(node: ast.AST) -> str:
    """What `ast.unparse` makes of an expression, without its machinery for names, attributes and plain elements."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript):
        return f"{code_of(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        if isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript):
            return f"{code_of(node.value)}[{node.slice.id}]"
    return ast.unparse(node)
