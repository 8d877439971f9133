"""Sizes and indices as `term + number`, so that the slots a loop counts can be compared with those of a tensor.

`T` after `T, B = x.shape`, `len(x)`, `x.size(0)` and `x.shape[0]` are all the term `x.shape[0]`, as long as no
statement in between binds the names again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from unplace.analysis.domain.paths import AccessPath, Attribute, Element
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.forms import WriteKind


@dataclass(frozen=True, slots=True)
class Linear:
    """An integer expression: an access path, such as `n` or `x.shape[0]`, plus a number; without a path, the number."""

    term: AccessPath | None
    offset: int

    @property
    def is_extent(self) -> bool:
        """Tell whether the term is the size of a tensor along a dimension."""
        return self.term is not None and bool(self.term.steps) and isinstance(self.term.steps[-1], Element)

    def plus(self, number: int) -> Linear:
        """Return the expression with a number added."""
        return Linear(self.term, self.offset + number)


@dataclass(slots=True)
class Sizes:
    """The sizes known at one point of a block; `pass_by` moves that point past the next statement."""

    run: Run
    _known: dict[str, Linear] = field(default_factory=dict)  # the sizes that names hold
    _noted: dict[str, Linear] = field(default_factory=dict)
    _ranks: dict[AccessPath, int] = field(default_factory=dict)
    _changing: set[str] = field(default_factory=set)

    def of(self, node: ast.expr) -> Linear | None:
        """Return an expression as a term and a number; None where it has no such form."""
        if isinstance(node, ast.Constant):
            return Linear(None, node.value) if type(node.value) is int else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(node.operand)
            return Linear(None, -inner.offset) if inner is not None and inner.term is None else None
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
        path = _dotted(node)
        if path is None or not self._is_steady(path):
            return None
        return self._known.get(path.root, Linear(path, 0)) if path.is_name else Linear(path, 0)

    def extent(self, tensor: ast.expr, dim: int | None) -> Linear | None:
        """Return the size of a tensor along a dimension, if it is constant here."""
        path = _dotted(tensor)
        if path is None or dim is None or not self._is_steady(path):
            return None
        if dim < 0 and path in self._ranks:
            dim += self._ranks[path]
        return extent(path, dim)

    def rank(self, tensor: ast.expr) -> int | None:
        """Return the number of dimensions of a tensor, if known."""
        return self._ranks.get(AccessPath.of(tensor))

    def note(self, key: str, size: Linear) -> None:
        """Record a size under a key of the caller's choice until a name in it is bound again."""
        self._noted[key] = size

    def noted(self, key: str) -> Linear | None:
        """Return the size recorded under a key, if it still holds."""
        return self._noted.get(key)

    def pass_by(self, statement: ast.stmt) -> None:
        """Move past a statement: forget the sizes that it changes, and learn those that it states."""
        defined = dict(self._defined(statement))
        ranked = dict(_ranked(statement))
        bound = self._bound(statement)
        self._forget(bound)
        self._known |= {name: size for name, size in defined.items() if not _names(size.term) & bound}
        self._ranks |= {path: rank for path, rank in ranked.items() if not _names(path) & bound}

    def enter(self, loop: ast.For, variable: str) -> None:
        """Enter the body of a loop: a name bound there, other than the loop's variable, no longer has one value."""
        bound = {name for statement in loop.body for name in self._bound(statement)}
        bound |= {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
        self._forget(bound)
        self._changing = bound - {variable}

    def _sum(self, node: ast.BinOp) -> Linear | None:
        left, right = self.of(node.left), self.of(node.right)
        if left is None or right is None:
            return None
        if right.term is None:
            return left.plus(right.offset if isinstance(node.op, ast.Add) else -right.offset)
        return right.plus(left.offset) if left.term is None and isinstance(node.op, ast.Add) else None

    def _is_steady(self, path: AccessPath) -> bool:
        return not _names(path) & (self._changing | self.run.scope.volatile)

    def _forget(self, bound: set[str]) -> None:
        self._known = {n: s for n, s in self._known.items() if n not in bound and not _names(s.term) & bound}
        self._noted = {key: s for key, s in self._noted.items() if not _names(s.term) & bound}
        self._ranks = {n: r for n, r in self._ranks.items() if not _names(n) & bound}

    def _bound(self, statement: ast.stmt) -> set[str]:
        """Return the names and attributes that a statement binds, and the tensors whose shape a method may change."""
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
        """Iterate over the names to which a statement assigns a size, each with that size."""
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


def _ranked(statement: ast.stmt) -> Iterator[tuple[AccessPath, int]]:
    """Iterate over the tensors whose number of dimensions an unpacking such as `T, B = x.shape` reveals."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        shaped = shape_of(statement.value)
        path = _dotted(shaped) if shaped is not None else None
        if path is not None and not any(isinstance(e, ast.Starred) for e in statement.targets[0].elts):
            yield path, len(statement.targets[0].elts)


def shape_of(node: ast.expr) -> ast.expr | None:
    """Return the tensor whose whole shape an expression is: `x` for `x.shape` and `x.size()`."""
    if isinstance(node, ast.Call) and not node.args and not node.keywords and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == "size" else None
    return node.value if isinstance(node, ast.Attribute) and node.attr == "shape" else None


def _without_stop(node: ast.expr) -> ast.expr:
    """Return `x.shape` for `x.shape[:2]`, and any other expression unchanged."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        if node.slice.lower is None and node.slice.step is None:
            return node.value
    return node


def extent(tensor: AccessPath, dim: int) -> Linear:
    """Return the size of a tensor along a dimension as a term: `x.shape[0]`."""
    return Linear(tensor.attribute("shape").element(dim), 0)


def _dotted(node: ast.expr) -> AccessPath | None:
    """Return the access path of a name, or of attributes of one; None for any other expression."""
    path = AccessPath.of(node)
    return path if path.root.isidentifier() and all(isinstance(step, Attribute) for step in path.steps) else None


def _constant(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _names(path: AccessPath | None) -> set[str]:
    """Return the name and the attributes that determine the value of a path."""
    if path is None:
        return set()
    return {path.root, *(step.name for step in path.steps if isinstance(step, Attribute))}
