"""Intent of an in-place operation: its value, its effect, or what other code sees of that effect.

An expression that stands there only for its effect must not become one that has none:

    touch = lambda k: p.mul_(k)         touch = lambda k: p.mul(k)          (wrong: it does nothing)

So where a recipe assumes that nothing else sees the write, the value must certainly be used.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import Origin
from unplace.analysis.effects import models
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.unfollowed import hooks
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Reason, quoted
from unplace.diagnostics.refusals import Refusal
from unplace.transform.legality import assumptions_about
from unplace.transform.observed import Seen
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Inline, Keep, Meant, Rebind, Refuse, Verdict

_PASSING_ON = (ast.Attribute, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.UnaryOp)
_DISPLAYS = (ast.Await, ast.Dict, ast.List, ast.Set, ast.Starred, ast.Tuple, ast.keyword)


def contradicted(site: Site, last: ast.AST, verdict: Verdict) -> Meant | None:
    """Return why the assumptions of a verdict contradict the intent of the operation, if they do.

    `last` is the outermost call of the chain that starts with the site.
    """
    if isinstance(verdict, Refuse) and site.in_lambda and site.node is site.run.scope.node.body:
        return _thrown_away(site, last)
    if isinstance(verdict, Keep | Refuse):
        return None
    if not set(getattr(verdict, "assumptions", ())) - set(assumptions_about(site)):
        return None
    if site.write.kind is WriteKind.OUT:
        return Meant(_given_as_out(site))
    is_open = isinstance(verdict, Inline) and Seen(site.facts, site.name).left_open(verdict.assumptions)
    thrown = _thrown_away(site, last) if is_open else None
    if thrown is not None:
        return thrown
    if isinstance(verdict, Rebind | Copy) and not verdict.views and _binds_unread(site, verdict.places):
        return Meant(Refusal.UNREAD(name=site.name))
    return None


def is_hardly_of_tensor(site: Site) -> bool:
    """Tell whether the code shows that an object of unknown kind is hardly a tensor: an array, or a number that counts.

    self.step = 0; ...; self.step = epochs * size; ...; self.step += 1
    """
    target, node = site.write.target, site.write.node
    if not site.run.inference.of(target).may_be_tensor:
        return True
    owner = site.program.module.class_of(site.run.scope)
    if not isinstance(node, ast.AugAssign) or not _is_whole(node.value) or owner is None:
        return False
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return False
    sources = [source for cls in owner.linearized() for _, source in cls.assigned.get(target.attr, ())]
    return any(source is not None and _is_whole(source) for source in sources)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _thrown_away(site: Site, node: ast.AST) -> Meant | None:
    return Meant(Refusal.THROWN_AWAY(name=code_of(node))) if is_thrown_away(site.run, node) else None


def _binds_unread(site: Site, places: tuple[AccessPath, ...]) -> bool:
    """Tell whether only names of the function that nothing reads afterwards get the new tensor."""
    scope = site.run.scope
    is_whole_statement = isinstance(site.statement, ast.Expr) or site.write.kind.is_statement
    if scope.is_module or not is_whole_statement:
        return False
    own = scope.bound - scope.global_names - scope.nonlocal_names - scope.captured - site.live()
    return all(place.is_name and place.root in own for place in places)


def _given_as_out(site: Site) -> Reason:
    """Return why `out=` is more than a place for the result: other code holds that tensor."""
    parameter = next((o.parameter for o in site.roots() if o.parameter is not None), None)
    if parameter is not None:
        return Refusal.OUT_IS_READ(parameter=parameter)
    outside = [o for o in site.roots() if o.origin is not Origin.FRESH]
    place = min(outside).label if outside else site.name
    return Refusal.OUT_GOES_ELSEWHERE(place=quoted(place))


def is_thrown_away(run: Run, node: ast.AST) -> bool:
    """Tell whether the value of an expression may go unused; an operand of a used expression counts as used."""
    parents = run.parents
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, ast.Expr):
            return True
        if isinstance(parent, ast.Lambda):
            return not _is_called_for_its_value(run, parent)
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            return _binds_in_vain(run, parent)
        if isinstance(parent, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in parent.ops):
            return True
        if isinstance(parent, ast.comprehension) or hasattr(parent, "generators"):
            return True
        if isinstance(parent, ast.Call):
            if isinstance(parent.func, ast.Name) and models.reads_nothing(parent.func.id):
                return True
            if not _only_computes(run, parent):
                return False
        elif not isinstance(parent, (*_PASSING_ON, *_DISPLAYS)):
            return False
        node = parent
    return False


def _only_computes(run: Run, call: ast.Call) -> bool:
    """Tell whether a call is, or looks like, one of a torch operator without side effects."""
    callee = run.values.get(call.func)
    if callee is not None and isinstance(callee.ref, Named):
        name = callee.ref.qualified
        return torchapi.function(name) is not None and torchapi.inplace_function(name) is None
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return torchapi.tensor_method(method) is not None and torchapi.inplace_method(method) is None


def _binds_in_vain(run: Run, statement: ast.Assign | ast.AnnAssign) -> bool:
    """Tell whether a statement binds only names of the function that nothing reads afterwards."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if run.scope.is_module or not all(isinstance(target, ast.Name) for target in targets):
        return False
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    elsewhere = run.scope.global_names | run.scope.nonlocal_names | run.scope.captured
    return not names & (run.liveness.live_after(statement) | elsewhere)


def _is_called_for_its_value(run: Run, function: ast.Lambda) -> bool:
    """Tell whether a lambda is a hook, or is only ever called, each time for its value."""
    if function in hooks(run.program.module):
        return True
    outer = run.scope.parent
    around = run.program.run(outer) if outer is not None and not outer.is_module else None
    if outer is None or around is None:
        return False
    parents = around.parents
    statement = parents.get(function)
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or target.id in outer.captured | outer.global_names | outer.nonlocal_names:
        return False
    uses = [n for n in outer.names if n.id == target.id and isinstance(n.ctx, ast.Load)]
    calls = [parents.get(use) for use in uses]
    return bool(calls) and all(
        isinstance(call, ast.Call) and call.func is use and not is_thrown_away(around, call)
        for use, call in zip(uses, calls, strict=True)
    )
