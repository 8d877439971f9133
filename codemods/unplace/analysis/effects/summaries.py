"""Summaries: the effect that a function of the analysed files has on its parameters, added up over its body."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from unplace.analysis.domain.facts import ANY, Facts
from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import refs_of_either
from unplace.analysis.domain.values import CONTAINER, NONE_VALUE, Obj, Objs, Origin, Tracked, Value
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.effects.effect import Effect, Returned, Save
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, anything
from unplace.diagnostics.forms import WriteKind

_DEPTH = 3


def exits_of(run: Run, end: Snapshot | None) -> list[tuple[Value, Snapshot]]:
    """Return the value that a function returns on each way out, with the snapshot taken there."""
    return [*run.returns, *([(NONE_VALUE, end)] if end is not None else [])]


def summarize(run: Run, end: Snapshot | None) -> Effect:
    """Return the effect of a function that `run` has walked."""
    exits = exits_of(run, end)
    results = [_describe(value, state, _DEPTH) for value, state in exits]
    result = results[0] if results else Returned(NONE_VALUE.kinds)
    for other in results[1:]:
        result = _join(result, other)
    data = [w for w in run.writes.values() if w.kind is WriteKind.DATA]
    written, unclear = _roots(run.all_writes()), _roots(run.all_unclear())
    changes: set[str] = set()
    keeps: set[str] = set()
    surely_kept: set[str] = set()
    saved: set[str] = set()
    guessed: set[str] = set()
    keeps_outer = False
    for _, state in exits:
        outside = frozenset(holder for holder in state.heap.holders if holder.origin is not Origin.FRESH)
        changes |= _parameters(outside)
        held = anything([value for _, value in state.reachable_slots(outside)])
        kept = state.reachable(held) | frozenset(state.kept)
        keeps |= _parameters(kept)
        surely_kept |= _parameters(frozenset(o for o, by in state.kept.items() if by.certain))
        keeps_outer = keeps_outer or any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in kept)
        saved |= _parameters(frozenset(state.saved))
        guessed |= _parameters(frozenset(o for o, by in state.saved.items() if not all(s.certain for s in by)))
    return Effect(
        result,
        writes=frozenset(_parameters(written)),
        changes=frozenset(changes),
        keeps=frozenset(keeps),
        surely_keeps=frozenset(surely_kept),
        saves=tuple(Save(name, name not in guessed) for name in sorted(saved)),
        keeps_outer=keeps_outer,
        writes_outer=any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in written),
        replaces=frozenset(_parameters(frozenset(o for w in data for o in w.value.objs))),
        reshapes=frozenset(_parameters(frozenset(run.reshaped))),
        may_write=frozenset(_parameters(unclear)),
        writes_held=_attributes([*run.all_writes(), *(write for _, write in run.handed_held.values())]),
    )


def _roots(writes: Iterable[Write]) -> Objs:
    return frozenset(o for w in writes for o in w.state.roots(w.value.objs))


def _attributes(writes: Iterable[Write]) -> frozenset[str]:
    """Return the attributes of arguments whose memory some operations write: `self.queue`."""
    found = (w.state.from_callers(obj) for w in writes for obj in w.state.roots(w.value.objs) if obj.parameter is None)
    return frozenset(path for path in found if path is not None)


def _parameters(objs: Objs) -> set[str]:
    return {name for obj in objs if (name := obj.parameter) is not None}


def _describe(value: Value, state: Facts, depth: int) -> Returned:
    roots = state.roots(value.objs)
    foreign = any(o.origin not in (Origin.FRESH, Origin.PARAMETER) for o in roots) or _is_held(value, state)
    elements: tuple[tuple[Hashable, Returned], ...] = ()
    together: frozenset[tuple[Hashable, Hashable]] = frozenset()
    if (value.must_be(CONTAINER) and value.objs) or _is_made_here(value):
        if depth == 0:
            foreign = True
            roots |= state.reachable(value.objs)
        else:
            slots: dict[Hashable, Returned] = {}
            for holder in value.objs:
                for key, held in state.fields_of(holder):
                    described = _describe(held, state, depth - 1)
                    slots[key] = _join(slots[key], described) if key in slots else described
            elements = tuple(slots.items())
            together = _sharing(value, state)
    same = None
    if len(value.objs) == 1 and isinstance(value.identity, Obj):
        same = value.identity.parameter
    return Returned(
        value.kinds,
        frozenset(_parameters(roots)),
        same,
        foreign,
        elements,
        value.dtype if isinstance(value.dtype, str) else None,
        value.tracked,
        value.ref,
        value.likely,
        together,
        any(obj.overlapping for obj in roots),
        _saved(state, value.objs),
        dtype_of=value.dtype.parameter if isinstance(value.dtype, Obj) else None,
    )


def _saved(state: Facts, objs: Objs) -> frozenset[tuple[str, bool]]:
    """Return the operations that saved these objects, or memory they view, except memory that the caller passed in."""
    found = [
        {s for root in state.roots((obj,)) if root.parameter is None for s in state.saved.get(root, ())} for obj in objs
    ]
    always = all(any(s.certain for s in by) for by in found)
    return frozenset((s.operation.partition(INSIDE)[0], s.certain and always) for by in found for s in by)


def _saved_in_either(first: Returned, second: Returned) -> frozenset[tuple[str, bool]]:
    """Return the join of the saves of two results; a save is certain only if each result was certainly saved."""
    every = first.saved | second.saved
    returned = [r for r in (first, second) if r.kinds != NONE_VALUE.kinds]
    if all(any(certain for _, certain in r.saved) for r in returned):
        return every
    return frozenset((operation, False) for operation, _ in every)


def _is_made_here(value: Value) -> bool:
    """Tell whether a value is an instance of an analysed class, made in this function."""
    return isinstance(value.ref, Instance) and bool(value.objs) and all(o.origin is Origin.FRESH for o in value.objs)


def _sharing(container: Value, state: Facts) -> frozenset[tuple[Hashable, Hashable]]:
    """Return the pairs of slots of a container whose values may share memory."""
    held = [(key, value) for key, value in state.reachable_slots(container.objs) if value.objs]
    return frozenset(
        (first, second)
        for position, (first, one) in enumerate(held)
        for second, other in held[position + 1 :]
        if first != second and state.may_share(one.objs, other.objs)
    )


def _is_held(value: Value, state: Facts) -> bool:
    """Tell whether code or an object outside the function holds the value when the function returns."""
    if not value.objs:
        return False
    if state.kept_by(value.objs) is not None:
        return True
    return any(
        holder.origin is not Origin.FRESH and held.objs and state.may_share(held.objs, value.objs)
        for (holder, _), held in state.heap.items()
    )


def _join(first: Returned, second: Returned) -> Returned:
    elements = dict(first.elements)
    for key, value in second.elements:
        elements[key] = _join(elements[key], value) if key in elements else value
    has_all = NONE_VALUE.kinds in (first.kinds, second.kinds)  # None has no elements that anything could read
    if not has_all and {k for k, _ in first.elements} != {k for k, _ in second.elements}:
        joined: Returned | None = None
        for value in elements.values():
            joined = value if joined is None else _join(joined, value)
        elements = {ANY: joined} if joined is not None else {}
    tracked = first.tracked if first.tracked is second.tracked else Tracked.MAYBE
    return Returned(
        first.kinds | second.kinds,
        first.parameters | second.parameters,
        first.same if first.same == second.same else None,
        first.foreign or second.foreign,
        tuple(elements.items()),
        first.dtype if first.dtype == second.dtype else None,
        tracked,
        first.ref if first.ref == second.ref else refs_of_either(first, second),
        first.likely or second.likely,
        first.together | second.together,
        first.overlapping or second.overlapping,
        _saved_in_either(first, second),
        dtype_of=first.dtype_of if first.dtype_of == second.dtype_of else None,
    )
