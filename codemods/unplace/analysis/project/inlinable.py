"""Finds the functions whose statements may stand for a call: of the file, of its objects, of other files of the run.

update(opt, loss)               a function, here or in a file that this one imports it from
self.backward_D()               a method of the own class
gan.backward(loss)              a method of the class that made `gan`
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from unplace.analysis.domain.refs import Class, Member
from unplace.analysis.project.calling import parameters_of, takes
from unplace.analysis.project.makers import class_made
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.overriding import methods_of
from unplace.analysis.syntax.bindings import last_name, root_name
from unplace.analysis.syntax.nodes import FUNCTIONS, walk
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for, default_for
from unplace.torchapi import modules

_UNFIT = (
    *FUNCTIONS,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Import,
    ast.ImportFrom,
)


class Inlinable(NamedTuple):
    """A function whose statements may stand for a call, the class of a method, and the object that it is called on."""

    scope: Scope
    owner: Class | None = None
    receiver: ast.expr | None = None

    @property
    def function(self) -> ast.FunctionDef:
        """The definition of the function."""
        assert isinstance(self.scope.node, ast.FunctionDef)
        return self.scope.node

    def given(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """Return the argument of a call for each parameter; None where the call doesn't show them one by one."""
        scope, signature = self.scope, self.function.args
        unpacked = [*(a for a in call.args if isinstance(a, ast.Starred)), *(k for k in call.keywords if k.arg is None)]
        if signature.vararg or signature.kwarg or unpacked or not takes(scope, call):
            return None
        positional = [*signature.posonlyargs, *signature.args]
        receivers = positional[: len(positional) - len(parameters_of(scope))]
        given: dict[str, ast.expr] = {}
        for parameter in scope.parameters:
            argument = self.receiver
            if parameter not in receivers:
                argument = argument_for(scope, call, parameter.arg) or default_for(scope, parameter.arg)
            if argument is None:
                return None
            given[parameter.arg] = argument
        return given


class Functions:
    """The functions and classes that the calls of a file may run; `read` are the other files that these are in."""

    def __init__(self, module: ModuleIndex) -> None:
        """Index the functions of a file, and those that it imports and calls."""
        self._module = module
        self._imported: dict[ast.expr, Scope | Class] = {}
        self.read: set[str] = set()
        self.by_name: dict[str, list[ast.AST]] = {}
        self._add(module.scopes.by_node)
        for cls in module.classes.values():
            self._add_constructor(cls)
        members: dict[Member, Scope | Class | None] = {}
        for scope in module.scopes.by_node.values() if module.place is not None else ():
            for call in scope.of(ast.Call):
                member = module.member(scope, call.func) if root_name(call.func) in module.imports.names else None
                if member is None:
                    continue
                if member not in members:
                    members[member] = self._of_other(member)
                if (found := members[member]) is not None:
                    self._imported[call.func] = found

    def _of_other(self, member: Member) -> Scope | Class | None:
        """Return the function or class of another file that the file calls, and add what its calls may run."""
        assert self._module.place is not None
        other = self._module.place.others.module_at(member.path)
        if other is None:
            return None
        self.read.add(member.path)
        for definition in other.tree.body:
            if isinstance(definition, ast.FunctionDef) and definition.name == member.name:
                self._add([definition])
                return other.scopes.by_node[definition]
            if isinstance(definition, ast.ClassDef) and definition.name == member.name:
                cls = other.classes[definition]
                self._add_constructor(cls)
                self._add(method for base in cls.linearized() for method in base.node.body)
                return cls
        return None

    def call(self, names: Collection[str]) -> bool:
        """Tell whether the file, or what it calls of other files, calls something of one of some names."""
        if any(map(self._module.calls_named, names)):
            return True
        for found in dict.fromkeys(self._imported.values()):
            nodes = [found.node] if isinstance(found, Scope) else [base.node for base in found.linearized()]
            calls = (part for node in nodes for part in walk(node) if isinstance(part, ast.Call))
            if any(last_name(call.func) in names for call in calls):
                return True
        return False

    def _add(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                self.by_name.setdefault(node.name, []).append(node)

    def _add_constructor(self, cls: Class) -> None:
        constructor = methods_of(cls, "__init__", ()).only
        if constructor is not None:
            self.by_name.setdefault(cls.node.name, []).append(constructor.scope.node)

    def named(self, node: ast.expr) -> Inlinable | None:
        """Return the function that a name or a dotted name of the file stands for."""
        found = self._imported.get(node)
        if isinstance(node, ast.Name) and found is None:
            sources = self._module.bindings(self._module.scopes.module).sources.get(node.id, [])
            only = sources[0] if len(sources) == 1 else None
            found = self._module.scopes.by_node[only] if isinstance(only, ast.FunctionDef) else None
        return Inlinable(found) if isinstance(found, Scope) else None

    def made_by(self, call: ast.Call) -> tuple[Class, ast.Call] | None:
        """Return the class whose object a call makes, and the call of that class: `Net()` of `Net().to(device)`."""
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in modules.RETURNING_ITSELF:
            return self.made_by(function.value) if isinstance(function.value, ast.Call) else None
        found = self._imported.get(function) or class_made(self._module, call)
        return (found, call) if isinstance(found, Class) else None

    def method(self, owner: Class, call: ast.Call) -> Inlinable | None:
        """Return the method of an object of a class that a call runs.

        The `forward` of a module stays a call, by which the module uses its weights, unless it only fills attributes.
        """
        callee = call.func
        if not isinstance(callee, ast.Attribute):
            return None
        method = methods_of(owner, callee.attr, ()).only
        if method is not None and callee.attr == "forward" and owner.is_module and method.scope.of(ast.Return):
            return None
        if method is None and callee.attr == "optimizers":
            method = methods_of(owner, modules.MAKING_OPTIMIZERS, ()).only
        if method is None or not isinstance(method.scope.node, ast.FunctionDef):
            return None
        return Inlinable(method.scope, owner, callee.value)


def is_fit(function: ast.FunctionDef) -> bool:
    """Tell whether a function's statements may stand for its call: it returns at its end alone, if at all."""
    if any(not isinstance(d, ast.Name) or d.id != "staticmethod" for d in function.decorator_list):
        return False
    inside = [node for statement in function.body for node in walk(statement)]
    returns = [node for node in inside if isinstance(node, ast.Return)]
    return all(node is function.body[-1] for node in returns) and not any(isinstance(n, _UNFIT) for n in inside)


def stored(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that are bound or deleted below some nodes."""
    names = (part for node in nodes for part in walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if not isinstance(name.ctx, ast.Load)}


def is_plain(value: ast.expr) -> bool:
    """Tell whether a name for a value can be replaced by it: it is a path or a constant."""
    return path_of(value) is not None or isinstance(value, ast.Constant)
