"""Calls of methods of modules, tensors, optimizers, containers, and of objects from outside."""

from __future__ import annotations

import ast
from collections.abc import Callable

from unplace import torchapi
from unplace.analysis.training.attributes import BACKWARDS
from unplace.analysis.training.machine import Machine, computed, saves_arguments, tensor
from unplace.analysis.training.spelling import spelled
from unplace.analysis.training.values import (
    ANY,
    NO_GRAPH,
    NONE,
    UNKNOWN,
    Function,
    Given,
    Instance,
    Items,
    Known,
    Layer,
    Method,
    Optimizer,
    Outside,
    Parent,
    Table,
    Tensor,
    Thing,
    Weights,
    graph_of,
    joined,
    modules_in,
    parts_of,
    weights_of,
)
from unplace.analysis.training.world import Backward, Cleared, Stepped
from unplace.torchapi import members, modules

_REGISTERING = modules.REGISTERING | modules.REGISTERING_TENSORS
_MOST_BEFORE = 8
"""The number of steps, clearings and backwards before a step among which its backwards are."""

UNDIFFERENTIABLE = members.WITHOUT_GRAPH | {"sample", "int", "multinomial", "one_hot", "argsort", "bernoulli"}
"""Methods and functions that give no tensor, or one through which no gradient flows."""

_OF_ARRAYS = frozenset(["copy", "astype"])
"""Methods that arrays have and tensors don't: what they are called on has no graph."""


def called(machine: Machine, node: ast.Call, callee: Method, given: Given) -> Thing:
    """Return the result of calling a method of what isn't an object of a class of the run."""
    receiver, name = callee.receiver, callee.name
    trained = _of_training(machine, node, receiver, name, given)
    if trained is not None:
        return trained
    if isinstance(receiver, Tensor):
        return _of_tensor(machine, node, receiver, name, given)
    if isinstance(receiver, Items | Table) and not (receiver.is_module and name in modules.NOT_RUNNING):
        machine.world.blur()
        work = _OF_CONTAINERS.get(name)
        if work is not None:
            return work(machine, receiver, given)
    if isinstance(receiver, Instance) and name in _REGISTERING:
        return _registered(receiver, given)
    if isinstance(receiver, Layer | Instance | Items | Table | Outside) and name in modules.NOT_RUNNING:
        return _of_module(machine, node, receiver, name, given)
    if isinstance(receiver, Parent):
        return NONE if name == "__init__" else tensor(machine, given.all())
    if isinstance(receiver, Outside) and torchapi.tensor_method(name) is not None:
        return _unchanged(receiver, name) or computed(machine, node, given.all(), saves=True)
    if isinstance(receiver, Known):
        return UNKNOWN
    return tensor(machine, given.all())


def _unchanged(receiver: Outside, name: str) -> Thing | None:
    return receiver if name in ("to", "cuda", "cpu", "float", "copy_", "clone") else None


# -- training ----------------------------------------------------------------------------------------------------------


def _of_training(machine: Machine, node: ast.Call, receiver: Thing, name: str, given: Given) -> Thing | None:
    """Run a backward, a step, or what else training consists of; None for any other method."""
    if name in BACKWARDS:
        is_own = isinstance(receiver, Tensor) or not given.positional
        return demanded(machine, node, receiver if is_own else given.positional[0], given)
    if name == "step":
        return _stepped(machine, node, receiver, given)
    if name == "zero_grad":
        if isinstance(receiver, Outside):
            receiver.is_cleared = True
        owned = receiver.weights if isinstance(receiver, Optimizer) else weights_of(receiver)
        machine.world.ran.append(Cleared(machine.world.tick(), frozenset(owned)))
        return NONE
    if name == "load_state_dict" and not isinstance(receiver, Optimizer):
        machine.world.change(weights_of(receiver), node)
        return NONE
    if name == "add_param_group" and isinstance(receiver, Optimizer):
        receiver.weights += [weights for thing in given.all() for weights in weights_of(thing)]
        return NONE
    return None


