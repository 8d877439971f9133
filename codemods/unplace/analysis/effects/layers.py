"""Calls of torch's modules: of a single layer, or of the layers of a Sequential one after the other."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import reduce

from unplace import torchapi
from unplace.analysis.domain.graph import ARGUMENTS, NO_GRAPH, Graph
from unplace.analysis.domain.merging import Merger
from unplace.analysis.domain.refs import (
    Choice,
    Function,
    Instance,
    LibraryLayer,
    TorchModule,
    alternatives,
    first_layer,
)
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import CONTAINER, MODULE, TENSOR, TUPLE, Link, Origin, Token, Value
from unplace.analysis.effects import effect, result_types
from unplace.analysis.effects.applying import apply
from unplace.analysis.effects.call import Call
from unplace.analysis.effects.effect import RETURNED, Effect, Returned, Save
from unplace.analysis.effects.graphs import of_layer
from unplace.analysis.interpret import choices, modelled_calls, own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.rounds import has_round
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.project.calling import run_by_calling
from unplace.analysis.project.members import display
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import ModuleClass, Result, View, modules

_BEFORE, _LAST = -2, -1
"""The places of the layers of a Sequential whose number isn't known: all but the last one, and that."""


def of_sequential(run: Run, node: ast.Call, arguments: Arguments, state: State) -> TorchModule:
    """Return a Sequential with its layers or, where their number isn't known, what each and the last of them is.

    Of one that the same call made, as in `net = nn.Sequential(net, layer)`, nobody knows how many there are.
    """
    made = TorchModule(modules.SEQUENTIAL, node)
    if arguments.keywords or not arguments.positional:
        return made
    parts = _in_order(run, arguments, state)
    if parts is not None:
        return replace(made, parts=tuple(_without(part, node) for part in parts))
    end = arguments.nodes[-1]
    is_listed = isinstance(end, ast.Starred) and isinstance(end.value, ast.ListComp | ast.GeneratorExp)
    layers = [_without(value, node) for value in arguments.positional]
    last = layers[-1] if is_listed or not isinstance(end, ast.Starred) else None
    each = reduce(weak_join, layers)
    is_filled = any(_has_element(run, given, state) for given in arguments.nodes)
    return replace(made, last=last, each=each if each.ref is not None else None, is_filled=is_filled)


def _without(layer: Value, call: ast.Call) -> Value:
    """Return a layer that is open in place of the Sequentials that a call made."""
    refs = alternatives(layer.ref)
    others = frozenset(ref for ref in refs if call not in _makers(ref))
    return layer if len(others) == len(refs) else layer._replace(ref=Choice(others, is_open=True))


def _makers(ref: Hashable) -> set[ast.Call | None]:
    """Return the calls that made a Sequential and those inside it."""
    inside = (*(ref.parts or ()), ref.last, ref.each) if isinstance(ref, TorchModule) else ()
    own = {ref.call} if isinstance(ref, TorchModule) else set()
    return own.union(*(_makers(each) for part in inside if part for each in alternatives(part.ref)))


def _has_element(run: Run, given: ast.expr, state: State) -> bool:
    """Tell whether an argument is certainly one layer or more: `*layers` of a list that begins with one, or gets it.

    layers = []
    layers.append(nn.Linear(3, 3))
    for _ in range(depth): layers.append(nn.ReLU())
    """
    if not isinstance(given, ast.Starred) or has_round(run, given.value):
        return True
    holders = run.values[given.value].objs
    if holders and all((o, 0) in state.heap and (o, 0) not in state.heap.partly for o in holders):
        return True
    return isinstance(given.value, ast.Name) and bool(display(run.program, run.scope, given.value, is_own=True)[0])


def _in_order(run: Run, arguments: Arguments, state: State) -> tuple[Value, ...] | None:
    """Return the arguments, those of `*layers` in their places; None where a list isn't known element by element."""
    found: list[Value] = []
    for node, value in zip(arguments.nodes, arguments.positional, strict=True):
        if not isinstance(node, ast.Starred):
            found.append(value)
            continue
        holders = run.values[node.value].objs
        slots = dict(state.reachable_slots(holders))
        if len(holders) != 1 or not slots or list(slots) != [*range(len(slots))]:
            return None
        if any(slot in state.heap.partly for slot in itertools.product(holders, slots)):
            return None
        found += slots.values()
    return tuple(found)


