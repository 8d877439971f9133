"""Elements that a loop has yielded: the loop doesn't read them again, and may have counted them.

for f in feats:
    f *= 2                  the next round reads another element of `feats`

for i, f in enumerate(feats):
    f *= 2                  `f` is `feats[i]`
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.facts import DISTINCT
from unplace.analysis.domain.paths import AccessPath, Index
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import HIDDEN, hidden_name
from unplace.analysis.domain.values import ITERATING, LIST, TUPLE, Obj, Objs, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.diagnostics.catalogue import Alive, Assumption
from unplace.diagnostics.reasons import Reason, quoted

_ONE_AFTER_ANOTHER = frozenset({"enumerate", "reversed", "iter", "zip"})


@dataclass(frozen=True, slots=True)
class Yielded:
    """An element that a loop has yielded: the hidden name of the loop, and the container with the element."""

    loop: str
    source: Obj


def yielded(run: Run, state: Snapshot, place: AccessPath | None, value: Value) -> Yielded | None:
    """Return the loop that bound `place` to a value, if nothing else that it iterates over has the same memory."""
    node = state.binds.get(place.root) if place is not None and place.is_name else None
    loop = _loop_binding(run, node)
    if loop is None:
        return None
    sources = [run.values[node].objs for node in _sources(run, loop.iter) if node in run.values]
    having = [objs for objs in sources if state.may_share(state.reachable(objs), value.objs)]
    if len(having) != 1 or len(having[0]) != 1:
        return None
    (source,) = having[0]
    return Yielded(hidden_name(Alive.LOOP, loop.lineno), source)


def is_last_row(run: Run, state: Snapshot, loop: str, place: AccessPath | None, value: Value) -> bool:
    """Tell whether a value is the row that the loop with this hidden name has yielded last, apart from all others.

    for x in torch.eye(3):
        x -= x.sum() * y        the next round has another row, in other memory
    """
    drawn = _row_of(run, state, place, value)
    return drawn is not None and drawn.loop == loop


def are_earlier_rows(run: Run, state: Snapshot, place: AccessPath | None, value: Value, held: Value) -> bool:
    """Tell whether a value has no memory of the written row's tensor but that of rows which earlier rounds yielded."""
    drawn = _row_of(run, state, place, value)
    sharing = frozenset(obj for obj in held.objs if state.may_share(frozenset((obj,)), value.objs))
    return drawn is not None and all(obj.old for obj in sharing) and _are_rows(state, sharing, drawn.source)


def _row_of(run: Run, state: Snapshot, place: AccessPath | None, value: Value) -> Yielded | None:
    """Return the loop that has yielded a row of a tensor of its own memory, each element of which is in one row."""
    drawn = yielded(run, state, place, value)
    source = drawn.source if drawn is not None else None
    if source is None or source.origin is not Origin.FRESH or source.overlapping or source in state.bases:
        return None
    return drawn if _are_rows(state, value.objs, source) else None


def _are_rows(state: Snapshot, objs: Objs, source: Obj) -> bool:
    bases = [state.bases.get(obj) for obj in objs if obj.operator == ITERATING]
    return len(bases) == len(objs) and all(base is not None and base.objs == {source} for base in bases)


def _loop_binding(run: Run, node: object) -> ast.For | None:
    """Return the loop whose target has a node."""
    inner: ast.AST | None = None
    outer: ast.AST | None = node if isinstance(node, ast.expr) else None
    while outer is not None and not isinstance(outer, ast.stmt):
        inner, outer = outer, run.parents.get(outer)
    return outer if isinstance(outer, ast.For) and inner is outer.target else None


def _sources(run: Run, iterable: ast.expr) -> list[ast.expr]:
    """Return what a loop takes elements from: `xs` and `ys` of `enumerate(zip(xs, ys))`."""
    if not isinstance(iterable, ast.Call) or not isinstance(iterable.func, ast.Name):
        return [iterable]
    name = iterable.func.id
    if name not in _ONE_AFTER_ANOTHER or run.program.module.scopes.owner(run.scope, name) is not None:
        return [iterable]
    return [source for argument in iterable.args for source in _sources(run, argument)]


@dataclass(frozen=True, slots=True)
class Listed:
    """An element of a list that a loop has yielded: the loop, the list and its name, and the name that counts.

    `counter` is empty where the loop doesn't count: `for w, g in zip(fast, grads)`.
    """

    loop: ast.For
    holder: Obj
    name: str
    counter: str

    @property
    def hidden(self) -> str:
        """Return the hidden name of the loop."""
        return hidden_name(Alive.LOOP, self.loop.lineno)

    @property
    def path(self) -> AccessPath:
        """Return the path to the element: `fast[i]`."""
        return AccessPath(self.name, (Index(self.counter),))


