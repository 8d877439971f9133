"""What the parts of the interpreter ask of each other: the evaluation of expressions, and the effects of calls."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Protocol

from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import Link, Objs, Value
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run


class Evaluation(Protocol):
    """Evaluates expressions in one run."""

    run: Run

    def evaluate(self, node: ast.expr, state: State) -> Value:
        """Return what an expression may evaluate to, and change the state as it does."""

    def unknown(self, node: ast.expr, state: State, label: str, key: str = "unknown") -> Value:
        """Return something of which nothing is known."""

    def attribute_of(self, node: ast.Attribute, base: Value, state: State) -> Value:
        """Return an attribute of a value."""

    def element(self, node: ast.expr, base: Value, state: State, key: Hashable = None) -> Value:
        """Return an element of a container, or a row of a tensor."""

    def iterate(self, node: ast.expr, iterable: Value, state: State) -> Value:
        """Return what a loop over a value yields."""

    def iterator_over(self, node: ast.expr, iterable: Value, state: State) -> Value:
        """Return an iterator over a value."""

    def store_attribute(self, target: ast.Attribute, holder: Value, value: Value, state: State) -> None:
        """Store a value in an attribute."""


class CallEffects(Protocol):
    """Applies the effects of calls in one run."""

    run: Run
    evaluator: Evaluation

    def unknown_call(self, node: ast.Call, values: list[Value], state: State, callee: Value | None = None) -> Value:
        """Apply a call of which nothing is known but what it gets."""

    def function(
        self,
        node: ast.Call,
        function: Function,
        arguments: Arguments,
        state: State,
        receiver: Value | None,
        key: Hashable = "result",
    ) -> Value:
        """Apply a call of a function of the run."""

    def prove_tensor(self, qualified: str, arguments: Arguments, state: State) -> None:
        """Take what a function of torch works on for a tensor."""

    def maybe_in_place(self, node: ast.Call, label: str, value: Value, state: State, key: Hashable = None) -> Value:
        """Apply a call that writes its argument and returns it, or returns a new tensor."""

    def may_be_any(self, objs: Objs, given: Objs, state: State, link: Link) -> None:
        """Let objects look into the memory of any of the given ones."""
