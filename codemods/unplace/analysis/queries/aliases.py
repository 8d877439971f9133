"""Which other names and containers share the memory that a write hits, for explanations."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import TENSOR, UNKNOWN, Link, Value, is_same
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import LOOPS, own_nodes, walk


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that sees the written memory: how, since which line (None: several), and where it is read later."""

    name: str
    relation: str
    made: int | None
    reads: tuple[int, ...]


def aliases(run: Run, state: Facts, value: Value, place: str, statement: ast.stmt, live: set[str]) -> list[Alias]:
    """The aliases of `value`, which is written through `place` in `statement`; `live` may be read after it."""
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
    """The lines that read the name behind the statement, or in a later round of a loop around it."""
    root = run.scope.node
    loops = [
        n
        for n in own_nodes(root)
        if isinstance(n, LOOPS) and n is not statement and any(s is statement for s in walk(n))
    ]
    begin = min((loop.lineno for loop in loops), default=statement.lineno)
    end = None if loops else _rebound(root, name, statement)
    reads = (n for n in walk(root) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))
    own = set() if loops else set(walk(statement))
    return tuple(sorted({n.lineno for n in reads if begin <= n.lineno <= (end or n.lineno) and n not in own}))


def _rebound(root: ast.AST, name: str, statement: ast.stmt) -> int | None:
    """The line in which a later statement of the same block gives the name another value."""
    for node in walk(root):
        for block in (getattr(node, part, None) for part in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and statement in block:
                later = block[block.index(statement) + 1 :]
                return next(
                    (s.end_lineno for s in later if isinstance(s, ast.Assign) and name in assigned_names(s)), None
                )
    return None
