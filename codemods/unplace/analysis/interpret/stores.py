"""Applies stores to subscripts and attributes, and binds names; a name of a view remembers the view's definition."""

from __future__ import annotations

import ast

from unplace.analysis.domain.facts import ANY, Definition, Facts, weaker
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, SEEN, extended
from unplace.analysis.domain.refs import Class, Instance
from unplace.analysis.domain.state import State, join_bases, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DICT,
    DISCRETE,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Base,
    Link,
    Obj,
    Objs,
    Origin,
    Value,
    is_same,
)
from unplace.analysis.interpret import indexing
from unplace.analysis.interpret.attributes import store_plain_attribute
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.interpret.writes import Write, graph_of
from unplace.analysis.project.exports import works_on_tensors
from unplace.analysis.project.module import home
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.diagnostics.forms import WriteKind, is_true

_NO_ELEMENT = MODULE | CALLABLE | TEXT | DICT | NONE
"""What torch refuses to store in a tensor: `blocks[1] = nn.ReLU()` writes no tensor."""


def store_item(
    evaluator: Evaluation, target: ast.Subscript, holder: Value, value: Value, state: State, *, is_update: bool = False
) -> None:
    """Apply `holder[index] = value`, with holder and index evaluated already.

    In an update (`holder[index] += operand`), the value is the element itself or made of it.
    """
    run = evaluator.run
    if holder.is_tensor:
        run.write(target, WriteKind.STORE, target.value, holder, state, operands=(value,))
        indexing.save_indices(run, target.slice, graph_of(holder, value), state)
        return
    index = run.values.get(target.slice)
    if index is not None and not holder.must_be(LIST | TUPLE | ARRAY):  # a dictionary holds its keys, too
        run.keep(state, index.objs, f"`{code_of(target.value)}`", target.lineno, certain=holder.must_be(DICT))
    if not holder.objs:
        run.keep(state, value.objs, f"`{code_of(target.value)}`", target.lineno)
        return
    if holder.may_be(TENSOR) and not value.must_be(_NO_ELEMENT):  # on some way to here, it is one
        tensor = holder._replace(kinds=TENSOR, likely=True)
        run.write(target, WriteKind.STORE, target.value, tensor, state, operands=(value,))
    elif holder.may_be(UNKNOWN) and not value.must_be(_NO_ELEMENT):
        may_write(run, target, WriteKind.STORE, target.value, holder, (value,), state)
    key = target.slice.value if isinstance(target.slice, ast.Constant) else ANY
    run.changed |= holder.objs
    for obj in holder.objs:
        slots = dict(state.fields_of(obj))
        is_known = key in slots or (holder.must_be(DICT) and obj.origin is Origin.FRESH and key != ANY)
        if is_known and not state.is_open(obj) and holder.must_be(CONTAINER):
            is_only = len(holder.objs) == 1 and not obj.old
            state.heap[(obj, key)] = value if is_only or key not in slots else weak_join(slots[key], value)
        else:
            known = state.heap.get((obj, ANY))
            distinctness = state.distinctness(obj) if known is not None and len(holder.objs) == 1 else None
            if not is_update:
                distinctness = weaker(state.newness(value), distinctness)
            stored = value if known is None else weak_join(known, value)
            state.heap[(obj, ANY)] = stored._replace(identity=distinctness)
            if not holder.must_be(CONTAINER):
                run.keep(state, value.objs, f"`{code_of(target.value)}`", target.lineno)


def may_write(
    run: Run,
    node: ast.stmt | ast.expr,
    kind: WriteKind,
    target: ast.expr,
    value: Value,
    operands: tuple[Value, ...],
    state: State,
    name: str = "",
) -> None:
    """Record an operation that writes in place if its object, of which little is known, is a tensor.

    One that stores under a text isn't: `inputs[keys.ENERGY] = energy`.
    """
    assert run.statement is not None
    run.possible[node] = state.roots(value.objs)
    index = run.values.get(node.slice) if isinstance(node, ast.Subscript) else None
    if index is not None and index.must_be(TEXT):
        return
    module = home(run.scope)
    is_list = isinstance(target, ast.Name) and module.bindings(run.scope).replaces_elements(target.id)
    if works_on_tensors(module) and not is_list and run.inference.of(target).may_be_tensor:
        tensor = value._replace(kinds=TENSOR, likely=True)
        facts = (node, kind, target, tensor, state.snapshot(), run.statement)
        inside = run.inside[0] if run.inside else None
        run.unclear[node] = Write(*facts, name, operands, inside=inside, is_unclear=True)


