"""Lists the names and containers that share the memory of a write, for explanations."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import TENSOR, UNKNOWN, Link, Value, is_same
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import walk


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that sees the written memory: its relation to that, the line that binds it, the lines that read it later.

    `made` is None where several lines bind the name.
    """

    name: str
    relation: str
    made: int | None
    reads: tuple[int, ...]


def aliases(run: Run, state: Facts, value: Value, place: str, statement: ast.stmt, live: set[str]) -> list[Alias]:
    """Return the aliases of `value`, written through `place` in `statement`; `live` names may be read after it."""
    found = []
    for name, held in state.env.items():
        if name == place or name.startswith(HIDDEN) or not held.objs:
            continue
        relation = _relation(state, held, value)
        if relation is not None:
            made = getattr(state.binds.get(name), "lineno", None)
            reads = _reads_after(run, name, statement) if name in live else ()
            found.append(Alias(name, relation, made, reads))
    return found


def _relation(state: Facts, held: Value, value: Value) -> str | None:
    if is_same(held, value):
        return "the same tensor"
    if not held.kinds & (TENSOR | UNKNOWN):
        return "holds it" if state.may_share(state.reachable(held.objs), value.objs) else None
    if not state.may_share(held.objs, value.objs):
        return None
    if held.objs & value.objs:
        return "may be the same tensor"
    links = {base.link for o in held.objs | value.objs if (base := state.bases.get(o)) is not None}
    if links - {Link.VIEW}:
        return "may share its memory"
    if held.objs & state.roots(value.objs):
        return "the tensor that it is a view of"
    return "a view of it" if value.objs & state.roots(held.objs) else "another view of the same memory"


def _reads_after(run: Run, name: str, statement: ast.stmt) -> tuple[int, ...]:
    """Return the lines that read the name after the statement, or in a later round of a loop around it."""
    flow = run.flow
    spot = flow.spot(statement)
    is_repeated = spot is None or bool(spot.loops)
    rebound = None if is_repeated else _rebound(run, name, statement)
    lines: set[int] = set()
    for node in walk(run.scope.node):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            reading = _statement_of(run, node)
            is_later = is_repeated if reading is statement else flow.may_follow(statement, reading)
            if is_later and (rebound is None or reading is rebound or flow.may_follow(reading, rebound)):
                lines.add(node.lineno)
    return tuple(sorted(lines))


def _statement_of(run: Run, node: ast.AST) -> ast.stmt:
    """Return the statement of the scope that contains a node; for a node of an inner function, its definition."""
    statement = run.statement_of(node)
    while run.flow.spot(statement) is None and statement in run.parents:
        statement = run.statement_of(run.parents[statement])
    return statement


def _rebound(run: Run, name: str, statement: ast.stmt) -> ast.stmt | None:
    """Return the first assignment to the name after the statement, in the same block."""
    for later in run.flow.behind(statement):
        if isinstance(later, ast.Assign) and name in assigned_names(later):
            return later
    return None
