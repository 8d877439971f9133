"""Keys of operations: the function around an operation, a digest of its text, and the place in it.

A fact from a run holds for an operation as long as the text of its function is the same, wherever the function moves.
"""

from __future__ import annotations

import ast
import hashlib
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OPERATIONS = (ast.AugAssign, ast.Assign, ast.Call)
"""The nodes that are written like in-place operations."""
_LEAVES = (ast.Name, ast.Constant)
MODULE = "<module>"
UNRECORDED = "torch.no_grad()"
"""What a program calls with the function that makes its call, so that no gradients are recorded."""
ENTRY = "entry"
"""The place that stands for the beginning of a function."""


class Function(NamedTuple):
    """A function, by its qualified name and a digest of its text; the module itself stands for code outside of all."""

    name: str
    digest: str


class Owned(NamedTuple):
    """A node with the function around it and the line in which that function begins."""

    node: ast.AST
    function: Function
    start: int

    @property
    def place(self) -> str:
        """The place of the node in its function: lines from that of the `def`, columns as `ast` has them."""
        node: Any = self.node
        return f"{node.lineno - self.start}:{node.col_offset}-{node.end_lineno - self.start}:{node.end_col_offset}"


def owned(tree: ast.Module, text: str) -> Iterator[Owned]:
    """Yield the nodes of a module that are written like in-place operations, with their functions."""
    lines = io.StringIO(text, newline=None).readlines()
    module = Function(MODULE, _digest("".join(lines)))
    todo: list[tuple[ast.AST, Function, int, str]] = [(tree, module, 1, "")]
    while todo:
        node, function, start, prefix = todo.pop()
        for child in _children(node):
            inside = function, start, prefix
            if isinstance(child, FUNCTIONS):
                name = f"{prefix}{child.name}"
                source = "".join(lines[child.lineno - 1 : child.end_lineno])
                inside = Function(name, _digest(source)), child.lineno, f"{name}."
            elif isinstance(child, ast.ClassDef):
                inside = function, start, f"{prefix}{child.name}."
            elif isinstance(child, OPERATIONS):
                yield Owned(child, function, start)
            todo.append((child, *inside))


def called_by_name(tree: ast.Module, text: str) -> Iterator[tuple[Function, ast.FunctionDef]]:
    """Yield the functions of a module's top level and the methods of its classes, less setters."""
    lines = io.StringIO(text, newline=None).readlines()
    for outer in tree.body:
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for node in outer.body if isinstance(outer, ast.ClassDef) else [outer]:
            if isinstance(node, ast.FunctionDef) and not any(map(_is_setter, node.decorator_list)):
                source = "".join(lines[node.lineno - 1 : node.end_lineno])
                yield Function(f"{prefix}{node.name}", _digest(source)), node


def _is_setter(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter")


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children of a node that may have children themselves."""
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and child._fields and not isinstance(child, _LEAVES):
                yield child


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
