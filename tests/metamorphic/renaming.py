"""The program with other names for what is local."""

from __future__ import annotations

import ast

from metamorphic.names import Names, Scope, Use

DYNAMIC = {"locals", "vars", "eval", "exec", "getattr", "signature"}
"""What may look at a local name by its text."""


def renamed(tree: ast.Module) -> bool:
    """`def f(x): y = x * 2; return y` becomes `def f(n1): n2 = n1 * 2; return n2`."""
    names = Names(tree)
    if any(use.name in DYNAMIC for use in names.uses):
        return False
    keywords = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    keywords |= {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    taken = {use.name for use in names.uses}
    new: dict[tuple[Scope, str], str] = {}
    for use in names.uses:
        owner = use.owner
        if owner is None or owner is names.module or owner.is_class or not _may_change(use, owner, keywords):
            continue
        if (owner, use.name) not in new:
            new[owner, use.name] = _fresh(len(new), taken)
    for use in names.uses:
        owner = use.owner
        if owner is not None and (owner, use.name) in new:
            _spell(use.node, use.name, new[owner, use.name])
    return bool(new)


def _may_change(use: Use, owner: Scope, keywords: set[str | None]) -> bool:
    arguments = getattr(owner.node, "args", None)
    parameters = {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)} if arguments else set()
    is_public = use.name in parameters and use.name in keywords
    is_class = any(isinstance(n, ast.ClassDef) and n.name == use.name for n in ast.walk(owner.node))
    return not (use.name in ("self", "cls", "ctx") or use.name in owner.imported or is_public or is_class)


def _fresh(number: int, taken: set[str]) -> str:
    name = f"n{number + 1}"
    return name if name not in taken else f"{name}_"


def _spell(node: ast.AST, old: str, new: str) -> None:
    match node:
        case ast.Name():
            node.id = new
        case ast.arg():
            node.arg = new
        case ast.Nonlocal():
            node.names = [new if name == old else name for name in node.names]
        case ast.MatchMapping():
            node.rest = new
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            node.name = new
        case _:
            raise TypeError(type(node).__name__)
