"""Reads that a new name could take over: those that a value reaches which a statement gives a name.

    x = leaf()
    for i in range(n):          a name bound by `x[i] = i` alone isn't bound in each read that it reaches:
        x[i] = i                it has to be bound before the loop
    y = x * 2

The statement is taken to bind the name anew. Reaching definitions then tell the reads that see this binding, and
whether they may see another one, too.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from unplace.analysis.syntax.flow import blocks_of
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.reaching import Definition, Definitions, Reaching


@dataclass(frozen=True, slots=True)
class Carried:
    """The reads of a name that a binding reaches, and the statement before which another name has to be bound."""

    place: ast.stmt
    reads: tuple[ast.Name, ...]


def carried(
    body: list[ast.stmt], name: str, statement: ast.stmt, outermost: ast.stmt, others: Collection[ast.AST]
) -> Carried | None:
    """Return the reads of a name behind a statement that changes what it holds; None where no single name takes all.

    The place is the statement, or the innermost of the compound statements around it, up to `outermost`, before which
    a name can be bound for all the reads. The reads in `others` don't count.
    """
    for place in _around(outermost, statement):
        made, bound, first = _with_bindings(body, name, statement, place)
        seen = Reaching(made, binds_inside=True).seen_by
        while more := {node for node in _augmented(made, name) if seen.get(node, frozenset()) & bound} - bound:
            bound |= more
        names = [n for n in seen if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Del)]
        reads = [n for n in names if seen[n] & bound and n is not first and n not in others]
        if all(seen[n] <= bound for n in reads) and bound.isdisjoint(seen.get(first, ())):
            return Carried(place, tuple(sorted(reads, key=lambda n: (n.lineno, n.col_offset))))
    return None


def definitions_before(body: list[ast.stmt], name: str, statement: ast.stmt) -> Definitions:
    """Return the definitions of a name that reach a statement, without those by `x += 1`."""
    read = ast.Name(name, ast.Load())
    seen = Reaching(_inserted(body, statement, [ast.Expr(read)], []), binds_inside=True).seen_by
    return seen.get(read, frozenset([name])) - {*_augmented(body, name)}


def _with_bindings(
    body: list[ast.stmt], name: str, statement: ast.stmt, place: ast.stmt
) -> tuple[list[ast.stmt], set[Definition], ast.Name]:
    """Return a body in which a name is bound anew behind a statement and, if that is another one, before the place.

    The definitions follow, and the read with which the place copies what the name held before: no round of a loop may
    have changed that.
    """
    first = ast.Name(name, ast.Load())
    behind, before = ast.Name(name, ast.Store()), ast.Name(name, ast.Store())
    copied = ast.Expr(first) if place is statement else ast.Assign([before], first)
    made = _inserted(body, place, [copied], [])
    return _inserted(made, statement, [], [ast.Assign([behind], ast.Constant(None))]), {behind, before}, first


def _augmented(body: list[ast.stmt], name: str) -> Iterator[ast.Name]:
    """Iterate over the targets of augmented assignments to a name."""
    for node in (n for statement in body for n in walk(statement)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            yield node.target


def _around(outermost: ast.stmt, statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement and the compound statements around it, up to one of them, from the inside out."""
    found = [outermost]
    while found[-1] is not statement:
        inner = (s for _, block in blocks_of(found[-1]) for s in block)
        found.append(next(s for s in inner if any(n is statement for n in ast.walk(s))))
    return found[::-1]


def _inserted(
    body: list[ast.stmt], statement: ast.stmt, before: list[ast.stmt], behind: list[ast.stmt]
) -> list[ast.stmt]:
    """Return a body with statements around one of its own; only the statements that contain it are copied."""
    found: list[ast.stmt] = []
    for each in body:
        if each is statement:
            found += [*before, each, *behind]
        elif any(node is statement for node in ast.walk(each)):
            found.append(_copied(each, statement, before, behind))
        else:
            found.append(each)
    return found


def _copied(outer: ast.stmt, statement: ast.stmt, before: list[ast.stmt], behind: list[ast.stmt]) -> ast.stmt:
    made = copy.copy(outer)
    for field, part in ast.iter_fields(outer):
        if not isinstance(part, list) or not part:
            continue
        if isinstance(part[0], ast.stmt):
            setattr(made, field, _inserted(part, statement, before, behind))
        elif isinstance(part[0], ast.ExceptHandler | ast.match_case):
            inner = [copy.copy(each) for each in part]
            for each in inner:
                each.body = _inserted(each.body, statement, before, behind)
            setattr(made, field, inner)
    return made
