"""Finds what may be called, or read, through a parameter: its default, and what the calls in the run pass for it.

    def __init__(self, dim, act_layer=nn.ReLU):
        self.act = act_layer(inplace=True)

    def loss_of(model, x):
        return model.encode(x).sum()

A file out of sight may pass something else, so that this is never all.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from functools import reduce

from unplace import torchapi
from unplace.analysis.domain.refs import Class, join_refs
from unplace.analysis.domain.values import NONE
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.calling import calls_of, calls_of_base
from unplace.analysis.project.module import ModuleIndex, home, once, parents_in, uses_by_name
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for, default_of

_REFERRING = (ast.Attribute, ast.BoolOp, ast.Call, ast.IfExp, ast.Lambda, ast.Name, ast.Subscript)
"""The expressions that may give something to call."""


def called_through(program: Analysis, scope: Scope, argument: ast.arg) -> Hashable:
    """Return what a parameter may stand for when it, or a method of it, is called; None where nothing is seen."""
    if not _is_used(scope, argument):
        return None
    question = "called through", scope, argument.arg
    return program.answer(question, lambda: _join_of_passed(program, scope, argument), None)


def _join_of_passed(program: Analysis, scope: Scope, argument: ast.arg) -> Hashable:
    found: list[Hashable] = []
    for where, source in _passed(program, scope, argument):
        value = program.estimate(where, source) if isinstance(source, _REFERRING) else None
        found += [value.ref] if value is not None and value.kinds != NONE else []
    found.append(program.passed_elsewhere(scope, argument.arg).ref)
    known = [ref for ref in found if ref is not None]
    return join_refs(reduce(join_refs, known), None, is_open=True) if known else None


def _is_used(scope: Scope, argument: ast.arg) -> bool:
    """Tell whether a function calls a parameter, or reads of it what no tensor has: `model.encode(x)`, `model.scale`.

    It may also keep it for others that do so, or hand it to the constructor of its base.
    """
    node, module, name = scope.node, home(scope), argument.arg
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    if isinstance(default_of(node.args, argument), _REFERRING):
        return True
    if any(isinstance(n.value, ast.Name) and n.value.id == name and _is_of_object(n) for n in scope.of(ast.Attribute)):
        return True
    for call in scope.of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == name:
            return True
        arguments = (*call.args, *(k.value for k in call.keywords)) if last_name(call.func) == "__init__" else ()
        if any(isinstance(given, ast.Name) and given.id == name for given in arguments):
            return True
    owner = module.class_of(scope) if scope.name == "__init__" else None
    return owner is not None and any(
        isinstance(source, ast.Name) and source.id == name and _is_used_as_object(module, attribute)
        for attribute, sources in owner.assigned.items()
        for _, source in sources
    )


@once
def _is_used_as_object(module: ModuleIndex, attribute: str) -> bool:
    """Tell whether the file calls an attribute, or reads of it what no tensor has: `self.net(x)`, `self.net.encode`."""
    if module.calls_named(attribute):
        return True
    parents = ((parents_in(module, scope).get(node), node) for scope, node in uses_by_name(module).get(attribute, ()))
    return any(isinstance(p, ast.Attribute) and p.value is node and _is_of_object(p) for p, node in parents)


def _is_of_object(node: ast.Attribute) -> bool:
    """Tell whether an attribute is one that no tensor has: `model.encode`."""
    return not torchapi.is_tensor_member(node.attr)


def _passed(program: Analysis, scope: Scope, argument: ast.arg) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the default of a parameter and the arguments that calls in the file pass, with their scopes."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    default = default_of(node.args, argument)
    if default is not None and scope.parent is not None:
        yield scope.parent, default
    calls = [*calls_of(program, scope), *_calls_of_super(program, scope)] if scope.name != "<lambda>" else []
    for caller, call in calls:
        passed = argument_for(scope, call, argument.arg)
        if passed is not None:
            yield caller, passed


def _calls_of_super(program: Analysis, scope: Scope) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls of a constructor by those of derived classes."""
    owner: Class | None = home(scope).class_of(scope) if scope.name == "__init__" else None
    for derived in program.descendants(owner) if owner is not None else ():
        if owner in derived.ancestors:
            yield from calls_of_base(derived)
