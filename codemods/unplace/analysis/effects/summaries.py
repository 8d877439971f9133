"""What a call of a function of this file does, in terms of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.state import ANY, State
from unplace.analysis.domain.values import (
    CONTAINER,
    MODULE,
    NONE_VALUE,
    OTHER,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Obj,
    Objs,
    Origin,
    Saved,
    Token,
    Tracked,
    Value,
)
from unplace.analysis.effects.summary import Result, Summary
from unplace.analysis.interpret.run import Run, anything
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.forms import WriteKind

_DEPTH = 3
_INSIDE = " inside "
_RECORDING = TENSOR | CONTAINER | MODULE | OTHER | UNKNOWN  # what may bring a gradient into a call


def exits_of(run: Run, end: State | None) -> list[tuple[Value, State]]:
    """What a function returns on each way out, and what is true there."""
    return [*run.returns, *([(NONE_VALUE, end)] if end is not None else [])]


def summarize(run: Run, end: State | None) -> Summary:
    """The summary of a function after `run` has walked it."""
    exits = exits_of(run, end)
    results = [_describe(value, state, _DEPTH) for value, state in exits]
    result = results[0] if results else Result(NONE_VALUE.kinds)
    for other in results[1:]:
        result = _join(result, other)
    data = [w for w in run.writes.values() if w.kind is WriteKind.DATA]
    written = frozenset(o for w in run.all_writes() for o in w.state.roots(w.value.objs))
    changes: set[str] = set()
    keeps: set[str] = set()
    surely_kept: set[str] = set()
    saved: set[str] = set()
    guessed: set[str] = set()
    keeps_outer = False
    for _, state in exits:
        outside = {holder for holder, _ in state.heap if holder.origin is not Origin.FRESH}
        changes |= _parameters(frozenset(outside))
        held = anything([v for (holder, _), v in state.heap.items() if holder in outside])
        kept = state.reachable(held) | frozenset(state.kept)
        keeps |= _parameters(kept)
        surely_kept |= _parameters(frozenset(o for o, by in state.kept.items() if by.certain))
        keeps_outer = keeps_outer or any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in kept)
        saved |= _parameters(frozenset(state.saved))
        guessed |= _parameters(frozenset(o for o, by in state.saved.items() if not all(s.certain for s in by)))
    return Summary(
        result,
        frozenset(_parameters(written)),
        frozenset(changes),
        frozenset(keeps),
        frozenset(surely_kept),
        frozenset(saved),
        frozenset(saved - guessed),
        keeps_outer,
        any(o.origin in (Origin.CLOSURE, Origin.GLOBAL) for o in written),
        frozenset(_parameters(frozenset(o for w in data for o in w.value.objs))),
        frozenset(_parameters(frozenset(run.reshaped))),
    )


def _parameters(objs: Objs) -> set[str]:
    return {name for obj in objs if (name := obj.parameter) is not None}


def _describe(value: Value, state: State, depth: int) -> Result:
    roots = state.roots(value.objs)
    foreign = any(o.origin not in (Origin.FRESH, Origin.PARAMETER) for o in roots) or _is_held(value, state)
    elements: tuple[tuple[Hashable, Result], ...] = ()
    together: frozenset[tuple[Hashable, Hashable]] = frozenset()
    if (value.must_be(CONTAINER) and value.objs) or _is_made_here(value):
        if depth == 0:
            foreign = True
            roots |= state.reachable(value.objs)
        else:
            slots: dict[Hashable, Result] = {}
            for holder in value.objs:
                for key, held in state.fields_of(holder):
                    described = _describe(held, state, depth - 1)
                    slots[key] = _join(slots[key], described) if key in slots else described
            elements = tuple(slots.items())
            together = _sharing(value, state)
    same = None
    if len(value.objs) == 1 and isinstance(value.identity, Obj):
        same = value.identity.parameter
    return Result(
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
    )


def _saved(state: State, objs: Objs) -> frozenset[tuple[str, bool]]:
    """The operations that saved memory which the function didn't get from its caller."""
    found = [
        {s for root in state.roots((obj,)) if root.parameter is None for s in state.saved.get(root, ())} for obj in objs
    ]
    always = all(any(s.certain for s in by) for by in found)
    return frozenset((s.operation.partition(_INSIDE)[0], s.certain and always) for by in found for s in by)


def _saved_in_either(first: Result, second: Result) -> frozenset[tuple[str, bool]]:
    """What may have saved one result or the other; certain where each was saved for certain."""
    every = first.saved | second.saved
    returned = [r for r in (first, second) if r.kinds != NONE_VALUE.kinds]
    if all(any(certain for _, certain in r.saved) for r in returned):
        return every
    return frozenset((operation, False) for operation, _ in every)


