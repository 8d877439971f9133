"""The classes of a module, and what their methods assign to the attributes of their instances."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from unplace.analysis.bindings import own_nodes
from unplace.analysis.refs import Class
from unplace.analysis.scopes import Scope

Qualified = Callable[[Scope, ast.expr], "str | None"]

_REGISTERED = ("torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Buffer")
_KEEPS_MEANING = frozenset(
    {"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.jit.export", "torch.jit.ignore"}
)


def collect(scope: Scope, qualified: Qualified) -> dict[ast.ClassDef, Class]:
    """All classes in and below a scope, outer ones first; `qualified` resolves imported names."""
    found: dict[ast.ClassDef, Class] = {}
    _collect(scope, qualified, found)
    return found


def _collect(scope: Scope, qualified: Qualified, found: dict[ast.ClassDef, Class]) -> None:
    for inner in scope.inner:
        if isinstance(inner.node, ast.ClassDef):
            found[inner.node] = _describe(inner, inner.node, scope, qualified, found)
        _collect(inner, qualified, found)


def _describe(
    scope: Scope, node: ast.ClassDef, outer: Scope, qualified: Qualified, known: dict[ast.ClassDef, Class]
) -> Class:
    bases = tuple(qualified(outer, base) or ast.unparse(base) for base in node.bases)
    ancestors = tuple(c for c in known.values() if c.node.name in bases)
    found = Class(node, scope, bases, ancestors)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if (
                statement.decorator_list
                and not is_static(statement)
                and not _keeps_meaning(statement, scope, qualified)
            ):
                found.special.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:
            if isinstance(statement.target, ast.Name):
                found.declared[statement.target.id] = statement.annotation
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.special.update(t.id for t in targets if isinstance(t, ast.Name))
    for method in scope.inner:
        _collect_attributes(found, method, qualified)
    return found


def _keeps_meaning(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, qualified: Qualified) -> bool:
    """Whether the decorators leave what a call does as the body says."""
    targets = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return all(qualified(scope, target) in _KEEPS_MEANING for target in targets)


def _collect_attributes(owner: Class, method: Scope, qualified: Qualified) -> None:
    node = method.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.args.args:
        return
    me = node.args.args[0].arg
    for statement in own_nodes(node):
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                for name, exact in _self_targets(target, me):
                    _add(owner, name, method, statement.value if exact else None, qualified)
        elif isinstance(statement, ast.AugAssign):
            for name, _ in _self_targets(statement.target, me):
                owner.augmented.setdefault(name, []).append((method, statement.value))
        elif isinstance(statement, ast.Call) and isinstance(statement.func, ast.Attribute):
            if statement.func.attr in ("register_buffer", "register_parameter") and statement.args:
                first = statement.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    owner.registered.add(first.value)
                    if statement.func.attr == "register_buffer":
                        owner.buffers.add(first.value)
        elif isinstance(statement, ast.For | ast.AsyncFor):
            for name, _ in _self_targets(statement.target, me):
                _add(owner, name, method, None, qualified)


def _add(owner: Class, name: str, method: Scope, value: ast.expr | None, qualified: Qualified) -> None:
    owner.assigned.setdefault(name, []).append((method, value))
    if isinstance(value, ast.Call) and qualified(method, value.func) in _REGISTERED:
        owner.registered.add(name)


def _self_targets(target: ast.expr, me: str) -> Iterator[tuple[str, bool]]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me:
        yield target.attr, True
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            for name, _ in _self_targets(element, me):
                yield name, False


def linearized(owner: Class) -> Iterator[Class]:
    """The class and its ancestors in this file."""
    yield owner
    for ancestor in owner.ancestors:
        yield from linearized(ancestor)


def is_static(node: ast.AST) -> bool:
    """Whether a method is declared with @staticmethod."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in getattr(node, "decorator_list", []))
