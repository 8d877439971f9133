"""Scopes: the names that a function binds, and which of them inner functions read or rebind."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from unplace.analysis.syntax.nodes import SCOPES, TRIES, children, walk
from unplace.diagnostics.forms import WRITING, has_true, looks_in_place, names_operation

N = TypeVar("N", bound=ast.AST)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module | ast.ClassDef
_SPECIAL = frozenset(
    [
        *(ast.Import, ast.ImportFrom, ast.GeneratorExp, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await),
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
    ]
)
_INDEXED = frozenset(
    [
        *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension),
        *(ast.withitem, ast.Return, ast.Yield, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.Dict),
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        *(*TRIES, ast.With, ast.AsyncWith),
    ]
)


@dataclass(slots=True, eq=False)
class Scope:
    """One function, lambda, class body or module.

    `captured` holds the names bound here that an inner scope reads. `volatile` holds those that an inner scope rebinds
    (by `nonlocal`, or by `global` for the module), so that any call may change them.
    """

    node: FunctionNode
    name: str
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)  # bound by something other than an import
    read: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    volatile: set[str] = field(default_factory=set)
    inner: list[Scope] = field(default_factory=list)
    suspends: bool = False  # has yield or await
    nodes: list[ast.AST] = field(default_factory=list)  # in the order of the source, of the types in `_INDEXED`
    _by_type: dict[type, list[Any]] = field(default_factory=dict)
    names: list[ast.Name] = field(default_factory=list)
    suspects: list[ast.AST] = field(default_factory=list)  # what looks like in-place operations, called or not

    @property
    def is_module(self) -> bool:
        """Tell whether the scope is the module itself."""
        return type(self.node) is ast.Module

    @property
    def is_class(self) -> bool:
        """Tell whether the scope is a class body."""
        return type(self.node) is ast.ClassDef

    @property
    def enclosing_class(self) -> ast.ClassDef | None:
        """The class whose body directly contains the function, if there is one."""
        parent = self.parent
        return parent.node if parent is not None and isinstance(parent.node, ast.ClassDef) else None

    @property
    def parameters(self) -> list[ast.arg]:
        """All parameters in order; empty for the module and for classes."""
        if isinstance(self.node, ast.Module | ast.ClassDef):
            return []
        return all_parameters(self.node.args)

    def of(self, kind: type[N]) -> Sequence[N]:
        """Return the nodes of one of the types in `_INDEXED`, in the order of the source."""
        if not self._by_type:
            for node in self.nodes:
                self._by_type.setdefault(type(node), []).append(node)
        return self._by_type.get(kind, ())

    def rebinding(self, name: str) -> list[Scope]:
        """Return the scopes inside this one that rebind one of its names, by `nonlocal` or `global`."""
        if name not in self.volatile:
            return []
        within = [scope for inner in self.inner for scope in inner.all_inside()]
        return [scope for scope in within if name in (scope.global_names if self.is_module else scope.nonlocal_names)]

    def all_inside(self) -> Iterator[Scope]:
        """Iterate over the scope itself and all scopes inside it."""
        yield self
        for inner in self.inner:
            yield from inner.all_inside()

    @property
    def module(self) -> Scope:
        """The scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def free_names(self) -> set[str]:
        """Return the names used here or in inner scopes that this scope doesn't bind itself."""
        return self.all_names() - self.bound

    def all_names(self) -> set[str]:
        """Return all names that mean something here or in inner scopes, which a new name must avoid."""
        names = self.bound | self.read | self.global_names | self.nonlocal_names
        for scope in self.inner:
            names |= scope.all_names()
        return names


