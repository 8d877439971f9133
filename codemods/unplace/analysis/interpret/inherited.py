"""Applies calls of what a class inherits: `super().forward(x)`, and objects whose class has no `forward` of its own."""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.refs import Class, Instance, TorchModule
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import Value
from unplace.analysis.effects import layers
from unplace.analysis.interpret import own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects

_OF_CALLS = ("forward", "__call__")


def of_super(calls: CallEffects, node: ast.Call, name: str, arguments: Arguments, state: State) -> Value | None:
    """Return the result of `super().name(...)`; None where it isn't known which method that is."""
    run = calls.run
    owner = run.program.module.class_of(run.scope)
    own = state.env.get(run.scope.parameters[0].arg) if run.scope.parameters else None
    if owner is None or own is None or not isinstance(own.ref, Instance):
        return None
    if any(len(derived.bases) > 1 for derived in run.program.descendants(owner)):
        return None  # there, another base may come first
    for cls in owner.linearized()[1:]:
        if cls.defines(name):
            function = run.program.methods(cls, name, is_exact=True).only
            return own_calls.of_function(calls, node, function, arguments, state, own) if function is not None else None
    return _of_torch(calls, node, owner, arguments, state) if name == "forward" else None


def of_instance(calls: CallEffects, node: ast.Call, owner: Class, arguments: Arguments, state: State) -> Value | None:
    """Return the result of calling an object whose class inherits `forward` from torch; None where it may be another.

    A class derived from `nn.Sequential` runs the layers that its constructor passes on.
    """
    family = (*owner.linearized(), *calls.run.program.descendants(owner))
    is_own = any(cls.defines(name) for cls in family for name in _OF_CALLS)
    return None if is_own else _of_torch(calls, node, owner, arguments, state)


def _of_torch(calls: CallEffects, node: ast.Call, owner: Class, arguments: Arguments, state: State) -> Value | None:
    """Return the result of running the `forward` of the class of torch from which a class derives."""
    if not arguments.positional:
        return None
    run = calls.run
    contained = run.program.attribute(owner, "")
    if isinstance(contained.ref, TorchModule):
        return layers.called(calls, node, contained.ref, arguments, state)
    names = owner.all_bases() - {cls.node.name for cls in (*owner.linearized(), *run.program.descendants(owner))}
    found = torchapi.module(next(iter(names))) if len(names) == 1 else None
    is_like_it = found is not None and not found.is_container and (found.inplace is None or found.ignores_inplace)
    return layers.result(calls, node, found, arguments, state) if found is not None and is_like_it else None
