"""Tells whether evaluating an expression reads the memory of tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unplace import torchapi
from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Function, Named, alternatives
from unplace.analysis.domain.values import CALLABLE, DICT, LIST, MODULE, TENSOR, TUPLE, UNKNOWN, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import children, walk
from unplace.analysis.syntax.scopes import Scope

_OPAQUE = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_HOLDS_MEMORY = TENSOR | UNKNOWN | LIST | TUPLE | DICT | CALLABLE | MODULE


def reads(run: Run, node: ast.AST, state: Facts, objs: Objs) -> bool:
    """Tell whether evaluating `node` reads the memory of these objects; reading a tensor's shape or dtype doesn't."""
    value = run.values.get(node) if isinstance(node, ast.expr) else None
    if value is not None and isinstance(node, ast.Attribute | ast.Call) and not value.may_be(_HOLDS_MEMORY):
        return isinstance(node, ast.Call) and any(reads(run, a, state, objs) for a in node.args)
    if value is not None and value.objs and isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        if state.may_share(state.reachable(value.objs), objs):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return False  # what else the object holds isn't read
    if isinstance(node, ast.Call):
        callee = run.values.get(node.func)
        functions = [ref for ref in alternatives(callee.ref) if isinstance(ref, Function)] if callee is not None else []
        if any(_captures(function, run.scope, state, objs) for function in functions):
            return True
    if isinstance(node, ast.Name):
        held = state.env.get(node.id)
        if held is not None and held.objs and state.may_share(state.reachable(held.objs), objs):
            return True
    return any(reads(run, child, state, objs) for child in children(node))


def may_save(run: Run, nodes: Iterable[ast.AST], state: Facts, objs: Objs) -> bool:
    """Tell whether evaluating nodes may save the memory of these objects, or calls what isn't an operator of torch.

    `node` of an in-place operation stands for what the operation saves itself.
    """
    first, *rest = nodes
    inside = [*walk(first)]
    evaluated = {*inside, *rest}
    if any(saved.node in evaluated for obj in objs for saved in state.saved.get(obj, ())):
        return True
    return any(isinstance(n, _OPAQUE) or (isinstance(n, ast.Call) and not computes(run, n)) for n in inside)


def computes(run: Run, call: ast.Call) -> bool:
    """Tell whether a call is one of torch's operators, or of a built-in function or method of what is no tensor."""
    callee = run.values.get(call.func)
    if callee is not None and isinstance(callee.ref, Named):
        return torchapi.function(callee.ref.qualified) is not None or callee.ref.qualified.startswith("builtins.")
    receiver = run.values.get(call.func.value) if isinstance(call.func, ast.Attribute) else None
    is_of_tensor = receiver is not None and receiver.must_be(TENSOR)
    return is_of_tensor and isinstance(call.func, ast.Attribute) and torchapi.tensor_method(call.func.attr) is not None


def computes_alike(run: Run, call: ast.Call) -> bool:
    """Tell whether a call of one of torch's operators gives the same value each time: it draws and writes nothing."""
    name = run.program.module.qualified(run.scope, call.func)
    operator = torchapi.function(name) if name is not None else None
    if operator is None and isinstance(call.func, ast.Attribute):
        operator = torchapi.tensor_method(call.func.attr)
    return computes(run, call) and operator is not None and not operator.random and call not in run.writes


def _captures(function: Function, scope: Scope, state: Facts, objs: Objs) -> bool:
    """Tell whether a function of this scope may read the memory through a captured name."""
    held = [state.env[n].objs for n in function.captured(scope) if n in state.env]
    return any(objs_ and state.may_share(state.reachable(objs_), objs) for objs_ in held)
