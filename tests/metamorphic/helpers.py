"""The functions of a module that can be put elsewhere."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from metamorphic.names import Names, Scope, Use


@dataclass(frozen=True)
class Helper:
    """A function of the module and the uses of its name."""

    node: ast.FunctionDef
    uses: tuple[Use, ...]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def defaults(self) -> list[ast.expr]:
        return [*self.node.args.defaults, *(default for default in self.node.args.kw_defaults if default is not None)]

    @property
    def callers(self) -> set[str]:
        """The functions of the module in which it is used, "" for a class or the module itself."""
        tops = [top_around(use) for use in self.uses if not is_within(use.scope, self.node)]
        return {top.name if isinstance(top, ast.FunctionDef) else "" for top in tops}

    def parameters(self) -> set[str]:
        return {node.arg for node in ast.walk(self.node.args) if isinstance(node, ast.arg)}

    def take_self(self) -> None:
        """Give it a first parameter `self`."""
        arguments = self.node.args
        (arguments.posonlyargs or arguments.args).insert(0, ast.arg("self"))


def helpers(tree: ast.Module, names: Names) -> list[Helper]:
    """The functions of a module but `example()`: plain ones whose names are only read."""
    found = []
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name == "example" or node.decorator_list or _mangles(node):
            continue
        uses = [use for use in names.of(node.name) if use.node is not node]
        is_read = all(isinstance(use.node, ast.Name) and isinstance(use.node.ctx, ast.Load) for use in uses)
        if uses and is_read and not any(isinstance(parents[use.node], ast.Attribute) for use in uses):
            found.append(Helper(node, tuple(uses)))
    return found


def _mangles(function: ast.FunctionDef) -> bool:
    """Whether a name of the function would mean another one in a class."""
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | {function.name}
    names |= {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute)}
    return any(name.startswith("__") and not name.endswith("__") for name in names)


def is_within(scope: Scope, node: ast.AST) -> bool:
    """Whether a scope is that of a node or lies in it."""
    return any(outer.node is node for outer in scope.outwards())


def top_around(use: Use) -> ast.AST | None:
    """The class or function of the module in whose body a name is used."""
    nodes = [scope.node for scope in use.scope.outwards()]
    return nodes[-2] if len(nodes) > 1 else None


def function_around(use: Use) -> ast.FunctionDef | None:
    """The function of the module, or the method of one of its classes, in whose body a name is used."""
    nodes = [scope.node for scope in use.scope.outwards()][-2::-1]
    first = nodes[1] if len(nodes) > 1 and isinstance(nodes[0], ast.ClassDef) else nodes[0] if nodes else None
    return first if isinstance(first, ast.FunctionDef) else None
