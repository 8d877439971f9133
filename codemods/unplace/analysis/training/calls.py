"""Calls: of what the run defines, of modules, and of methods of all other things."""

from __future__ import annotations

import ast
from dataclasses import replace

from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.training import functions, methods
from unplace.analysis.training.attributes import method_of
from unplace.analysis.training.machine import Machine, computed, tensor
from unplace.analysis.training.values import (
    UNKNOWN,
    Function,
    Given,
    Graph,
    Instance,
    Items,
    Known,
    Layer,
    Made,
    Method,
    Named,
    Outside,
    Table,
    Tensor,
    Thing,
    Unknown,
    Weights,
    graph_of,
    joined,
    reset,
    weights_of,
)

_POSTPONED = frozenset(["__call__", "forward"])


def given_to(machine: Machine, node: ast.Call) -> Given:
    """Return the arguments of a call."""
    given = Given()
    for argument in node.args:
        value = machine.evaluate(argument)
        given.positional += machine.elements(value) if isinstance(argument, ast.Starred) else [value]
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value)
        if keyword.arg is not None:
            given.named[keyword.arg] = value
        elif isinstance(value, Table):
            given.named.update({key: held for key, held in value.items.items() if isinstance(key, str)})
    return given


def call(machine: Machine, node: ast.Call, callee: Thing, given: Given) -> Thing:
    """Return the result of a call."""
    if machine.world.trail is not None:
        machine.world.trail.calls(machine.world.time, callee, given)
    if isinstance(callee, Function):
        is_module_call = isinstance(callee.node, ast.FunctionDef) and _is_forward(callee)
        return machine.run(callee, given, node, is_module_call=is_module_call)
    if isinstance(callee, Made):
        return constructed(machine, node, callee, given)
    if isinstance(callee, Named):
        return functions.called(machine, node, callee, given)
    if isinstance(callee, Method):
        if callee.name == "forward":
            return call(machine, node, callee.receiver, given)
        return methods.called(machine, node, callee, given)
    return _object_called(machine, node, callee, given)


def _is_forward(function: Function) -> bool:
    is_named = not isinstance(function.node, ast.Lambda) and function.node.name in _POSTPONED
    return is_named and function.owner is not None and function.owner.is_module


def constructed(machine: Machine, node: ast.Call | None, made: Made, given: Given) -> Thing:
    """Return a new object of a class of the run."""
    if made.of.derives_from(*functions.OPTIMIZERS):
        return functions.optimizer_of(given, node)
    created = Instance(made.of)
    constructor = method_of(made.of, "__init__")
    if constructor is not None:
        machine.run(replace(constructor, receiver=created), given, node)
    elif made.of.fields is not None:
        created.fields.update(zip(made.of.fields, given.positional, strict=False))
        created.fields.update(given.named)
    if constructor is None and made.of.fields is None and _is_optimizer(made.of.bases, given):
        return functions.optimizer_of(given, node)
    return created


def _is_optimizer(bases: tuple[str, ...], given: Given) -> bool:
    return any(base.startswith("torch.optim.") for base in bases) and bool(given.positional)


def _object_called(machine: Machine, node: ast.Call, callee: Thing, given: Given) -> Thing:
    if isinstance(callee, Layer):
        return _layer_called(machine, node, callee, given)
    if isinstance(callee, Items) and callee.is_called:
        result: Thing = given.first("input") or UNKNOWN
        for part in callee.items:
            result = call(machine, node, part, Given([result]))
        return result
    if isinstance(callee, Instance):
        for name in OF_INSTANCES:
            method = method_of(callee.of, name)
            if method is not None:
                return machine.run(replace(method, receiver=callee), given, node, is_module_call=callee.of.is_module)
        return _unseen(machine, node, weights_of(callee), given)
    if isinstance(callee, Outside):
        return _outside_called(machine, node, callee, given)
    return tensor(machine, given.all())


def _layer_called(machine: Machine, node: ast.Call, layer: Layer, given: Given) -> Tensor:
    """Return the result of a layer of torch, which saves its weights where its backward needs them."""
    if layer.weights is None:
        return computed(machine, node, _tensors(given), saves=False)
    whole = joined(map(graph_of, given.all()))
    has_graph = any(weights.are_there and not weights.is_frozen for weights in whole.reached)
    is_saved = layer.needs.always or (layer.needs.with_graph and has_graph)
    return _using(machine, node, [layer.weights], given, is_saved=is_saved)


def _unseen(machine: Machine, node: ast.Call, used: list[Weights], given: Given) -> Tensor:
    return _using(machine, node, used, given, is_saved=True)


def _using(machine: Machine, node: ast.Call, used: list[Weights], given: Given, *, is_saved: bool) -> Tensor:
    world = machine.world
    world.touch(used)
    if not world.records:
        return Tensor()
    whole = joined(map(graph_of, given.all()))
    saves = frozenset(world.save(weights, node, whole.reached) for weights in used) if is_saved else frozenset()
    reached = frozenset(weights for weights in used if not weights.is_frozen)
    if not reached and not whole:
        return Tensor()
    return tensor(machine, (), Graph(saves | whole.saves, reached | whole.reached))


def _outside_called(machine: Machine, node: ast.Call, callee: Outside, given: Given) -> Thing:
    """Return the result of what may be a module: with tensors, or what isn't known, it uses its weights."""
    for thing in given.all():
        reset(thing)
    if not any(isinstance(thing, Tensor | Outside | Unknown | Items | Table) for thing in given.all()):
        made = Outside(f"{callee.path}()", callee.weights.part())
        return callee.fields.setdefault(f"({ast.unparse(node)})", made)
    if callee.weights.holder is not None and not callee.weights.are_owned:  # a method of anything
        return tensor(machine, given.all())
    return _unseen(machine, node, [callee.weights], given)


def _tensors(given: Given) -> list[Thing]:
    return [thing for thing in given.all() if not isinstance(thing, Known)]
