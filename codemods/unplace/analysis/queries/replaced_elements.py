"""Tells whether the element of a list or dictionary that an operation saved was then replaced by a new one.

for k in range(len(cells)):
    state[k] *= mask                        writes what the round before stored
    state[k] = cells[k](x, state[k])        saves the element that it replaces
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.values import CONTAINER, Obj, Saved
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.syntax.bindings import bound_by
from unplace.analysis.syntax.nodes import code_of, walk

_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def is_replaced(run: Run, write: Write, obj: Obj, saved: Saved) -> bool:
    """Tell whether an operation saved an element that is stored anew before any element of the container is written.

    That holds for containers alone whose elements are distinct tensors.
    """
    if not isinstance(write.target, ast.Subscript) or not isinstance(saved.node, ast.expr):
        return False
    holder = run.values.get(write.target.value)
    if holder is None or not holder.must_be(CONTAINER) or not holder.objs:
        return False
    if any(write.state.distinctness(each) is None for each in holder.objs):
        return False
    reads = [part for part in walk(saved.node) if isinstance(part, ast.expr) and _gives(run, part, obj)]
    of_container = [read for read in reads if _is_of(read, write.target.value)]
    return bool(reads) and len(reads) == len(of_container) and all(_is_stored(run, write, r) for r in of_container)


def _gives(run: Run, node: ast.expr, obj: Obj) -> bool:
    value = run.values.get(node)
    return value is not None and not isinstance(node, ast.Call) and obj in value.objs


def _is_of(read: ast.expr, container: ast.expr) -> bool:
    return isinstance(read, ast.Subscript) and code_of(read.value) == code_of(container)


def _is_stored(run: Run, write: Write, read: ast.expr) -> bool:
    """Tell whether a statement of the same block stores an element in the place of one that is read."""
    used = {part.id for part in walk(read) if isinstance(part, ast.Name)}
    for statement in _from(run, read):
        if any(part is write.node or isinstance(part, _LEAVING) for part in walk(statement)):
            return False
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(code_of(target) == code_of(read) for target in targets):
            return True
        if used.intersection(bound_by(walk(statement))):
            return False
    return False


def _from(run: Run, node: ast.expr) -> Iterator[ast.stmt]:
    """Iterate over the statement around an expression and those behind it in the same block."""
    statement = run.statement_of(node)
    yield statement
    yield from run.flow.behind(statement)
