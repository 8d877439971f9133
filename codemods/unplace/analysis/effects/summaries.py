"""Summaries: the effect that a function of the analysed files has on its parameters, added up over its body."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce

from unplace.analysis.domain.facts import ANY, Facts
from unplace.analysis.domain.graph import NO_GRAPH, joined
from unplace.analysis.domain.refs import Bound, Class, Function, Instance, Partial, Variant, alternatives
from unplace.analysis.domain.snapshot import IN_ATTRIBUTES, Snapshot
from unplace.analysis.domain.state import refs_of_either
from unplace.analysis.domain.values import (
    BY_CALLS,
    CALLABLE,
    CALLED,
    CONTAINER,
    NO_OBJS,
    NONE_VALUE,
    NUMBER,
    TENSOR,
    UNKNOWN,
    Link,
    Obj,
    Objs,
    Origin,
    Value,
    is_same,
)
from unplace.analysis.effects.effect import Attribute, Effect, Held, Item, Left, Returned, View
from unplace.analysis.effects.saved_inside import saved_in_either, saved_of_callers, saved_of_result
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.slots import INSIDE_OF_UNKNOWN, first_attribute, is_unchanged
from unplace.analysis.interpret.writes import Write, graph_of
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.types.kinds import numbers_in
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import members

_DEPTH = 3

NO_EFFECT = Effect(Returned(0))
"""The effect of a function that never returns: where a function calls itself, what is known before it has any."""

_Pair = tuple[Hashable, Hashable]
_Slots = Mapping[tuple[Obj, Hashable], Value]


def exits_of(run: Run, end: Snapshot | None) -> list[tuple[Value, Snapshot]]:
    """Return the value that a function returns on each way out, with the snapshot taken there."""
    return [*run.returns, *([(NONE_VALUE, end)] if end is not None else [])]


def summarize(run: Run, end: Snapshot | None) -> Effect:
    """Return the effect of a function that `run` has walked."""
    exits = exits_of(run, end)
    results = [_describe(run, value, state, _DEPTH) for value, state in exits if value.kinds]
    if exits and not results:
        return NO_EFFECT
    result = results[0] if results else Returned(NONE_VALUE.kinds)
    for other in results[1:]:
        result = _join(result, other)
    result = _as_annotated(run, result)
    data = [w for w in run.writes.values() if w.kind is WriteKind.DATA]
    every_unclear = [*run.unclear.values(), *(write for _, write in run.handed_unclear.values())]
    written, unclear = _roots(run.all_writes()), _roots(every_unclear)
    changes: set[str] = set()
    keeps, surely_kept, kept_here = set[str](), set[str](), set[str]()
    keeps_outer = False
    stored = [_stored(run, state) for _, state in exits]
    for (value, state), slots in zip(exits, stored, strict=True):
        changes |= _changed(run, state, slots)
        carried = _parameters(_carried(run, [value, *slots.values()], state))
        keeps |= carried
        surely_kept |= carried
        held = frozenset(o for (holder, _), value in slots.items() for o in value.objs - _own(run, holder))
        kept = state.reachable(held) | frozenset(state.kept)
        keeps |= _parameters(kept)
        surely_kept |= _parameters(frozenset(o for o, by in state.kept.items() if by.certain))
        surely_kept |= _parameters(held)
        kept_here |= _parameters(state.reachable(held) | _kept_in_sight(state))
        keeps_outer = keeps_outer or any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in kept)
    saved = saved_of_callers(run, [state for _, state in exits])
    return Effect(
        result,
        writes=frozenset(_parameters(written)),
        changes=frozenset(changes),
        keeps=frozenset(keeps),
        surely_keeps=frozenset(surely_kept),
        saves=saved.arguments,
        saves_held=saved.held,
        saves_captured=saved.captured,
        keeps_outer=keeps_outer,
        writes_outer=any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in written),
        replaces=frozenset(_parameters(frozenset(o for w in data for o in w.value.objs))),
        reshapes=frozenset(_parameters(frozenset(run.reshaped))),
        may_write=frozenset(_parameters(unclear)),
        may_write_held=_attributes(every_unclear),
        writes_held=_attributes([*run.all_writes(), *(write for _, write in run.handed_held.values())]),
        leaves=_left(run, [state for _, state in exits], stored) if changes else (),
        shows=frozenset(keeps - kept_here - surely_kept),
        brings=graph_of(*(o for w in run.all_writes() for o in w.operands)),
    )


def _kept_in_sight(state: Snapshot) -> Objs:
    """Return what escaped to anything else than a call into code out of sight."""
    return frozenset(obj for obj, by in state.kept.items() if by.part != CALLED)


def _carried(run: Run, values: Sequence[Value], state: Snapshot) -> Objs:
    """Return what is held by functions that are handed out: by names that they capture, as receivers or arguments.

    return lambda k: t * k              hooks.append(box.read)              return (t * k for k in ks)
    def drawn(): yield t                return drawn()
    """
    objs = state.reachable(obj for value in values for obj in value.objs)
    found: set[Obj] = set()
    for value in (*values, *(held for _, held in state.reachable_slots(objs))):
        if value.must_be(CALLABLE):
            found |= value.objs  # a method of a tensor: `return t.mul`
        for ref in alternatives(value.ref):
            if isinstance(ref, Function):
                found |= run.captured_by(ref, state)
            elif isinstance(ref, Bound):
                found |= ref.receiver.objs
            elif isinstance(ref, Class | Instance):
                owner = ref.of if isinstance(ref, Instance) else ref
                for method in owner.scope.inner if owner.scope.parent is run.scope else ():
                    found |= run.captured_by(Function(method), state)
            elif isinstance(ref, Partial):
                found |= {obj for given in ref.positional for obj in given.objs}
    for obj in objs:
        key = run.names.key_of(obj) if run.names.owns(obj) else None
        node = key[0] if isinstance(key, tuple) else None
        names = {n.id for n in walk(node) if isinstance(n, ast.Name)} if isinstance(node, ast.GeneratorExp) else ()
        found |= {held for name in names if name in state.env for held in state.env[name].objs}
        ref = run.values[node.func].ref if isinstance(node, ast.Call) and node.func in run.values else None
        if isinstance(ref, Function) and ref.scope.suspends:
            found |= run.captured_by(ref, state)
    return state.reachable(found)


def _changed(run: Run, state: Facts, stored: _Slots) -> set[str]:
    """Return the parameters from which an object can be reached that holds anything but what it held at first."""
    if run.changes_any:
        return {parameter.arg for parameter in run.scope.parameters}
    changed = _with_owners(state, run.changed.union(holder for holder, _ in stored))
    if not changed:
        return set()
    passed = [(name, run.names.by_key.get(("parameter", name))) for name in (p.arg for p in run.scope.parameters)]
    reaching = {name for name, obj in passed if obj and not changed.isdisjoint(state.reachable(frozenset({obj})))}
    return reaching | _parameters(frozenset(changed))


def _left(run: Run, exits: Sequence[Snapshot], stored: Sequence[_Slots]) -> tuple[Left, ...]:
    """Return what a function that changes nothing but attributes of its parameters leaves in them, on every way out."""
    if run.changes_any or run.changed or isinstance(run.scope.node, ast.AsyncFunctionDef):
        return ()
    found: dict[tuple[Obj, Hashable], Returned] = {}
    for state, slots in zip(exits, stored, strict=True):
        if slots.keys() != stored[0].keys() or not state.heap.partly.isdisjoint(slots):
            return ()
        for slot, value in slots.items():
            described = _describe_left(run, slot, value, state)
            found[slot] = _join(found[slot], described) if slot in found else described
    left = [Left(holder.parameter or "", str(key), value) for (holder, key), value in found.items()]
    is_told = all(isinstance(key, str) and key != ANY for _, key in found)
    is_known = is_told and all(_is_passed(run, holder) for holder, _ in found)
    return tuple(left) if is_known and all(map(_is_told, left)) else ()


def _is_told(left: Left) -> bool:
    """Tell whether a caller can say which object an attribute holds: a new one, or one that another held before."""
    value = left.value
    return isinstance(value.source, Attribute) or not (value.foreign or value.held)


def _own(run: Run, holder: Obj) -> Objs:
    """Return the element that stands for all that a container held when it was passed."""
    element = run.names.by_key.get(("element", holder.parameter))
    return frozenset((element,)) if element is not None else NO_OBJS


def _stored(run: Run, state: Snapshot) -> _Slots:
    """Return the slots of objects from outside that hold anything but what they held at first."""
    outside = (holder for holder in state.heap.holders if holder.origin is not Origin.FRESH)
    slots = ((holder, key, value) for holder in outside for key, value in state.heap.of(holder).items())
    return {(holder, key): value for holder, key, value in slots if not is_unchanged(run, holder, key, value)}


def _describe_left(run: Run, slot: tuple[Obj, Hashable], value: Value, state: Snapshot) -> Returned:
    """Return the description of what an attribute holds, without saying that this attribute holds it."""
    described = _describe(run, value, state, _DEPTH)
    own = Held(slot[0].parameter or "", str(slot[1]))
    return described._replace(held=described.held - {own, own._replace(certain=False)})


def _is_passed(run: Run, holder: Obj) -> bool:
    """Tell whether an object is what a parameter held at first, rather than something inside it."""
    name = holder.parameter
    return name is not None and run.names.by_key.get(("parameter", name)) is holder


def _with_owners(state: Facts, objs: set[Obj]) -> set[Obj]:
    """Return objects with those that they may be, or be a part of: `self` for `m` of `for m in self.children()`."""
    found, todo = set(objs), list(objs)
    while todo:
        base = state.bases.get(todo.pop())
        new = (base.objs | base.holders) - found if base is not None else NO_OBJS
        found |= new
        todo += new
    return found


def _as_annotated(run: Run, result: Returned) -> Returned:
    """Return a result whose elements are numbers where the function says so: `-> list[list[int]]`."""
    function = run.scope.node
    annotation = function.returns if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else None
    depth = numbers_in(annotation)
    if not depth or not result.kinds & CONTAINER or result.kinds & (TENSOR | UNKNOWN):
        return result
    element = Returned(NUMBER)
    for _ in range(depth - 1):
        element = Returned(result.kinds, elements=((ANY, element),), graph=NO_GRAPH, label="container")
    return result._replace(elements=((ANY, element),), together=frozenset(), unseen=frozenset())


def _roots(writes: Iterable[Write]) -> Objs:
    return frozenset().union(*(w.state.roots(w.value.objs) for w in writes))


def _attributes(writes: Iterable[Write]) -> frozenset[str]:
    """Return the attributes of arguments whose memory some operations write: `self.queue`."""
    written = ((w.state, obj) for w in writes for obj in w.state.roots(w.value.objs) if obj.origin in IN_ATTRIBUTES)
    found = (state.from_callers(obj) for state, obj in written)
    return frozenset(path for path in found if path is not None)


def _parameters(objs: Objs) -> set[str]:
    return {name for obj in objs if (name := obj.parameter) is not None}


def _describe(run: Run, value: Value, state: Facts, depth: int) -> Returned:
    roots = state.roots(value.objs)
    held = _held(run, value, state)
    others = [obj for obj in roots if obj.origin not in (Origin.FRESH, Origin.PARAMETER)]
    foreign = bool(others) or held is None
    elements: tuple[tuple[Hashable, Returned], ...] = ()
    together = unseen = frozenset[_Pair]()
    if (value.must_be(CONTAINER) and value.objs) or _is_made_here(value):
        if depth == 0:
            foreign = True
            roots |= state.reachable(value.objs)
        else:
            slots: dict[Hashable, Returned] = {}
            for holder in value.objs:
                for key, inner in state.fields_of(holder):
                    described = _as_piece(run, holder, inner, state, _describe(run, inner, state, depth - 1))
                    slots[key] = _join(slots[key], described) if key in slots else described
            elements = tuple(slots.items())
            together, unseen = _sharing(value, state)
    same = None
    if len(value.objs) == 1 and isinstance(value.identity, Obj):
        same = value.identity.parameter
    forbidden = _forbidden_view(value, state)
    return Returned(
        value.kinds,
        frozenset(_parameters(roots)),
        same,
        foreign,
        elements,
        value.dtype if isinstance(value.dtype, str) else None,
        value.graph,
        value.ref,
        value.likely,
        together,
        any(obj.overlapping for obj in roots),
        saved_of_result(run, state, value.objs),
        dtype_of=value.dtype.parameter if isinstance(value.dtype, Obj) else None,
        held=held or frozenset(),
        source=forbidden or _attribute(run, value) or _item(run, value),
        label=next((o.label for o in value.objs), "") if forbidden is not None else "",
        operator=members.APPLYING if forbidden is not None else None,
        is_of_unseen=bool(others) and held is not None and all(obj.operator in BY_CALLS for obj in others),
        is_view=bool(value.objs) and all(o in state.bases and state.bases[o].link is Link.VIEW for o in value.objs),
        unseen=unseen,
        may_be_leaf=bool(value.graph) and not run.leaves.isdisjoint(value.objs),
        is_kept=held is None and _is_kept(value, state),
    )


def _as_piece(run: Run, holder: Obj, inner: Value, state: Facts, described: Returned) -> Returned:
    """Return the description of what a container holds, with what a split says of its outputs: `return y.chunk(2)`."""
    if len(inner.objs) != 1 or described.foreign or described.parameters or described.held:
        return described
    (obj,) = inner.objs
    base = state.bases.get(obj)
    if base is None or base.piece is None or base.piece[1] != ANY:
        return described
    if run.names.parts_of(base.piece[0]) is not holder:
        return described  # it holds pieces, but isn't what the split returned
    return described._replace(is_piece=True, forbidden=base.forbidden, label=obj.label, operator=obj.operator)


def _attribute(run: Run, value: Value) -> Attribute | None:
    """Return the attribute of an argument that held a value before the function was called."""
    if len(value.objs) != 1 or value.identity not in value.objs:
        return None
    found = first_attribute(run, *value.objs)
    for parameter in run.scope.parameters if found is not None else ():
        holder = run.names.by_key.get(("parameter", parameter.arg))
        if holder is not None and found is not None and found[0] == holder.index:
            return Attribute(parameter.arg, found[1])
    return None


def _item(run: Run, value: Value) -> Item | None:
    """Return what an index takes of a parameter of an unknown kind."""
    if not isinstance(value.identity, Obj) or {value.identity} != value.objs or value.identity.old:
        return None
    key = run.names.key_of(value.identity)
    node = key[0] if isinstance(key, tuple) and key[1] == INSIDE_OF_UNKNOWN else None
    base = run.values.get(node.value) if isinstance(node, ast.Subscript) else None
    if not isinstance(node, ast.Subscript) or base is None or not isinstance(base.identity, Obj):
        return None
    of, is_basic = base.identity.parameter, is_basic_index(run, node.slice)
    return Item(of, Link.VIEW if is_basic else Link.MAYBE) if of is not None and is_basic is not False else None


def _forbidden_view(value: Value, state: Facts) -> View | None:
    """Return the view of one argument that a custom autograd function made, which torch doesn't let be written."""
    made = [obj for obj in value.objs if obj.operator == members.APPLYING and obj in state.bases]
    if len(value.objs) != 1 or not made:
        return None
    bases = state.bases[made[0]].objs
    names = _parameters(bases)
    return View((names.pop(),), Link.VIEW, forbidden=True) if len(bases) == 1 and names else None


