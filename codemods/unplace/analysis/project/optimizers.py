"""Finds the steps of optimizers, and the modules whose weights each step writes.

self.optimizer = torch.optim.Adam(self.critic.parameters())
self.optimizer.step()                      writes the weights of `self.critic`
scaler.step(self.optimizer)                does, too
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unplace.analysis.project.makers import Maker, is_same, makers_of
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for
from unplace.torchapi import modules


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A call that has an optimizer write the weights of modules.

    `optimizer` is its path as the code writes it. `owned` are the paths of the modules as the scope writes them; empty
    where the code in sight doesn't make the optimizer.
    """

    scope: Scope
    call: ast.Call
    optimizer: str
    owned: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    """The calls of which one makes an optimizer, and the call by which it is passed on, with its scope, if it is."""

    makers: Sequence[Maker]
    passed: tuple[Scope, ast.Call] | None = None


@once
def steps(module: ModuleIndex) -> list[Step]:
    """Return the steps of optimizers in a file; `scheduler.step()` is none."""
    return [step for scope, call in module.calls_named("step") if (step := _step(module, scope, call)) is not None]


def _step(module: ModuleIndex, scope: Scope, call: ast.Call) -> Step | None:
    """Return the step that a call is, of its receiver or, as a gradient scaler's, of its argument."""
    if not isinstance(call.func, ast.Attribute):
        return None
    for optimizer in (call.func.value, *call.args[:1]):
        path = path_of(optimizer)
        source = _source(module, scope, optimizer) if path is not None else None
        if path is not None and (source is not None or _zeroes(module, path)):
            owned = _owned(module, scope, source) if source is not None else frozenset[str]()
            return Step(scope, call, path, owned)
    return None


def _zeroes(module: ModuleIndex, path: str) -> bool:
    """Tell whether the file asks an object to zero gradients, as it does with optimizers: `opt.zero_grad()`.

    A module has that method, too, but it has no steps.
    """
    functions = (call.func for _, call in module.calls_named("zero_grad"))
    return any(isinstance(f, ast.Attribute) and path_of(f.value) == path for f in functions)


def _source(module: ModuleIndex, scope: Scope, optimizer: ast.expr, *, is_passed: bool = False) -> _Source | None:
    """Return the calls of which one makes an optimizer; None where the code may make something else.

    An optimizer that `is_passed` to a function was made in the scope that calls it.
    """
    makers = makers_of(module, scope, optimizer)
    if makers:
        is_stepped = not is_passed and _zeroes(module, path_of(optimizer) or "")
        return _Source(makers) if all(_makes(module, maker, is_stepped=is_stepped) for maker in makers) else None
    binder = module.scopes.owner(scope, optimizer.id) if isinstance(optimizer, ast.Name) else None
    if is_passed or binder is None or not isinstance(optimizer, ast.Name):
        return None
    is_rebound = bool(module.bindings(binder).sources.get(optimizer.id))
    is_parameter = any(parameter.arg == optimizer.id for parameter in binder.parameters)
    return _passed(module, binder, optimizer.id) if is_parameter and not is_rebound else None


def _makes(module: ModuleIndex, maker: Maker, *, is_stepped: bool) -> bool:
    """Tell whether a call makes an optimizer: one of torch, or one of elsewhere that gets parameters and steps."""
    callee = maker.call.func
    if isinstance(callee, ast.Call) and last_name(callee.func) == "getattr" and callee.args:
        return module.qualified(maker.scope, callee.args[0]) == "torch.optim"
    name = module.qualified(maker.scope, callee) or ""
    if name.startswith("torch.optim."):
        return not name.startswith(modules.NO_OPTIMIZERS)
    return is_stepped and any(True for _ in _held(module, maker))


def _passed(module: ModuleIndex, scope: Scope, parameter: str) -> _Source | None:
    """Return what makes the optimizer that the file's calls of a function pass for a parameter, if one does."""
    for where, call in module.calls_named(scope.name):
        given = argument_for(scope, call, parameter)
        source = _source(module, where, given, is_passed=True) if given is not None else None
        if source is not None:
            return _Source(source.makers, (where, call))
    return None


def _held(module: ModuleIndex, maker: Maker) -> Iterator[str]:
    """Iterate over the paths of the modules whose parameters an optimizer was made with."""
    given = [*maker.call.args[:1], *(k.value for k in maker.call.keywords if k.arg == "params")]
    for path in (path for node in given for path in _modules_of(module, maker.scope, node)):
        yield path
        yield from _stored_as(module, maker.scope, path)


def _stored_as(module: ModuleIndex, scope: Scope, path: str) -> Iterator[str]:
    """Iterate over the paths under which a scope stores a module that it has in a name: `self.critic = critic`."""
    name, dot, rest = path.partition(".")
    for target in scope.of(ast.Attribute):
        statement = module.scopes.parents[target]
        value = statement.value if isinstance(statement, ast.Assign) and target in statement.targets else None
        place = path_of(target) if isinstance(value, ast.Name) and value.id == name else None
        if place is not None:
            yield f"{place}{dot}{rest}"


def _owned(module: ModuleIndex, scope: Scope, source: _Source) -> frozenset[str]:
    """Return the paths by which a scope reaches the modules whose parameters an optimizer has, whatever makes it."""
    each = []
    for maker in source.makers:
        held = frozenset(_held(module, maker))
        if source.passed is None:
            each.append(frozenset(p for p in held if is_same(module, maker.scope, scope, p.partition(".")[0])))
        else:
            _, call = source.passed
            names = {parameter.arg: argument_for(scope, call, parameter.arg) for parameter in scope.parameters}
            each.append(frozenset(n for n, node in names.items() if node is not None and path_of(node) in held))
    return frozenset.intersection(*each)


def _modules_of(module: ModuleIndex, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Iterate over the paths of the modules whose parameters an expression holds: `list(net.parameters()) + [...]`."""
    if isinstance(node, ast.Name):
        binder = module.scopes.owner(scope, node.id)
        for source in module.bindings(binder).sources.get(node.id, []) if binder is not None else ():
            if isinstance(source, ast.expr) and not isinstance(source, ast.Name):
                yield from _modules_of(module, scope, source)
    for call in walk(node):
        if isinstance(call, ast.Call) and last_name(call.func) in modules.GIVING_PARAMETERS:
            path = path_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
            if path is not None:
                yield path
