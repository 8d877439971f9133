"""Finds writes that `vmap` refuses: of values with the batch dimension into a tensor without it, and by a batched mask.

@torch.vmap
def f(x):
    out = torch.zeros(3)
    out[0] = x[0]                   raises: one tensor can't hold what each element of the batch stores
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from unplace.analysis.domain.values import Obj, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.batches import Batch, Batched, batches_of, values_of
from unplace.analysis.project.callers import line_in
from unplace.analysis.project.program import Program
from unplace.analysis.project.vmapped import Levels
from unplace.analysis.queries.forbidden import Forbidden
from unplace.analysis.syntax.nodes import code_of, own_nodes
from unplace.diagnostics.catalogue import Forbids
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Line
from unplace.torchapi import transforms


@dataclass(frozen=True, slots=True)
class Lacking:
    """The batch dimensions that a written tensor lacks in a batch: those of `needed` that `owner` hasn't."""

    batch: Batch
    owner: Obj
    needed: frozenset[Hashable]


def why_unbatched(program: Program, run: Run, write: Write) -> Forbidden | None:
    """Return the reason why `vmap` refuses a write, in a function that runs under it as the run shows; else None."""
    if not write.value.is_tensor or write.value.likely or write.kind is WriteKind.MODULE:
        return None
    for batch in batches_of(program, run.scope):
        if _is_batched_mask(values_of(program, batch), write):
            return Forbidden(Forbids.BATCHED_MASK(line=_line(program, batch), function=run.scope.name), False)
    for lacking in lacks(program, run, write):
        line, function, name = _line(program, lacking.batch), run.scope.name, code_of(write.target)
        if lacking.owner.origin is not Origin.FRESH:
            reason = Forbids.UNBATCHED_OUTSIDE(line=line, function=function, name=name)
        else:
            made = Line(lacking.owner.line)
            reason = Forbids.UNBATCHED(line=line, function=function, name=name, made=made)
        return Forbidden(reason, False, is_unbatched=True)
    return None


def _line(reader: Program, batch: Batch) -> Line:
    return line_in(reader, *batch.mapped)


def lacks(program: Program, run: Run, write: Write) -> Iterator[Lacking]:
    """Iterate over the batches in which a written tensor lacks a dimension that the written values certainly have."""
    for batch in batches_of(program, run.scope):
        values = values_of(program, batch)
        needed = frozenset().union(*(levels.certain for levels in _given(values, write)))
        for owner in sorted(write.state.roots(write.value.objs)) if needed else ():
            if owner not in write.state.bases and not needed <= values.of_obj(owner).possible:
                yield Lacking(batch, owner, needed)


def _given(values: Batched, write: Write) -> Iterator[Levels]:
    """Iterate over the levels of all that an operation is given besides its target."""
    yield from (values.of_value(operand, write.state) for operand in write.operands)
    index = _index(write)
    if index is not None:
        yield values.of(index)
    node = write.node
    if isinstance(node, ast.AugAssign):
        yield values.of(node.value)
    elif isinstance(node, ast.Call):
        yield from (values.of(a) for a in (*node.args, *(k.value for k in node.keywords)) if a is not write.target)


def _index(write: Write) -> ast.expr | None:
    node = write.node.target if isinstance(write.node, ast.AugAssign) else write.node
    return node.slice if isinstance(node, ast.Subscript) and write.kind is not WriteKind.AUGMENTED else None


def _is_batched_mask(values: Batched, write: Write) -> bool:
    """Tell whether a store chooses its elements by truth values with a batch dimension."""
    index = _index(write)
    value: Value | None = values.run.values.get(index) if index is not None else None
    return index is not None and value is not None and value.dtype == "bool" and bool(values.of(index).certain)


def asks_for_values(program: Program, run: Run) -> int | None:
    """Return the line in which a function that runs under `vmap` asks for the values of a batched tensor, if any."""
    for batch in batches_of(program, run.scope):
        values = values_of(program, batch)
        for node in own_nodes(run.scope.node):
            if any(values.of(asked).certain for asked in _asked(node)):
                return node.lineno  # type: ignore[attr-defined,no-any-return]
    return None


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """Iterate over the expressions that a node asks for a number or a truth value."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield from _tested(node.test)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in transforms.ASKING and not node.args:
            yield node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in ("float", "int", "bool", "range"):
            yield from node.args


def _tested(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _tested(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _tested(node.operand)
    elif isinstance(node, ast.Compare):
        if not any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops):
            yield node
    elif not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):  # isinstance(x, ...)
        yield node