def _is_made_here(value: Value) -> bool:
    """Tell whether a value is an instance of an analysed class, made in this function."""
    return isinstance(value.ref, Instance) and bool(value.objs) and all(o.origin is Origin.FRESH for o in value.objs)


def _sharing(container: Value, state: Facts) -> tuple[frozenset[_Pair], frozenset[_Pair]]:
    """Return the pairs of slots of a container whose values may share memory, and those that only unseen code shows."""
    fields = [slot for holder in container.objs for slot in state.fields_of(holder)]
    held = [(key, state.memory_of(value)) for key, value in fields if value.objs]
    found = {
        (first, second): not state.seen(one).isdisjoint(state.seen(other))
        for position, (first, one) in enumerate(held)
        for second, other in held[position + 1 :]
        if first != second and state.may_share(one, other)
    }
    return frozenset(found), frozenset(pair for pair, is_seen in found.items() if not is_seen)


def _held(run: Run, value: Value, state: Facts) -> frozenset[Held] | None:
    """Return the slots of arguments that hold the value when the function returns: `h` of `self` in `self.h = h`.

    None where other code or another object outside the function holds it, or where the value wasn't made here.
    """
    if not value.objs:
        return frozenset()
    if state.kept_by(value.objs) is not None:
        return None
    is_made_here = all(o.origin is Origin.FRESH for o in state.roots(value.objs))
    found: set[Held] = set()
    for (holder, key), inner in state.heap.items():
        if holder.origin is Origin.FRESH or not inner.objs or not state.may_share(inner.objs, value.objs):
            continue
        name = holder.parameter
        if name is None or not isinstance(key, str) or run.names.by_key.get(("parameter", name)) is not holder:
            return None
        if key == ANY or value.must_be(CONTAINER) or not is_made_here:
            return None
        found.add(Held(name, key, is_same(inner, value)))
    return frozenset(found)


