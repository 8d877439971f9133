"""The grad mode that a function's decorators and class impose, regardless of its callers."""

from __future__ import annotations

import ast

from unplace.analysis.domain.gradmode import AS_CALLED, GradMode, Record, entered
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import OTHER, Value
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes, modules


def grad_mode(module: ModuleIndex, scope: Scope) -> Record:
    """Return the grad mode that a function runs in by its decorators and the kind of its class."""
    owner = module.class_of(scope)
    if owner is not None and owner.derives_from(modes.FUNCTION):
        return Record(GradMode.FUNCTION)
    if (owner is not None and owner.derives_from(*modules.OPTIMIZERS)) or scope.name in _serving_optimizers(module):
        return Record(GradMode.OPTIMIZER)
    record = AS_CALLED
    for decorator in getattr(scope.node, "decorator_list", []):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        qualified = module.qualified(scope.parent or module.scopes.module, target)
        if qualified in modes.BELOW_AUTOGRAD:
            return Record(GradMode.FUNCTION)
        if qualified is not None:
            record = entered(Value(OTHER, ref=Named(qualified)), decorator, record)
    return record


def is_backward(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether a function is the backward of a custom autograd function.

    Autograd calls it, with gradients that others may read: torch's documentation forbids to write them.
    """
    return scope.name == "backward" and grad_mode(module, scope).mode is GradMode.FUNCTION


@once
def _serving_optimizers(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the module's functions that its optimizers use, directly or through one another."""
    functions = {s.name: s for s in module.scopes.module.inner if isinstance(s.node, ast.FunctionDef)}
    todo = [c.scope for c in module.classes.values() if c.derives_from(*modules.OPTIMIZERS)]
    serving: set[str] = set()
    while todo:
        used = todo.pop().all_names() & functions.keys() - serving
        serving |= used
        todo += [functions[name] for name in used]
    return frozenset(serving)
