"""The program with its functions in other functions, or in modules of their own."""

from __future__ import annotations

import ast

from metamorphic.helpers import Helper, function_around, helpers, is_within
from metamorphic.names import Names, beginning, replace_nodes


def nested(tree: ast.Module) -> bool:
    """A function that one other calls moves into it, one that `example()` takes into a function that returns it."""
    moved: set[str] = set()
    while True:
        names = Names(tree)
        for helper in helpers(tree, names):
            if helper.name in moved or not all(isinstance(default, ast.Constant) for default in helper.defaults):
                continue
            if _into_caller(tree, names, helper) or _into_maker(tree, names, helper):
                moved |= {helper.name, _maker_of(helper)}
                break
        else:
            return bool(moved)


def _into_caller(tree: ast.Module, names: Names, helper: Helper) -> bool:
    """Move a function to the beginning of the only function or method that uses it."""
    outside = [use for use in helper.uses if not is_within(use.scope, helper.node)]
    around = {function_around(use) for use in outside}
    caller = around.pop() if len(around) == 1 else None
    if caller is None or caller.name == "example" or any(use.scope.node is tree for use in outside):
        return False
    bound = {name for use in names.uses if use.scope.node is caller for name in use.scope.bound}
    free = {use.name for use in names.uses if is_within(use.scope, helper.node) and use.owner is names.module}
    if (free | {helper.name}) & bound:
        return False
    tree.body.remove(helper.node)
    caller.body.insert(beginning(caller), helper.node)
    return True


def _maker_of(helper: Helper) -> str:
    return f"make_{helper.name}"


def _into_maker(tree: ast.Module, names: Names, helper: Helper) -> bool:
    """`def f(x): ...` becomes `def make_f(): def f(x): ...; return f`, and `f` in `example()` becomes `make_f()`."""
    made = _maker_of(helper)
    if helper.callers != {"example"} or made in names.module.bound:
        return False
    maker = ast.parse(f"def {made}():\n    return {helper.name}\n").body[0]
    assert isinstance(maker, ast.FunctionDef)
    tree.body[tree.body.index(helper.node)] = maker
    _call_instead(tree, helper, made)
    maker.body.insert(0, helper.node)
    return True


def as_modules(tree: ast.Module) -> bool:
    """`def f(x): ...`, which `example()` takes, becomes the `forward` of an `nn.Module`, and `f` there `F()`."""
    names = Names(tree)
    changed = False
    for helper in helpers(tree, names):
        made = "".join(part.capitalize() for part in helper.name.split("_")) + "Module"
        is_recursive = any(is_within(use.scope, helper.node) for use in helper.uses)
        if helper.callers != {"example"} or is_recursive or "self" in helper.parameters() | names.module.bound:
            continue
        wrapped = ast.parse(f"class {made}(torch.nn.Module):\n    pass\n").body[0]
        assert isinstance(wrapped, ast.ClassDef)
        tree.body[tree.body.index(helper.node)] = wrapped
        _call_instead(tree, helper, made)
        helper.node.name = "forward"
        helper.take_self()
        wrapped.body = [helper.node]
        changed = True
    if changed and not any(ast.unparse(statement) == "import torch" for statement in tree.body):
        tree.body.insert(beginning(tree), ast.parse("import torch").body[0])
    return changed


def _call_instead(tree: ast.Module, helper: Helper, made: str) -> None:
    """Put the call of another name for the name of a function, outside of that function itself."""
    outside = [use.node for use in helper.uses if not is_within(use.scope, helper.node)]
    replace_nodes(tree, {node: ast.Call(ast.Name(made, ast.Load()), [], []) for node in outside})
