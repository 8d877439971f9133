"""Finds code that runs the layers of a container one by one, or hooks one of them: it sees what a layer overwrites.

    for layer in net.body:                      net.body[0].register_forward_hook(keep)
        x = layer(x)
        features.append(x)

What is taken apart is known by its name, in whatever file; of layers that are asked of a module (`net.children()`), or
that are layers of layers, no name is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from unplace import torchapi
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope

_ASKING = frozenset(["_modules", "children", "modules", "named_children", "named_modules"])
_PASSING = frozenset(["enumerate", "iter", "items", "list", "reversed", "sorted", "tuple", "values", "zip"])
_ASKS = (r"\.\s*(?:named_)?(?:children|modules)\s*\(\s*\)|\._modules\b",)
_NAMES = (r"\b(?:for|getattr|register_forward_\w+)\b|\]\s*\(|:\s*\w*\s*\]", *_ASKS)
_NESTED = (r"\bfor\s+(\w+)\s+in\b[^\n]*\n(?:[^\n]*\n){0,9}?[ \t]+for\s[^\n]*\sin\s[^\n]*\b\1\b",)


class Taken(NamedTuple):
    """What some code does to a container: it runs its layers singly, hooks one, or hands the container to own code."""

    name: str | None  # None where any module is asked for its layers: `for layer in net.children(): x = layer(x)`
    is_deep: bool = False  # layers of layers: `for block in net.body: for layer in block: x = layer(x)`
    is_handed: bool = False  # `Features(net.body)`


def is_taken_apart(module: ModuleIndex, names: frozenset[str]) -> bool:
    """Tell whether code of the run may run single layers of a container that has some names, or none in sight."""
    found = set(taken_apart(module))
    for name in names:
        found.update(module.told_of_others(taken_apart, name, _NAMES))
    for asking in sorted(_ASKING):
        found.update(module.told_of_others(taken_apart, asking, _ASKS))
    if not names:
        found.update(module.told_of_others(taken_apart, "for", _NESTED))
    if any(t.name is None or (not t.is_handed and (t.name in names or (not names and t.is_deep))) for t in found):
        return True
    return any(not t.is_handed for t in found) and any(t.is_handed and t.name in names for t in found)


def is_hooked_elsewhere(module: ModuleIndex, name: str) -> bool:
    """Tell whether another file of the run hooks the module in an attribute of a name: `net.fc.register_...(keep)`."""
    patterns = (rf"\b{name}\b",)
    return any(name in module.told_of_others(_hooked, hook, patterns) for hook in torchapi.FORWARD_HOOKS)


@once
def _hooked(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the attributes whose modules get a forward hook."""
    calls = (call for hook in torchapi.FORWARD_HOOKS for _, call in module.calls_named(hook))
    holders = (call.func.value for call in calls if isinstance(call.func, ast.Attribute))
    return frozenset(name for holder in holders if (name := _container(holder)) is not None)


@once
def taken_apart(module: ModuleIndex) -> frozenset[Taken]:
    """Return what the code of a file does to containers of layers."""
    found = {Taken(name) for name in _hooked(module)}
    for scope in module.scopes.by_node.values():
        drawn = dict(_drawn(scope))
        for source in _run_singly(scope, drawn):
            for root, is_asked, depth in _resolved(source, drawn):
                found |= {Taken(None)} if is_asked else set()
                found |= {Taken(root, is_deep=depth > 1)} if root is not None else set()
        for call in scope.of(ast.Call):
            handed = {argument.attr for argument in call.args if isinstance(argument, ast.Attribute)}
            if handed and not (module.qualified(scope, call.func) or "").startswith(("torch.", "builtins.")):
                found |= {Taken(name, is_handed=True) for name in handed}
    return frozenset(found)


def _drawn(scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    """Iterate over the names that loops and comprehensions bind, with the expression from which they draw."""
    loops: list[ast.For | ast.AsyncFor | ast.comprehension] = [*scope.of(ast.For), *scope.of(ast.AsyncFor)]
    for loop in (*loops, *scope.of(ast.comprehension)):
        parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        yield from ((part.id, loop.iter) for part in parts if isinstance(part, ast.Name))


def _run_singly(scope: Scope, drawn: dict[str, ast.expr]) -> Iterator[ast.expr]:
    """Iterate over the containers of which a scope calls an element or a slice, or passes some to an `nn.Sequential`.

    layer(x)            net.body[i](x)            getattr(net.body, str(i))(x)            nn.Sequential(*body[:3])
    """
    for call in scope.of(ast.Call):
        callee = call.func
        if isinstance(callee, ast.Attribute) and callee.attr == "forward":
            callee = callee.value
        if isinstance(callee, ast.Name) and callee.id in drawn:
            yield drawn[callee.id]
        elif isinstance(callee, ast.Subscript):
            yield callee.value
        elif isinstance(callee, ast.Call) and last_name(callee.func) in ("getattr", "get_submodule") and callee.args:
            if len(callee.args) > 1 and not isinstance(callee.args[1], ast.Constant):
                yield callee.args[0]
        for argument in call.args:
            spread = argument.value if isinstance(argument, ast.Starred) else None
            if spread is not None and last_name(call.func) == "Sequential" and _is_part(spread):
                yield spread
    for part in scope.of(ast.Subscript):
        if isinstance(part.slice, ast.Slice) and isinstance(part.value, ast.Attribute):
            yield part.value


def _is_part(node: ast.expr) -> bool:
    """Tell whether an expression takes some layers out of a module: `list(net.children())[:3]`, `net.body[2:]`."""
    parts = list(ast.walk(node))
    is_asked = any(isinstance(part, ast.Attribute) and part.attr in _ASKING for part in parts)
    return is_asked or any(isinstance(part, ast.Slice) for part in parts)


def _resolved(source: ast.expr, drawn: dict[str, ast.expr]) -> Iterator[tuple[str | None, bool, int]]:
    """Iterate over the containers behind a source of layers: name, whether it is asked for them, and loops between.

    A name that a loop binds stands for what the loop draws from: `for block in net.body: for layer in block: ...`
    """
    todo, seen = [(source, False, 1)], set[str]()
    while todo:
        node, asked, depth = todo.pop()
        if isinstance(node, ast.Attribute) and node.attr in _ASKING:
            todo.append((node.value, True, depth))
        elif isinstance(node, ast.Attribute) and node.attr in _PASSING:
            todo.append((node.value, asked, depth))
        elif isinstance(node, ast.Call):
            is_passing = last_name(node.func) in _PASSING
            todo += [(part, asked, depth) for part in (node.args if is_passing and node.args else [node.func])]
        elif isinstance(node, ast.Subscript | ast.Starred):
            todo.append((node.value, asked, depth))
        elif isinstance(node, ast.IfExp):
            todo += [(node.body, asked, depth), (node.orelse, asked, depth)]
        elif isinstance(node, ast.List | ast.Tuple):
            todo += [(part, asked, depth) for part in node.elts]
        elif isinstance(node, ast.Name) and node.id in drawn and node.id not in seen:
            seen.add(node.id)
            todo.append((drawn[node.id], asked, depth + 1))
        else:
            yield last_name(node), asked, depth


def _container(node: ast.expr) -> str | None:
    """Return the name of a module, or of the container of which it is an element: `body` for `net.body[0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return last_name(node)
