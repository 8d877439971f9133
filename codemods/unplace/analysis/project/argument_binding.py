"""Finds the parameter that takes an argument of a call, or a default, in a function or constructor of the file.

def __init__(self, dim, act=nn.ReLU(inplace=True)):         of `__init__`: `act`
super().__init__(dim, act=nn.ReLU(inplace=True))            that of the base class
blocks = [Block(dim, act) for _ in range(3)]                that of `Block`
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Class, Function
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for, default_of


def taken_by(program: Analysis, caller: Scope, call: ast.Call, node: ast.expr) -> tuple[Scope, str] | None:
    """Return the function of the file that gets the value of an argument of a call, and for which parameter."""
    scope = _called(program, caller, call.func)
    for parameter in scope.parameters if scope is not None else ():
        if scope is not None and argument_for(scope, call, parameter.arg) is node:
            return scope, parameter.arg
    return None


def default_for(module: ModuleIndex, node: ast.expr, arguments: ast.arguments) -> tuple[Scope, str] | None:
    """Return the function whose parameter has an expression for its default, and the parameter."""
    for scope in module.scopes.by_node.values():
        if getattr(scope.node, "args", None) is arguments:
            return next(((scope, a.arg) for a in scope.parameters if default_of(arguments, a) is node), None)
    return None


def _called(program: Analysis, caller: Scope, callee: ast.expr) -> Scope | None:
    """Return the function of the file that a call certainly runs: a plain function, or the constructor of a class."""
    module = program.module
    if isinstance(callee, ast.Attribute) and callee.attr == "__init__":
        owner = module.class_of(caller)
        is_super = isinstance(callee.value, ast.Call) and ast.unparse(callee.value.func) == "super"
        return _constructor(module, owner.linearized()[1:]) if owner is not None and is_super else None
    ref = program.estimate(caller, callee).ref
    if isinstance(ref, Class):
        return _constructor(module, ref.linearized())
    return ref.scope if isinstance(ref, Function) and module.owns(ref.scope) else None


def _constructor(module: ModuleIndex, family: list[Class]) -> Scope | None:
    """Return the constructor of the first of some classes, in the order in which Python looks it up."""
    for cls in family:
        if cls.intercepts("__init__") or not module.owns(cls.scope):
            return None
        if cls.defines("__init__"):
            return next((inner for inner in cls.scope.inner if inner.name == "__init__"), None)
    return None
