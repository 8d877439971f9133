"""Tells which operands of a change have no graph, so that no gradient is lost where autograd doesn't record it.

r = epsilon * param.grad / norm                 a gradient, and what is computed from it
self.shadow[name] = param.detach().clone()      what the class keeps of its parameters
msd = model.state_dict()                        what torch detaches
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace import torchapi
from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.refs import Instance, Named
from unplace.analysis.domain.values import NUMBER, PARAMETER_GROUP, TENSOR, UNKNOWN, Objs, Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.project.module import home
from unplace.analysis.project.program import Program
from unplace.analysis.project.recording import differentiates_twice
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.own_methods import own_methods
from unplace.analysis.types.parameters import argument_for, default_for
from unplace.torchapi import members, modules

_STATE = "state_dict"


_OF_PARAMETERS = frozenset(f"`{name}()`" for name in modules.GIVING_PARAMETERS)


def is_of_all_parameters(objs: Objs) -> bool:
    """Tell whether tensors are what `parameters()` of a module gives: `for p in net.parameters(): p.zero_()`."""
    return bool(objs) and all(o.origin is Origin.REGISTERED and o.label in _OF_PARAMETERS for o in objs)


@dataclass(slots=True)
class Graphs:
    """Follows values back to what they are computed from, in one run and the other methods of its class.

    `trusts_defaults`: arguments that are numbers by default count as numbers, and no graph comes with those that are
    None by default, as far as the file calls the function. `frozen`: the parameters that have no gradient where the
    program gets past the change.
    """

    program: Program
    run: Run
    trusts_defaults: bool = False
    frozen: Objs = frozenset()
    _seen: set[object] = field(default_factory=set)

    def may_reach(self, node: ast.expr) -> bool:
        """Tell whether a value may have a graph: a gradient has one only where `create_graph` asks for it."""
        value = self.run.values.get(node)
        if value is not None and not can_be_tracked(value):
            return False
        if value is not None and value.graph == LEAF:
            return not (value.objs and value.objs <= self.frozen)
        if self.trusts_defaults and value is not None and value.may_be(NUMBER) and not value.may_be(TENSOR):
            return False
        if isinstance(node, ast.UnaryOp):
            return self.may_reach(node.operand)
        if isinstance(node, ast.IfExp):
            return self.may_reach(node.body) or self.may_reach(node.orelse)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            is_step = any(map(self.is_gradient, sides))
            return any(self._is_seen_to_reach(side) if is_step else self.may_reach(side) for side in sides)
        return not self.is_gradient(node) and self._may_come(node)

    def _is_seen_to_reach(self, node: ast.expr) -> bool:
        """Tell whether the factor of a gradient is seen to be a tensor that may have a graph; others are numbers."""
        value = self.run.values.get(node)
        if value is None or not value.is_tensor or not can_be_tracked(value) or self.is_gradient(node):
            return False
        return value.graph == LEAF or self.may_reach(node)

    def is_gradient(self, node: ast.expr) -> bool:
        """Tell whether an expression reads a gradient that has no graph: `p.grad`, `torch.autograd.grad(y, x)[0]`."""
        is_read = isinstance(node, ast.Attribute) and node.attr == "grad" and self._may_be_tensor(node.value)
        made = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(made, ast.Call):
            is_read = self.program.module.qualified(self.run.scope, made.func) == "torch.autograd.grad"
        return is_read and not differentiates_twice(self.program.module)

    def _may_be_tensor(self, node: ast.expr) -> bool:
        value = self.run.values.get(node)
        return value is not None and value.may_be(TENSOR | UNKNOWN) and not isinstance(value.ref, Instance)

    def _may_come(self, node: ast.expr) -> bool:
        """Tell whether a graph may come with a name, with the operands of a call, or out of a container."""
        if isinstance(node, ast.Name):
            return self._may_hold(node)
        if isinstance(node, ast.Call):
            operands = self._operands(node)
            return operands is None or any(map(self.may_reach, operands))
        if isinstance(node, ast.Subscript) and self._is_tensor(node.value):
            return self.may_reach(node.value)
        if isinstance(node, ast.Subscript):
            return not self._is_hyperparameter(node) and self._may_have_element(node.value)
        return True

    def _is_hyperparameter(self, node: ast.Subscript) -> bool:
        """Tell whether an expression reads a setting of an optimizer: `group["lr"]`."""
        if not isinstance(node.slice, ast.Constant) or node.slice.value not in modules.SETTINGS:
            return False
        holder = self.run.values.get(node.value)
        return holder is not None and bool(holder.objs) and all(o.label == PARAMETER_GROUP for o in holder.objs)

    def _may_hold(self, node: ast.Name) -> bool:
        scope = self.run.scope
        if self._is_usually_none(node):
            return False
        sources = home(scope).bindings(scope).sources.get(node.id, [])
        is_given = node.id in [p.arg for p in scope.parameters] or node.id in scope.volatile | scope.captured
        if not sources or is_given or scope.is_module or self._is_written(node.id):
            return True
        if (scope, node.id) in self._seen:
            return False
        self._seen.add((scope, node.id))
        return any(not isinstance(source, ast.expr) or self.may_reach(source) for source in sources)

    def _is_usually_none(self, node: ast.expr) -> bool:
        """Tell whether an expression reads an argument that is None by default and that no call in sight passes."""
        scope, module = self.run.scope, home(self.run.scope)
        if not self.trusts_defaults or not isinstance(node, ast.Name) or module.bindings(scope).sources.get(node.id):
            return False
        default = default_for(scope, node.id)
        is_none = isinstance(default, ast.Constant) and default.value is None
        calls = module.calls_named(scope.name) if is_none else []
        return is_none and all(argument_for(scope, call, node.id) is None for _, call in calls)

    def _is_written(self, name: str) -> bool:
        """Tell whether the run writes the tensor in a name in place, perhaps what has a graph."""
        return any(root_name(write.target) == name for write in self.run.writes.values())

    def _operands(self, node: ast.Call) -> list[ast.expr] | None:
        """Return what a call of torch computes with; None for any other call."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        callee = self.run.values.get(node.func)
        if callee is not None and isinstance(callee.ref, Named):
            return given if torchapi.function(callee.ref.qualified) is not None else None
        if isinstance(node.func, ast.Attribute):
            is_copy = node.func.attr in members.KEEPING_VALUES
            receiver = node.func.value
            is_read = self.is_gradient(receiver) or self._is_tensor(receiver) or self._is_usually_none(receiver)
            is_operator = is_read and torchapi.tensor_method(node.func.attr) is not None
            return [node.func.value, *given] if is_copy or is_operator else None
        return None

    def _is_tensor(self, node: ast.expr) -> bool:
        value = self.run.values.get(node)
        return value is not None and value.is_tensor and not value.likely

    def _may_have_element(self, holder: ast.expr) -> bool:
        """Tell whether an element of a container may have a graph: of `model.state_dict()`, or of `self.shadow`."""
        if isinstance(holder, ast.Name):
            scope = self.run.scope
            sources = home(scope).bindings(scope).sources.get(holder.id, [])
            return len(sources) != 1 or not isinstance(sources[0], ast.Call) or not self._detaches(sources[0])
        if isinstance(holder, ast.Call):
            return not self._detaches(holder)
        is_own = isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Name) and holder.value.id == "self"
        return not is_own or self._may_be_kept(holder.attr)  # type: ignore[attr-defined]

    def _may_be_kept(self, name: str) -> bool:
        """Tell whether the methods of the class may put a tensor with a graph into a container of its objects."""
        module, scope = self.program.module, self.run.scope
        owner = module.class_of(scope)
        if owner is None or owner.all_bases() or _is_stored_elsewhere(self.program, scope, name):
            return True
        if (owner, name) in self._seen:
            return False
        self._seen.add((owner, name))
        if name in owner.extended or not owner.added.get(name):
            return True
        if not all(source is not None and _is_empty(source) for _, source in owner.assigned.get(name, ())):
            return True
        return any(self._may_reach_in(method, source) for method, source in owner.added[name])

    def _detaches(self, node: ast.Call) -> bool:
        """Tell whether a call gives the tensors of a module without their graphs."""
        is_named_so = isinstance(node.func, ast.Attribute) and node.func.attr == _STATE
        return is_named_so and not (node.args or node.keywords) and _STATE not in own_methods(self.program.module)

    def _may_reach_in(self, scope: Scope, node: ast.expr) -> bool:
        run = self.program.run(scope)
        return run is None or Graphs(self.program, run, self.trusts_defaults, self.frozen, self._seen).may_reach(node)


def _is_empty(node: ast.expr) -> bool:
    return (isinstance(node, ast.Dict) and not node.keys) or (isinstance(node, ast.List) and not node.elts)


def _is_stored_elsewhere(program: Program, scope: Scope, name: str) -> bool:
    """Tell whether code outside the class of a method stores something in an attribute of that name."""
    owner = scope.enclosing_class
    return any(store.scope.enclosing_class is not owner for store in program.module.stores_of(name))
