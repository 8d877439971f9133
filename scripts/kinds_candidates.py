"""Finds every statement that writes in place if its object is a tensor, whatever the object is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """How a candidate is written; the object whose kind is asked for is `x`, or `x[i]` for an element."""

    AUGMENTED = "x += v"
    ELEMENT = "x[i] += v, of x[i]"  # only asked where x itself is no tensor
    STORE = "x[i] = v"
    METHOD = "x.f_()"
    DATA = "x.data = v"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One statement or call that may be an in-place operation: `operation` on the object `target`."""

    shape: Shape
    operation: ast.AST
    target: ast.expr

    @property
    def place(self) -> str:
        """Where the object's expression ends, as line:column: that tells the links of `x.add_(1).mul_(2)` apart."""
        return f"{self.target.end_lineno}:{self.target.end_col_offset}"


def candidates(tree: ast.AST) -> Iterator[Candidate]:
    """All candidates of a module."""
    augmented: set[ast.AST] = set()
    for node in ast.walk(tree):  # statements come before their targets
        if isinstance(node, ast.AugAssign):
            augmented.add(node.target)
            shape = Shape.ELEMENT if isinstance(node.target, ast.Subscript) else Shape.AUGMENTED
            yield Candidate(shape, node, node.target)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield Candidate(Shape.STORE, node, node.value)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == "data":
            if node in augmented:
                continue
            yield Candidate(Shape.DATA, node, node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name.endswith("_") and not name.endswith("__") and not name.startswith("_"):
                yield Candidate(Shape.METHOD, node, node.func.value)
