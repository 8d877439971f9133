"""Access paths: the places that hold a tensor and can be bound to another one, as data: `y`, `self.h[0]`, `d["k"]`."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass

_CLOSED = (
    *(ast.Call, ast.Constant, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.JoinedStr),
    *(ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple),
)
"""Expressions that may stand before a dot as they are."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """`.h`"""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True, slots=True)
class Element:
    """`[0]`, `["k"]`: what a constant picks; `[1]` and `[True]` are the same element."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{'...' if self.key is ... else repr(self.key)}]"


@dataclass(frozen=True, slots=True)
class Index:
    """`[i]`, `[:, t + 1]`: what an expression picks, given by its source."""

    code: str

    def __str__(self) -> str:
        return f"[{self.code}]"


Step = Attribute | Element | Index


@dataclass(frozen=True, slots=True)
class AccessPath:
    """A name, and the attributes and elements that lead from it to a place.

    The root of what starts at another expression is the source of that: `f(x)` of `f(x).h`.
    """

    root: str
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, node: ast.expr) -> AccessPath:
        """Return the path that an expression spells."""
        steps: list[Step] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
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
        """Whether the place is a plain name."""
        return not self.steps and self.root.isidentifier()

    def attribute(self, name: str) -> AccessPath:
        """Return the path of an attribute of what the place holds."""
        return AccessPath(self.root, (*self.steps, Attribute(name)))

    def element(self, key: Hashable) -> AccessPath:
        """Return the path of an element of the container that the place holds."""
        return AccessPath(self.root, (*self.steps, Element(key)))

    def __str__(self) -> str:
        return self.root + "".join(map(str, self.steps))


def _index(node: ast.expr) -> str:
    """The source of an index, without the parentheses of a tuple: `:, 0`."""
    return ast.unparse(ast.Subscript(ast.Name("_", ast.Load()), node, ast.Load()))[2:-1]


@dataclass(frozen=True, slots=True)
class Binding:
    """`a = b = value`, or `a, b = value` where it is unpacked."""

    targets: tuple[AccessPath, ...]
    value: str
    is_unpacked: bool = False
