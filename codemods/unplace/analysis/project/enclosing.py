"""Finds the blocks of code around calls that lead to a function: what holds there holds in the function, too.

def scale(h, k):
    h *= k
    return h

with torch.autocast("cuda"):
    h = net(x)                  whose forward calls scale()

Calls are followed by names, objects of classes, and functions that are used as values, in the run's files. Nothing is
walked for it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.project.calling import calls_of_made_by, importing, names_of
from unplace.analysis.project.mentions import Form
from unplace.analysis.project.module import ModuleIndex, from_folder, home, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Line

_OPEN = "()"
"""What stands for calls of what no name tells: a parameter, an element."""

_OBJECT = "object()"
"""What stands for calls of objects of the file's classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A piece of code in which something holds, with the calls in it and the functions `named` that it runs."""

    scope: Scope
    node: ast.stmt | ast.expr
    calls: tuple[ast.Call, ...] = ()
    named: frozenset[str] = frozenset()
    is_meant: bool = False

    @classmethod
    def of(cls, scope: Scope, statement: ast.With | ast.AsyncWith | ast.Try, *, is_meant: bool = False) -> Block:
        """Return the body of a statement as a block."""
        nodes = (node for inner in statement.body for node in walk(inner))
        return cls(scope, statement, tuple(node for node in nodes if isinstance(node, ast.Call)), is_meant=is_meant)


Blocks = Callable[[ModuleIndex], Sequence[Block]]
"""A question about a module that remembers its answer, its first blocks counting most."""


def around_calls(scope: Scope, blocks: Blocks) -> Iterator[tuple[Block, Line]]:
    """Iterate over the blocks around calls in the run that lead to a function, with the lines where they begin."""
    module = home(scope)
    found = _reached(module, blocks).get(scope)
    if found is not None:
        yield found, Line(found.node.lineno)
    for name, is_object, shown in _entries(module, scope) if module.place is not None else ():
        for other in module.others_with(name, shown):
            names = names_of(other, name)
            named = (call for own in names for _, call in other.calls_named(own))
            within = _calls_within(other, blocks)
            for call in calls_of_made_by(other, names) if is_object else named:
                if call in within:
                    yield within[call], Line(within[call].node.lineno, file=from_folder(module, other))


@once
def _reached(module: ModuleIndex, blocks: Blocks) -> dict[Scope, Block]:
    """Return the functions that calls within blocks lead to, each with the first of them."""
    found: dict[Scope, Block] = {}
    for block in blocks(module):
        names = block.named | _called(module, block.scope, block.calls)
        todo = [scope for name in names for scope in _targets(module).get(name, ())]
        while todo:
            scope = todo.pop()
            if scope not in found:
                found[scope] = block
                todo += _callees(module, scope)
    return found


@once
def _calls_within(module: ModuleIndex, blocks: Blocks) -> dict[ast.Call, Block]:
    """Return the calls within blocks, or in functions that these lead to."""
    found: dict[ast.Call, Block] = {}
    for block in blocks(module):
        found |= {call: block for call in block.calls if call not in found}
    for scope, block in _reached(module, blocks).items():
        found |= {call: block for call in scope.of(ast.Call) if call not in found}
    return found


def _called(module: ModuleIndex, scope: Scope, calls: Iterable[ast.Call]) -> frozenset[str]:
    """Return the last names of what is called, with `_OPEN` where that may be any function that is used as a value."""
    names: set[str] = set()
    own = calls_of_made_by(module, frozenset(cls.node.name for cls in module.classes.values()))
    for call in calls:
        name = last_name(call.func) or _OPEN
        if call in own:
            names.add(_OBJECT)
        names.add(name)
        is_method = isinstance(call.func, ast.Attribute) and torchapi.is_tensor_member(name)
        is_known = name in _targets(module) or is_method
        if not is_known and module.qualified(scope, call.func, with_builtins=True) is None:
            names.add(_OPEN)
    return frozenset(names)


@once
def _targets(module: ModuleIndex) -> dict[str, list[Scope]]:
    """Return the functions of a module by the names that call them."""
    found: dict[str, list[Scope]] = {}
    for scope in module.scopes.by_node.values():
        if scope.is_module or scope.is_class:
            continue
        owner = module.class_of(scope)
        name = owner.node.name if owner is not None and scope.name == "__init__" else scope.name
        found.setdefault(name, []).append(scope)
        is_value = len(module.calls_named(scope.name)) < module.reads_of(scope.name)
        decorators = getattr(scope.node, "decorator_list", ())
        if scope.name in OF_INSTANCES:
            found.setdefault(_OBJECT, []).append(scope)
        elif isinstance(scope.node, ast.Lambda) or is_value or decorators or module.looks_names_up:
            found.setdefault(_OPEN, []).append(scope)
    return found


@once
def _callees(module: ModuleIndex, scope: Scope) -> list[Scope]:
    """Return the functions of the module that a function may call."""
    names = _called(module, scope, scope.of(ast.Call))
    return [callee for name in sorted(names) for callee in _targets(module).get(name, ())]


@once
def _leading_to(module: ModuleIndex, scope: Scope) -> frozenset[Scope]:
    """Return a function with those of the module that may call it, directly or through others."""
    found, todo = {scope}, [scope]
    while todo:
        callee = todo.pop()
        callers = [s for s in module.scopes.by_node.values() if s not in found and callee in _callees(module, s)]
        found.update(callers)
        todo += callers
    return frozenset(found)


def _entries(module: ModuleIndex, scope: Scope) -> Iterator[tuple[str, bool, tuple[str | Form, ...]]]:
    """Iterate over the names by which other files reach a function, or objects whose calls do, and what shows them."""
    for outer in _leading_to(module, scope):
        owner = module.class_of(outer)
        if owner is not None and outer.name in (*OF_INSTANCES, "__init__"):
            yield owner.node.name, outer.name != "__init__", importing(module, owner.node.name)
        elif owner is not None:
            yield outer.name, False, (owner.node.name,)
        elif outer.parent is not None and outer.parent.is_module:
            yield outer.name, False, importing(module, outer.name)
