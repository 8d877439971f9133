"""The program with its functions in classes: in those that use them, or in one of their own."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from metamorphic.helpers import Helper, function_around, helpers, top_around
from metamorphic.names import Names, Use, replace_nodes

CLASS = "Program"


def as_methods(tree: ast.Module) -> bool:
    """`def f(x): ...` becomes a method of the class that calls it, or of a new one: `Program().f`."""
    return _in_classes(tree, static=False)


def as_static_methods(tree: ast.Module) -> bool:
    """The same with `@staticmethod`, and `Program.f`."""
    return _in_classes(tree, static=True)


@dataclass(frozen=True)
class Homes:
    """The functions that move, and the class of each: the only one that uses it, directly or through such functions."""

    helpers: dict[ast.AST, Helper]
    classes: dict[str, ast.ClassDef]

    @classmethod
    def of(cls, found: list[Helper]) -> Homes:
        homes = cls({helper.node: helper for helper in found}, {})
        while True:
            new = {h.name: home for h in found if h.name not in homes.classes and (home := homes._home(h)) is not None}
            if not new:
                return homes
            homes.classes.update(new)

    def _home(self, helper: Helper) -> ast.ClassDef | None:
        (home, *others) = {self._user(use) for use in helper.uses}
        return None if others else home

    def _user(self, use: Use) -> ast.ClassDef | None:
        outer = self.helpers.get(top_around(use) or use.node)
        return _class_around(use) if outer is None else self.classes.get(outer.name)

    def spelt(self, helper: Helper, use: Use, *, static: bool) -> ast.Attribute:
        """The function as one of its uses names it: `self.f`, `Program().f` or `Program.f`."""
        home = self.classes.get(helper.name)
        around = self.helpers.get(top_around(use) or use.node)
        sibling = around is not None and self.classes.get(around.name) is home
        if (sibling and not static) or (home is not None and not sibling):
            return ast.Attribute(ast.Name("self", ast.Load()), helper.name, ast.Load())
        name = ast.Name(CLASS if home is None else home.name, ast.Load())
        return ast.Attribute(name if static else ast.Call(name, [], []), helper.name, ast.Load())


def _class_around(use: Use) -> ast.ClassDef | None:
    """The class of the module in whose method a name is used, if `self` can be read there."""
    top, method, owner = top_around(use), function_around(use), use.scope.owner("self")
    if not isinstance(top, ast.ClassDef) or method is None or method.decorator_list or method.name == "__init__":
        return None
    return top if owner is not None and owner.node is method and method.args.args[0].arg == "self" else None


def _in_classes(tree: ast.Module, *, static: bool) -> bool:
    names = Names(tree)
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found = [h for h in helpers(tree, names) if not ({"self", CLASS} & h.parameters() or _is_needed_early(tree, h))]
    if not found or CLASS in names.module.bound or attributes & {helper.name for helper in found}:
        return False
    homes = Homes.of(found)
    spelt: dict[ast.AST, ast.AST] = {u.node: homes.spelt(h, u, static=static) for h in found for u in h.uses}
    own = [helper.node for helper in found if helper.name not in homes.classes]
    if own:
        made = ast.parse(f"class {CLASS}:\n    pass").body[0]
        assert isinstance(made, ast.ClassDef)
        made.body = [*own]
        tree.body[tree.body.index(own[-1])] = made
    for helper in found:
        if static:
            helper.node.decorator_list = [ast.Name("staticmethod", ast.Load())]
        else:
            helper.take_self()
        if helper.name in homes.classes:
            homes.classes[helper.name].body.append(helper.node)
    tree.body = [statement for statement in tree.body if statement not in homes.helpers]
    replace_nodes(tree, spelt)
    return True


def _is_needed_early(tree: ast.Module, helper: Helper) -> bool:
    """Whether the module itself may call a function while it is executed, or takes it as a default."""
    return any(use.scope.node is tree or isinstance(use.scope.node, ast.ClassDef) for use in helper.uses)
