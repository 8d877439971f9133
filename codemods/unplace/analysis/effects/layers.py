"""What a call of a module of torch does: one layer, or the layers of a Sequential one after the other."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace import torchapi
from unplace.analysis.domain.refs import Function, Instance, TorchModule, first_layer
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import MODULE, TENSOR, Origin, Value
from unplace.analysis.effects import operators
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.diagnostics.forms import WriteKind


def of_sequential(arguments: Arguments) -> tuple[tuple[Value, ...] | None, Value | None]:
    """The layers of a Sequential; where these aren't known, its last layer, if that is."""
    if arguments.keywords or not arguments.positional:
        return None, None
    if arguments.exact:
        return tuple(arguments.positional), None
    end = arguments.nodes[-1]
    is_listed = isinstance(end, ast.Starred) and isinstance(end.value, ast.ListComp | ast.GeneratorExp)
    return None, arguments.positional[-1] if is_listed or not isinstance(end, ast.Starred) else None


def called(calls: CallEffects, node: ast.Call, ref: TorchModule, arguments: Arguments, state: State) -> Value:
    """A call of a module that torch defines."""
    if not arguments.positional:
        return calls.unknown_call(node, arguments.all(), state)
    _prove_tensor(calls, ref, arguments, state)
    target, value = arguments.nodes[0], arguments.positional[0]
    if ref.qualified == torchapi.IDENTITY:
        return value
    if ref.parts is not None:
        return _sequential(calls, node, ref.parts, target, value, state, ())
    if ref.qualified == "torch.nn.Sequential":
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
    return operators.module_result(calls, node, module, arguments.all(), state)


def _prove_tensor(calls: CallEffects, ref: TorchModule, arguments: Arguments, state: State) -> None:
    """Note that the first layer takes a tensor, if it does."""
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
    """The layers of a Sequential at some place in those around it."""
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
    """One layer of a Sequential, called on what the previous one returned."""
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
        return operators.module_result(calls, node, module, [value], state, key=place)
    forward = calls.run.program.method(ref.of, "forward") if isinstance(ref, Instance) else None
    if forward is not None and _only_reads(calls, forward):
        layer = calls.run.foreign((node, "layer", place), Origin.ATTRIBUTE, "a layer", node.lineno, part.kinds, ref=ref)
        key: Hashable = (place, "result")
        return calls.function(node, forward, Arguments([value], [target]), state, layer, key)
    return calls.unknown_call(node, [value], state, part)


def _makes_anew(part: Value) -> bool:
    """Whether a layer is none that works in place."""
    return isinstance(part.ref, Instance) or (isinstance(part.ref, TorchModule) and part.ref.inplace is False)


def _only_reads(calls: CallEffects, forward: Function) -> bool:
    """Whether a layer of the run writes nothing that it is given: its input isn't the argument of the call."""
    summary = calls.run.program.summary(forward)
    return summary is not None and not summary.writes
