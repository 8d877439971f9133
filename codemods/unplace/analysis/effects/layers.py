"""Calls of torch's modules: of a single layer, or of the layers of a Sequential one after the other."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping

from unplace import torchapi
from unplace.analysis.domain.refs import Function, Instance, TorchModule, first_layer
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import CONTAINER, MODULE, TENSOR, TUPLE, Link, Origin, Token, Tracked, Value
from unplace.analysis.effects import effect, result_types
from unplace.analysis.effects.applying import Call, apply
from unplace.analysis.effects.effect import RETURNED, Effect, Returned, Save
from unplace.analysis.interpret import own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import ModuleClass, Result, View, modules


def of_sequential(arguments: Arguments) -> tuple[tuple[Value, ...] | None, Value | None]:
    """Return the layers of a Sequential or, where they aren't all known, its last layer.

    Each is None where it isn't known, and the last layer also where all are known.
    """
    if arguments.keywords or not arguments.positional:
        return None, None
    if arguments.exact:
        return tuple(arguments.positional), None
    end = arguments.nodes[-1]
    is_listed = isinstance(end, ast.Starred) and isinstance(end.value, ast.ListComp | ast.GeneratorExp)
    return None, arguments.positional[-1] if is_listed or not isinstance(end, ast.Starred) else None


def called(calls: CallEffects, node: ast.Call, ref: TorchModule, arguments: Arguments, state: State) -> Value:
    """Return the value of a call of a module that torch defines."""
    if not arguments.positional:
        return calls.unknown_call(node, arguments.all(), state)
    _prove_tensor(calls, ref, arguments, state)
    target, value = arguments.nodes[0], arguments.positional[0]
    if ref.qualified == torchapi.IDENTITY:
        return value
    if ref.parts is not None:
        return _sequential(calls, node, ref.parts, target, value, state, ())
    if ref.qualified == modules.SEQUENTIAL:
        before = calls.unknown_call(node, arguments.all(), state, Value(MODULE))
        if ref.last is None or not _makes_anew(ref.last):
            return before
        return _part(calls, node, (-1,), ref.last, target, before, state)
    module = torchapi.module(ref.qualified)
    assert module is not None
    if ref.inplace is None:
        return calls.maybe_in_place(node, ref.qualified, value, state)
    if ref.inplace:
        calls.run.write(node, WriteKind.MODULE, target, value, state, ref.qualified, source=ref.call)
        if torchapi.saves_result_in_place(ref.qualified):
            calls.run.save(state, value, f"{ref.qualified}()", node, "result")
        return value if value.may_be(TENSOR) else value._replace(kinds=TENSOR)
    return result(calls, node, module, arguments.all(), state)


def _prove_tensor(calls: CallEffects, ref: TorchModule, arguments: Arguments, state: State) -> None:
    """Record that the argument is a tensor, if the first layer takes only tensors."""
    calls.prove_tensor(first_layer(ref).qualified, arguments, state)


def _sequential(
    calls: CallEffects,
    node: ast.Call,
    parts: tuple[Value, ...],
    target: ast.expr,
    value: Value,
    state: State,
    place: tuple[int, ...],
) -> Value:
    """Return the result of calling the layers of a Sequential; `place` is its place in those around it."""
    for index, part in enumerate(parts):
        value = _part(calls, node, (*place, index), part, target, value, state)
    return value


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
    if isinstance(ref, TorchModule) and ref.parts is not None:
        return _sequential(calls, node, ref.parts, target, value, state, place)
    module = torchapi.module(ref.qualified) if isinstance(ref, TorchModule) else None
    if isinstance(ref, TorchModule) and module is not None:
        if ref.qualified == torchapi.IDENTITY:
            return value
        if ref.inplace is None:
            return calls.maybe_in_place(node, ref.qualified, value, state, place)
        if ref.inplace:
            calls.run.write(ref.call, WriteKind.MODULE, target, value, state, ref.qualified, source=ref.call)
            if torchapi.saves_result_in_place(ref.qualified):
                calls.run.save(state, value, f"{ref.qualified}()", node)
            return value
        return result(calls, node, module, [value], state, key=place)
    forward = calls.run.program.method(ref.of, "forward") if isinstance(ref, Instance) else None
    if forward is not None and _only_reads(calls, forward):
        layer = calls.run.foreign((node, "layer", place), Origin.ATTRIBUTE, "a layer", node.lineno, part.kinds, ref=ref)
        key: Hashable = (place, "result")
        return own_calls.of_function(calls, node, forward, Arguments([value], [target]), state, layer, key)
    return calls.unknown_call(node, [value], state, part)


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
    calls: CallEffects, node: ast.Call, module: ModuleClass, values: list[Value], state: State, key: Hashable = None
) -> Value:
    """Return the value of a call of a module of torch; `key` tells the layers of a Sequential apart."""
    bound = {f"*{position}": value for position, value in enumerate(values)}
    inside = {
        f"{name}.{slot}": held
        for name, value in bound.items()
        if value.must_be(CONTAINER)
        for slot, held in state.reachable_slots(value.objs)
    }
    said = effect_of(module, bound, inside, is_lowered=bool(calls.run.autocast), is_layer=key is not None)
    return apply(Call(calls, node, {**bound, **inside}, state, called=f"{module.name}()"), said, key)


def effect_of(
    module: ModuleClass,
    bound: Mapping[str, Value],
    inside: Mapping[str, Value],
    *,
    is_lowered: bool,
    is_layer: bool,
) -> Effect:
    """Return the effect of a call of a module of torch; `inside` holds the elements of container arguments."""
    saves: list[Save] = []
    if module.saves_input:
        for name in (*bound, *inside):
            part = name if not is_layer else name[name.index(".") :] if name in inside else ""
            saves.append(Save(name, part=part))
    if module.saves_result and module.result in (Result.TENSOR, Result.TENSORS):
        part = effect.RESULT if module.result is Result.TENSOR else ""
        saves.append(Save(RETURNED, part=part))
    returned = _returned(module, bound, is_lowered)
    return Effect(returned, saves=tuple(saves))


def _returned(module: ModuleClass, bound: Mapping[str, Value], is_lowered: bool) -> Returned | None:
    label = f"{module.name}()"
    if module.result is Result.TENSOR:
        if module.view is View.NEVER:
            dtype: Token = None if is_lowered else result_types.module_dtype(module.name, bound["*0"].dtype)
            return Returned(TENSOR, dtype=dtype, label=label)
        maybe = Link.MAYBE if modules.DROPS in module.name else Link.EITHER
        link = Link.VIEW if module.view is View.ALWAYS else maybe
        return Returned(TENSOR, source=effect.View(("*0",), link), label=label)
    if module.result is not Result.TENSORS:
        return None
    first = second = Returned(TENSOR, label=label)
    if module.name in modules.TUPLE_STATE:
        pair = ((0, first), (1, first))
        second = Returned(TUPLE, elements=pair, tracked=Tracked.NO, label="container")
    return Returned(TUPLE, elements=((0, first), (1, second)), tracked=Tracked.NO, label="container")
