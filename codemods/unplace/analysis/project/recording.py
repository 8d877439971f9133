"""Tells whether callers let autograd record in a function that doesn't set a grad mode itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from unplace.analysis.domain.gradmode import GradMode, Record, entered
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import OTHER, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.modes import grad_mode
from unplace.analysis.project.module import ModuleIndex, once, parents_in, uses_by_name
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes


@once
def may_be_off(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether a use of the function, or of a user of it, is seen where gradients aren't recorded.

    A `forward` and the methods that Python calls don't count: they run in training, too.
    """
    seen: set[Scope] = set()
    todo = [scope]
    while todo:
        current = todo.pop()
        if current in seen or current.name.startswith("__") or current.name == "forward":
            continue
        seen.add(current)
        for user, node in _uses(module, current.name):
            if not mode_at(module, user, node).records:
                return True
            if isinstance(user.node, ast.FunctionDef | ast.AsyncFunctionDef):
                todo.append(user)
    return any(_is_off_elsewhere(module, current) for current in seen)


def _is_off_elsewhere(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether another file of the run uses the name where gradients aren't recorded."""
    if scope.parent is None or not (scope.parent.is_module or scope.parent.is_class):
        return False
    return any(
        not mode_at(other, user, node).records
        for other in module.others_with(scope.name, modes.SWITCHING_OFF)
        for user, node in _uses(other, scope.name)
    )


def _uses(module: ModuleIndex, name: str) -> Sequence[tuple[Scope, ast.expr]]:
    """Return the reads of a name, or of an attribute of that name, with the scope that contains each."""
    return uses_by_name(module).get(name, ()) if module.reads_of(name) else ()


@once
def mode_at(module: ModuleIndex, scope: Scope, node: ast.AST) -> Record:
    """Return the grad mode that the decorators and `with` blocks around a node set."""
    while isinstance(scope.node, ast.Lambda) and scope.parent is not None:
        node, scope = scope.node, scope.parent
    mode = grad_mode(module, scope)
    for _, manager in reversed([*managers_around(module, scope, node)]):
        qualified = name_of_manager(module, scope, manager)
        if qualified is not None:
            mode = entered(Value(OTHER, ref=Named(qualified)), manager, mode)
    return mode


def managers_around(module: ModuleIndex, scope: Scope, node: ast.AST) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Iterate over the `with` statements around a node and their context managers, the innermost first."""
    parents = parents_in(module, scope)
    while (outer := parents.get(node)) is not None:
        if isinstance(outer, ast.With | ast.AsyncWith) and not isinstance(node, ast.withitem):
            yield from ((outer, item.context_expr) for item in reversed(outer.items))
        node = outer


def name_of_manager(module: ModuleIndex, scope: Scope, manager: ast.expr) -> str | None:
    """Return the qualified name of a context manager, or of what makes it."""
    return module.qualified(scope, manager.func if isinstance(manager, ast.Call) else manager)


@once
def differentiates_twice(module: ModuleIndex) -> bool:
    """Tell whether the file asks for gradients that have a graph themselves: `create_graph=True`."""
    return any(
        keyword.arg == "create_graph" and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
        for scope in module.scopes.by_node.values()
        for call in scope.of(ast.Call)
        for keyword in call.keywords
    )


def may_keep_graph(run: Run, write: Write) -> bool:
    """Tell whether a write may happen where recording is off, to a tensor that was made where it may be on."""
    roots, record = write.state.roots(write.value.objs), write.record
    if record.mode is GradMode.EITHER:
        return record.switch is None or any(run.switched.get(root) is not record.switch for root in roots)
    is_given = record.mode.is_of_caller and any(root.origin is not Origin.FRESH for root in roots)
    return is_given and may_be_off(run.program.module, run.scope)
