"""Applies `functools.partial`: what is made by it is called with the arguments given to it, and those of the call."""

from __future__ import annotations

import ast
from dataclasses import replace

from unplace import torchapi
from unplace.analysis.domain.refs import Class, Function, Named, Partial, TorchModule
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import CALLABLE, NONE, NUMBER, OTHER, TEXT, Value
from unplace.analysis.effects.effect import RESULT
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.diagnostics.forms import WriteKind, asks_in_place

_PLAIN = NUMBER | TEXT | NONE | OTHER | CALLABLE


def made(node: ast.Call, arguments: Arguments) -> Value | None:
    """Return the result of `functools.partial(...)`; None where it holds a tensor, or isn't known to call what."""
    given = arguments.all()[1:]
    of = arguments.positional[0].ref if arguments.positional else None
    is_plain = arguments.exact and all(value.must_be(_PLAIN) and not value.objs for value in given)
    if not is_plain or not isinstance(of, Class | Function | Named):
        return None
    ref = Partial(of, node, tuple(arguments.positional[1:]), tuple(arguments.keywords.items()))
    return Value(CALLABLE, ref=ref)


def called(calls: CallEffects, node: ast.Call, ref: Partial, arguments: Arguments, state: State) -> Value:
    """Return the result of calling what `functools.partial` made; no literal of the call stands for its arguments."""
    named = {name: value for name, value in ref.keywords if name not in arguments.keywords}
    every = replace(
        arguments,
        positional=[*ref.positional, *arguments.positional],
        nodes=[*ref.call.args[1:], *arguments.nodes],
        keywords={**named, **arguments.keywords},
        keyword_nodes={**dict.fromkeys(named, ref.call), **arguments.keyword_nodes},
    )
    written = _overwritten(calls, node, ref, every, state)
    if written is not None:
        return written
    result = calls.apply(node, Value(CALLABLE, ref=ref.of), every, state)
    if isinstance(result.ref, TorchModule) and "inplace" not in arguments.keywords and asks_in_place(ref.call):
        return result._replace(ref=replace(result.ref, call=ref.call, inplace=True))
    return result


def _overwritten(calls: CallEffects, node: ast.Call, ref: Partial, arguments: Arguments, state: State) -> Value | None:
    """Return the tensor that a function of torch overwrites: `relu_(x)` of `relu_ = partial(F.relu, inplace=True)`."""
    name = ref.of.qualified if isinstance(ref.of, Named) else ""
    first, run = arguments.at(0, "input"), calls.run
    is_asked = arguments.keyword_nodes.get("inplace") is ref.call and asks_in_place(ref.call)
    if not is_asked or first is None or torchapi.inplace_flag(name) is None:
        return None
    target, value = first
    value, is_one = state.narrow_to_tensor(value), run.alternative is not None
    value = run.write(node, WriteKind.MODULE, target, value, state, name, source=ref.call, is_one_of_several=is_one)
    if torchapi.saves_result_in_place(name):
        run.save(state, value, f"{name.rpartition('.')[2]}()", node, RESULT, graph=value.graph)
    return value
