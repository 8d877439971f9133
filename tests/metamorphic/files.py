"""The program in two files: what `example()` doesn't name itself lives in `tools.py`."""

from __future__ import annotations

import ast
import copy

from metamorphic.names import Names, beginning

TOOLS = "tools"


def helpers_apart(tree: ast.Module) -> ast.Module | None:
    """Move helpers, classes and constants that `example()` doesn't name itself; return the new file's tree."""
    names = Names(tree)
    used = {statement: _used(names, statement) for statement in tree.body}
    example = next((s for s in tree.body if "example" in _defined(s)), None)
    if example is None:
        return None
    return _apart(tree, names, used, {s for s in tree.body if {*_defined(s)} & used[example]} | {example})


def callers_apart(tree: ast.Module) -> ast.Module | None:
    """Move all but `example()`; return the new file's tree."""
    names = Names(tree)
    used = {statement: _used(names, statement) for statement in tree.body}
    return _apart(tree, names, used, {s for s in tree.body if "example" in _defined(s)})


def _apart(tree: ast.Module, names: Names, used: dict[ast.stmt, set[str]], stays: set[ast.stmt]) -> ast.Module | None:
    """Move what neither has to stay nor needs anything that does; a name that is rebound later can't be imported."""
    imports = [s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom)]
    others = tree.body[beginning(tree) :]
    others = [s for s in others if s not in imports]
    if not all(map(_may_move, others)) or any(alias.name == "*" for s in imports for alias in s.names):
        return None
    if _rebound(names) or any(use.name == "globals" for use in names.uses):
        return None
    while True:
        fixed = {name for s in stays for name in _defined(s)}
        more = {s for s in others if s not in stays and ({*_defined(s)} | used[s]) & fixed}
        if not more:
            break
        stays |= more
    moved, rest = [s for s in others if s not in stays], [s for s in others if s in stays]
    if not any(isinstance(s, ast.FunctionDef | ast.ClassDef) for s in moved):
        return None
    wanted = {name for s in rest for name in used[s]} & {name for s in moved for name in _defined(s)}
    taken = ast.parse(f"from {TOOLS} import {', '.join(sorted(wanted))}" if wanted else f"import {TOOLS}").body
    first = [s for s in tree.body[: beginning(tree)] if s not in imports]
    tree.body = [*first, *_needed(imports, rest, used), *taken, *rest]
    return ast.Module([*_needed(imports, moved, used), *moved], [])


def _rebound(names: Names) -> bool:
    return any(
        use.owner is names.module and use.scope is not names.module and use.name in use.scope.of_module
        for use in names.uses
    )


def _may_move(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return True
    return isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets)


def _defined(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return []


def _used(names: Names, statement: ast.stmt) -> set[str]:
    inside = set(map(id, ast.walk(statement)))
    found = {use.name for use in names.uses if id(use.node) in inside and use.owner is names.module}
    return found | _evaluated(statement)


def _evaluated(statement: ast.stmt) -> set[str]:
    """The names in the texts that a statement evaluates: `eval("lambda t: torch.tanh(t)")`."""
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "eval"]
    texts = [a.value for n in calls for a in n.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return {n.id for text in texts for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}


def _needed(
    imports: list[ast.Import | ast.ImportFrom], statements: list[ast.stmt], used: dict[ast.stmt, set[str]]
) -> list[ast.stmt]:
    """The imports that some statements need, without the names that they don't."""
    wanted = {name for statement in statements for name in used[statement]}
    found: list[ast.stmt] = []
    for statement in imports:
        kept = copy.deepcopy(statement)
        if not (isinstance(kept, ast.ImportFrom) and kept.module == "__future__"):
            kept.names = [a for a in kept.names if (a.asname or a.name.split(".")[0]) in wanted]
        if kept.names:
            found.append(kept)
    return found
