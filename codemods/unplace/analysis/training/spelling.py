"""Spells the parameters of an optimizer where a backward stands: as they were given, or by the optimizer's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.training.machine import Machine
from unplace.analysis.training.values import Optimizer, weights_of
from unplace.analysis.training.world import Frame


def spelled(machine: Machine, frame: Frame, optimizer: Optimizer, step: ast.Call) -> Iterator[str]:
    """Yield the texts of a list that in a frame has the parameters of an optimizer, the most natural one first."""
    if not optimizer.weights or any(weights.is_frozen for weights in optimizer.weights):
        return
    before = machine.world.rounds, machine.world.records
    machine.world.frames.append(frame)
    try:
        made = optimizer.made
        if made is not None and _is_plain(made) and weights_of(machine.evaluate(made)) == optimizer.weights:
            yield ast.unparse(made) if isinstance(made, ast.List) else f"list({ast.unparse(made)})"
        for owner in (step.func.value if isinstance(step.func, ast.Attribute) else None, *step.args[:1]):
            if owner is not None and _is_place(owner) and machine.evaluate(owner) is optimizer:
                yield f'[p for g in {ast.unparse(owner)}.param_groups for p in g["params"]]'
    finally:
        machine.world.frames.pop()
        machine.world.rounds, machine.world.records = before


def _is_plain(node: ast.expr) -> bool:
    """Tell whether an expression only asks paths for their parameters: evaluating it once more does nothing else."""
    parts = node.elts if isinstance(node, ast.List) else [node]
    return all(_gives_parameters(part.value if isinstance(part, ast.Starred) else part) for part in parts)


def _is_place(node: ast.expr) -> bool:
    """Tell whether an expression is a name, an attribute or an element: `self.optims[0]`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Name | ast.Constant) and _is_place(node.value)
    return path_of(node) is not None


def _gives_parameters(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return path_of(node) is not None
    is_method = isinstance(node.func, ast.Attribute) and path_of(node.func.value) is not None
    return is_method and last_name(node.func) == "parameters" and not node.args and not node.keywords