def _is_made_here(value: Value) -> bool:
    """Whether a value is an object of a class that stores what it is made of, made in this function."""
    return isinstance(value.ref, Instance) and bool(value.objs) and all(o.origin is Origin.FRESH for o in value.objs)


def _sharing(container: Value, state: State) -> frozenset[tuple[Hashable, Hashable]]:
    """The pairs of elements that may share memory."""
    held = [(key, value) for key, value in state.reachable_slots(container.objs) if value.objs]
    return frozenset(
        (first, second)
        for position, (first, one) in enumerate(held)
        for second, other in held[position + 1 :]
        if first != second and state.may_share(one.objs, other.objs)
    )


def _is_held(value: Value, state: State) -> bool:
    """Whether code out of sight holds the value when the function returns."""
    if not value.objs:
        return False
    if state.kept_by(value.objs) is not None:
        return True
    return any(
        holder.origin is not Origin.FRESH and held.objs and state.may_share(held.objs, value.objs)
        for (holder, _), held in state.heap.items()
    )


def _join(first: Result, second: Result) -> Result:
    elements = dict(first.elements)
    for key, value in second.elements:
        elements[key] = _join(elements[key], value) if key in elements else value
    if {k for k, _ in first.elements} != {k for k, _ in second.elements}:
        joined: Result | None = None
        for value in elements.values():
            joined = value if joined is None else _join(joined, value)
        elements = {ANY: joined} if joined is not None else {}
    tracked = first.tracked if first.tracked is second.tracked else Tracked.MAYBE
    return Result(
        first.kinds | second.kinds,
        first.parameters | second.parameters,
        first.same if first.same == second.same else None,
        first.foreign or second.foreign,
        tuple(elements.items()),
        first.dtype if first.dtype == second.dtype else None,
        tracked,
        first.ref if first.ref == second.ref else None,
        first.likely or second.likely,
        first.together | second.together,
        first.overlapping or second.overlapping,
        _saved_in_either(first, second),
    )


def instantiate(
    calls: CallEffects,
    node: ast.Call,
    result: Result,
    bound: dict[str, Value],
    captured: Objs,
    state: State,
    key: Hashable = "result",
) -> Value:
    """The value of a call, from what its summary says of the result."""
    run = calls.run
    if result.same is not None and result.same in bound and not result.foreign:
        return bound[result.same]
    label = f"the result of `{code_of(node.func)}(...)`"
    sources = state.reachable(anything([bound[p] for p in result.parameters if p in bound]))
    missing = any(p not in bound for p in result.parameters)
    dtype: Token = result.dtype
    if result.foreign or missing:
        value = run.foreign(
            (node, key),
            Origin.CALL,
            label,
            node.lineno,
            result.kinds,
            ref=result.ref,
            tracked=result.tracked,
            likely=result.likely,
        )
        sources |= captured
        for obj in value.objs:
            run.make(obj, state)
    elif result.kinds & (TENSOR | UNKNOWN | CONTAINER) == 0 and not isinstance(result.ref, Instance):
        return Value(result.kinds, ref=result.ref)
    else:
        value = run.fresh(
            node,
            state,
            label,
            result.kinds,
            key=key,
            dtype=dtype,
            tracked=result.tracked,
            ref=result.ref,
            overlapping=result.overlapping,
            likely=result.likely,
        )
    if sources:
        for obj in value.objs:
            state.bases[obj] = Base(sources, Link.CALL if result.foreign else Link.MAYBE)
    may_record = bool(captured) or any(v.tracked is not Tracked.NO for v in bound.values() if v.kinds & _RECORDING)
    for operation, certain in sorted(result.saved):
        called = f"{operation}{_INSIDE}{code_of(node.func)}()"
        run.note_saved(state, value.objs, Saved(called, node.lineno, certain and may_record, node, "result"))
    for slot, element in result.elements:
        held = instantiate(calls, node, element, bound, captured, state, (key, slot))
        for obj in value.objs:
            state.heap[(obj, slot)] = held._replace(identity=None) if slot == ANY else held
    for first, second in sorted(result.together, key=str):
        for obj in value.objs:
            one, other = state.heap.get((obj, first)), state.heap.get((obj, second))
            if one is None or other is None:
                continue
            for part in other.objs:
                known = state.bases[part].objs if part in state.bases else frozenset()
                state.bases[part] = Base((known | one.objs) - {part}, Link.MAYBE)
    return value
