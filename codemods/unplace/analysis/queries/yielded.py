"""Elements that a loop has yielded: the loop doesn't read them again.

for f in feats:
    f *= 2                  the next round reads another element of `feats`
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import hidden_name
from unplace.analysis.domain.values import Obj, Value
from unplace.analysis.interpret.run import Run
from unplace.diagnostics.catalogue import Alive

_ONE_AFTER_ANOTHER = frozenset({"enumerate", "reversed", "iter", "zip"})


@dataclass(frozen=True, slots=True)
class Yielded:
    """An element that a loop has yielded: the hidden name of the loop, and the container with the element."""

    loop: str
    source: Obj


def yielded(run: Run, state: Snapshot, place: AccessPath | None, value: Value) -> Yielded | None:
    """Return the loop that bound `place` to a value, if nothing else that it iterates over has the same memory."""
    node = state.binds.get(place.root) if place is not None and place.is_name else None
    loop = next((s for s in run.scope.nodes if isinstance(s, ast.For) and _has(s.target, node)), None)
    if loop is None:
        return None
    sources = [run.values[node].objs for node in _sources(run, loop.iter) if node in run.values]
    having = [objs for objs in sources if state.may_share(state.reachable(objs), value.objs)]
    if len(having) != 1 or len(having[0]) != 1:
        return None
    (source,) = having[0]
    return Yielded(hidden_name(Alive.LOOP, loop.lineno), source)


def _has(target: ast.expr, node: object) -> bool:
    return any(each is node for each in ast.walk(target))


def _sources(run: Run, iterable: ast.expr) -> list[ast.expr]:
    """Return what a loop takes elements from: `xs` and `ys` of `enumerate(zip(xs, ys))`."""
    if not isinstance(iterable, ast.Call) or not isinstance(iterable.func, ast.Name):
        return [iterable]
    name = iterable.func.id
    if name not in _ONE_AFTER_ANOTHER or run.program.module.scopes.owner(run.scope, name) is not None:
        return [iterable]
    return [source for argument in iterable.args for source in _sources(run, argument)]