def all_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters of a signature, left to right."""
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found


def variadic(scope: Scope) -> list[ast.arg]:
    """Return the parameters `*args` and `**kwargs` of a function, as far as it has them."""
    arguments = getattr(scope.node, "args", None)
    return [a for a in (arguments.vararg, arguments.kwarg) if a is not None] if arguments is not None else []


class Scopes:
    """The scopes of a module, by node."""

    def __init__(self, module: Scope) -> None:
        """Collect the scopes in that of a module, and find out which scopes see whose names."""
        self.by_node: dict[ast.AST, Scope] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        self._consumed: set[ast.AST] = set()  # generators that the call that takes them runs through at once
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.flagged: list[tuple[ast.Call, Scope]] = []  # the calls with a `True` that may be `inplace`
        self.handed: set[str] = set()  # the names of attributes like `x.mul_` that are used without being called
        self.texts: dict[str, list[ast.Constant]] = {}  # the literal texts
        self.module = module
        assert isinstance(module.node, ast.Module)
        self.by_node[module.node] = module
        self.parents.update(dict.fromkeys(module.node.body, module.node))
        self._visit(module.node.body, module)
        self._resolve(self.module)

    def runs_at_once(self, node: ast.AST) -> bool:
        """Tell whether a generator expression is an argument of a call, which runs through it at once."""
        return node in self._consumed

    def around(self, node: ast.AST) -> Scope:
        """Return the innermost scope whose definition contains a node."""
        while (outer := self.parents[node]) not in self.by_node:
            node = outer
        return self.by_node[outer]

    def _open(self, node: FunctionNode, name: str, parent: Scope) -> Scope:
        scope = Scope(node, name, parent)
        self.by_node[node] = scope
        parent.inner.append(scope)
        return scope

    def _visit(self, body: Sequence[ast.AST], scope: Scope) -> None:
        """Record what the nodes mean for their scope, in the order of the source."""
        todo, parents = list(reversed(body)), self.parents
        while todo:
            current: Any = todo.pop()
            kind = type(current)
            if kind is ast.Name:
                scope.names.append(current)
                if type(current.ctx) is ast.Load:
                    scope.read.add(current.id)
                else:
                    scope.bound.add(current.id)
                    scope.assigned.add(current.id)
                continue
            if kind is ast.Constant:
                if type(current.value) is str:
                    self.texts.setdefault(current.value, []).append(current)
                continue
            if kind in _INDEXED:
                scope.nodes.append(current)
            if kind in SCOPES:
                todo += reversed(self._enter(current, scope))
                continue
            if kind in WRITING and looks_in_place(current):
                scope.suspects.append(current)
                if kind is ast.Call and has_true(current):
                    self.flagged.append((current, scope))
            if kind is ast.Attribute and names_operation(current.attr) and not self._is_called(current):
                self.handed.add(current.attr)
                scope.suspects.append(current)
            if kind is ast.Call:
                self._consumed.update(a for a in current.args if type(a) is ast.GeneratorExp)
            elif kind in _SPECIAL:
                self._note(current, scope)
            below = children(current)
            parents.update(dict.fromkeys(below, current))
            todo += below[::-1]

    def _is_called(self, node: ast.Attribute) -> bool:
        caller = self.parents.get(node)
        return isinstance(caller, ast.Call) and caller.func is node

    def _note(self, node: Any, scope: Scope) -> None:
        """Record a node that binds names other than by assigning to them, or that changes what names mean."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.imports.append((node, scope))
            scope.bound.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.GeneratorExp):
            if node not in self._consumed:
                scope.captured.update(n.id for n in walk(node) if isinstance(n, ast.Name))
        elif isinstance(node, ast.Global):
            scope.global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocal_names.update(node.names)
        elif isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            scope.suspends = True
        elif isinstance(node, ast.MatchMapping):
            scope.bound.update([node.rest] if node.rest else [])
        elif node.name:
            scope.bound.add(node.name)

    def _enter(self, node: ast.FunctionDef | ast.Lambda | ast.ClassDef, scope: Scope) -> list[ast.AST]:
        """Open an inner scope, and return the parts of the definition that belong to the outer one."""
        outside: list[ast.AST] = []
        self.parents.update(dict.fromkeys(children(node), node))
        inner = self._open(node, getattr(node, "name", "<lambda>"), scope)
        body: list[ast.AST]
        if isinstance(node, ast.ClassDef):
            scope.bound.add(node.name)
            scope.assigned.add(node.name)
            outside += [*node.bases, *node.keywords, *node.decorator_list]
            body = list(node.body)
        else:
            arguments = node.args
            self.parents.update(
                (part, whole) for whole in (arguments, *all_parameters(arguments)) for part in children(whole)
            )
            outside += [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
            inner.bound.update(a.arg for a in all_parameters(arguments))
            inner.assigned.update(a.arg for a in all_parameters(arguments))
            if isinstance(node, ast.Lambda):
                body = [node.body]
            else:
                scope.bound.add(node.name)
                scope.assigned.add(node.name)
                outside += node.decorator_list
                outside += [a.annotation for a in all_parameters(arguments) if a.annotation]
                outside += [node.returns] if node.returns is not None else []
                body = list(node.body)
        self._visit(body, inner)
        return outside

    def _resolve(self, scope: Scope) -> None:
        scope.bound -= scope.global_names | scope.nonlocal_names
        for inner in scope.inner:
            self._resolve(inner)
        for name in (scope.read | scope.global_names | scope.nonlocal_names) - scope.bound:
            owner = self._owner(scope, name)
            if owner is not None and owner is not scope:
                owner.captured.add(name)
                if name in scope.global_names or name in scope.nonlocal_names:
                    owner.volatile.add(name)

    def _owner(self, scope: Scope, name: str) -> Scope | None:
        """Return the scope that a free name of `scope` refers to."""
        if name in scope.global_names:
            return self.module
        outer = scope.parent
        while outer is not None:
            if not outer.is_class and (name in outer.bound or outer.is_module):
                return outer
            outer = outer.parent
        return None

    def owner(self, scope: Scope, name: str) -> Scope | None:
        """Return the scope that binds a name used in `scope`, or None for a builtin or unknown name."""
        if name in scope.bound:
            return scope
        found = self._owner(scope, name)
        return found if found is not None and name in found.bound else None
