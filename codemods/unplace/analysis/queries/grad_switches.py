"""Finds writes whose tensor may have a graph from before autograd was switched off, as far as the code tells.

h = torch.sin(x)                            def encode(self, x):
with torch.set_grad_enabled(train):             with self.mode():       which may give `torch.no_grad()`
    h += 1                                          ...

Where recording is off, `h` keeps its graph when it is written in place; a new tensor would have none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.gradmode import GradMode, constant_flag
from unplace.analysis.domain.values import Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.module import ModuleIndex, once, parents_in
from unplace.analysis.project.recording import managers_around, may_be_off, name_of_manager
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes

_SWITCHING = frozenset([modes.SET_GRAD_ENABLED.rpartition(".")[2], "enter_context", "__enter__"])
"""The last names of what is called to switch recording until something else does."""


def may_keep_graph(run: Run, write: Write) -> bool:
    """Tell whether a write may happen where recording is off, to a tensor that was made where it may be on."""
    if write.grad is not GradMode.CALLER:
        return False
    module, roots = run.program.module, write.state.roots(write.value.objs)
    switched = _switched(module, run.scope, write.node)
    if switched is not None:
        return not all(o.origin in (Origin.FRESH, Origin.CALL) and o.line in switched for o in roots)
    return any(o.origin is not Origin.FRESH for o in roots) and may_be_off(module, run.scope)


@once
def _switched(module: ModuleIndex, scope: Scope, node: ast.AST) -> range | None:
    """Return the lines around a node where nothing tells whether autograd records; None where it is as before."""
    if not _names_switch(module):
        return None
    for block, manager in managers_around(module, scope, node):
        if _sets_mode(module, scope, manager):
            return None
        if _may_switch(module, scope, manager, set()):
            return range(block.lineno, (block.end_lineno or block.lineno) + 1)
    line = getattr(node, "lineno", 0)
    before = [call for call in _switching_calls(module, scope) if call.lineno < line]
    return range(before[-1].lineno, line + 1) if before and constant_flag(before[-1]) is not True else None


@once
def _names_switch(module: ModuleIndex) -> bool:
    """Tell whether a file names what can switch recording off."""
    imported = (target.rpartition(".")[2] for target in module.imports.names.values())
    return any(name in modes.SWITCHING_OFF for name in imported) or any(map(module.reads_of, modes.SWITCHING_OFF))


def _sets_mode(module: ModuleIndex, scope: Scope, manager: ast.expr) -> bool:
    """Tell whether a context manager sets the mode for certain: `torch.no_grad()`, `torch.set_grad_enabled(True)`."""
    qualified = name_of_manager(module, scope, manager)
    return qualified in modes.GRAD_MODES or (qualified == modes.SET_GRAD_ENABLED and constant_flag(manager) is not None)


def _may_switch(module: ModuleIndex, scope: Scope, node: ast.AST, seen: set[str]) -> bool:
    """Tell whether what an expression is made of, or what its functions do, names a switch."""
    for part in walk(node):
        name = last_name(part)
        if name is None or name in seen:
            continue
        if name in modes.SWITCHING_OFF or _stands_for_switch(module, scope, part):
            return True
        seen.add(name)
        if any(_may_switch(module, where, source, seen) for where, source in _sources(module, scope, name)):
            return True
    return False


def _stands_for_switch(module: ModuleIndex, scope: Scope, node: ast.AST) -> bool:
    qualified = module.qualified(scope, node) if isinstance(node, ast.Name) else None
    return qualified is not None and qualified.rpartition(".")[2] in modes.SWITCHING_OFF


def _sources(module: ModuleIndex, scope: Scope, name: str) -> Iterator[tuple[Scope, ast.AST]]:
    """Iterate over what a name of a function or an attribute of its file may stand for, each with its scope."""
    for source in module.bindings(scope).sources.get(name, []):
        if isinstance(source, ast.expr):
            yield scope, source
    for cls in module.classes.values():
        for where, value in cls.assigned.get(name, ()):
            if value is not None:
                yield where, value
    for function in module.scopes.by_node.values():
        if function.name == name and not function.is_module:
            yield from ((function, node) for node in function.nodes)


@once
def _switching_calls(module: ModuleIndex, scope: Scope) -> list[ast.Call]:
    """Return the calls that switch for what follows: `torch.set_grad_enabled(train)`, `stack.enter_context(mode)`."""
    parents = parents_in(module, scope)
    found = (c for c in scope.of(ast.Call) if last_name(c.func) in _SWITCHING)
    lasting = (c for c in found if not isinstance(parents.get(c), ast.withitem))
    return sorted((c for c in lasting if _may_switch(module, scope, c, set())), key=lambda call: call.lineno)
