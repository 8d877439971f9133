"""Finds the states that modules keep from one call to the next, with the graph that they were computed in.

class Net(nn.Module):
    def forward(self, x):
        out, self.hidden = self.rnn(x, self.hidden)         goes on from the state of the last call
        return self.head(out)

for x in batches:
    net.hidden = net.hidden.detach()                        renews it
    loss = net(x).mean()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.makers import class_made, maker_of
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.queries.gradient_flow import GradientFlow, callee_of
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import LOOPS, walk
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope


def kept_by(module: ModuleIndex, scope: Scope, callee: ast.expr) -> frozenset[str]:
    """Return the attributes in which a called module of a class of the file keeps its states."""
    owner = _class_of(module, scope, callee)
    return _kept(module).get(owner, frozenset()) if owner is not None else frozenset()


def is_renewed(module: ModuleIndex, scope: Scope, loop: ast.stmt, path: str, state: str) -> bool:
    """Tell whether a round of a loop may give a module another state, under its path: `net.reset()`, `reset(net)`."""
    for node in walk(loop):
        if isinstance(node, ast.Attribute) and node.attr == state and not isinstance(node.ctx, ast.Load):
            return True
        if not isinstance(node, ast.Call):
            continue
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(path_of(argument) == path for argument in given):
            return True
        if isinstance(node.func, ast.Attribute) and (path_of(node.func.value) or "").startswith(f"{path}.{state}"):
            return True  # `net.hidden.detach_()`
        owner = _class_of(module, scope, node.func.value) if isinstance(node.func, ast.Attribute) else None
        stores = owner.assigned.get(state, []) if owner is not None and callee_of(node) != path else []
        if any(method.name == last_name(node.func) for method, _ in stores):
            return True
    return False


def is_kept_between_calls(module: ModuleIndex, scope: Scope, path: str) -> bool:
    """Tell whether calls of a method go on from an attribute that it stores: a loop calls it, and nothing else stores.

    def update(self, x):
        out, self.h = self.net(x, self.h)
    """
    owner, (holder, _, name) = module.class_of(scope), path.partition(".")
    if owner is None or holder != "self" or any(not store.is_own for store in module.stores_of(name)):
        return False
    stores = {method.name for method, _ in owner.assigned.get(name, ())}
    return stores <= {"__init__", scope.name} and scope.name in stores and _is_repeated(module, owner, scope.name)


def _is_repeated(module: ModuleIndex, owner: Class, method: str) -> bool:
    """Tell whether a loop calls a method of an object of a class that the file makes."""
    for where, call in module.calls_named(method):
        if isinstance(call.func, ast.Attribute) and _class_of(module, where, call.func.value) is owner:
            outer = module.scopes.parents.get(call)
            while outer is not None and outer is not where.node:
                if isinstance(outer, LOOPS):
                    return True
                outer = module.scopes.parents.get(outer)
    return False


def _class_of(module: ModuleIndex, scope: Scope, node: ast.expr) -> Class | None:
    """Return the class of the file whose object a name or an attribute holds, as the file makes it."""
    made = maker_of(module, scope, node)
    return class_made(module, made.call) if made is not None else None


@once
def _kept(module: ModuleIndex) -> Mapping[Class, frozenset[str]]:
    """Return the names of the states that the `forward` of each class keeps."""
    found: dict[Class, frozenset[str]] = {}
    for owner in module.classes.values():
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == "forward":
                states = frozenset(_states(GradientFlow(module, module.scopes.by_node[node])))
                found |= {owner: states} if states else {}
    return found


def _states(gradients: GradientFlow) -> Iterator[str]:
    """Iterate over the attributes of `self` that a method computes from the values they had, as it does its result."""
    returned = [node.value for node in gradients.scope.of(ast.Return) if node.value is not None]
    used = {path_of(part) for value in returned for part in gradients.behind(value)}
    for assignment in gradients.scope.of(ast.Assign):
        for target in assignment.targets:
            for stored in walk(target):
                path = path_of(stored) or ""
                if gradients.is_detached(path):
                    continue
                holder, _, name = path.partition(".")
                if holder == "self" and path in used and name.isidentifier() and gradients.records(assignment):
                    read = (part for part in gradients.behind(assignment.value) if path_of(part) == path)
                    if any(map(gradients.is_from_outside, read)):
                        yield name
