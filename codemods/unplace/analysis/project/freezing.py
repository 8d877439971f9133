"""Finds what a file freezes, so that torch may allow writes to it that it forbids elsewhere.

for p in self.backbone.parameters():
    p.requires_grad = False                 the parameters of `self.backbone`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import is_true
from unplace.torchapi import modules

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
        _attribute(scope, _target(node))
        for scope in module.scopes.by_node.values()
        for node in scope.nodes
        if _freezes(node) and not _was_written_before(scope, node)
    )


def _freezes(node: ast.AST) -> bool:
    """Tell whether a node may say that a tensor gets no gradient."""
    if isinstance(node, ast.Assign):
        targets = (t for t in node.targets if isinstance(t, ast.Attribute))
        return any(t.attr == "requires_grad" for t in targets) and not is_true(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = [*node.args, *(k.value for k in node.keywords)]
        return node.func.attr == "requires_grad_" and not all(map(is_true, given))
    return False


def _target(node: ast.AST) -> ast.expr | None:
    """Return what a node freezes; None for several targets."""
    if isinstance(node, ast.Call):
        return node.func.value if isinstance(node.func, ast.Attribute) else None
    targets = node.targets if isinstance(node, ast.Assign) else []
    return targets[0].value if len(targets) == 1 and isinstance(targets[0], ast.Attribute) else None


def _attribute(scope: Scope, node: ast.expr | None) -> str | None:
    """Return the attribute of `self` that an expression is a part of: "backbone" of `self.backbone.conv.weight`."""
    seen: set[str] = set()
    while isinstance(node, ast.Name) and node.id not in seen:  # what a loop over modules or parameters yields
        seen.add(node.id)
        loops = [s for s in scope.nodes if isinstance(s, ast.For) and node.id in _names(s.target)]
        made = loops[0].iter if len(loops) == 1 else None
        is_given = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _GIVING
        node = made.func.value if is_given else None  # type: ignore[union-attr]
    chain: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        chain += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return chain[-1] if chain and isinstance(node, ast.Name) and node.id == "self" else None


def _names(target: ast.expr) -> Iterator[str]:
    return (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


@once
def _is_made_alone(module: ModuleIndex, name: str) -> bool:
    """Tell whether an attribute of `self` only ever gets new objects, made without those that the file freezes.

    self.stem = nn.Conv2d(3, 8, 7)
    """
    stored = [n for scope in module.scopes.by_node.values() for n in scope.nodes if isinstance(n, ast.Assign)]
    made = [s.value for s in stored if any(_is_own(target, name) for target in s.targets)]
    if not made or not all(isinstance(value, ast.Call) for value in made):
        return False
    taken = [n for value in made for n in ast.walk(value) if isinstance(n, ast.Attribute)]
    handed = [s.value for s in stored if isinstance(s.value, ast.Attribute)]
    shared = {n.attr for value in handed for n in ast.walk(value) if isinstance(n, ast.Attribute)}
    return _frozen(module).isdisjoint({*(n.attr for n in taken), *shared})


def _is_own(target: ast.expr, name: str) -> bool:
    is_attribute = isinstance(target, ast.Attribute) and target.attr == name
    return is_attribute and isinstance(target.value, ast.Name) and target.value.id == "self"  # type: ignore[attr-defined]


def _was_written_before(scope: Scope, node: ast.AST) -> bool:
    """Tell whether a tensor is frozen only after a write that torch refuses where the tensor gets a gradient.

    E[:, 0::2] = torch.sin(angles)
    E.requires_grad = False
    """
    body = getattr(scope.node, "body", None)
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if not isinstance(body, list) or node not in body or not isinstance(target, ast.Attribute):
        return False
    name = code_of(target.value)
    before = (s for s in body[: body.index(node)] if isinstance(s, ast.Assign))
    stores = [t for s in before for t in s.targets]
    is_rebound = any(code_of(t) == name for t in stores)
    return not is_rebound and any(isinstance(t, ast.Subscript) and code_of(t.value) == name for t in stores)
