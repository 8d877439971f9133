"""Tells whether the graph of a tensor continues in values stored to its `.data`, or starts at a parameter.

h = self.start(x)
for step in steps:
    new = torch.tanh(self.cell(step, h))
    h.data = new                            both: `new` is computed from `h`, by a module with weights
h.data = self.table.cos()                   neither: a buffer has no graph, and the one of `h` would be cut
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from unplace import torchapi
from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.refs import TorchModule
from unplace.analysis.domain.values import Obj, Objs, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.syntax.bindings import last_name
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import autocast, members


def goes_on(run: Run, stored: ast.expr, replaced: Objs) -> bool:
    """Tell whether a gradient certainly flows from a value to the tensors that it replaces, or to a parameter."""
    return _Walk(run, replaced).carries(stored)


def carriers(run: Run, stored: ast.expr, replaced: Objs) -> list[ast.Name] | None:
    """Return the names through which a gradient flows from a value, but for those of the tensors that it replaces.

    None where it isn't certain that a gradient flows. What a module with weights is called with doesn't count, and
    what one expression made in several rounds counts as one.
    """
    walk = _Walk(run, replaced, {run.names.key_of(obj) for obj in replaced})
    return list(walk.names(stored)) if walk.carries(stored) else None


def has_no_graph(run: Run, value: Value) -> bool:
    """Tell whether a tensor is made by a constructor, and no write but a store to its `.data` can give it a graph."""
    if not value.objs or not value.objs <= run.constructed - run.leaves:
        return False
    return not any(
        w.kind is not WriteKind.DATA and w.value.objs & value.objs and any(map(can_be_tracked, w.operands))
        for w in run.all_writes()
    )


@dataclass(slots=True)
class _Walk:
    run: Run
    replaced: Objs
    sites: Collection[Hashable] = ()
    _known: dict[ast.expr, bool] = field(default_factory=dict)

    def carries(self, node: ast.expr) -> bool:
        """Tell whether a gradient flows back from the value of an expression."""
        if node not in self._known:
            self._known[node] = False  # the answer where the expression depends on itself
            self._known[node] = self._carries(node)
        return self._known[node]

    def _carries(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in members.CUTTING:
            return False
        if isinstance(node, ast.List | ast.Tuple):
            return self._any(node.elts)
        value = self.run.values.get(node)
        if value is None or not can_be_tracked(value):
            return False
        if value.graph == LEAF or self._replaces(value.objs):
            return True
        if isinstance(node, ast.BinOp):
            return not isinstance(node.op, ast.FloorDiv) and self._any((node.left, node.right))
        if isinstance(node, ast.UnaryOp):
            return self.carries(node.operand)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript) and self.carries(node.value):
            return True
        return bool(value.objs) and all(self._made(obj) for obj in value.objs)

    def names(self, node: ast.expr) -> Iterator[ast.Name]:
        """Iterate over the names through which a gradient flows from an expression, but not into layers."""
        if isinstance(node, ast.Name):
            value = self.run.values.get(node)
            if value is not None and can_be_tracked(value) and not self._replaces(value.objs):
                yield node
            return
        if isinstance(node, ast.Call) and self._has_weights(node):
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.names(child)

    def _replaces(self, objs: Iterable[Obj]) -> bool:
        """Tell whether one of some tensors is replaced, in this round of a loop or another."""
        return any(obj in self.replaced or self.run.names.key_of(obj) in self.sites for obj in objs)

    def _any(self, nodes: Iterable[ast.expr]) -> bool:
        return any(self.carries(node) for node in nodes)

    def _made(self, obj: Obj) -> bool:
        if self._replaces({obj}) or obj in self.run.leaves:
            return True
        key = self.run.names.key_of(obj)
        node = key[0] if isinstance(key, tuple) else None
        return isinstance(node, ast.expr) and self.carries(node)

    def _has_weights(self, node: ast.Call) -> bool:
        """Tell whether a call is one of a layer of torch that has weights."""
        callee = self.run.values.get(node.func)
        ref = callee.ref if callee is not None else None
        return isinstance(ref, TorchModule) and autocast.lowers(ref.qualified.rsplit(".", 1)[-1])

    def _call(self, node: ast.Call) -> bool:
        func = node.func
        callee = self.run.values.get(func)
        if callee is not None and isinstance(callee.ref, TorchModule):
            return self._has_weights(node) or self._any(node.args)
        if last_name(func) in members.FLAT:
            return False
        given = [*node.args, *(k.value for k in node.keywords if k.arg != "out")]
        if (
            isinstance(func, ast.Attribute)
            and func.attr not in members.CUTTING
            and torchapi.tensor_method(func.attr) is not None
        ):
            if self.carries(func.value):
                return True
        elif torchapi.function(self.run.program.module.qualified(self.run.scope, func) or "") is None:
            return False
        return self._any(given)
