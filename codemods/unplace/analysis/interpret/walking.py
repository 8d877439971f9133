"""Protocols between the parts of the interpreter: one evaluates expressions, the other applies the effects of calls."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Protocol

from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import Value
from unplace.analysis.effects.call import Elements
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.torchapi import Operator


class Evaluation(Protocol):
    """The evaluator of the expressions of one run."""

    run: Run

    def evaluate(self, node: ast.expr, state: State) -> Value:
        """Return the value of an expression, and apply its effects to the state."""

    def unknown(
        self, node: ast.expr, state: State, label: str, key: str = "unknown", operator: str | None = None
    ) -> Value:
        """Return a value of which nothing is known; `operator` is what gave it."""

    def inside(self, node: ast.expr, holder: Value, state: State, key: Hashable = None) -> Value:
        """Return a value that a little-known holder contains or creates, under a constant key where that is known."""

    def field(self, node: ast.expr, base: Value, state: State, name: str) -> Value:
        """Return the value of an attribute that the code doesn't name."""

    def element(self, node: ast.expr, base: Value, state: State, key: Hashable = None) -> Value:
        """Return an element of a container: the one under a constant key, or the join of all."""

    def iterate(self, node: ast.expr, iterable: Value, state: State, key: Hashable = None) -> Value:
        """Return the value that a loop over `iterable` yields, or the one at an index that an unpacking takes."""

    def iterator_over(self, node: ast.expr, iterable: Value, state: State) -> Value:
        """Return an iterator over a value."""


class CallEffects(Protocol):
    """The part of the interpreter that applies the effects of calls in one run."""

    run: Run
    evaluator: Evaluation

    @property
    def elements(self) -> Elements:
        """The evaluator that knows the elements of containers."""

    def unknown_call(self, node: ast.Call, values: list[Value], state: State, callee: Value | None = None) -> Value:
        """Apply a call of an unknown callee, of which only the arguments are known."""

    def arguments(self, node: ast.Call, state: State) -> Arguments:
        """Evaluate the arguments of a call."""

    def apply(self, node: ast.Call, callee: Value, arguments: Arguments, state: State) -> Value:
        """Apply a call of a value."""

    def operator(
        self, node: ast.Call, operator: Operator, bound: dict[str, Value], arguments: Arguments, state: State
    ) -> Value:
        """Apply a call of one of torch's operators, given its arguments by parameter name."""

    def out(self, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value:
        """Apply a call of a function that writes its result into `out=`."""

    def prove_tensor(self, qualified: str, arguments: Arguments, state: State) -> None:
        """Narrow the first argument of a function of torch to a tensor."""

    def maybe_in_place(
        self,
        node: ast.Call,
        label: str,
        given: tuple[ast.expr, Value],
        state: State,
        key: Hashable = None,
        source: ast.Call | None = None,
    ) -> Value:
        """Apply a call that either writes its argument and returns it, or returns a new tensor."""
