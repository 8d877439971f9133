"""Tells whether a name of a function that inner functions rebind is the only holder of its tensor.

def make_filter(alpha):
    state = None
    def update(x):
        nonlocal state
        state = torch.exp(x) if state is None else state * alpha      only ever a new tensor
        return torch.log(state)                                       which is only computed with

No other code can reach the name, so that all its uses are in sight.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace import torchapi
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import NUMBER, TENSOR, Obj, Origin
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.project.module import parents_in, uses_by_name
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import View

_COMPUTED = (ast.BinOp, ast.Compare)


def is_held_by_name_alone(run: Run, obj: Obj) -> bool:
    """Tell whether a free name of a function holds tensors that the code made for it, and hands them to nothing."""
    return obj.origin is Origin.CLOSURE and _is_held_alone(run.program, run.scope, obj.label.strip("`"))


def second_holder(run: Run, obj: Obj) -> Reason | None:
    """Return what goes on holding the tensor of a free name: `x` of `state = x`, callers after `return state[0]`."""
    name = obj.label.strip("`")
    owner = run.program.module.scopes.owner(run.scope, name)
    for node in run.scope.of(ast.Return):
        if isinstance(node.value, ast.Name) and node.value.id == name:
            return Refusal.HANDED_OUT(name=name, function=run.scope.name)
    if obj.origin is Origin.CLOSURE and any(obj in state.seen(value.objs) for value, state in run.returns):
        return Refusal.HANDED_OUT(name=name, function=run.scope.name)
    for scope in owner.rebinding(name) if owner is not None else ():
        for source in run.program.module.bindings(scope).sources.get(name, []):
            if isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
                return Refusal.OUTER_SHARES(name=ast.unparse(source), function=scope.name)
    return None


def handed_on(program: Analysis, name: str, *, is_attribute: bool = False) -> ast.expr | None:
    """Return a read of a global name, or of attributes of a name, that doesn't only compute something new with it."""
    module = program.module
    for scope, node in uses_by_name(module).get(name, ()):
        if isinstance(node, ast.Attribute) is not is_attribute or not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            continue
        owner = module.scopes.owner(scope, name) if not is_attribute else None
        run = program.run(scope) if is_attribute or owner is None or owner.is_module else None
        if run is not None and not _is_written(run, node) and not _gives_new(run, run.parents.get(node), node):
            return node
    return None


def _is_written(run: Run, node: ast.expr) -> bool:
    """Tell whether a tensor is only written where it is read, or its views are: `state[0].mul_(k)`, `out=state`.

    The value of the last method is no longer the tensor: it isn't used, or it is a new one.
    """
    if isinstance(parent := run.parents.get(node), ast.keyword):
        return parent.arg == "out"
    call: ast.AST = node
    while isinstance(parent := run.parents.get(call), ast.Attribute):
        around = run.parents.get(parent)
        method = torchapi.tensor_method(parent.attr)
        if not isinstance(around, ast.Call) or around.func is not parent:
            return False
        if method is not None and method.view is View.NEVER:
            return True
        if method is None and torchapi.inplace_method(parent.attr) is None:
            return False
        call = around
    return call is not node and isinstance(parent, ast.Expr)


def _is_held_alone(program: Analysis, scope: Scope, name: str) -> bool:
    owner = program.module.scopes.owner(scope, name)
    if owner is None or owner.is_module or owner.is_class or any(p.arg == name for p in owner.parameters):
        return False
    scopes = [s for s in owner.all_inside() if program.module.scopes.owner(s, name) is owner or s is owner]
    runs = [program.run(s) for s in scopes]
    return all(run is not None and _only_computes(run, name) for run in runs)


def _only_computes(run: Run, name: str) -> bool:
    """Tell whether a function binds a name to new values alone, and computes new ones with it."""
    parents = parents_in(run.program.module, run.scope)
    sources = run.program.module.bindings(run.scope).sources.get(name, [])
    if not all(isinstance(source, ast.expr) and _is_new(run, source) for source in sources):
        return False
    own = [n for n in run.scope.names if n.id == name]
    bound = [n for n in own if not isinstance(n.ctx, ast.Load)]
    targets = {t for s in _assignments(run.scope) for t in s.targets if len(s.targets) == 1}
    if not all(n in targets or isinstance(parents.get(n), ast.AugAssign) for n in bound):
        return False
    return all(_gives_new(run, parents.get(n), n) for n in own if isinstance(n.ctx, ast.Load))


def _assignments(scope: Scope) -> Iterator[ast.Assign]:
    return (node for node in scope.of(ast.Assign))


def _is_new(run: Run, node: ast.expr) -> bool:
    """Tell whether an expression gives None, a number, or a new tensor that nothing else holds."""
    if isinstance(node, ast.Constant | ast.BinOp):
        return True
    if isinstance(node, ast.IfExp):
        return _is_new(run, node.body) and _is_new(run, node.orelse)
    return isinstance(node, ast.Call) and _makes_new(run, node)


def _makes_new(run: Run, call: ast.Call) -> bool:
    """Tell whether a call is one of torch that returns a new tensor each time."""
    if any(keyword.arg in ("out", None) for keyword in call.keywords):
        return False
    callee = run.values.get(call.func)
    if callee is not None and isinstance(callee.ref, Named):
        operator = torchapi.function(callee.ref.qualified)
        return operator is not None and operator.view is View.NEVER
    if not isinstance(call.func, ast.Attribute):
        return False
    receiver = run.values.get(call.func.value)
    method = torchapi.tensor_method(call.func.attr)
    return receiver is not None and receiver.is_tensor and method is not None and method.view is View.NEVER


def _gives_new(run: Run, parent: ast.AST | None, node: ast.expr) -> bool:
    """Tell whether the expression around a use of a tensor gives something new, or writes the tensor in place."""
    if isinstance(parent, _COMPUTED):
        return True
    if isinstance(parent, ast.AugAssign):
        updated = run.values.get(parent.target)  # a list would hold the rows of what it is extended by
        return parent.target is node or (updated is not None and updated.must_be(TENSOR | NUMBER))
    if isinstance(parent, ast.Attribute):
        around = run.parents.get(parent)
        return isinstance(around, ast.Call) and around.func is parent and _makes_new(run, around)
    return isinstance(parent, ast.Call) and node in parent.args and _makes_new(run, parent)
