"""Tells which changes of parameters and other leaves lose no gradient under `torch.no_grad()`.

self.conv.bias[4:] += math.log(0.01)        what is added has no graph: the gradient is the same before and after
for p in self.params:
    p -= self.lr * p.grad                   the same, whatever `p` is

def reset(self):                            a function that gives nothing back only changes parameters: their gradient
    self.weight.uniform_(-k, k)             is that of what they are from then on
    self.bias.zero_()
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import NUMBER, TENSOR, Tracked
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.project.recording import differentiates_twice, may_be_off
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import members
from unplace.transform.sites import Site


def keeps_gradients(site: Site) -> bool:
    """Tell whether the gradient of what a change isn't recorded for is certainly the same before and after."""
    if is_step_along_own_gradient(site):
        return True
    is_sum = site.forbidden() is not None and _adds(site)
    return is_sum and not any(_may_have_graph(site, operand) for operand in _operands(site))


def is_update(site: Site) -> bool:
    """Tell whether a function that returns no tensor changes a parameter by what certainly has no graph.

    The values of other parameters count as such: `teacher.mul_(m).add_(student, alpha=1 - m)`.
    """
    if site.forbidden() is None or site.registered() is None or not _only_changes(site.run.scope):
        return False
    return all(_is_of_parameters(site, operand) for operand in _operands(site))


def _only_changes(scope: Scope) -> bool:
    """Tell whether a function returns no tensor and runs no backward, so that it is there for what it changes."""
    if not isinstance(scope.node, ast.FunctionDef) or scope.name in ("forward", "__call__"):
        return False
    if any(isinstance(n, ast.Yield | ast.YieldFrom) or getattr(n, "attr", None) == "backward" for n in scope.nodes):
        return False
    given = [node.value for node in scope.nodes if isinstance(node, ast.Return) and node.value is not None]
    return all(isinstance(v, ast.Constant) or (isinstance(v, ast.Name) and v.id == "self") for v in given)


def _is_of_parameters(site: Site, node: ast.expr) -> bool:
    """Tell whether a value is made of parameters, numbers, and tensors without a graph."""
    value = site.run.values.get(node)
    if value is not None and value.tracked is Tracked.LEAF and not value.objs & site.run.leaves:
        return True
    if value is not None and value.may_be(NUMBER) and not value.may_be(TENSOR):  # its default is one
        return True
    if isinstance(node, ast.BinOp):
        return _is_of_parameters(site, node.left) and _is_of_parameters(site, node.right)
    return not _may_have_graph(site, node)


def is_step_along_own_gradient(site: Site) -> bool:
    """Tell whether a tensor is moved by a multiple of its own gradient, which has no graph: `p -= lr * p.grad`."""
    written = AccessPath.of(site.write.target)
    if not site.write.grad.records or site.write.data is not None or not _adds(site):
        return False
    operands = [node for operand in _operands(site) for node in _factors(operand)]
    if may_be_off(site.program.module, site.run.scope):
        return False
    own = (n.value for n in operands if isinstance(n, ast.Attribute) and _is_gradient(site, n))
    return any(AccessPath.of(owner) == written for owner in own) and not any(
        _may_have_graph(site, operand) for operand in _operands(site)
    )


def _factors(node: ast.expr) -> list[ast.expr]:
    """Return the factors of a product, `lr` and `p.grad` of `lr * p.grad`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return [*_factors(node.left), *_factors(node.right)]
    return [node.operand] if isinstance(node, ast.UnaryOp) else [node]


def _operands(site: Site) -> list[ast.expr]:
    """Return what is written into the tensor, but for `alpha`, which is a number."""
    node = site.node
    if isinstance(node, ast.AugAssign):
        return [node.value]
    if isinstance(node, ast.Call):
        return [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "alpha")]
    return [site.statement.value] if isinstance(site.statement, ast.Assign) else []


def _may_have_graph(site: Site, node: ast.expr) -> bool:
    """Tell whether a value may have a graph: a gradient has one only where `create_graph` asks for it."""
    value = site.run.values.get(node)
    if value is not None and not can_be_tracked(value):
        return False
    if isinstance(node, ast.UnaryOp):
        return _may_have_graph(site, node.operand)
    if isinstance(node, ast.BinOp):  # a step along a gradient
        if any(_is_gradient(site, side) for side in (node.left, node.right)):
            return False
        return _may_have_graph(site, node.left) or _may_have_graph(site, node.right)
    return not _is_gradient(site, node)


def _is_gradient(site: Site, node: ast.expr) -> bool:
    is_read = isinstance(node, ast.Attribute) and node.attr == "grad"
    return is_read and not differentiates_twice(site.program.module)


def _adds(site: Site) -> bool:
    if isinstance(site.node, ast.AugAssign):
        return isinstance(site.node.op, ast.Add | ast.Sub)
    return site.write.kind is WriteKind.METHOD and site.write.name in members.ADDING
