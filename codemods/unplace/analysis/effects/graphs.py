"""The graphs that the arguments of a call bring into what it returns, saves and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import ARGUMENTS, NO_GRAPH, SEEN, UNSEEN, Graph, derived, of_all, parameters_of
from unplace.analysis.domain.refs import Instance, TorchModule
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    MODULE,
    OTHER,
    TENSOR,
    UNKNOWN,
    Origin,
    Value,
)
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.project.freezing import may_be_frozen
from unplace.torchapi.modules import learns


def brought(run: Run, state: Facts, bound: Mapping[str, Value], graph: Graph) -> Graph:
    """Return the graph, for the caller, of what has a graph in the terms of the callee: of its parameters."""
    if not state.record.records:
        return NO_GRAPH
    given = bound if graph >= ARGUMENTS else graph.intersection(bound)
    left = graph.difference(ARGUMENTS, bound)
    own = left - parameters_of(left) | UNSEEN if parameters_of(left) else left
    return of_all([own, of_arguments(run, state, (bound[name] for name in sorted(given)))])


def bringing(bound: Mapping[str, Value]) -> Graph:
    """Return the parameters whose arguments may bring a graph into what an operator makes and saves."""
    return frozenset(name for name, v in bound.items() if can_be_tracked(v) or v.may_be(CONTAINER))


def of_arguments(run: Run, state: Facts, values: Iterable[Value]) -> Graph:
    """Return the graph of all that is calculated from some arguments."""
    return of_all(of_argument(run, state, value) for value in values)


def of_argument(run: Run, state: Facts, value: Value) -> Graph:
    """Return the graph of the tensors that can be reached from an argument; modules bring that of their weights."""
    if value.must_be(CONTAINER) and value.objs:
        held = [inner for _, inner in state.reachable_slots(value.objs)]
        if not held:
            is_open = any(holder.origin is not Origin.FRESH for holder in value.objs)
            return derived(value.graph) or (UNSEEN if is_open else NO_GRAPH)
        return of_arguments(run, state, (inner for inner in held if not inner.must_be(CONTAINER)))
    if value.may_be(TENSOR | UNKNOWN):
        return derived(value.graph) if can_be_tracked(value) else NO_GRAPH
    return of_weights(run, value) if value.may_be(MODULE | OTHER | CALLABLE) else NO_GRAPH


def of_weights(run: Run, module: Value) -> Graph:
    """Return the graph that a module gives to what it calculates."""
    ref = module.ref
    if isinstance(ref, TorchModule):
        return of_all(of_layer(run, layer.qualified) for layer in _layers(ref))
    return of_all([UNSEEN, *_of_attributes(run, ref)]) if isinstance(ref, Instance) else UNSEEN


def of_layer(run: Run, qualified: str, place: str = "") -> Graph:
    """Return the graph that a layer of torch gives to what it calculates; `place` is what the source calls it."""
    if not learns(qualified):
        return NO_GRAPH
    return UNSEEN if may_be_frozen(run.program.module, place) else SEEN


def _layers(ref: TorchModule) -> list[TorchModule]:
    return [ref, *(part.ref for part in ref.parts or () if isinstance(part.ref, TorchModule))]


def _of_attributes(run: Run, ref: Instance) -> Iterator[Graph]:
    """Iterate over the graphs that the layers bring which a class of modules makes."""
    names = {name for cls in ref.of.linearized() for name in cls.assigned} if ref.of.is_module else set()
    for name in sorted(names):
        held = run.program.attribute(ref.of, name).ref
        if isinstance(held, TorchModule):
            yield of_all(of_layer(run, layer.qualified, f"self.{name}") for layer in _layers(held))
