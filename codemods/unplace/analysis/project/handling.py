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

from unplace.analysis.project.enclosing import Block, around_calls
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import TRIES, own_nodes, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Line

_RAISED = (RuntimeError, IndexError)
"""What torch raises where operands don't fit the tensor that is written."""
_SUPPRESSING = frozenset(["contextlib.suppress", "pytest.raises"])
_ASSERTING = frozenset(["assertRaises", "assertRaisesRegex"])
_ENTERING = frozenset(["enter_context", "enter_async_context", "push"])
_GUARDS = (*dict.fromkeys(TRIES), ast.With, ast.AsyncWith)


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
    far = (Handler(line, block.is_meant) for block, line in around_calls(scope, _guarded))
    return max(chain(near, far), key=lambda handler: handler.is_meant, default=None)


@once
def _guarded(module: ModuleIndex) -> list[Block]:
    """Return the code of a module whose errors are handled, that for torch's own errors first."""
    found: list[Block] = []
    for scope in module.scopes.by_node.values():
        guards: Iterable[ast.With] = chain.from_iterable(map(scope.of, _GUARDS))
        for guard in guards:
            handling = _handling(module, scope, guard)
            if handling is not None:
                found.append(Block.of(scope, guard, is_meant=handling is Handling.NAMED))
        for call in scope.of(ast.Call):  # assertRaises(RuntimeError, scale, h, k)
            handling = _of_manager(module, scope, call) if len(call.args) > 1 else None
            if handling is not None:
                run = frozenset(filter(None, [last_name(call.args[1])]))
                found.append(Block(scope, call, named=run, is_meant=handling is Handling.NAMED))
    return sorted(found, key=lambda block: not block.is_meant)


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
