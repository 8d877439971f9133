"""What the parts of the execution ask of each other."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Protocol

from unplace.analysis.training.values import (
    NO_GRAPH,
    Function,
    Given,
    Graph,
    Instance,
    Save,
    Tensor,
    Thing,
    Weights,
    graph_of,
    joined,
)
from unplace.analysis.training.world import World
from unplace.torchapi import Operator


class Machine(Protocol):
    """The execution of training code, as its parts use it."""

    world: World

    def evaluate(self, node: ast.expr) -> Thing:
        """Return what an expression evaluates to."""

    def attribute(self, owner: Thing, name: str) -> Thing:
        """Return an attribute of a thing."""

    def call(self, node: ast.Call, callee: Thing, given: Given) -> Thing:
        """Return the result of a call."""

    def run(self, function: Function, given: Given, call: ast.AST | None, *, is_module_call: bool = False) -> Thing:
        """Return the result of a function of the run."""

    def bind(self, target: ast.expr, thing: Thing) -> None:
        """Bind what a target names."""

    def elements(self, thing: Thing) -> list[Thing]:
        """Return the elements of a thing, as a loop gets them."""

    def fill(self, owner: Instance, name: str) -> bool:
        """Run a method that stores a missing attribute of an object, and tell whether there is one."""


def tensor(
    machine: Machine, parts: Iterable[Thing] = (), more: Graph = NO_GRAPH, leaf: Weights | None = None
) -> Tensor:
    """Return a tensor that is made of things where the execution has arrived."""
    graph = joined([*map(graph_of, parts), more]) if machine.world.records else NO_GRAPH
    return Tensor(graph, leaf, machine.world.rounds)


def saves_arguments(operator: Operator | None) -> bool:
    """Tell whether an operation may save what it gets, and not only its result."""
    return operator is None or not operator.saves <= {"result"}


def computed(machine: Machine, node: ast.Call | ast.BinOp, parts: Sequence[Thing], *, saves: bool) -> Tensor:
    """Return the result of an operation, which `saves` what it gets: a weight, where another part has a graph."""
    world = machine.world
    if not saves or not world.records:
        return tensor(machine, parts)
    saved: set[Save] = set()
    for leaf in parts:
        behind = joined(graph_of(part) for part in parts if part is not leaf).reached
        if isinstance(leaf, Tensor) and leaf.leaf is not None and (behind or len(parts) == 1):
            saved.add(world.save(leaf.leaf, node, behind))
    whole = joined(map(graph_of, parts))
    return tensor(machine, (), Graph(whole.saves | saved, whole.reached))