def flagged_write(
    run: Run,
    node: ast.Call,
    target: ast.expr,
    value: Value,
    state: State,
    name: str,
    source: ast.Call | None,
    *,
    is_one_of_several: bool,
) -> None:
    """Record a call that writes in place if a flag says so that isn't known here; `source` makes the layer.

    act = nn.ReLU(inplace=inplace)
    h = act(h)
    """
    assert run.statement is not None
    facts = (node, WriteKind.MODULE, target, value, state.snapshot(), run.statement)
    inside = run.inside[0] if run.inside else None
    run.flagged[node] = Write(*facts, name, source=source, inside=inside, is_one_of_several=is_one_of_several)


def store_attribute(evaluator: Evaluation, target: ast.Attribute, holder: Value, value: Value, state: State) -> None:
    """Apply `holder.attr = value`, where `attr` may be the `.data` of a tensor."""
    takes_part = value.kinds & (TENSOR | UNKNOWN)  # torch accepts nothing else as `.data`; arrays and others do
    if target.attr != "data" or not holder.kinds & (TENSOR | UNKNOWN) or not takes_part:
        store_plain_attribute(evaluator.run, target, holder, value, state)
        return
    run = evaluator.run
    run.write(target, WriteKind.DATA, target.value, holder, state, operands=(value,))
    run.forget_shapes(state, holder)
    share_memory(run, target, holder, value, state)


def share_memory(run: Run, node: ast.expr, holder: Value, value: Value, state: State) -> None:
    """Let a tensor share the memory of another one from here on: `h.data = value`, `h.set_(value)`."""
    if not value.objs or is_handed_over(state, value):
        return
    for obj in holder.objs:
        given = value.objs - {obj}
        known = state.bases.get(obj) if obj.old or len(holder.objs) > 1 else None
        if given:
            shared = Base(given, Link.DATA)
            state.bases[obj] = shared if known is None else join_bases(known, shared)
    if any(obj.origin is not Origin.FRESH for obj in holder.objs):
        run.keep(state, value.objs, f"`{code_of(node)}`", node.lineno, certain=True)


def is_handed_over(state: Facts, value: Value) -> bool:
    """Tell whether, as far as this function shows, nothing else holds a tensor or a view of its memory."""
    for obj in value.objs:
        base = state.bases.get(obj)
        if obj.origin not in (Origin.FRESH, Origin.CALL) or (base is not None and base.link is not Link.CALL):
            return False
    return not any(held.objs & value.objs for held in (*state.env.values(), *state.heap.values()))


def bind_name(run: Run, name: str, value: Value, node: ast.AST, source: ast.expr | None, state: State) -> None:
    """Bind `name = value`; `source` is the assigned expression, where the name got exactly its value."""
    if name in run.scope.global_names or name in run.scope.nonlocal_names or name in run.scope.volatile:
        run.keep(state, value.objs, f"`{name}`", getattr(node, "lineno", 0))
        if name not in run.scope.volatile:
            return
    value = run.refined(node, value)
    known = state.env.get(name)
    state.env[name] = value
    if known is not None and is_same(known, value):
        return  # `x = x.relu_()`: still the same object
    state.binds[name] = node
    if source is None or not isinstance(value.identity, Obj):
        return
    base = state.bases.get(value.identity)
    if base is None or base.link is not Link.VIEW or base.forbidden or not is_replayable(run, source, top=True):
        return
    names = {n.id for n in walk(source) if isinstance(n, ast.Name)}
    if not _is_view_of(
        value.identity, frozenset().union(*(state.env[n].objs for n in names & state.env.keys())), state
    ):
        return
    elsewhere = names & (run.scope.volatile | run.scope.global_names | run.scope.nonlocal_names)
    if name not in names and not elsewhere and names - state.binds.keys() <= _modules(run, names):
        uses = {n: state.binds.get(n) for n in sorted(names)}
        state.definitions[value.identity] = Definition(source, uses)


def _is_view_of(obj: Obj, held: Objs, state: State) -> bool:
    """Tell whether every step on the way from a view to the tensors that names hold is a view, and never a copy.

    v = y.t().contiguous().t()
    """
    while (base := state.bases.get(obj)) is not None and base.link is Link.VIEW:
        if base.objs <= held or len(base.objs) > 1:
            return base.objs <= held
        (obj,) = base.objs
    return base is None


