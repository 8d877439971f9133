"""The program with the layers of its modules in containers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from metamorphic.names import replace_nodes

LAYERS = "layers"


def in_list(tree: ast.Module) -> bool:
    """`self.fc = nn.Linear(2, 2)` becomes `self.layers.append(nn.Linear(2, 2))`, and `self.fc` `self.layers[0]`."""
    return _contained(tree, "ModuleList", lambda number, name: ast.Constant(number))


def in_dict(tree: ast.Module) -> bool:
    """`self.fc = nn.Linear(2, 2)` becomes `self.layers["fc"] = nn.Linear(2, 2)`, and `self.fc` `self.layers["fc"]`."""
    return _contained(tree, "ModuleDict", lambda number, name: ast.Constant(name))


def _contained(tree: ast.Module, container: str, key: Callable[[int, str], ast.Constant]) -> bool:
    modules = {n.name for n in tree.body if isinstance(n, ast.ClassDef) and _is_module(n)}
    inherited = {ast.unparse(base) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for base in n.bases}
    changed = False
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in modules and node.name not in inherited:
            changed |= _of_class(tree, node, modules, container, key)
    return changed


def _is_module(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("Module") for base in node.bases)


def _of_class(
    tree: ast.Module, node: ast.ClassDef, modules: set[str], container: str, key: Callable[[int, str], ast.Constant]
) -> bool:
    init = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if init is None or any(isinstance(n, ast.Attribute) and n.attr == LAYERS for n in ast.walk(tree)):
        return False
    made = [s for s in init.body if _layer(s, modules)]
    within = {n for n in ast.walk(node) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"}
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    in_texts = {word for text in texts for word in text.split(".")}  # as in "fc" and "fc.weight"
    names: dict[str, ast.stmt] = {}
    for statement in made:
        assert isinstance(statement, ast.Assign)
        target = statement.targets[0]
        assert isinstance(target, ast.Attribute)
        name = target.attr
        spelt = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == name]
        by_text = hasattr(dict, name) or name in in_texts
        stored = [n for n in spelt if not isinstance(n.ctx, ast.Load)]
        if not by_text and stored == [target] and all(n in within for n in spelt):
            names[name] = statement
    if not names:
        return False
    keys = {name: key(number, name) for number, name in enumerate(names)}
    nn = "torch.nn" if any(ast.unparse(s) == "import torch" for s in tree.body) else "nn"
    first = min(init.body.index(statement) for statement in names.values())
    for name, statement in names.items():
        assert isinstance(statement, ast.Assign)
        place = init.body.index(statement)
        code = f"self.{LAYERS}.append(_)" if container == "ModuleList" else f"self.{LAYERS}[{name!r}] = _"
        new = ast.parse(code).body[0]
        hole = next(n for n in ast.walk(new) if isinstance(n, ast.Name) and n.id == "_")
        replace_nodes(new, {hole: statement.value})
        init.body[place] = new
    init.body.insert(first, ast.parse(f"self.{LAYERS} = {nn}.{container}()").body[0])
    reads: dict[ast.AST, ast.AST] = {
        n: ast.Subscript(ast.Attribute(ast.Name("self", ast.Load()), LAYERS, ast.Load()), keys[n.attr], ast.Load())
        for n in within
        if isinstance(n, ast.Attribute) and n.attr in keys
    }
    replace_nodes(node, reads)
    return True


def _layer(statement: ast.stmt, modules: set[str]) -> bool:
    """`self.name = nn.Layer(...)` or `self.name = OwnModule(...)`."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))], value=ast.Call(func=func)):
            called = ast.unparse(func)
            *room, name = called.split(".")
            is_torch = room in (["nn"], ["torch", "nn"]) and name[0].isupper() and "Parameter" not in name
            return called in modules or (is_torch and name not in ("Buffer", "ModuleList", "ModuleDict"))
    return False
