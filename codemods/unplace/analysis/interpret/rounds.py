"""Tells whether a loop certainly has a round: `for _ in range(3)`, `for layer in self.layers`, `for x in (a, b)`."""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Named
from unplace.analysis.interpret import module_lists
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import whole_number

_OF_ALL = frozenset(f"builtins.{name}" for name in ("enumerate", "iter", "list", "reversed", "tuple", "zip"))


def has_round(run: Run, iterable: ast.expr) -> bool:
    """Tell whether an evaluated iterable certainly has an element."""
    if isinstance(iterable, ast.List | ast.Tuple | ast.Set):
        return any(not isinstance(element, ast.Starred) for element in iterable.elts)
    if isinstance(iterable, ast.ListComp | ast.GeneratorExp):
        return all(not drawn.ifs and has_round(run, drawn.iter) for drawn in iterable.generators)
    if isinstance(iterable, ast.Call):
        callee = run.values.get(iterable.func)
        name = callee.ref.qualified if callee is not None and isinstance(callee.ref, Named) else ""
        return _counts(iterable) if name == "builtins.range" else name in _OF_ALL and _all_have(run, iterable)
    value = run.values.get(iterable)
    listed = module_lists.listed(run, value) if value is not None else None
    return listed is not None and listed.is_filled


def _counts(node: ast.Call) -> bool:
    """Tell whether a call of `range` spells out numbers between which there is one."""
    bounds = [number for number in map(whole_number, node.args) if number is not None]
    return len(bounds) == len(node.args) and len(node.args) in (1, 2) and len(range(*bounds)) > 0


def _all_have(run: Run, node: ast.Call) -> bool:
    """Tell whether what the built-in function goes through certainly has an element: each argument of `zip`."""
    through = node.args if isinstance(node.func, ast.Name) and node.func.id == "zip" else node.args[:1]
    return bool(through) and all(not isinstance(a, ast.Starred) and has_round(run, a) for a in through)