def demanded(machine: Machine, node: ast.Call, loss: Thing, given: Given) -> Thing:
    """Run the backward of a loss: one with `inputs=` leaves out what leads to other weights alone."""
    retains = given.named.get("retain_graph")
    keeps = bool(retains.value) if isinstance(retains, Known) else None if retains is not None else False
    machine.world.retains |= keeps is not False
    inputs = given.named.get("inputs")
    wanted = frozenset(weights_of(inputs)) if inputs is not None else None
    machine.world.demand(graph_of(loss), node, wanted, retains=keeps)
    return NONE


def _stepped(machine: Machine, node: ast.Call, receiver: Thing, given: Given) -> Thing | None:
    for thing in (receiver, *given.positional[:1]):
        if isinstance(thing, Optimizer):
            for closure in given.all():
                if isinstance(closure, Function):
                    machine.run(closure, Given(), node)
            _note_step(machine, node, thing)
            machine.world.change(thing.weights, node)
            return NONE
    for thing in (receiver, *given.positional[:1]):
        if isinstance(thing, Outside) and thing.is_cleared:
            _step_of_unknown(machine, node)
            return NONE
    return None


def _note_step(machine: Machine, node: ast.Call, optimizer: Optimizer) -> None:
    """Record a step, and how the backwards before it could name the parameters of its optimizer."""
    world = machine.world
    stepped = Stepped(0, world.here(node), frozenset(optimizer.weights))
    for backward in world.ran[-_MOST_BEFORE:]:
        if isinstance(backward, Backward) and backward.frame is not None:
            backward.spelled.append((stepped, tuple(spelled(machine, backward.frame, optimizer, node))))
    stepped.time = world.tick()
    world.ran.append(stepped)


def _step_of_unknown(machine: Machine, node: ast.Call) -> None:
    """Record the step of an optimizer from elsewhere: it may have the weights behind the last backward.

    Only a backward that retains its graph leaves one for another.
    """
    world = machine.world
    world.meets_unknown_step = True
    if world.retains:
        world.change([weights for weights in world.last.reached if weights.is_given], node, is_certain=False)


# -- tensors -----------------------------------------------------------------------------------------------------------


def _of_tensor(machine: Machine, node: ast.Call, receiver: Tensor, name: str, given: Given) -> Thing:
    if name == "detach_" or name in _OF_ARRAYS:
        receiver.graph = NO_GRAPH
        return receiver
    if name == "requires_grad_":
        flag = given.first("requires_grad")
        if receiver.leaf is None and not receiver.graph:
            receiver.leaf = Weights()
        frozen([receiver], flag)
        return receiver
    if name == "detach":
        return Tensor(leaf=receiver.leaf)
    if name in UNDIFFERENTIABLE:
        return Tensor()
    if name in ("items", "keys", "values", "get", "pop"):
        return receiver
    if name.endswith("_") and torchapi.inplace_method(name) is not None:
        return changed_in_place(machine, node, receiver, given.all())
    operator = torchapi.tensor_method(name)
    if operator is not None and operator.view is not torchapi.View.NEVER:
        return receiver
    parts = [receiver, *(g for g in given.all() if not isinstance(g, Known))]
    return computed(machine, node, parts, saves=saves_arguments(operator))


def changed_in_place(machine: Machine, node: ast.AST, target: Thing, others: list[Thing]) -> Thing:
    """Write a tensor in place: a weight, or one that takes on the graph of what is written."""
    if isinstance(target, Tensor):
        machine.world.blur()
        if target.leaf is not None:
            machine.world.change([target.leaf], node)
        target.graph = joined([target.graph, *map(graph_of, others)]) if machine.world.records else target.graph
    return target


def frozen(things: list[Thing], flag: Thing | None) -> None:
    """Record that weights get gradients, or none; where a flag that isn't known says so, they count as frozen."""
    for thing in things:
        for weights in weights_of(thing):
            weights.is_frozen = flag is not None and not (isinstance(flag, Known) and bool(flag.value))


