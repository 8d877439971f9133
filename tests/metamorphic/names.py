"""Which scope each name of a module belongs to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(eq=False)
class Scope:
    """A scope and the names that it binds: a module, class, function, lambda or comprehension."""

    node: ast.AST
    parent: Scope | None = None
    bound: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)
    of_module: set[str] = field(default_factory=set)
    of_outer: set[str] = field(default_factory=set)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    def outwards(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def owner(self, name: str) -> Scope | None:
        """The scope that binds a name used in this one, None for a builtin."""
        *inner, module = self.outwards()
        for scope in inner:
            if name in scope.of_module:
                break
            if name in scope.bound and name not in scope.of_outer and (scope is self or not scope.is_class):
                return scope
        return module if name in module.bound else None


@dataclass(frozen=True)
class Use:
    """A node that spells a name, and the scope in which it does."""

    node: ast.AST
    name: str
    scope: Scope

    @property
    def owner(self) -> Scope | None:
        return self.scope.owner(self.name)


class Names(ast.NodeVisitor):
    """All uses of names in a module, its annotations included."""

    def __init__(self, tree: ast.Module) -> None:
        self.scope = self.module = Scope(tree)
        self.uses: list[Use] = []
        self.generic_visit(tree)

    def of(self, name: str) -> list[Use]:
        """The uses of a name that the module itself binds."""
        return [use for use in self.uses if use.name == name and use.owner is self.module]

    def _use(self, node: ast.AST, name: str, *, binds: bool = False) -> None:
        if binds:
            self.scope.bound.add(name)
        self.uses.append(Use(node, name, self.scope))

    def _inside(self, node: ast.AST, children: Iterable[ast.AST]) -> None:
        outer, self.scope = self.scope, Scope(node, self.scope)
        for child in children:
            self.visit(child)
        self.scope = outer

    def _all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._use(node, node.id, binds=not isinstance(node.ctx, ast.Load))

    def visit_arg(self, node: ast.arg) -> None:
        self._use(node, node.arg, binds=True)

    def visit_FunctionDef(self, node: Function) -> None:
        self._use(node, node.name, binds=True)
        a = node.args
        parameters = [a for a in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if a is not None]
        self._all(
            [*node.decorator_list, *a.defaults, *a.kw_defaults, *(p.annotation for p in parameters), node.returns]
        )
        self._inside(node, [*parameters, *node.body])

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        a = node.args
        self._all([*a.defaults, *a.kw_defaults])
        parameters = [a for a in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if a is not None]
        self._inside(node, [*parameters, node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._use(node, node.name, binds=True)
        self._all([*node.decorator_list, *node.bases, *node.keywords])
        self._inside(node, node.body)

    def _comprehension(self, node: Comprehension) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(node, [first.target, *first.ifs, *others, *made])

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        outer = self.scope
        self.scope = next(scope for scope in outer.outwards() if not isinstance(scope.node, comprehensions))
        self.visit(node.target)
        self.scope = outer

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._use(node, node.name, binds=True)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        name = node.asname or node.name.split(".")[0]
        self.scope.imported.add(name)
        self._use(node, name, binds=True)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self._use(node, node.name, binds=True)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.visit_MatchAs(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._use(node, node.rest, binds=True)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.of_module |= set(node.names)
        self.module.bound |= set(node.names)
        for name in node.names:
            self._use(node, name)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.of_outer |= set(node.names)
        for name in node.names:
            self._use(node, name)


def body_of(tree: ast.Module | Function) -> list[ast.stmt]:
    """The statements behind the docstring and the imports from `__future__`."""
    return tree.body[beginning(tree) :]


def beginning(tree: ast.Module | Function | ast.ClassDef) -> int:
    """The number of statements that have to stand first."""
    count = int(ast.get_docstring(tree, clean=False) is not None)
    while count < len(tree.body):
        statement = tree.body[count]
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        count += 1
    return count


def replace_nodes(tree: ast.AST, replacements: dict[ast.AST, ast.AST]) -> None:
    """Put other nodes in the places of some."""

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return replacements[node] if node in replacements else self.generic_visit(node)

    Replace().visit(tree)