def listed(run: Run, state: Snapshot, place: AccessPath | None, value: Value) -> Listed | None:
    """Return the place in a list of the tensor in `place`, if a loop over the list has yielded it.

    The list has one name only, holds no tensor twice, and the loop does nothing with it but read elements.
    """
    drawn, node = yielded(run, state, place, value), state.binds.get(place.root) if place is not None else None
    loop = _loop_binding(run, node)
    if drawn is None or loop is None or any(state.slots_with(drawn.source)):
        return None
    if drawn.source.old or state.distinctness(drawn.source) != DISTINCT:
        return None
    target, iterable, counter = _counted(run, loop)
    found = _paired(run, target, iterable, node)
    if counter is not None and state.binds.get(counter.id) is not counter:
        return None
    if not isinstance(found, ast.Name) or not _is_only_read(run, state, loop, found, drawn.source):
        return None
    return Listed(loop, drawn.source, found.id, counter.id if counter is not None else "")


def _counted(run: Run, loop: ast.For) -> tuple[ast.expr, ast.expr, ast.Name | None]:
    """Return the target and the iterable of a loop, and the name that counts: `f`, `feats` and `i` of `enumerate`."""
    counted = _arguments(run, loop.iter, "enumerate")
    if counted is None or len(counted) != 1 or not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2:
        return loop.target, loop.iter, None
    counter, target = loop.target.elts
    return (target, counted[0], counter) if isinstance(counter, ast.Name) else (loop.target, loop.iter, None)


def _arguments(run: Run, node: ast.expr, name: str) -> list[ast.expr] | None:
    """Return the arguments of a call of a built-in function; None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != name or node.keywords:
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    return node.args if run.program.module.scopes.owner(run.scope, name) is None else None


def _paired(run: Run, target: ast.expr, iterable: ast.expr, node: object) -> ast.expr | None:
    """Return the part of `zip(fast, grads)` whose elements a target gets, or what a single target iterates over."""
    if target is node:
        return iterable
    zipped = _arguments(run, iterable, "zip")
    if zipped is None or not isinstance(target, ast.Tuple) or len(target.elts) != len(zipped):
        return None
    return next((given for each, given in zip(target.elts, zipped, strict=True) if each is node), None)


def _is_only_read(run: Run, state: Snapshot, loop: ast.For, name: ast.Name, holder: Obj) -> bool:
    """Tell whether a list has this name alone, and a loop does nothing with it but read elements."""
    value, bound = run.values.get(name), dict(state.names_bound_to(holder))
    names = {known for known in bound if not known.startswith(HIDDEN)}
    if value is None or value.objs != {holder} or not value.must_be(LIST) or names != {name.id}:
        return False
    if name.id in run.scope.captured | run.scope.volatile:
        return False
    inside = [n for s in loop.body for n in ast.walk(s)]
    read = {n.value for n in inside if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)}
    return not any(isinstance(n, ast.Name) and n.id == name.id and n not in read for n in inside)


def is_drawn_once(run: Run, write: Write) -> bool:
    """Tell whether a comprehension writes each element of a container once, and reads it nowhere else.

    hs = [h.mul_(k) for h in hs]
    """
    return drawn_once(run, write) is not None


def drawn_once(run: Run, write: Write) -> tuple[Reason, ...] | None:
    """Return what that assumes of an argument: no two elements are one tensor. None where it doesn't hold."""
    around, target = write.inside, write.target
    while isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
        target = target.func.value  # y.squeeze_(0).add_(1)
    if not isinstance(around, ast.ListComp) or len(around.generators) != 1 or not isinstance(target, ast.Name):
        return None
    (drawn,) = around.generators
    source, name = run.values.get(drawn.iter), drawn.target
    if not isinstance(name, ast.Name) or name.id != target.id or not isinstance(drawn.iter, ast.Name) or drawn.ifs:
        return None
    if source is None or not source.must_be(LIST | TUPLE) or len(source.objs) != 1:
        return None
    inside = {*ast.walk(write.node)}
    named = [n for n in ast.walk(around.elt) if isinstance(n, ast.Name) and n is not target]
    if any(n.id in (target.id, drawn.iter.id) for n in named if n not in inside or n.id == drawn.iter.id):
        return None
    (holder,) = source.objs
    if write.state.distinctness(holder) == DISTINCT:
        return ()
    assumption = Assumption.DISTINCT_ELEMENTS(place=quoted(drawn.iter.id))
    return (assumption,) if holder.parameter is not None else None
