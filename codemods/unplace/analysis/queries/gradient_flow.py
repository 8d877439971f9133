"""The flow of gradients in one function: what an expression is computed from, as far as a gradient flows.

It doesn't flow through `detach()`, comparisons, code under `no_grad`, or functions that can't be looked into.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace import torchapi
from unplace.analysis.project.lowering import is_element
from unplace.analysis.project.module import ModuleIndex, reaching_in
from unplace.analysis.project.recording import mode_at
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.flow import Flow
from unplace.analysis.syntax.nodes import COMPREHENSIONS, DISPLAYS, FUNCTIONS, SCOPES, children, walk
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import members, modes, modules

_TRANSPARENT = frozenset(["builtins.sum", "builtins.list", "builtins.tuple", "builtins.max", "builtins.min"])
"""Built-in functions whose result has the graph of their arguments."""


class GradientFlow:
    """The flow of gradients in one scope, as far as its own statements show it."""

    def __init__(self, module: ModuleIndex, scope: Scope) -> None:
        """Index the statements and the definitions of a function or of the module's own code."""
        assert isinstance(scope.node, ast.FunctionDef | ast.Module)
        self.module, self.scope = module, scope
        self.statements = Flow(scope.node.body)
        self._reaching = reaching_in(module, scope)
        self._elements: dict[str | None, list[ast.Attribute]] = {}
        for store in scope.of(ast.Attribute):
            if is_element(store) and isinstance(store.ctx, ast.Store):
                self._elements.setdefault(path_of(store.value), []).append(store)
        itself = (call.func for call in scope.of(ast.Call))
        self.detached = {path_of(f.value) for f in itself if isinstance(f, ast.Attribute) and f.attr == "detach_"}
        self.detached_in_part = {path_of(s.targets[0]) for s in scope.of(ast.Assign) if self.detaches(s)}

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement of the scope that contains a node."""
        parents = self.module.scopes.parents
        while not (isinstance(node, ast.stmt) and self.statements.spot(node) is not None):
            node = parents[node]
        return node

    def order(self, node: ast.AST) -> int:
        """Return the place of the statement that contains a node among all of the scope."""
        spot = self.statements.spot(self.statement(node))
        assert spot is not None
        return spot.order

    def records(self, node: ast.AST) -> bool:
        """Tell whether autograd records where a node stands."""
        return mode_at(self.module, self.scope, node).records

    def behind(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over all names, paths and calls of modules that an expression is computed from in the scope."""
        todo, seen = [node], set[object]()
        while todo:
            for part in self.parts(todo.pop()):
                yield part
                for definition in self._reaching.seen_by.get(part, frozenset()) - seen:
                    seen.add(definition)
                    source = self.source(definition)
                    todo += [source[0]] if source is not None else []

    def is_from_outside(self, part: ast.AST) -> bool:
        """Tell whether a name or path may still have the value that it had where the scope was entered."""
        path = path_of(part)
        return path in self._reaching.seen_by.get(part, {path})

    def is_detached(self, path: str) -> bool:
        """Tell whether some statement of the scope detaches what a name or path holds, or a part of it."""
        return path in self.detached or path in self.detached_in_part

    def stores(self, path: str) -> list[ast.Assign]:
        """Return the assignments of the scope that bind a name or path."""
        found = self.scope.of(ast.Assign)
        return [each for each in found if any(path_of(node) == path for t in each.targets for node in walk(t))]

    def definitions(self, part: ast.AST, where: ast.stmt) -> Iterator[object]:
        """Iterate over what binds a name or path that is read, and its elements where it is read as a whole."""
        yield from self._reaching.seen_by.get(part, ())
        for element in self._elements.get(path_of(part), ()):
            if self.order(element) < self.order(where):
                yield element

    def source(self, definition: object) -> tuple[ast.AST, ast.stmt] | None:
        """Return the expression that a definition binds, and its statement; None for loops, imports and the like."""
        if not isinstance(definition, ast.Name | ast.Attribute):
            return None
        statement = self.statement(definition)
        if isinstance(statement, ast.AugAssign):
            return ast.Tuple([definition, statement.value], ast.Load()), statement
        if isinstance(statement, ast.AnnAssign):
            return (statement.value, statement) if statement.value is not None else None
        if not isinstance(statement, ast.Assign) or not any(definition in walk(t) for t in statement.targets):
            return None
        target, value = statement.targets[0], statement.value
        if isinstance(target, DISPLAYS) and isinstance(value, DISPLAYS) and len(target.elts) == len(value.elts):
            value = next((v for t, v in zip(target.elts, value.elts, strict=True) if t is definition), value)
        return value, statement

    def parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over the names, paths and calls of modules in an expression through which a gradient flows to it."""
        if isinstance(node, ast.Call):
            yield from self._through_call(node)
        elif isinstance(node, ast.Attribute):
            if node.attr in members.WITHOUT_GRAPH:
                return
            yield node
            if self.is_from_outside(node):
                yield from self.parts(node.value)
        elif isinstance(node, ast.Name):
            yield node
        elif isinstance(node, COMPREHENSIONS):
            inner = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            parts = [part for element in inner for part in self.parts(element)]
            yield from parts
            read = {path_of(part) for part in parts}
            for generator in node.generators:
                if not read.isdisjoint(map(path_of, walk(generator.target))):
                    yield from self.parts(generator.iter)
        elif isinstance(node, ast.IfExp):
            yield from (part for branch in (node.body, node.orelse) for part in self.parts(branch))
        elif isinstance(node, ast.Subscript | ast.Starred):
            yield from self.parts(node.value)
        elif type(node) not in SCOPES and not isinstance(node, ast.Compare | ast.JoinedStr):
            yield from (part for child in children(node) for part in self.parts(child))

    def _through_call(self, node: ast.Call) -> Iterator[ast.AST]:
        """Iterate over the same parts of a call's receiver and arguments, and over the call if it may run a module."""
        name = last_name(node.func) or ""
        qualified = self.module.qualified(self.scope, node.func, with_builtins=True)
        is_torch = qualified is not None and qualified.startswith("torch.")
        if name in members.WITHOUT_GRAPH or name.endswith("_like") or name.startswith("new_"):
            return
        if qualified is not None and not is_torch and qualified not in _TRANSPARENT:
            return
        if not is_torch and self._may_cut(node.func):
            return
        is_method = isinstance(node.func, ast.Attribute) and torchapi.tensor_method(name) is not None
        if not is_torch and not is_method and name not in modules.NOT_RUNNING:
            if self.records(node) and callee_of(node):
                yield node
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from self.parts(argument)
        if is_method:
            yield from self.parts(node.func.value)  # type: ignore[attr-defined]

    def detaches(self, statement: ast.Assign) -> bool:
        """Tell whether an assignment detaches what it reads: `h = tuple(part.detach() for part in h)`."""
        path = path_of(statement.targets[0])
        return (
            path is not None
            and any(path_of(node) == path for node in walk(statement.value))
            and all(path_of(part) != path for part in self.parts(statement.value))
        )

    def _may_cut(self, callee: ast.expr) -> bool:
        """Tell whether a function or method of the file detaches something or turns autograd off, and so may cut."""
        found: list[Scope] = []
        if isinstance(callee, ast.Name):
            owner = self.module.scopes.owner(self.scope, callee.id)
            sources = self.module.bindings(owner).sources.get(callee.id, []) if owner is not None else []
            found = [self.module.scopes.by_node[source] for source in sources if isinstance(source, FUNCTIONS)]
        elif isinstance(callee, ast.Attribute) and path_of(callee.value) == "self":
            own = self.module.class_of(self.scope)
            family = own.linearized() if own is not None else []
            found = [inner for cls in family for inner in cls.scope.inner if inner.name == callee.attr]
        cutting = members.WITHOUT_GRAPH.union(modes.SWITCHING_OFF)
        named = ({a.attr for a in f.of(ast.Attribute)} | {n.id for n in f.names} for f in found)
        return any(not cutting.isdisjoint(names) for names in named)


def callee_of(call: ast.Call) -> str:
    """Return the path of a called object: `net` for `net(x)` and `net.forward(x)`; empty for any other callee."""
    path = path_of(call.func) or ""
    return path.removesuffix(".forward")
