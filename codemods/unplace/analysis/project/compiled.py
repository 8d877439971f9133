"""Finds the functions that TorchScript compiles; it supports no generators and no comprehensions over tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes

_SCRIPTED = re.compile(rb"\bscript(?:_if_tracing)?\(\s*([\w.]+)")
_MADE = rb"\b%s\s*=\s*(?:[\w.]*\.)?(\w+)\("


def handed_over(text: bytes) -> frozenset[str]:
    """Return the names that a file passes to `torch.jit.script`: functions, classes, or makers of passed objects."""
    found: set[str] = set()
    for match in _SCRIPTED.finditer(text) if b"jit" in text and b"script" in text else ():
        name = match[1].rpartition(b".")[2]
        found |= {name.decode(), *(made[1].decode() for made in re.finditer(_MADE % re.escape(name), text))}
    return frozenset(found)


@once
def compiled(module: ModuleIndex) -> frozenset[Scope]:
    """Return the functions known to be compiled by TorchScript, including those that they call in this file."""
    names = frozenset(_handed_here(module))
    if module.place is not None:
        names |= module.place.others.handed_to_script(module.place.path)
    todo = [scope for scope in module.scopes.by_node.values() if _is_root(module, scope, names)]
    found: set[Scope] = set()
    while todo:
        scope = todo.pop()
        if scope not in found and not _decorators(module, scope) & modes.NOT_COMPILING:
            found.add(scope)
            todo += _called(module, scope)
    return frozenset(found)


def _handed_here(module: ModuleIndex) -> Iterator[str]:
    """Iterate over the names that the module itself passes to `torch.jit.script`, and those of their makers."""
    for called in ("script", "script_if_tracing"):
        for scope, call in module.calls_named(called):
            given = call.args[0] if call.args else None
            sources = module.bindings(scope).sources.get(given.id, ()) if isinstance(given, ast.Name) else ()
            for node in (given, *sources):
                name = last_name(node.func if isinstance(node, ast.Call) else node) if node is not None else None
                if name is not None:
                    yield name


def _decorators(module: ModuleIndex, scope: Scope) -> set[str]:
    written = getattr(scope.node, "decorator_list", [])
    targets = [d.func if isinstance(d, ast.Call) else d for d in written]
    return {module.qualified(scope.parent or scope, target) or "" for target in targets}


def _is_root(module: ModuleIndex, scope: Scope, names: frozenset[str]) -> bool:
    if not isinstance(scope.node, ast.FunctionDef):
        return False
    if _decorators(module, scope) & modes.COMPILING or scope.name in names:
        return True
    owner = module.class_of(scope)
    if owner is None or scope.name != "forward":
        return False
    return bool(_names(module, owner) & names) or owner.derives_from(modes.SCRIPT_MODULE)


def _names(module: ModuleIndex, owner: Class) -> set[str]:
    """Return the names of a class and of those that inherit its methods."""
    return {owner.node.name, *(derived.node.name for derived in module.descendants(owner))}


def _called(module: ModuleIndex, scope: Scope) -> Iterator[Scope]:
    """Iterate over the functions of the file that a function may call.

    They are called by name, or are the `forward` of a class whose object an attribute holds.
    """
    called = {name for call in scope.of(ast.Call) if (name := last_name(call.func)) is not None}
    owner = module.class_of(scope)
    made = [source for cls in (owner.linearized() if owner is not None else ()) for _, source in _sources(cls)]
    classes = {last_name(n.func) for source in made for n in ast.walk(source) if isinstance(n, ast.Call)}
    for other in module.scopes.by_node.values():
        within = module.class_of(other)
        if other.name in called or (within is not None and other.name == "forward" and within.node.name in classes):
            yield other


def _sources(cls: Class) -> Iterator[tuple[Scope, ast.expr]]:
    return ((s, source) for made in cls.assigned.values() for s, source in made if source is not None)
