"""The attributes of things: of objects, modules, tensors and what comes from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from unplace import torchapi
from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import home
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.syntax.nodes import FUNCTIONS
from unplace.analysis.training.machine import Machine
from unplace.analysis.training.values import (
    UNKNOWN,
    Function,
    Given,
    Instance,
    Items,
    Known,
    Layer,
    Made,
    Method,
    Named,
    Optimizer,
    Outside,
    Parent,
    Table,
    Tensor,
    Thing,
    Weights,
)
from unplace.torchapi import members, modules

_WRAPPED = "module"
"""The attribute under which what makes a module fit for several devices keeps it."""

_REGISTERING = modules.REGISTERING | modules.REGISTERING_TENSORS
_OF_MODULES = modules.NOT_RUNNING | {"forward"}


BACKWARDS = ("backward", "manual_backward")
"""The names of what runs backward: of a tensor, of `accelerator.backward(loss)`, of Lightning."""

TRAINING = frozenset([*BACKWARDS, "step", "zero_grad", "load_state_dict"])
"""Methods that have a meaning in training, whatever they are called on."""


def attribute_of(machine: Machine, owner: Thing, name: str) -> Thing:
    """Return an attribute of a thing."""
    if isinstance(owner, Named):
        return Named(canonical(f"{owner.qualified}.{name}"))
    if isinstance(owner, Instance):
        return _of_instance(machine, owner, name)
    if isinstance(owner, Parent):
        method = method_of(owner.receiver.of, name, behind=owner.behind)
        return _bound(method, owner.receiver) if method is not None else Method(owner, name)
    if isinstance(owner, Made):
        found = _of_class(machine, owner.of, name, None) or UNKNOWN
        is_of_class = isinstance(found, Function) and "classmethod" in map(name_of, _decorators(found))
        return _bound(found, owner) if is_of_class and isinstance(found, Function) else found
    if isinstance(owner, Tensor):
        return _of_tensor(owner, name)
    if isinstance(owner, Outside):
        return _of_outside(owner, name)
    if isinstance(owner, Layer) and name not in _OF_MODULES:
        return _of_layer(owner, name)
    if isinstance(owner, Optimizer) and name in modules.OPTIMIZER_LISTS:
        return Items([Table({"params": Items([Tensor(leaf=weights) for weights in owner.weights])})])
    if isinstance(owner, Table) and name in owner.items:
        return owner.items[name]
    return owner if name == _WRAPPED and isinstance(owner, Layer | Items) else Method(owner, name)


def method_of(of: Class, name: str, *, behind: Class | None = None) -> Function | None:
    """Return the function that a class, or one that it derives from, defines under a name."""
    found = of.linearized()
    if behind in found:
        found = found[found.index(behind) + 1 :]
    for owner in found:
        for node in owner.node.body:
            if isinstance(node, FUNCTIONS) and node.name == name:
                return Function(node, home(owner.scope), (), owner)
    return None


def _bound(method: Function, receiver: Thing) -> Function:
    if "staticmethod" in map(name_of, _decorators(method)):
        return method
    return replace(method, receiver=receiver)


def _decorators(method: Function) -> list[ast.expr]:
    return [] if isinstance(method.node, ast.Lambda) else method.node.decorator_list


def name_of(node: ast.expr) -> str | None:
    """Return the last name of a decorator or a context manager, called or not."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def _of_instance(machine: Machine, owner: Instance, name: str) -> Thing:
    if name in owner.fields:
        return owner.fields[name]
    found = _of_class(machine, owner.of, name, owner)
    if found is not None:
        return found
    if owner.of.is_module and name in _OF_MODULES | _REGISTERING:
        return Method(owner, name)
    if name == "training" and owner.of.is_module:
        return Known(True)
    if machine.fill(owner, name) and name in owner.fields:
        return owner.fields[name]
    if name == "optimizers" and (making := method_of(owner.of, modules.MAKING_OPTIMIZERS)) is not None:
        return _bound(making, owner)
    if name == _WRAPPED:
        return owner
    made = owner.fields[name] = Outside(f"self.{name}", Weights(is_given=True))
    return made


def _of_class(machine: Machine, of: Class, name: str, receiver: Instance | None) -> Thing | None:
    """Return what the body of a class defines under a name, for an object of it or for the class itself."""
    method = method_of(of, name)
    if method is not None:
        is_property = any(map(_is_property, _decorators(method)))
        bound = _bound(method, receiver) if receiver is not None else method
        return machine.run(bound, Given(), None) if is_property and receiver is not None else bound
    for owner in of.linearized():
        for value in _assigned(owner, name):
            return machine.evaluate(value) if isinstance(value, ast.Constant) else UNKNOWN
    return None


def _is_property(node: ast.expr) -> bool:
    return name_of(node) in ("property", "cached_property")


def _assigned(owner: Class, name: str) -> Iterator[ast.expr]:
    for node in owner.node.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node.value


def _of_tensor(owner: Tensor, name: str) -> Thing:
    if name in members.DETACHED:
        return Tensor(leaf=owner.leaf) if name == "data" else Method(owner, name)
    if name == "grad":
        return Tensor()
    if name in members.TRANSPOSED:
        return owner
    return Method(owner, name)


def _of_outside(owner: Outside, name: str) -> Thing:
    is_method = name in modules.NOT_RUNNING or name in TRAINING or torchapi.tensor_method(name) is not None
    if is_method and name not in owner.fields:
        return Method(owner, name)
    if name not in owner.fields:
        owner.fields[name] = Outside(f"{owner.path}.{name}", owner.weights.part())
    return owner.fields[name]


def _of_layer(owner: Layer, name: str) -> Thing:
    if name == _WRAPPED:
        return owner
    if name == "weight" and owner.weights is not None:
        return Tensor(leaf=owner.weights)
    if name == "bias" and owner.weights is not None:
        return owner.others.setdefault(name, Tensor(leaf=Weights(owner.weights)))
    return Method(owner, name)
