"""Finds what a file freezes, so that torch may allow writes to it that it forbids elsewhere.

for p in self.backbone.parameters():
    p.requires_grad = False                 the parameters of `self.backbone`

def freeze(module):
    for p in module.parameters():
        p.requires_grad = False
freeze(self.backbone)                       the same, if nothing else in the file names `freeze`
self.table = nn.Embedding.from_pretrained(weights)
                                            the parameters of `self.table`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once, uses_by_name
from unplace.analysis.syntax.bindings import NamedStore, last_name, named_store
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for
from unplace.diagnostics.forms import is_false, is_true, target_of
from unplace.torchapi import is_registered_name, modules

_GIVING = modules.GIVING_PARAMETERS | {"children", "modules", "named_children", "named_modules"}


def may_be_frozen(module: ModuleIndex, place: str) -> bool:
    """Tell whether the file may freeze the parameter in a place: `p.requires_grad = False` and the like.

    It doesn't where all that it freezes are other attributes of `self` than the one that the place starts with, which
    has a module of its own.
    """
    frozen = _frozen(module)
    if not frozen:
        return False
    own = place.split(".")[1] if place.startswith("self.") else None
    return None in frozen or own is None or own in frozen or not _is_made_alone(module, own)


@once
def _frozen(module: ModuleIndex) -> frozenset[str | None]:
    """Return the attributes of `self` whose parameters the file freezes; None stands for any others."""
    return frozenset(
        name
        for scope in module.scopes.by_node.values()
        for node in scope.nodes
        if _freezes(module, scope, node)
        for target in (_target(module, scope, node),)
        if not _was_written_before(scope, node, target)
        for name in _attributes(module, scope, target, frozenset())
    )


def _freezes(module: ModuleIndex, scope: Scope, node: ast.AST) -> bool:
    """Tell whether a node may say that a tensor gets no gradient."""
    if isinstance(node, ast.Assign):
        targets = (t for t in node.targets if isinstance(t, ast.Attribute))
        return any(t.attr == "requires_grad" for t in targets) and not is_true(node.value)
    stored = _stored_by_name(node)
    if stored is not None:
        return not is_true(stored.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if module.qualified(scope, node.func) in modules.FREEZING:
            return not any(k.arg == "freeze" and is_false(k.value) for k in node.keywords)
        given = [*node.args, *(k.value for k in node.keywords)]
        return node.func.attr == "requires_grad_" and not all(map(is_true, given))
    return False


def _stored_by_name(node: ast.AST) -> NamedStore | None:
    """Return `setattr(p, "requires_grad", flag)`, and None for other nodes."""
    stored = named_store(node) if isinstance(node, ast.Call) else None
    is_flag = stored is not None and isinstance(stored.name, ast.Constant) and stored.name.value == "requires_grad"
    return stored if is_flag else None


def _target(module: ModuleIndex, scope: Scope, node: ast.AST) -> ast.expr | None:
    """Return what a node freezes; None for several targets."""
    stored = _stored_by_name(node)
    if stored is not None:
        return stored.holder
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if module.qualified(scope, node.func) not in modules.FREEZING:
            return node.func.value
        made = (s for s in scope.of(ast.Assign) if s.value is node and len(s.targets) == 1)
        return next((s.targets[0] for s in made), None)
    targets = node.targets if isinstance(node, ast.Assign) else []
    return targets[0].value if len(targets) == 1 and isinstance(targets[0], ast.Attribute) else None


def _attributes(
    module: ModuleIndex, scope: Scope, node: ast.expr | None, seen: frozenset[Scope]
) -> Iterator[str | None]:
    """Iterate over the attributes of `self` that an expression is a part of: "backbone" of `self.backbone.conv.weight`.

    An argument is what all calls of its function pass.
    """
    node = _yielding(scope, node)
    chain: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        chain += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    name = node.id if isinstance(node, ast.Name) else None
    calls = _calls(module, scope, name) if name is not None and scope not in seen else []
    passed = [(caller, argument_for(scope, call, name)) for caller, call in calls] if name is not None else []
    if chain and name == "self":
        yield chain[-1]
    elif passed and all(argument is not None for _, argument in passed):
        for caller, argument in passed:
            yield from _attributes(module, caller, argument, seen | {scope})
    else:
        yield None


def _yielding(scope: Scope, node: ast.expr | None) -> ast.expr | None:
    """Return the module whose parts or parameters the loops of a scope yield in a name; another node stays as it is."""
    seen: set[str] = set()
    while isinstance(node, ast.Name) and node.id not in seen:
        seen.add(node.id)
        loops = [s for s in scope.of(ast.For) if node.id in _names(s.target)]
        if not loops:
            return node
        made = loops[0].iter if len(loops) == 1 else None
        is_given = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _GIVING
        node = made.func.value if is_given else None  # type: ignore[union-attr]
    return node


def _calls(module: ModuleIndex, scope: Scope, parameter: str) -> list[tuple[Scope, ast.Call]]:
    """Return the calls of a function that binds a parameter only once; none where it is named in another way, too."""
    is_given = isinstance(scope.node, ast.FunctionDef) and parameter in [p.arg for p in scope.parameters]
    if not is_given or any(n.id == parameter and not isinstance(n.ctx, ast.Load) for n in scope.names):
        return []
    uses = {use for _, use in uses_by_name(module).get(scope.name, ())}
    calls = module.calls_named(scope.name)
    return calls if uses <= {call.func for _, call in calls} else []


def _names(target: ast.expr) -> Iterator[str]:
    return (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


@once
def _is_made_alone(module: ModuleIndex, name: str) -> bool:
    """Tell whether an attribute of `self` only ever gets new objects, made without those that the file freezes.

    self.stem = nn.Conv2d(3, 8, 7)
    """
    stored = [n for scope in module.scopes.by_node.values() for n in scope.of(ast.Assign)]
    made = [s.value for s in stored if any(_is_own(target, name) for target in s.targets)]
    if not made or not all(isinstance(value, ast.Call) for value in made):
        return False
    taken = [n for value in made for n in ast.walk(value) if isinstance(n, ast.Attribute)]
    handed = [s.value for s in stored if isinstance(s.value, ast.Attribute) and not all(map(_is_filled, s.targets))]
    shared = {n.attr for value in handed for n in ast.walk(value) if isinstance(n, ast.Attribute)}
    return _frozen(module).isdisjoint({*(n.attr for n in taken), *shared})


def _is_own(target: ast.expr, name: str) -> bool:
    is_attribute = isinstance(target, ast.Attribute) and target.attr == name
    return is_attribute and isinstance(target.value, ast.Name) and target.value.id == "self"  # type: ignore[attr-defined]


def _is_filled(target: ast.expr) -> bool:
    """Tell whether a store copies values into a parameter, by its name: `self.stem.bias[:] = self.backbone.bias`."""
    return isinstance(target, ast.Subscript) and is_registered_name(last_name(target.value) or "")


def _was_written_before(scope: Scope, node: ast.AST, tensor: ast.expr | None) -> bool:
    """Tell whether a tensor is frozen only after a write that torch refuses where the tensor gets a gradient.

    E[:, 0::2] = torch.sin(angles)
    if freeze:
        E.requires_grad = False
    """
    body = getattr(scope.node, "body", None)
    if not isinstance(body, list) or tensor is None:
        return False
    place = next((i for i, s in enumerate(body) if node in _next_to(s)), None)
    name = code_of(tensor)
    before = body[:place] if place is not None else []
    is_rebound = any(code_of(t) == name for s in before if isinstance(s, ast.Assign) for t in s.targets)
    return not is_rebound and any(name == code_of(written) for s in before for written in _written(s))


def _next_to(statement: ast.stmt) -> Iterator[ast.AST]:
    """Iterate over a statement, or those of a branch, and the calls that they consist of."""
    for part in statement.body if isinstance(statement, ast.If) else [statement]:
        yield part
        if isinstance(part, ast.Expr):
            yield part.value


def _written(statement: ast.stmt) -> Iterator[ast.expr]:
    """Iterate over what a statement writes in place."""
    node = statement.value if isinstance(statement, ast.Expr) else statement
    targets = node.targets if isinstance(node, ast.Assign) else [target_of(node)]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield target.value
        elif target is not None and not isinstance(node, ast.Assign):
            yield target