def called(calls: CallEffects, node: ast.Call, ref: TorchModule, arguments: Arguments, state: State) -> Value:
    """Return the value of a call of a module that torch defines."""
    if not arguments.positional:
        return calls.unknown_call(node, arguments.all(), state)
    _prove_tensor(calls, ref, arguments, state)
    target, value = arguments.nodes[0], arguments.positional[0]
    if ref.qualified == torchapi.IDENTITY:
        return value
    if ref.qualified == modules.SEQUENTIAL:
        return _container(calls, node, ref, target, value, state, ())
    module = torchapi.module(ref.qualified)
    assert module is not None
    if ref.inplace is None:
        return calls.maybe_in_place(node, ref.qualified, (target, value), state, source=ref.call)
    if ref.inplace:
        _overwrite(calls, node, ref, target, value, state, is_one_of_several=calls.run.alternative is not None)
        if torchapi.saves_result_in_place(ref.qualified):
            calls.run.save(state, value, f"{ref.qualified}()", node, "result", graph=value.graph)
        return value if value.may_be(TENSOR) else value._replace(kinds=TENSOR)
    return result(calls, node, module, arguments, state)


def _overwrite(
    calls: CallEffects,
    node: ast.Call,
    ref: TorchModule,
    target: ast.expr,
    value: Value,
    state: State,
    *,
    is_one_of_several: bool,
) -> None:
    """Record the write of a layer made with `inplace=True`."""
    kind, name = WriteKind.MODULE, ref.qualified
    calls.run.write(node, kind, target, value, state, name, source=ref.call, is_one_of_several=is_one_of_several)


def _prove_tensor(calls: CallEffects, ref: TorchModule, arguments: Arguments, state: State) -> None:
    """Record that the argument is a tensor, if the first layer takes only tensors."""
    calls.prove_tensor(first_layer(ref).qualified, arguments, state)


def _container(
    calls: CallEffects,
    node: ast.Call,
    ref: TorchModule,
    target: ast.expr,
    value: Value,
    state: State,
    place: tuple[int, ...],
) -> Value:
    """Return the result of calling a Sequential; `place` is its place in those around it."""
    if ref.parts is not None:
        for index, part in enumerate(ref.parts):
            value = _part(calls, node, (*place, index), part, target, value, state)
        return value
    if ref.each is not None:
        other = state.fork()
        before = _part(calls, node, (*place, _BEFORE), ref.each, target, value, other)
        state.become(Merger((node, place)).merge([state.fork(), other]))
        given = weak_join(value, before)._replace(identity=(node, place), shape=(node, place, "shape"))
        if ref.is_filled:
            return _part(calls, node, (*place, _LAST), ref.last or ref.each, target, given, state)
        other = state.fork()
        made = _part(calls, node, (*place, _LAST), ref.last or ref.each, target, given, other)
        state.become(Merger((node, place, "filled")).merge([state.fork(), other]))
        choices.doubt_returned(calls.run, value.objs - state.roots(made.objs), state)
        return weak_join(value, made)._replace(identity=None, shape=None)
    before = calls.unknown_call(node, [value], state, Value(MODULE))
    if ref.last is None or not _makes_anew(ref.last):
        return before
    return _part(calls, node, (*place, _LAST), ref.last, target, before, state)


def _part(
    calls: CallEffects,
    node: ast.Call,
    place: tuple[int, ...],
    part: Value,
    target: ast.expr,
    value: Value,
    state: State,
) -> Value:
    """Return the result of calling one layer of a Sequential on the result of the previous one."""
    ref = part.ref
    if isinstance(ref, Choice):

        def called_alone(one: Value, own: State) -> Value:
            return _part(calls, node, place, one, target, value, own)

        return choices.either(calls, node, part, called_alone, state, is_repeated=place[-1] < 0)
    if isinstance(ref, TorchModule) and ref.qualified == modules.SEQUENTIAL:
        return _container(calls, node, ref, target, value, state, place)
    module = torchapi.module(ref.qualified) if isinstance(ref, TorchModule) else None
    if isinstance(ref, TorchModule) and module is not None:
        if ref.qualified == torchapi.IDENTITY:
            return value
        if ref.inplace is None:
            return calls.maybe_in_place(node, ref.qualified, (target, value), state, place, ref.call)
        if ref.inplace:
            _overwrite(calls, node, ref, target, value, state, is_one_of_several=True)
            if torchapi.saves_result_in_place(ref.qualified):
                calls.run.save(state, value, f"{ref.qualified}()", node, graph=value.graph)
            return value
        return result(calls, node, module, Arguments([value], [target]), state, place, is_inner=any(place))
    if isinstance(ref, LibraryLayer):
        return modelled_calls.of_layer(calls, node, ref, Arguments([value], [target]), state, (place, "result"))
    forward = run_by_calling(calls.run.program, ref) if isinstance(ref, Instance) else None
    if forward is not None and _only_reads(calls, forward):
        key: Hashable = (node, "layer", place, calls.run.alternative)
        layer = calls.run.foreign(key, Origin.ATTRIBUTE, "a layer", node.lineno, part.kinds, ref=ref)
        key = (place, "result")
        return own_calls.of_function(calls, node, forward, Arguments([value], [target]), state, layer, key)
    outer = calls.run.alternative
    calls.run.alternative = (outer, place)
    made = calls.unknown_call(node, [value], state, part)
    calls.run.alternative = outer
    return made


