"""Access paths, as data: places that hold a tensor and can be rebound, such as `y`, `self.h[0]` and `d["k"]`."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass

from unplace.analysis.syntax.nodes import PLACES

_CLOSED = (
    *(ast.Call, ast.Constant, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.JoinedStr),
    *(ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple),
)
"""Expressions that need no parentheses before a dot."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A step to an attribute: `.h`."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True, slots=True)
class Element:
    """A step to the element under a constant: `[0]`, `["k"]`; `[1]` and `[True]` are the same element."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{'...' if self.key is ... else repr(self.key)}]"


@dataclass(frozen=True, slots=True)
class Index:
    """A step to the element or part under any other index, given by its source: `[i]`, `[:, t + 1]`."""

    code: str

    def __str__(self) -> str:
        return f"[{self.code}]"


Step = Attribute | Element | Index


@dataclass(frozen=True, slots=True)
class AccessPath:
    """A root name, and the attributes and elements that lead from it to a place.

    If a path starts at another expression, its root is the source of that expression: `f(x)` for `f(x).h`.
    """

    root: str
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, node: ast.expr) -> AccessPath:
        """Return the path that an expression spells."""
        steps: list[Step] = []
        while isinstance(node, PLACES):
            if isinstance(node, ast.Attribute):
                steps.append(Attribute(node.attr))
            elif isinstance(node.slice, ast.Constant):
                steps.append(Element(node.slice.value))
            else:
                steps.append(Index(_index(node.slice)))
            node = node.value
        if isinstance(node, ast.Name):
            return cls(node.id, tuple(reversed(steps)))
        root = ast.unparse(node)
        return cls(f"({root})" if steps and not isinstance(node, _CLOSED) else root, tuple(reversed(steps)))

    @property
    def is_name(self) -> bool:
        """Tell whether the path is a plain name."""
        return not self.steps and self.root.isidentifier()

    def attribute(self, name: str) -> AccessPath:
        """Return the path to an attribute of the object at this place: from `y` to `y.h`."""
        return AccessPath(self.root, (*self.steps, Attribute(name)))

    def element(self, key: Hashable) -> AccessPath:
        """Return the path to an element of the container at this place: from `y` to `y[0]`."""
        return AccessPath(self.root, (*self.steps, Element(key)))

    def __str__(self) -> str:
        return self.root + "".join(map(str, self.steps))


def _index(node: ast.expr) -> str:
    """Return the source of an index, without the parentheses of a tuple: `:, 0`."""
    return ast.unparse(ast.Subscript(ast.Name("_", ast.Load()), node, ast.Load()))[2:-1]


@dataclass(frozen=True, slots=True)
class Binding:
    """An assignment: `a = b = value`, or `a, b = value` if `is_unpacked`."""

    targets: tuple[AccessPath, ...]
    value: str
    is_unpacked: bool = False
