"""Indices: what the form of one tells of the indexed object, and which elements a number always picks.

`state[0]` is the same object wherever it is read if nothing can have put another one in its place. Then what one use
tells of it holds for all of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from unplace.analysis.syntax.bindings import is_text_key
from unplace.analysis.syntax.scopes import Scope

EACH = "each"
"""Stands for the index of any element, in a list whose elements are all made by one expression."""


def form(node: ast.expr) -> str:
    """Return the form of an index, a key of `READ_AT`."""
    if is_text_key(node):
        return "text"
    if isinstance(node, ast.Slice):
        return "slice"
    if isinstance(node, ast.Tuple):
        is_cut = any(isinstance(e, ast.Slice) or _is_marker(e) for e in node.elts)
        return "cut" if is_cut else "several"
    return "cut" if _is_marker(node) else "plain"


def _is_marker(node: ast.expr) -> bool:
    """Tell whether an index is None or `...`."""
    return isinstance(node, ast.Constant) and node.value in (None, ...)


def is_mask(node: ast.expr) -> bool:
    """Tell whether an index compares something: `x[x > 0]`, `x[~(a == b)]`."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn)


def number(node: ast.expr) -> int | None:
    """Return the number that an index is, if it is written as one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = number(node.operand)
        return -found if found is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def elements(display: ast.Tuple | ast.List | ast.ListComp) -> Iterator[tuple[int | str, ast.expr]]:
    """Iterate over the elements of a display, with the numbers that pick each; `EACH` stands for all of them."""
    if isinstance(display, ast.ListComp):
        yield EACH, display.elt
    elif not any(isinstance(element, ast.Starred) for element in display.elts):
        for index, element in enumerate(display.elts):
            yield index, element
            yield index - len(display.elts), element


class Steady:
    """The names whose elements a scope can't replace: it only reads them, or returns the whole.

    `qualified` names the imported and built-in functions; those of Python and torch replace no elements.
    """

    def __init__(self, scope: Scope, qualified: Callable[[ast.expr], str | None]) -> None:
        """Take a scope; its names are sorted out when the first one is asked for."""
        self._scope = scope
        self._qualified = qualified
        self._names: frozenset[str] | None = None

    def __contains__(self, node: ast.expr) -> bool:
        """Tell whether an expression is such a name."""
        if not isinstance(node, ast.Name):
            return False
        if self._names is None:
            self._names = self._found()
        return node.id in self._names

    def _found(self) -> frozenset[str]:
        scope = self._scope
        others = Counter(name.id for name in scope.names if isinstance(name.ctx, ast.Load))
        for node in scope.nodes:
            others.subtract(part.id for part in _readers(node, self._qualified) if isinstance(part, ast.Name))
        return frozenset(name for name, count in others.items() if not count) - scope.captured - scope.volatile


def _readers(node: ast.AST, qualified: Callable[[ast.expr], str | None]) -> list[ast.expr]:
    """Return the parts of a node that it reads without changing their elements."""
    if isinstance(node, ast.Subscript):
        return [node.value] if isinstance(node.ctx, ast.Load) else []
    if isinstance(node, ast.Return):
        return node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] if node.value is not None else []
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Call) and any(isinstance(argument, ast.Name) for argument in node.args):
        return node.args if (qualified(node.func) or "").startswith(("builtins.", "torch.")) else []
    return []