def _makes_anew(part: Value) -> bool:
    """Tell whether a layer certainly returns a new tensor instead of working in place."""
    return isinstance(part.ref, Instance) or (isinstance(part.ref, TorchModule) and part.ref.inplace is False)


def _only_reads(calls: CallEffects, forward: Function) -> bool:
    """Tell whether a layer of the analysed files writes to none of its arguments.

    The input of a layer inside a Sequential isn't the argument of the call.
    """
    summary = calls.run.program.summary(forward, calls.run.scope)
    return summary is not None and not summary.writes


def result(
    calls: CallEffects,
    node: ast.Call,
    module: ModuleClass,
    arguments: Arguments,
    state: State,
    key: Hashable = None,
    *,
    is_inner: bool = False,
) -> Value:
    """Return the value of a call of a module of torch; `key` tells the layers of a Sequential apart.

    `is_inner` tells that the layer gets what another layer returned, rather than the argument of the call.
    """
    names = (*module.forward[: len(arguments.positional)], *arguments.keywords)
    bound = {f"*{position}": value for position, value in enumerate(arguments.all())}
    inside = {
        f"{name}.{slot}": held
        for name, value in bound.items()
        if value.must_be(CONTAINER)
        for slot, held in state.reachable_slots(value.objs)
    }
    parameters = {f"*{position}": name for position, name in enumerate(names)}
    is_lowered = bool(calls.run.autocast)
    weights = of_layer(calls.run, module.name, code_of(node.func))
    said = effect_of(module, bound, inside, parameters, weights, is_lowered=is_lowered, is_inner=is_inner)
    return apply(Call(calls, node, {**bound, **inside}, state, called=f"{module.name}()"), said, key)


def effect_of(
    module: ModuleClass,
    bound: Mapping[str, Value],
    inside: Mapping[str, Value],
    parameters: Mapping[str, str],
    weights: Graph,
    *,
    is_lowered: bool,
    is_inner: bool,
) -> Effect:
    """Return the effect of a call of a module of torch; `inside` holds the elements of container arguments.

    `weights` is the graph that its own weights bring.

    Whether masks and the like are saved depends on the arguments: `nn.MultiheadAttention` saves its `attn_mask` only if
    that needs no gradient and no weights are asked for (measured).
    """
    saves: list[Save] = []
    for name in (*bound, *inside):
        is_saved = not module.saves.isdisjoint(("*", parameters.get(name.partition(".")[0])))
        if is_saved or module.saves_input:
            part = name if not is_inner else name[name.index(".") :] if name in inside else ""
            saves.append(Save(name, is_saved, part, ARGUMENTS | weights))
    if module.saves_result and module.result in (Result.TENSOR, Result.TENSORS):
        part = effect.RESULT if module.result is Result.TENSOR else ""
        saves.append(Save(RETURNED, True, part, ARGUMENTS | weights))
    returned = _returned(module, bound, ARGUMENTS | weights, is_lowered)
    return Effect(returned, saves=tuple(saves))


def _returned(module: ModuleClass, bound: Mapping[str, Value], graph: Graph, is_lowered: bool) -> Returned | None:
    label = f"{module.name}()"
    if module.result is Result.TENSOR:
        if module.view is View.NEVER:
            dtype: Token = None if is_lowered else result_types.module_dtype(module.name, bound["*0"].dtype)
            return Returned(TENSOR, dtype=dtype, graph=graph, label=label)
        maybe = Link.MAYBE if modules.DROPS in module.name else Link.EITHER
        link = Link.VIEW if module.view is View.ALWAYS else maybe
        return Returned(TENSOR, source=effect.View(("*0",), link), label=label)
    if module.result is not Result.TENSORS:
        return None
    first = second = Returned(TENSOR, graph=graph, label=label)
    if module.name in modules.TUPLE_STATE:
        pair = ((0, first), (1, first))
        second = Returned(TUPLE, elements=pair, graph=NO_GRAPH, label="container")
    return Returned(TUPLE, elements=((0, first), (1, second)), graph=NO_GRAPH, label="container")
