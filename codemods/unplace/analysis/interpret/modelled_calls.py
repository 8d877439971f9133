"""Applies calls of Python's built-ins, of container methods and of other libraries, as `effects.models` has them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Hashable

from unplace.analysis.domain.facts import ANY, DISTINCT
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Function, LibraryLayer
from unplace.analysis.domain.state import State, aged_value
from unplace.analysis.domain.values import MODULE, OTHER, TENSOR, UNKNOWN, Value
from unplace.analysis.effects import models
from unplace.analysis.effects.applying import apply
from unplace.analysis.effects.call import Call
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.interpret.writes import anything
from unplace.analysis.syntax.nodes import code_of


def of_function(calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
    """Return the result of calling a built-in, or a function or class of a library other than torch."""
    known, given = calls.run.program.module.models, (arguments.positional, arguments.keywords)
    if qualified in known.layers:
        calls.run.keep(state, anything(arguments.all()), f"`{code_of(node.func)}(...)`", node.lineno)
        return Value(MODULE, ref=LibraryLayer(qualified, node), graph=NO_GRAPH)
    model = known.function(qualified, *given) or models.of_package(qualified, *given)
    if model is None:
        made = calls.unknown_call(node, arguments.all(), state)
        return made._replace(kinds=OTHER) if _is_class_of_python(qualified) else made
    if qualified == "collections.defaultdict" and _gives_captured(calls, node, arguments, state):
        return calls.unknown_call(node, arguments.all(), state)
    made = apply(_call(calls, node, model, {}, arguments, state), model.effect)
    if qualified == "collections.defaultdict" and len(arguments.positional) == 1:
        _fill(calls, node, arguments.positional[0], made, state)
    return made


def of_layer(
    calls: CallEffects,
    node: ast.Call,
    ref: LibraryLayer,
    arguments: Arguments,
    state: State,
    key: Hashable = None,
) -> Value:
    """Return the result of calling a layer of a library; `key` tells those apart that one call runs."""
    model = calls.run.program.module.models.layer(ref.qualified, arguments.positional, arguments.keywords)
    if model is None:
        return calls.unknown_call(node, arguments.all(), state)
    return apply(_call(calls, node, model, {}, arguments, state), model.effect, key)


def _is_class_of_python(qualified: str) -> bool:
    """Tell whether a name is that of a class of Python's own library: `weakref.WeakKeyDictionary`."""
    module, _, name = qualified.rpartition(".")
    return module.partition(".")[0] in sys.stdlib_module_names and name[:1].isupper()


def _gives_captured(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> bool:
    """Tell whether a factory may give a tensor that its function captured: `defaultdict(lambda: h)`."""
    factory = arguments.positional[0] if arguments.positional else None
    if factory is None or not isinstance(factory.ref, Function) or not calls.run.captured_by(factory.ref, state):
        return False
    trial = state.fork()
    made = calls.apply(node, factory, Arguments(), trial)
    return bool(made.objs) and trial.newness(made) != DISTINCT


def _fill(calls: CallEffects, node: ast.Call, factory: Value, made: Value, state: State) -> None:
    """Let a dictionary hold what its factory makes, where that is something new for each key: `lambda: torch.zeros(3)`.

    Nothing is put into it where the factory does or gives anything else.
    """
    trial = state.fork()
    element = calls.apply(node, factory, Arguments(), trial)
    is_new = trial.newness(element) == DISTINCT or not element.objs
    if is_new and element.may_be(TENSOR) and not element.may_be(UNKNOWN):
        born, names = {*element.objs}, calls.run.names
        trial.age(names, born)
        state.become(trial)
        for holder in made.objs:
            state.heap[(holder, ANY)] = aged_value(element, names, born)._replace(identity=DISTINCT)


def of_container(
    calls: CallEffects, node: ast.Call, name: str, base: Value, arguments: Arguments, state: State
) -> Value:
    """Return the result of calling a method of a list, tuple or dictionary whose slots are known."""
    model = models.method_of(name, arguments.positional, arguments.keywords)
    if model is None:
        return calls.unknown_call(node, [base, *arguments.all()], state)
    return apply(_call(calls, node, model, {models.SELF: base}, arguments, state), model.effect)


def _call(
    calls: CallEffects, node: ast.Call, model: models.Model, bound: dict[str, Value], arguments: Arguments, state: State
) -> Call:
    """Return the call, with its arguments bound to the parameter names of the model."""
    bound.update(arguments.bind(model.parameters))
    names = (*model.parameters, *(name for name in bound if name.startswith("*")))
    nodes = dict(zip(names, arguments.nodes, strict=False))
    nodes.update(arguments.keyword_nodes)
    return Call(calls, node, bound, state, nodes=nodes, keywords=arguments.keywords)
