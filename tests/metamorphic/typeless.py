"""The program without its annotations."""

from __future__ import annotations

import ast

FIELDS = ("dataclass", "NamedTuple", "TypedDict", "struct")
"""What makes fields of a class's annotations, which therefore stay."""


def stripped(tree: ast.Module) -> bool:
    """`def f(x: Tensor) -> Tensor: y: Tensor = ...` becomes `def f(x): y = ...`."""
    if any(isinstance(node, ast.Attribute | ast.Name) and "jit" in ast.unparse(node) for node in ast.walk(tree)):
        return False  # TorchScript compiles by them
    strip = _Strip()
    strip.visit(tree)
    return strip.found


class _Strip(ast.NodeTransformer):
    def __init__(self) -> None:
        self.found = False

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self.found |= node.annotation is not None
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        self._function(node)
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.found |= node.returns is not None
        node.returns = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        made_by = " ".join(ast.unparse(part) for part in (*node.decorator_list, *node.bases))
        if any(word in made_by for word in FIELDS):
            kept = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
            for statement in node.body:
                if statement not in kept:
                    self.visit(statement)
            return node
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        self.found = True
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)
