"""Finds the code that handles an exception: around a statement, or around a call that leads to its function.

def scale(h, k):
    h *= k                              a `k` that doesn't fit raises here ...
    return h

try:
    h = scale(h, k)
except RuntimeError:                    ... and is handled here
    failed.append(k)
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from unplace import torchapi
from unplace.analysis.project.calling import calls_of_made_by, importing, names_of
from unplace.analysis.project.mentions import Form
from unplace.analysis.project.module import ModuleIndex, from_folder, home, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import TRIES, own_nodes, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Line

_RAISED = (RuntimeError, IndexError)
"""What torch raises where operands don't fit the tensor that is written."""
_SUPPRESSING = frozenset(["contextlib.suppress", "pytest.raises"])
_ASSERTING = frozenset(["assertRaises", "assertRaisesRegex"])
_ENTERING = frozenset(["enter_context", "enter_async_context", "push"])
_GUARDS = (*dict.fromkeys(TRIES), ast.With, ast.AsyncWith)
_OPEN = "()"
"""What stands for calls of what no name tells: a parameter, an element."""
_OBJECT = "object()"
"""What stands for calls of objects of the file's classes."""


class Handling(Enum):
    """How code handles an error of torch: it names its class, or takes whatever is raised."""

    NAMED = "named"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Handler:
    """The handler of an error; `is_meant`: it stands around the write itself, or is one for torch's errors."""

    line: Line
    is_meant: bool


def handler_of(scope: Scope, guards: Iterable[ast.stmt]) -> Handler | None:
    """Return what handles an error of torch in a scope, within `guards` or around the calls in the run that lead there.

    A handler that may raise an error itself picks those that it handles, and counts for none.
    """
    module = home(scope)
    near = (Handler(Line(g.lineno), True) for g in guards if _handling(module, scope, g) is not None)
    return max(chain(near, _around_calls(scope)), key=lambda handler: handler.is_meant, default=None)


def _around_calls(scope: Scope) -> Iterator[Handler]:
    """Iterate over the handlers around calls in the run that lead to a function."""
    module = home(scope)
    found = _reached(module).get(scope)
    if found is not None:
        yield Handler(Line(found[1].lineno), found[0] is Handling.NAMED)
    for name, is_object, shown in _entries(module, scope) if module.place is not None else ():
        for other in module.others_with(name, shown):
            names = names_of(other, name)
            named = (call for own in names for _, call in other.calls_named(own))
            guarded = _calls_in_guards(other)
            for call in calls_of_made_by(other, names) if is_object else named:
                if call not in guarded:
                    continue
                handling, guard = guarded[call]
                yield Handler(Line(guard.lineno, file=from_folder(module, other)), handling is Handling.NAMED)


def _handling(module: ModuleIndex, scope: Scope, guard: ast.stmt) -> Handling | None:
    """Return how a `try` or `with` handles an error of torch in its body; None if it doesn't."""
    if isinstance(guard, TRIES):
        handlers: list[ast.ExceptHandler] = getattr(guard, "handlers", [])
        first = next((h for h in handlers if _taken(h.type) is not None), None)
        is_raised = first is not None and any(isinstance(node, ast.Raise) for node in _nodes(first.body))
        taken = _taken(first.type) if first is not None and not is_raised else None
        leaving: list[ast.stmt] = getattr(guard, "finalbody", [])
        is_left = any(isinstance(n, ast.Return | ast.Break | ast.Continue) for n in _nodes(leaving))
        return taken or (Handling.ANY if is_left else None)
    managers = [item.context_expr for item in guard.items] if isinstance(guard, ast.With | ast.AsyncWith) else []
    entered = [
        call.args[0]
        for call in (_nodes(getattr(guard, "body", [])) if managers else ())
        if isinstance(call, ast.Call) and last_name(call.func) in _ENTERING and call.args
    ]
    return _stronger(_of_manager(module, scope, manager) for manager in (*managers, *entered))


def _stronger(found: Iterable[Handling | None]) -> Handling | None:
    kinds = {*found}
    return next((kind for kind in Handling if kind in kinds), None)


