"""Finds writes that torch refuses while autograd records: to leaves, views of leaves and pieces of a split tensor."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import LEAF, is_seen
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import ITERATING, Link, Obj, Objs, Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, can_be_tracked, graph_of
from unplace.analysis.project import freezing, recording
from unplace.analysis.project.computed_parameters import may_be_computed
from unplace.analysis.queries.hooked import may_be_made_leaf, may_be_view_of_hook
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.catalogue import Forbids, Piece
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.torchapi import members

_ALLOWED = frozenset(["flag", "detach", "initialiser", "gradient"])

CONVERTED = (Link.MAYBE, Link.EITHER)
"""The links of what an operator makes of a tensor, or returns it as it is."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """The reason why torch raises at a write; `is_leaf`: the written tensor, or its base, gets a gradient itself.

    `is_doubtful`: it raises only where arguments and attributes whose default is a number are tensors with a graph, or
    where what is stored to a tensor of constants has one, which the code in sight doesn't show, or where a conversion
    or a hook has it that the tensor is a leaf.
    `is_passed`: a caller passes a parameter to a function that only fills it. `is_unbatched`: the tensor lacks the
    batch dimension that `vmap` gives to what is written into it.
    """

    reason: Reason
    is_leaf: bool
    is_passed: bool = False
    is_unbatched: bool = False
    is_doubtful: bool = False

    @property
    def is_piece(self) -> bool:
        """Whether the tensor is one of several views that one operation made, or a view of one."""
        return self.reason.kind in (Forbids.PIECE, Forbids.PIECE_VIEW)


def why_forbidden(run: Run, write: Write) -> Forbidden | None:
    """Return the reason why torch raises at a write on a visible path with gradients recorded; else None."""
    value = write.value
    if not write.record.records or write.data is not None or write.kind is WriteKind.DATA or not value.is_tensor:
        return None
    if value.likely or is_allowed(write):
        return None
    if write.kind is WriteKind.OUT:
        return _out(run, write)
    seen = looked_into(write.state, value.objs)
    if value.graph == LEAF:
        return _leaf(run, write, seen) or _same_as_leaf(run, write, seen)
    if not any(map(can_be_tracked, (value, *write.operands))):
        return None
    found = _piece(write, seen) or _whole(run, write) or _expanded(run, write, seen) or _permuted(write)
    if found is None:
        return _asked_to_be_leaf(run, write, seen) or _hooked(run, write, seen)
    graph = graph_of(value, *write.operands)
    owners = write.state.roots(value.objs) - write.state.bases.keys()
    is_constructed = bool(owners) and owners <= run.constructed - run.leaves
    return replace(found, is_doubtful=found.is_doubtful or not (is_seen(graph) if is_constructed else graph))


def is_allowed(write: Write) -> bool:
    """Tell whether torch allows an operation on every leaf: `detach_`, `requires_grad_`, `nn.init.normal_`."""
    operator = write.operator
    return operator is not None and operator.kind in _ALLOWED


def looked_into(state: Facts, objs: Objs) -> Objs:
    """Return the objects and the bases that they are views of, up to a `detach()` or `.data`."""
    found: set[Obj] = set()
    todo = list(objs)
    while todo:
        obj = todo.pop()
        if obj not in found:
            found.add(obj)
            todo += _viewed(state, obj)
    return frozenset(found)


def _viewed(state: Facts, obj: Obj) -> Objs:
    """Return the tensors that autograd takes an object for a view of."""
    base = state.bases.get(obj)
    is_view = base is not None and (base.link is Link.VIEW or obj.operator in members.USUALLY_VIEWS)
    return base.objs if base is not None and is_view and obj.operator not in members.DETACHED else frozenset()


def _leaf(run: Run, write: Write, seen: Objs) -> Forbidden | None:
    cut = {o for o in seen & run.leaves if not _viewed(write.state, o)}  # `x.to(device).requires_grad_()`
    made = {o for o in seen if o.origin is Origin.REGISTERED and not _viewed(write.state, o)}  # nn.Parameter(b)
    owners = sorted(o for o in seen if o in cut | made or o not in write.state.bases)
    if not owners or recording.may_be_off(run.program.module, run.scope):
        return None
    is_parameter = owners[0].origin is Origin.REGISTERED
    module, place = run.program.module, owners[0].label
    if is_parameter and (freezing.may_be_frozen(module, place) or may_be_computed(module, place)):
        return None
    if write.value.objs <= {*owners}:
        kind = Forbids.PARAMETER if is_parameter else Forbids.LEAF
    else:
        kind = Forbids.PARAMETER_VIEW if is_parameter else Forbids.LEAF_VIEW
    return Forbidden(kind(name=code_of(write.target)), True)


def _same_as_leaf(run: Run, write: Write, seen: Objs) -> Forbidden | None:
    """Return why torch raises where a conversion gave the leaf itself, or a view: `leaf.to(torch.float32)`."""
    bases = write.state.bases
    converted = [bases[o] for o in seen if o in bases and bases[o].link in CONVERTED]
    leaves = run.leaves & {o for base in converted for o in looked_into(write.state, base.objs)}
    if not leaves or recording.may_be_off(run.program.module, run.scope):
        return None
    return Forbidden(Forbids.MAYBE_LEAF(name=code_of(write.target)), True, is_doubtful=True)


def _asked_to_be_leaf(run: Run, write: Write, seen: Objs) -> Forbidden | None:
    """Return why torch raises where a tensor was asked for a gradient, unless it had a graph: `x.requires_grad_()`.

    A hook may have asked for it.
    """
    made = [o for o in seen if not _viewed(write.state, o)]
    if not any(o in run.leaves or may_be_made_leaf(run, o) for o in made) or recording.may_be_off(
        run.program.module, run.scope
    ):
        return None
    return Forbidden(Forbids.MAYBE_LEAF(name=code_of(write.target)), True, is_doubtful=True)


def _hooked(run: Run, write: Write, seen: Objs) -> Forbidden | None:
    """Return why torch raises where a full backward hook watches the module that returned the written tensor."""
    if not any(may_be_view_of_hook(run, obj) for obj in seen):
        return None
    return Forbidden(Forbids.HOOKED(name=code_of(write.target)), False, is_doubtful=True)


def _piece(write: Write, seen: Objs) -> Forbidden | None:
    bases = write.state.bases
    made = [o for o in seen if o.operator == members.APPLYING]
    if made:
        first = min(made)
        return Forbidden(Forbids.FUNCTION_VIEW(function=first.label, line=Line(first.line)), False)
    roots = write.state.roots(write.value.objs) | seen
    cut = {o for o in roots if o in bases and bases[o].forbidden and o.operator in members.SPLITTING}
    if not cut:
        return None
    piece = min(cut & seen or cut)
    kind = Forbids.PIECE if write.value.objs & cut else Forbids.PIECE_VIEW
    return Forbidden(kind(piece=_in_words(piece)), False, is_doubtful=cut.isdisjoint(seen))


def _expanded(run: Run, write: Write, seen: Objs) -> Forbidden | None:
    """Return why torch raises where several elements of the written tensor share one place in memory (measured).

    It fills such a tensor, though, and an index may take elements that share none. A conversion may have copied it.
    """
    operator, index = write.operator, write.node.slice if isinstance(write.node, ast.Subscript) else None
    first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
    is_element = first is not None and not isinstance(first, ast.Slice) and not run.values[first].is_tensor
    if is_element or (operator is not None and operator.kind == "fill"):
        return None
    expanded = {o for o in write.state.roots(write.value.objs) if o.operator in members.EXPANDING}
    return (
        Forbidden(Forbids.EXPANDED(name=code_of(write.target)), False, is_doubtful=not expanded <= seen)
        if expanded
        else None
    )


def _permuted(write: Write) -> Forbidden | None:
    """Return why torch raises where an operand has the elements of the target in another order: `a += a.t()`."""
    if not any(map(write.reads_permuted, write.operands)):
        return None
    return Forbidden(Forbids.PERMUTED(name=code_of(write.target)), False)


def _whole(run: Run, write: Write) -> Forbidden | None:
    """Return why torch raises where a piece of what is written is read later: `a, b = y.chunk(2); y[0] = 1; a + b`."""
    state, live = write.state, run.liveness.read_after(write.statement)
    held = {o for name, v in state.env.items() if name in live or name.startswith(HIDDEN) for o in v.objs}
    held |= state.heap.held_by(held & state.heap.owners)
    cut = [o for o in held & state.bases.keys() if state.bases[o].forbidden and o.operator in members.SPLITTING]
    roots = state.roots(write.value.objs)
    piece = min((o for o in cut if state.roots((o,)) & roots), default=None)
    return Forbidden(Forbids.WHOLE(name=code_of(write.target), piece=_in_words(piece)), False) if piece else None


def _out(run: Run, write: Write) -> Forbidden | None:
    assert isinstance(write.node, ast.Call)
    arguments = (*write.node.args, *(keyword.value for keyword in write.node.keywords))
    with_graph = [argument for argument in arguments if argument in run.values and is_seen(run.values[argument].graph)]
    if not with_graph:
        return None
    is_leaf = write.value.graph == LEAF and with_graph == [write.target]
    return Forbidden(Forbids.OUT(), is_leaf)


def _in_words(piece: Obj) -> Reason:
    """Describe the operation that cut a piece off a tensor, and its line."""
    if piece.operator == ITERATING:
        return Piece.ROW_IN(line=Line(piece.line)) if piece.line else Piece.ROW()
    return Piece.OUTPUT_IN(label=piece.label, line=Line(piece.line)) if piece.line else Piece.OUTPUT(label=piece.label)
