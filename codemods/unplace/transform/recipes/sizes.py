"""Sizes and indices as `term + number`, so that the slots a loop counts can be compared with those of a tensor.

`T` after `T, B = x.shape`, `len(x)`, `x.size(0)` and `x.shape[0]` all are the term `x.shape[0]`, as long as nothing
between the statements that are compared binds the names anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.forms import WriteKind


@dataclass(frozen=True, slots=True)
class Linear:
    """An integer expression: a term that can't be split further ("" for none) plus a number."""

    term: str
    offset: int

    def plus(self, number: int) -> Linear:
        """The expression with a number added."""
        return Linear(self.term, self.offset + number)


@dataclass(slots=True)
class Sizes:
    """What is known of sizes at one place of a block, while its statements are passed in order."""

    run: Run
    _known: dict[str, Linear] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)
    _changing: set[str] = field(default_factory=set)

    def of(self, node: ast.expr) -> Linear | None:
        """The expression as a term and a number."""
        if isinstance(node, ast.Constant):
            return Linear("", node.value) if type(node.value) is int else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(node.operand)
            return Linear("", -inner.offset) if inner is not None and not inner.term else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            return self._sum(node)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self.extent(node.value.value, _constant(node.slice))
        if isinstance(node, ast.Call) and not node.keywords and len(node.args) == 1:
            if isinstance(node.func, ast.Attribute) and node.func.attr == "size":
                return self.extent(node.func.value, _constant(node.args[0]))
            if isinstance(node.func, ast.Name) and node.func.id == "len":
                return self.extent(node.args[0], 0)
            return None
        name = _dotted(node)
        return self._known.get(name, Linear(name, 0)) if name is not None and self._is_steady(name) else None

    def extent(self, tensor: ast.expr, dim: int | None) -> Linear | None:
        """The size of a tensor along a dimension."""
        name = _dotted(tensor)
        if name is None or dim is None or not self._is_steady(name):
            return None
        if dim < 0 and name in self._ranks:
            dim += self._ranks[name]
        return Linear(f"{name}.shape[{dim}]", 0)

    def rank(self, name: str) -> int | None:
        """The number of dimensions of a tensor."""
        return self._ranks.get(name)

    def note(self, name: str, size: Linear) -> None:
        """Remember a size under a name of the caller's own until something in it changes."""
        self._known[name] = size

    def noted(self, name: str) -> Linear | None:
        """The size that was noted, if it still is the same."""
        return self._known.get(name)

    def pass_by(self, statement: ast.stmt) -> None:
        """Go on behind a statement: forget what it changes, learn what it says."""
        defined = dict(self._defined(statement))
        ranked = dict(_ranked(statement))
        bound = self._bound(statement)
        self._forget(bound)
        self._known |= {name: size for name, size in defined.items() if not _names(size.term) & bound}
        self._ranks |= {name: rank for name, rank in ranked.items() if name not in bound}

    def enter(self, loop: ast.For, variable: str) -> None:
        """Go into the body of a loop: what it binds, besides its variable, isn't one thing any more."""
        bound = {name for statement in loop.body for name in self._bound(statement)}
        bound |= {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
        self._forget(bound)
        self._changing = bound - {variable}

    def _sum(self, node: ast.BinOp) -> Linear | None:
        left, right = self.of(node.left), self.of(node.right)
        if left is None or right is None:
            return None
        if not right.term:
            return left.plus(right.offset if isinstance(node.op, ast.Add) else -right.offset)
        return right.plus(left.offset) if not left.term and isinstance(node.op, ast.Add) else None

    def _is_steady(self, name: str) -> bool:
        return not _names(name) & (self._changing | self.run.scope.volatile)

    def _forget(self, bound: set[str]) -> None:
        self._known = {n: s for n, s in self._known.items() if not _names(f"{n} {s.term}") & bound}
        self._ranks = {n: r for n, r in self._ranks.items() if not _names(n) & bound}

    def _bound(self, statement: ast.stmt) -> set[str]:
        """The names and attributes that a statement binds, and the tensors whose shape a method may change."""
        nodes = set(walk(statement))
        found = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        found |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
        found |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        for node in nodes:  # `xs.append(x)`, `x.squeeze_(0)`
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                found |= {n.id for n in walk(node.value.func) if isinstance(n, ast.Name)}
        for write in self.run.writes.values():
            if write.node in nodes and write.kind is WriteKind.METHOD:
                found |= {n.id for n in walk(write.target) if isinstance(n, ast.Name)}
        return found

    def _defined(self, statement: ast.stmt) -> Iterator[tuple[str, Linear]]:
        """The names to which a statement gives a size."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return
        target, value = statement.targets[0], statement.value
        pairs: list[tuple[ast.expr, Linear | None]] = [(target, self.of(value))]
        if isinstance(target, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in target.elts):
            shaped = shape_of(_without_stop(value))
            if shaped is not None:
                pairs = [(element, self.extent(shaped, dim)) for dim, element in enumerate(target.elts)]
            elif isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                pairs = [(element, self.of(e)) for element, e in zip(target.elts, value.elts, strict=True)]
        for element, size in pairs:
            if isinstance(element, ast.Name) and size is not None:
                yield element.id, size


def _ranked(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """The tensors whose number of dimensions an unpacking tells."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        shaped = shape_of(statement.value)
        name = _dotted(shaped) if shaped is not None else None
        if name is not None and not any(isinstance(e, ast.Starred) for e in statement.targets[0].elts):
            yield name, len(statement.targets[0].elts)


def shape_of(node: ast.expr) -> ast.expr | None:
    """The tensor whose whole shape an expression is: `x` of `x.shape` and `x.size()`."""
    if isinstance(node, ast.Call) and not node.args and not node.keywords and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == "size" else None
    return node.value if isinstance(node, ast.Attribute) and node.attr == "shape" else None


def _without_stop(node: ast.expr) -> ast.expr:
    """`x.shape` of `x.shape[:2]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        if node.slice.lower is None and node.slice.step is None:
            return node.value
    return node


def _dotted(node: ast.expr) -> str | None:
    """A name, or attributes of one."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None


def _constant(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _names(term: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", term))