def _is_kept(value: Value, state: Facts) -> bool:
    """Tell whether an attribute or container from outside holds a value, or other code certainly keeps it."""
    keeper = state.kept_by(value.objs)
    is_held = any(h.origin is not Origin.FRESH and is_same(inner, value) for (h, _), inner in state.heap.items())
    bases = (state.bases[obj] for obj in value.objs if obj in state.bases)
    is_held = is_held or any(h.origin in (Origin.GLOBAL, Origin.CLOSURE) for base in bases for h in base.holders)
    return is_held or (keeper is not None and keeper.certain)


def _held_in_either(first: Returned, second: Returned) -> frozenset[Held]:
    """Return the join of the slots that hold two results; one is certain only if it holds each of them."""
    returned = [r for r in (first, second) if r.kinds != NONE_VALUE.kinds]
    places = {held[:2] for r in returned for held in r.held}
    return frozenset(Held(*place, all(Held(*place) in r.held for r in returned)) for place in places)


def _join(first: Returned, second: Returned) -> Returned:
    elements = dict(first.elements)
    for key, value in second.elements:
        elements[key] = _join(elements[key], value) if key in elements else value
    has_all = NONE_VALUE.kinds in (first.kinds, second.kinds)  # None has no elements that anything could read
    if not has_all and {k for k, _ in first.elements} != {k for k, _ in second.elements}:
        whole: Returned | None = None
        for value in elements.values():
            whole = value if whole is None else _join(whole, value)
        elements = {ANY: whole} if whole is not None else {}
    tensors = [r for r in (first, second) if r.kinds != NONE_VALUE.kinds] or [first]
    dtypes = {r.dtype for r in tensors}
    seen = (first.together - first.unseen) | (second.together - second.unseen)
    is_cut = all(r.is_piece for r in tensors)
    return Returned(
        first.kinds | second.kinds,
        first.parameters | second.parameters,
        first.same if first.same == second.same else None,
        first.foreign or second.foreign,
        tuple(elements.items()),
        dtypes.pop() if len(dtypes) == 1 else None,
        reduce(joined, (r.graph for r in tensors)),
        first.ref if first.ref == second.ref else refs_of_either(first, second),
        first.likely or second.likely,
        first.together | second.together,
        first.overlapping or second.overlapping,
        saved_in_either(first, second),
        dtype_of=first.dtype_of if first.dtype_of == second.dtype_of else None,
        held=_held_in_either(first, second),
        label=tensors[0].label if is_cut else "",
        operator=tensors[0].operator if is_cut else None,
        is_of_unseen=all(r.is_of_unseen for r in (first, second) if r.foreign),
        is_view=first.is_view and second.is_view,
        is_piece=is_cut,
        may_be_leaf=first.may_be_leaf or second.may_be_leaf,
        forbidden=is_cut and any(r.forbidden for r in tensors),
        unseen=(first.unseen | second.unseen) - seen,
        is_kept=first.is_kept or second.is_kept,
    )


