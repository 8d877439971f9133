"""Tells which changes of parameters and other leaves lose no gradient under `torch.no_grad()`.

self.conv.bias[4:] += math.log(0.01)        what is added has no graph: the gradient is the same before and after
for p in self.params:
    p -= self.lr * p.grad                   the same, whatever `p` is

def reset(self):                            a function that gives nothing back only changes parameters: their gradient
    self.weight.uniform_(-k, k)             is that of what they are from then on
    self.bias.zero_()

for p in self.parameters():                 so does a loop over all parameters of a module, wherever it stands
    p.clamp_(-c, c)

self.emb = nn.Embedding(n, 8)               it never was allowed: what a layer has just made gets a gradient
self.emb.weight.copy_(vectors)

table[:, 0::2] = torch.sin(angles)          nothing reads the table before it loses its graph, if it has one
table.detach_()
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.refs import GENERAL, TorchModule
from unplace.analysis.domain.values import ARRAY, TENSOR
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.recording import may_be_off
from unplace.analysis.queries.leaf_reads import is_asked_in_rounds
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import WriteKind, is_false
from unplace.torchapi import members
from unplace.transform.meant import has_optimizer, is_like_a_parameter
from unplace.transform.recipes.graphless import Graphs, is_of_all_parameters
from unplace.transform.sites import Site


def keeps_gradients(site: Site) -> bool:
    """Tell whether the gradient of what a change isn't recorded for is certainly the same before and after.

    A sum passes it on as it is, so the tensor may be no leaf, either: `layer.bias.view(3, -1)[:, 4] += math.log(k)`.
    """
    if is_step_along_own_gradient(site):
        return True
    is_sum = (site.forbidden() is not None or is_like_a_parameter(site)) and _adds(site)
    graphs = Graphs(site.program, site.run, trusts_defaults=only_changes(site.run.scope))
    return is_sum and not any(map(graphs.may_reach, operands(site.write)))


def is_update(site: Site) -> bool:
    """Tell whether a function that returns no tensor changes a parameter by what certainly has no graph.

    A loop that changes all parameters of a module is such an update wherever it stands. The values of other parameters
    have a graph: where unseen code has frozen the teacher, torch allows `teacher.mul_(m).add_(student, alpha=1 - m)`,
    and the gradient flows to the student.
    """
    if site.forbidden() is None or site.registered() is None:
        return False
    is_there_for_it = only_changes(site.run.scope) or is_of_all_parameters(site.roots())
    return is_there_for_it and _is_without_graphs(site)


def is_of_optimised_leaf(site: Site) -> bool:
    """Tell whether what changes a leaf that the function makes and optimises certainly has no graph.

    An optimizer has it, or a loop asks for its gradient. It has to stay a leaf then, or it would have no `.grad`; so
    its gradient is that after the change.
    """
    forbidden = site.forbidden()
    if forbidden is None or not forbidden.is_leaf or forbidden.is_doubtful or not site.is_leaf():
        return False
    if not has_optimizer(site) and not is_asked_in_rounds(site.run, site.statement, site.owners()):
        return False
    return not _is_of_other_leaves(site) and _is_without_graphs(site)


def is_of_new_layer(site: Site) -> bool:
    """Tell whether a change is one of a parameter of a layer of torch that the same function has just made.

    The parameter gets a gradient, so that torch has never let anybody change it while gradients are recorded.
    """
    forbidden = site.forbidden()
    target = site.write.target
    while isinstance(target, ast.Subscript):
        target = target.value
    if forbidden is None or not forbidden.is_leaf or forbidden.is_doubtful or not isinstance(target, ast.Attribute):
        return False
    layer = site.run.values.get(target.value)
    made = layer.ref.call if layer is not None and isinstance(layer.ref, TorchModule) else None
    is_before = made is not None and made in site.run.scope.nodes and made.lineno < site.statement.lineno
    return is_before and site.run.variant is GENERAL


def is_given_up(site: Site) -> bool:
    """Tell whether nothing reads a tensor before it has no graph any more, nor anything else what is written into it.

    Setting `requires_grad` to False raises for a tensor with a graph, and `detach_` takes the graph away.
    """
    forbidden, name = site.forbidden(), root_name(site.write.target)
    if forbidden is None or not forbidden.is_leaf or not isinstance(site.write.target, ast.Subscript | ast.Name):
        return False
    for follower in site.run.flow.behind(site.statement):
        named = [n for n in walk(follower) if isinstance(n, ast.Name) and n.id == name]
        if len(named) == 1 and _gives_up(follower, named[0]):
            parts = (part for operand in operands(site.write) for part in walk(operand))
            return all(_is_of_library(site.run, part) for part in parts if isinstance(part, ast.Call))
        is_store = isinstance(follower, ast.Assign) and isinstance(follower.targets[0], ast.Subscript)
        if not is_store or len(named) != 1 or root_name(follower.targets[0]) != name:  # type: ignore[attr-defined]
            return False
    return False


def _is_of_library(run: Run, call: ast.Call) -> bool:
    """Tell whether a call runs code of torch, NumPy or Python, which keeps none of its arguments and results."""
    if isinstance(call.func, ast.Attribute) and (owner := run.values.get(call.func.value)) is not None:
        if owner.must_be(TENSOR | ARRAY):
            return True
    name = run.program.module.qualified(run.scope, call.func, with_builtins=True)
    return name is not None and name.split(".")[0] in ("builtins", "math", "numpy", "torch")


def _gives_up(statement: ast.stmt, tensor: ast.Name) -> bool:
    """Tell whether a statement takes the graph of a tensor away, or says that it has none."""
    if isinstance(statement, ast.Assign):
        targets = [t for t in statement.targets if isinstance(t, ast.Attribute) and t.value is tensor]
        return [t.attr for t in targets] == ["requires_grad"] and is_false(statement.value)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.value is not tensor:
        return False
    is_off = call.func.attr == "requires_grad_" and list(map(is_false, call.args)) == [True]
    return is_off or call.func.attr == "detach_"


def only_changes(scope: Scope) -> bool:
    """Tell whether a function returns no tensor and runs no backward, so that it is there for what it changes."""
    if not isinstance(scope.node, ast.FunctionDef) or scope.name in ("forward", "__call__"):
        return False
    if any(isinstance(n, ast.Yield | ast.YieldFrom) or getattr(n, "attr", None) == "backward" for n in scope.nodes):
        return False
    given = [node.value for node in scope.of(ast.Return) if node.value is not None]
    return all(isinstance(v, ast.Constant) or (isinstance(v, ast.Name) and v.id == "self") for v in given)


def is_step_along_own_gradient(site: Site) -> bool:
    """Tell whether a tensor is moved by a multiple of its own gradient, which has no graph: `p -= lr * p.grad`."""
    written = AccessPath.of(site.write.target)
    if not site.write.record.records or site.write.data is not None or not _adds(site):
        return False
    factors = [node for operand in operands(site.write) for node in _factors(operand)]
    if may_be_off(site.program.module, site.run.scope):
        return False
    graphs = Graphs(site.program, site.run)
    own = (n.value for n in factors if isinstance(n, ast.Attribute) and graphs.is_gradient(n))
    is_own = any(AccessPath.of(owner) == written for owner in own)
    return is_own and not any(map(graphs.may_reach, operands(site.write)))


def _is_of_other_leaves(site: Site) -> bool:
    """Tell whether the operands name another leaf, whose gradient somebody may ask for."""
    own = root_name(site.write.target)
    named = (n for operand in operands(site.write) for n in walk(operand) if isinstance(n, ast.Name) and n.id != own)
    values = (site.run.values.get(node) for node in named)
    return any(value is not None and value.graph == LEAF for value in values)


def _is_without_graphs(site: Site) -> bool:
    """Tell whether what is written has no graph."""
    graphs = Graphs(site.program, site.run, trusts_defaults=True, frozen=site.write.value.objs)
    return not any(map(graphs.may_reach, operands(site.write)))


def _factors(node: ast.expr) -> list[ast.expr]:
    """Return the factors of a product, `lr` and `p.grad` of `lr * p.grad`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return [*_factors(node.left), *_factors(node.right)]
    return [node.operand] if isinstance(node, ast.UnaryOp) else [node]


def operands(write: Write) -> list[ast.expr]:
    """Return what is written into the tensor, but for `alpha`, which is a number: also in `p.add_(-lr, p.grad)`."""
    node = write.node
    if isinstance(node, ast.AugAssign):
        return [node.value]
    if isinstance(node, ast.Call):
        tensors = members.WITH_OLD_FORMS.get(write.name.removesuffix("_"), 0) if write.kind.is_method else 0
        return [*node.args[-tensors:], *(keyword.value for keyword in node.keywords if keyword.arg != "alpha")]
    return [write.statement.value] if isinstance(write.statement, ast.Assign) else []


def _adds(site: Site) -> bool:
    if isinstance(site.node, ast.AugAssign):
        return isinstance(site.node.op, ast.Add | ast.Sub)
    return site.write.kind is WriteKind.METHOD and site.write.name in members.ADDING
