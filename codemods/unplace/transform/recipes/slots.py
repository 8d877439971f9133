"""Slots of a tensor that a loop writes and reads, and the order in which it does.

A slot is the part of a tensor that an index along one dimension picks: `out[t]` and `out[t, :]` along the first,
`out[:, t]` along the second, `out[..., t]` along the last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.syntax.nodes import Parents
from unplace.transform.recipes.sizes import Linear, Sizes

LAST = -1


@dataclass(frozen=True, slots=True)
class Rounds:
    """The values that a loop's variable takes, one by one: `start` to `stop - 1`, or the same in reverse."""

    variable: str
    start: Linear
    stop: Linear
    is_reversed: bool = False

    @property
    def is_some(self) -> bool:
        """Tell whether there certainly is a round."""
        return self.start.term == self.stop.term and self.start.offset < self.stop.offset


def rounds_of(loop: ast.For, sizes: Sizes) -> Rounds | None:
    """Return the rounds of `for t in range(..)`, `reversed(range(..))` or `enumerate(tensor)`."""
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords or not call.args:
        return None
    if sizes.run.program.module.scopes.owner(sizes.run.scope, call.func.id) is not None:
        return None
    if call.func.id == "enumerate":
        if not isinstance(target, ast.Tuple) or not isinstance(target.elts[0], ast.Name) or len(call.args) > 1:
            return None
        count = _count(call.args[0], loop, sizes)
        return Rounds(target.elts[0].id, Linear(None, 0), count) if count is not None else None
    if not isinstance(target, ast.Name):
        return None
    if call.func.id == "reversed":
        inner = call.args[0]
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Name) or inner.func.id != "range":
            return None
        rounds = _range(target.id, inner.args, sizes)
        return Rounds(target.id, rounds.start, rounds.stop, True) if rounds and not rounds.is_reversed else None
    return _range(target.id, call.args, sizes) if call.func.id == "range" else None


def _range(variable: str, args: list[ast.expr], sizes: Sizes) -> Rounds | None:
    bounds = [sizes.of(argument) for argument in args]
    if len(bounds) == 1 and bounds[0] is not None:
        return Rounds(variable, Linear(None, 0), bounds[0])
    if len(bounds) not in (2, 3) or bounds[0] is None or bounds[1] is None:
        return None
    step = bounds[2] if len(bounds) == 3 else Linear(None, 1)
    if step == Linear(None, 1):
        return Rounds(variable, bounds[0], bounds[1])
    if step == Linear(None, -1):
        return Rounds(variable, bounds[1].plus(1), bounds[0].plus(1), True)
    return None


def _count(iterated: ast.expr, loop: ast.For, sizes: Sizes) -> Linear | None:
    """Return the length of the argument of `enumerate`, if the loop can't change it."""
    if not isinstance(iterated, ast.Name):
        return None
    value = sizes.run.values.get(iterated)
    is_used = any(isinstance(n, ast.Name) and n.id == iterated.id for s in loop.body for n in ast.walk(s))
    return sizes.extent(iterated, 0) if (value is not None and value.is_tensor) or not is_used else None


@dataclass(frozen=True, slots=True)
class Pick:
    """An index that picks a slot: the dimension, the part of the index along it, and the parts after that."""

    dim: int
    part: ast.expr
    rest: tuple[ast.expr, ...]


def picked(index: ast.expr) -> Pick | None:
    """Split an index into a slot and an index into that slot: `[:, t, k]` is `[:, k]` in the slot `[:, t]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(parts) == 2 and _is_dots(parts[0]):
        return Pick(LAST, parts[1], ())
    position = next((p for p, part in enumerate(parts) if not _is_all(part)), None)
    if position is None or isinstance(parts[position], ast.Slice | ast.Starred) or _is_dots(parts[position]):
        return None
    rest = list(parts[position + 1 :])
    while rest and (_is_all(rest[-1]) or _is_dots(rest[-1])):
        rest.pop()
    return Pick(position, parts[position], tuple(rest))


def _is_all(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None


def _is_dots(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is ...


def narrowed(rounds: Rounds, node: ast.AST, parents: Parents, sizes: Sizes) -> Rounds:
    """Return the rounds in which a node is evaluated, given the conditions around it: `out[t - 1] if t > 0 else h`."""
    start, stop = rounds.start, rounds.stop
    while node in parents:
        parent = parents[node]
        if isinstance(parent, ast.If | ast.IfExp) and node is not parent.test:
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            for low, high in _bounds(parent.test, rounds, sizes, any(n is node for n in body)):
                if low is not None and low.term == start.term:
                    start = max(start, low, key=lambda bound: bound.offset)
                if high is not None and high.term == stop.term:
                    stop = min(stop, high, key=lambda bound: bound.offset)
        node = parent
    return Rounds(rounds.variable, start, stop, rounds.is_reversed)


def _bounds(test: ast.expr, rounds: Rounds, sizes: Sizes, holds: bool) -> Iterator[tuple[Linear | None, Linear | None]]:
    """Iterate over the bounds that a condition sets where it holds (or fails): least value, greatest value plus one."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and holds:
        for part in test.values:
            yield from _bounds(part, rounds, sizes, holds)
    elif isinstance(test, ast.Name) and test.id == rounds.variable and holds and rounds.start == Linear(None, 0):
        yield Linear(None, 1), None
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = sizes.of(test.left), sizes.of(test.comparators[0])
        if left is not None and right is not None and left.term == AccessPath(rounds.variable) != right.term:
            yield _compared(type(test.ops[0]), right.plus(-left.offset), rounds, holds)


def _compared(op: type[ast.cmpop], bound: Linear, rounds: Rounds, holds: bool) -> tuple[Linear | None, Linear | None]:
    if (op, holds) in ((ast.Gt, True), (ast.LtE, False)):
        return bound.plus(1), None
    if (op, holds) in ((ast.GtE, True), (ast.Lt, False)):
        return bound, None
    if (op, holds) in ((ast.Lt, True), (ast.GtE, False)):
        return None, bound
    if (op, holds) in ((ast.LtE, True), (ast.Gt, False)):
        return None, bound.plus(1)
    if (op, holds) in ((ast.NotEq, True), (ast.Eq, False)) and bound == rounds.start:
        return bound.plus(1), None
    if (op, holds) in ((ast.NotEq, True), (ast.Eq, False)) and bound == rounds.stop.plus(-1):
        return None, bound
    return None, None
