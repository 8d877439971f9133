"""One call whose effect is known, as those who apply effects see it."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import NO_OBJS, Objs, Value
from unplace.analysis.effects.effect import EVERY
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import anything
from unplace.analysis.syntax.nodes import code_of


class Elements(Protocol):
    """A provider of the elements of containers and of everything else that a loop can run over."""

    def element(self, node: ast.expr, base: Value, state: State, key: Hashable = None) -> Value:
        """Return the value in a slot of a container."""
        ...

    def iterate(self, node: ast.expr, iterable: Value, state: State) -> Value:
        """Return the value that a loop over `iterable` yields."""
        ...

    def field(self, node: ast.expr, base: Value, state: State, name: str) -> Value:
        """Return the value of an attribute that the code doesn't name."""
        ...


class Host(Protocol):
    """An evaluator of calls, which knows the run and what unseen code may do."""

    run: Run

    @property
    def elements(self) -> Elements:
        """The provider of the elements of containers."""
        ...

    def unknown_call(self, node: ast.Call, values: list[Value], state: State) -> Value:
        """Apply all effects that a call of unseen code may have, and return its value."""
        ...


@dataclass(slots=True)
class Call:
    """One call whose effect is known: its place, its arguments by parameter, and the state that it changes.

    `bound` has the extra arguments of a variadic parameter as `*0`, `*1`, ..., and `nodes` has their expressions.
    `captured` holds the objects that the callee can reach besides its arguments, and `outer` the values of the names by
    which it does. `called` is the name that messages use for the operation that saves.
    """

    host: Host
    node: ast.Call
    bound: dict[str, Value]
    state: State
    called: str = ""
    captured: Objs = NO_OBJS
    nodes: Mapping[str, ast.expr] = field(default_factory=dict)
    keywords: Mapping[str, Value] = field(default_factory=dict)
    outer: Mapping[str, Value] = field(default_factory=dict)

    @property
    def given(self) -> Mapping[str, Value]:
        """All that brings a graph into the call: the arguments, and what the callee captures."""
        return {**self.outer, **self.bound} if self.outer else self.bound

    @property
    def run(self) -> Run:
        """The run that walks over the call."""
        return self.host.run

    @property
    def elements(self) -> Elements:
        """The provider of the elements of containers."""
        return self.host.elements

    @property
    def code(self) -> str:
        """The source of the callee, as messages quote it."""
        return code_of(self.node.func)

    def objs(self, names: Iterable[str]) -> Objs:
        """Return the objects that the arguments of these parameters may be."""
        return anything([value for name in names for value in self.of(name)])

    def of(self, name: str) -> list[Value]:
        """Return the arguments that a parameter stands for."""
        if name == EVERY:
            return list(self.bound.values())
        return [self.bound[name]] if name in self.bound else []
