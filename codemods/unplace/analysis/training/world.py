"""One way through training code: the time, the rounds of loops, what was changed and what a backward found changed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.training.trail import Trail
from unplace.analysis.training.values import NO_GRAPH, Change, Graph, Rounds, Save, Tensor, Thing, Weights, meet

_MOST_CALLS = 24
"""Maximum number of calls inside each other that are followed."""

_SAME = 3
"""How often one function may run inside itself."""


class StoppedError(Exception):
    """Ends a way through the code that takes too long."""


@dataclass(slots=True, eq=False)
class Frame:
    """A running function, or the code of a module: `call` is what leads into it, in the frame before."""

    module: ModuleIndex
    node: ast.AST
    names: dict[str, Thing]
    around: tuple[Mapping[str, Thing], ...] = ()
    owner: Class | None = None
    receiver: Thing | None = None
    call: ast.AST | None = None
    is_module_call: bool = False
    result: Thing | None = None
    given: list[Thing] = field(default_factory=list)  # what a generator yields
    global_names: set[str] = field(default_factory=set)


class Early(NamedTuple):
    """A change of weights that a later backward needs as they were; `carried` is the path that led it to the round."""

    change: Change
    save: Save
    backward: ast.AST
    carried: str | None


@dataclass(slots=True, eq=False)
class Cleared:
    """A call of `zero_grad`, with the weights whose gradients it throws away."""

    time: int
    weights: frozenset[Weights]


@dataclass(slots=True, eq=False)
class Stepped:
    """A step, with the weights of its optimizer."""

    time: int
    node: ast.AST
    weights: frozenset[Weights]


@dataclass(slots=True, eq=False)
class Backward:
    """A backward with the weights that get gradients from it, and its frame, if it stands in the file itself.

    `needed` are the saves that it goes through, and `failing` those that were changed before. `retains` tells whether
    it keeps them for others; None where that isn't known. It `is_shared` with optimizers from elsewhere, which may use
    its gradients. `spelled` has the ways to write the parameters of the
    optimizers that step behind it, where it stands.
    """

    time: int
    node: ast.AST
    weights: frozenset[Weights]
    needed: frozenset[Save]
    retains: bool | None
    frame: Frame | None
    failing: list[Save] = field(default_factory=list)
    is_shared: bool = False
    spelled: list[tuple[Stepped, tuple[str, ...]]] = field(default_factory=list)


Ran = Cleared | Stepped | Backward


@dataclass(slots=True, eq=False)
class World:
    """What is true at the point that the execution has reached.

    `turned` are the branches at which this way goes where the first one doesn't, and `met` those that it could have.
    It `is_incomplete` where it took too long. `meets_unknown_step` tells that an optimizer from elsewhere stepped since
    the function that runs was called.
    """

    module: ModuleIndex
    budget: int
    turned: frozenset[ast.AST] = frozenset()
    met: dict[ast.AST, None] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    executed: set[ast.AST] = field(default_factory=set)
    globals: dict[ModuleIndex, dict[str, Thing]] = field(default_factory=dict)
    rounds: Rounds = ()
    time: int = 0
    records: bool = True
    retains: bool = False
    early: list[Early] = field(default_factory=list)
    ran: list[Ran] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    last: Graph = NO_GRAPH
    trail: Trail | None = None
    is_incomplete: bool = False
    meets_unknown_step: bool = False
    _loops: int = 0
    _carried: list[tuple[Graph, str]] = field(default_factory=list)

    # -- time -----------------------------------------------------------------------------------------------------

    def tick(self) -> int:
        """Let time go on, and return what it is now."""
        self.time += 1
        return self.time

    def spend(self) -> None:
        """Count a node that is executed."""
        self.budget -= 1
        if self.budget < 0:
            raise StoppedError

    def enter_loop(self) -> int:
        """Return the number of a loop that begins."""
        self._loops += 1
        return self._loops

    def goes_deeper(self, node: ast.AST) -> bool:
        """Tell whether a call of a function is still to be followed."""
        return len(self.frames) < _MOST_CALLS and sum(frame.node is node for frame in self.frames) < _SAME

    # -- places ---------------------------------------------------------------------------------------------------

    def here(self, node: ast.AST) -> ast.AST:
        """Return the node of the file that a node stands for: of another file, the call that led there."""
        place = node
        for frame in reversed(self.frames):
            if frame.module is self.module:
                return place
            place = frame.call or place
        return place

    def outermost_call(self, node: ast.Call | ast.BinOp) -> ast.Call | ast.BinOp:
        """Return the call of the outermost of the modules whose forward runs."""
        place = node
        for frame in reversed(self.frames):
            if not frame.is_module_call or not isinstance(frame.call, ast.Call):
                break
            place = frame.call
        found = self.here(place)
        return found if isinstance(found, ast.Call | ast.BinOp) else place

    # -- weights --------------------------------------------------------------------------------------------------

    def save(self, weights: Weights, node: ast.Call | ast.BinOp, behind: frozenset[Weights]) -> Save:
        """Return the record that a call saves weights, and leads on to others."""
        call = self.outermost_call(node)
        name = ast.unparse(call.func).removesuffix(".forward") if isinstance(call, ast.Call) else ast.unparse(call)
        return Save(weights, self.tick(), call, name, self.rounds, behind)

    def change(self, changed: Iterable[Weights], node: ast.AST, *, is_certain: bool = True) -> None:
        """Record that a call or a statement writes weights."""
        change = Change(self.tick(), self.here(node), is_certain)
        for weights in changed:
            weights.changes.append(change)
            self.touch([weights])

    def touch(self, weights: Iterable[Weights]) -> None:
        """Record that weights, or their gradients, are read or written."""
        if self.trail is not None:
            self.trail.touches(self.time, weights)

    def blur(self) -> None:
        """Record that what happens here isn't known."""
        if self.trail is not None:
            self.trail.is_unclear(self.time)

    def demand(
        self, graph: Graph, node: ast.AST, inputs: frozenset[Weights] | None, *, retains: bool | None = False
    ) -> None:
        """Record a backward, and the saved weights that were changed before it.

        One with `inputs` only runs what leads to these.
        """
        is_wanted = inputs is None
        reached = frozenset(w for w in graph.reached if is_wanted or meet([w], inputs or ()))
        here, frame = self.here(node), self.frames[-1]
        own = frame if here is node else None
        backward = Backward(self.tick(), here, reached, graph.saves, retains, own)
        for save in sorted(graph.saves, key=lambda save: save.time):
            change = save.weights.change_since(save.time)
            if change is not None and (inputs is None or save.is_needed_for(inputs)):
                self.early.append(Early(change, save, here, self._carrier(save)))
                backward.failing.append(save)
        self.last = graph
        self.ran.append(backward)

    # -- rounds ---------------------------------------------------------------------------------------------------

    def note_read(self, thing: Thing, node: ast.expr) -> None:
        """Record that a round of a loop reads a tensor that an earlier round made."""
        if isinstance(thing, Tensor) and thing.leaf is not None:
            self.touch([thing.leaf])
        if self.rounds and isinstance(thing, Tensor) and thing.graph.saves and self._is_older(thing.rounds):
            self._carried.append((thing.graph, ast.unparse(node)))

    def begin_round(self, outer: Rounds, loop: int, number: int) -> None:
        """Begin a round of a loop, in those around it."""
        self.rounds = (*outer, (loop, number))
        if not outer:
            self._carried.clear()

    def _is_older(self, rounds: Rounds) -> bool:
        """Tell whether something was made in an earlier round of a loop that runs now."""
        now = dict(self.rounds)
        return any(number < now.get(loop, 0) for loop, number in rounds)

    def _carrier(self, save: Save) -> str | None:
        """Return the path by which a round got a tensor for whose backward an earlier round saved weights."""
        if not self._is_older(save.rounds):
            return None
        return next((path for graph, path in self._carried if save in graph.saves), save.module)