def _modules(run: Run, names: set[str]) -> set[str]:
    """Return those of the names that are imported modules, whose bindings don't change."""
    return {n for n in names if n in run.program.module.imports.names and n not in run.scope.bound}


def is_replayable(run: Run, node: ast.expr, *, top: bool = False) -> bool:
    """Tell whether evaluating the expression again has no effects and gives the same view of its current base."""
    if isinstance(node, ast.Constant | ast.Name):
        return True
    if isinstance(node, ast.Slice):
        return all(is_replayable(run, part) for part in (node.lower, node.upper, node.step) if part is not None)
    if isinstance(node, ast.Tuple):
        return all(is_replayable(run, e) for e in node.elts)
    if isinstance(node, ast.UnaryOp):
        return is_replayable(run, node.operand)
    if isinstance(node, ast.BinOp):
        return is_replayable(run, node.left) and is_replayable(run, node.right) and _is_number(run, node)
    value = run.values.get(node)
    if value is None:
        return False
    if isinstance(node, ast.Attribute):
        receiver = run.values.get(node.value)
        if receiver is not None and receiver.is_tensor and node.attr != "grad":  # x.T, x.shape
            return is_replayable(run, node.value)
        return _is_constant_attribute(run, node)
    if isinstance(node, ast.Subscript):
        base = run.values.get(node.value)
        if base is None or not (base.is_tensor or base.must_be(SHAPE)):
            return False  # an element of a container may change
        return is_replayable(run, node.value) and is_replayable(run, node.slice)
    if isinstance(node, ast.Call) and not node.keywords:
        function = isinstance(node.func, ast.Attribute) and is_replayable_call(run, node, node.func)
        return function and all(is_replayable(run, a) for a in node.args)
    return False


def _is_constant_attribute(run: Run, node: ast.Attribute) -> bool:
    """Tell whether an attribute is a number that only constructors of known classes assign: `self.half`."""
    receiver = run.values.get(node.value)
    if receiver is None or not isinstance(receiver.ref, Instance) or not isinstance(node.value, ast.Name):
        return False
    owner = receiver.ref.of
    assigned = [
        scope.name
        for cls in (*owner.linearized(), *run.program.descendants(owner))
        for scope, _ in (*cls.assigned.get(node.attr, ()), *cls.augmented.get(node.attr, ()))
    ]
    is_constant = bool(assigned) and all(name == "__init__" for name in assigned)
    return is_constant and _is_number(run, node) and not _is_stored_elsewhere(run, owner, node.attr)


def _is_stored_elsewhere(run: Run, owner: Class, attribute: str) -> bool:
    """Tell whether this file or that of a base class assigns the attribute on anything but a method's own `self`."""
    modules = {run.program.module, *(home(cls.scope) for cls in owner.linearized())}
    stores = (store for module in modules for store in module.stores_of(attribute))
    return any(not store.of_element and not store.is_own for store in stores)


def is_replayable_call(run: Run, node: ast.Call, func: ast.Attribute) -> bool:
    """Tell whether a method call can be evaluated again: its receiver is a replayable tensor, and it isn't in place."""
    receiver = run.values.get(func.value)
    if receiver is None or not receiver.is_tensor:
        return False
    return is_replayable(run, func.value) and not func.attr.endswith("_")


def _is_number(run: Run, node: ast.expr) -> bool:
    value = run.values.get(node)
    return value is not None and value.must_be(NUMBER | SHAPE | OTHER)


def require_grad(run: Run, state: State, value: Value, flag: ast.expr | None) -> Value:
    """Return the tensor after `requires_grad_(flag)`, and revise it under all its names.

    It becomes a leaf if it was in no graph before.
    """
    graph = value.graph
    if isinstance(flag, ast.Constant) and flag.value is False:
        graph = NO_GRAPH
    else:
        run.leaves |= value.objs
        if value.dtype not in DISCRETE:
            state.put_into_graph(value.objs, SEEN)
            is_new = not graph and (flag is None or is_true(flag))
            graph = LEAF if is_new else extended(graph, SEEN)
    state.revise(lambda held: held._replace(graph=graph) if is_same(held, value) else held)
    return value._replace(graph=graph)
