"""Tells whether evaluating an expression reads the memory of tensors."""

from __future__ import annotations

import ast

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Function, alternatives
from unplace.analysis.domain.values import CALLABLE, DICT, LIST, MODULE, TENSOR, TUPLE, UNKNOWN, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import children
from unplace.analysis.syntax.scopes import Scope

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


def _captures(function: Function, scope: Scope, state: Facts, objs: Objs) -> bool:
    """Tell whether a function of this scope may read the memory through a captured name."""
    held = [state.env[n].objs for n in function.captured(scope) if n in state.env]
    return any(objs_ and state.may_share(state.reachable(objs_), objs) for objs_ in held)