# -- modules -----------------------------------------------------------------------------------------------------------


def _of_module(machine: Machine, node: ast.Call, receiver: Thing, name: str, given: Given) -> Thing:
    if name in modules.GIVING_PARAMETERS:
        owned: list[Thing] = [Tensor(leaf=weights) for weights in weights_of(receiver)]
        for weights in weights_of(receiver):
            weights.is_trained = True
        return _listed(name, owned)
    if name == modules.STATE:
        return Table({ANY: Tensor()})
    if name in ("modules", "children", "named_modules", "named_children"):
        found = parts_of(receiver) if name.endswith("children") else list(modules_in(receiver))
        kept = [thing for thing in found if not isinstance(thing, Tensor)]
        return _listed(name, kept)
    if name == modules.VISITING and given.positional:
        for each in list(modules_in(receiver)):
            machine.call(node, given.positional[0], Given([each]))
    if name == "requires_grad_":
        frozen([receiver], given.first("requires_grad") or Known(True))
    return receiver


def _listed(method: str, things: list[Thing]) -> Items:
    """Return what a method such as `named_parameters` gives: each thing, or pairs of a name and a thing."""
    return Items([Items([UNKNOWN, each]) for each in things] if method.startswith("named_") else things)


def _registered(owner: Instance, given: Given) -> Thing:
    """Register a child, a parameter or a buffer of a module under a name."""
    name, child = [*given.all(), UNKNOWN, UNKNOWN][:2]
    if isinstance(name, Known) and isinstance(name.value, str):
        owner.fields[name.value] = child
    return NONE


# -- containers --------------------------------------------------------------------------------------------------------


def _append(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    if isinstance(receiver, Items):
        receiver.items.append(given.positional[-1] if given.positional else UNKNOWN)
    return NONE


def _extend(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    first = given.first() or UNKNOWN
    if isinstance(receiver, Items):
        receiver.items += machine.elements(first)
    elif isinstance(first, Table):
        receiver.items.update(first.items)
    if isinstance(receiver, Table):
        receiver.items.update(given.named)
    return NONE


def _pop(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    key = given.first()
    if isinstance(receiver, Table):
        return receiver.items.pop(key.value, UNKNOWN) if isinstance(key, Known) else UNKNOWN
    index = key.value if isinstance(key, Known) and isinstance(key.value, int) else -1
    return receiver.items.pop(index) if -len(receiver.items) <= index < len(receiver.items) else UNKNOWN


def _clear(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    receiver.items.clear()
    return NONE


def _pairs(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    if isinstance(receiver, Table):
        return Items([Items([_as_key(key), value]) for key, value in receiver.items.items()])
    return receiver


def _values(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    return Items(list(receiver.items.values())) if isinstance(receiver, Table) else receiver


def _keys(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    return Items([_as_key(key) for key in receiver.items]) if isinstance(receiver, Table) else receiver


def _as_key(key: object) -> Thing:
    return UNKNOWN if key is ANY else Known(key)


def _get(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    key = given.first()
    if isinstance(receiver, Table) and isinstance(key, Known) and key.value in receiver.items:
        return receiver.items[key.value]
    return given.positional[1] if len(given.positional) > 1 else NONE


def _copy(machine: Machine, receiver: Items | Table, given: Given) -> Thing:
    return Items(list(receiver.items)) if isinstance(receiver, Items) else Table(dict(receiver.items))


_OF_CONTAINERS: dict[str, Callable[[Machine, Items | Table, Given], Thing]] = {
    **dict.fromkeys(["append", "insert", "add", "appendleft"], _append),
    **dict.fromkeys(["extend", "update"], _extend),
    **dict.fromkeys(["pop", "popleft", "popitem"], _pop),
    "clear": _clear,
    "items": _pairs,
    "values": _values,
    "keys": _keys,
    "get": _get,
    "copy": _copy,
}