def _taken(caught: ast.expr | None) -> Handling | None:
    """Return how a handler for these exceptions takes an error of torch."""
    if caught is None:
        return Handling.ANY
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    known = [getattr(builtins, kind.id, None) if isinstance(kind, ast.Name) else None for kind in kinds]
    if any(kind in _RAISED for kind in known):
        return Handling.NAMED
    is_any = any(not isinstance(k, type) or any(issubclass(raised, k) for raised in _RAISED) for k in known)
    return Handling.ANY if is_any else None


def _of_manager(module: ModuleIndex, scope: Scope, manager: ast.expr) -> Handling | None:
    """Return how a context manager handles an error of torch; those of libraries let it pass, a few excepted."""
    if not isinstance(manager, ast.Call):
        return None
    if module.qualified(scope, manager.func) in _SUPPRESSING or last_name(manager.func) in _ASSERTING:
        return _stronger(map(_taken, manager.args))
    return _stronger(_of_own_manager(made) for made in _defined(module, scope, manager.func))


def _defined(module: ModuleIndex, scope: Scope, callee: ast.expr) -> list[Scope]:
    """Return the functions and classes of the run that a callee may be, by its last name."""
    name, member = last_name(callee), module.member(scope, callee)
    if member is not None and module.place is not None:
        there = module.place.others.module_at(member.path)
        module, name = there or module, member.name
    return [made for made in module.scopes.by_node.values() if made.name == name]


def _of_own_manager(made: Scope) -> Handling | None:
    """Return how a context manager of the run handles an error: in `__exit__`, or around the `yield` of a generator."""
    if made.is_class:
        ends = (end for end in made.inner if end.name in ("__exit__", "__aexit__"))
        values = [node.value for end in ends for node in end.of(ast.Return)]
        is_passed = all(v is None or (isinstance(v, ast.Constant) and not v.value) for v in values)
        return None if is_passed else Handling.ANY
    waiting = [n for n in own_nodes(made.node) if isinstance(n, TRIES) and _has_yield(n.body)]  # type: ignore[attr-defined]
    return _stronger(_handling(home(made), made, guard) for guard in waiting)  # type: ignore[arg-type]


def _has_yield(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Yield) for node in _nodes(body))


def _nodes(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    return chain.from_iterable(walk(statement) for statement in body)


# -- calls within guards ----------------------------------------------------------------------------------------------


@once
def _reached(module: ModuleIndex) -> dict[Scope, tuple[Handling, ast.stmt | ast.expr]]:
    """Return the functions that calls within guards lead to, each with the strictest of the guards."""
    found: dict[Scope, tuple[Handling, ast.stmt | ast.expr]] = {}
    for names, guard, handling in _guarded(module):
        todo = [scope for name in names for scope in _targets(module).get(name, ())]
        while todo:
            scope = todo.pop()
            if scope not in found:
                found[scope] = handling, guard
                todo += _callees(module, scope)
    return found


@once
def _calls_in_guards(module: ModuleIndex) -> dict[ast.Call, tuple[Handling, ast.stmt | ast.expr]]:
    """Return the calls within guards, or in functions that these lead to."""
    found: dict[ast.Call, tuple[Handling, ast.stmt | ast.expr]] = {}
    for _, guard, handling in _guarded(module):
        found |= {node: (handling, guard) for node in walk(guard) if isinstance(node, ast.Call) and node not in found}
    for scope, reached in _reached(module).items():
        found |= {call: reached for call in scope.of(ast.Call) if call not in found}
    return found


@once
def _guarded(module: ModuleIndex) -> list[tuple[frozenset[str], ast.stmt | ast.expr, Handling]]:
    """Return the names that are called under guards, the strictest guard first."""
    found: list[tuple[frozenset[str], ast.stmt | ast.expr, Handling]] = []
    for scope in module.scopes.by_node.values():
        guards: Iterable[ast.With] = chain.from_iterable(map(scope.of, _GUARDS))
        for guard in guards:
            handling = _handling(module, scope, guard)
            if handling is not None:
                calls = (node for node in _nodes(guard.body) if isinstance(node, ast.Call))
                found.append((_called(module, scope, calls), guard, handling))
        for call in scope.of(ast.Call):  # assertRaises(RuntimeError, scale, h, k)
            handling = _of_manager(module, scope, call) if len(call.args) > 1 else None
            name = last_name(call.args[1]) if handling is not None else None
            if handling is not None:
                found.append((frozenset([name or _OPEN]), call, handling))
    return sorted(found, key=lambda each: each[2] is Handling.ANY)


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