def special(general: Effect, found: Effect | None, variant: Variant) -> Effect:
    """Return the effect of a variant of a function, of which `found` is what a walk over it gave.

    It is the `general` one but for the result and its saves: who may be written to is asked of all calls alike.
    What an attribute decides tells the saves alone: code may store another value that no analysis sees.
    """
    if found is None or found.returned is None or general.returned is None:
        return general
    is_of_object = any(path.startswith("self.") for path, _ in variant.fixed)
    returned = _with_saves(general.returned, found.returned) if is_of_object else found.returned
    return general._replace(returned=returned, saves=found.saves)


def _with_saves(general: Returned, found: Returned) -> Returned:
    """Return a value with the saves of another, and each of its elements with those of the other's element."""
    special = dict(found.elements)
    elements = ((key, _with_saves(value, special.get(key, value))) for key, value in general.elements)
    return general._replace(saved=found.saved, elements=tuple(elements))


def is_vague(effect: Effect) -> bool:
    """Tell whether a call of a function may return one thing or another, as far as the effect tells."""
    returned = effect.returned
    if returned is None:
        return False
    is_of_one_kind = returned.kinds & (returned.kinds - 1) == 0
    is_saved_or_not = any(not kept.certain for kept in returned.saved)
    return is_saved_or_not or not is_of_one_kind or bool(returned.parameters or returned.elements) or returned.foreign
