"""The objects of training code: weights as regions that are saved and written, and what has them.

A region (`Weights`) is what the layers of torch have, each its own, or all that a module has which isn't in sight.
Objects are mutable, as those of Python are, because no two ways through the code are ever joined.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex
from unplace.torchapi import members

Rounds = tuple[tuple[int, int], ...]
"""The loops that run, from the outside in, each with the number of its round."""


class Change(NamedTuple):
    """A write of weights by a call or a statement, as far as it `is_certain` that this writes them."""

    time: int
    node: ast.AST
    is_certain: bool


@dataclass(slots=True, eq=False)
class Weights:
    """One region: `holder` is that of the module not in sight that this one is a part of.

    What `is_given` from elsewhere may have no weights, unless it `is_trained`: an optimizer or the like has them.
    """

    holder: Weights | None = None
    is_given: bool = False
    is_trained: bool = False
    is_frozen: bool = False
    changes: list[Change] = field(default_factory=list)

    @property
    def are_there(self) -> bool:
        """Whether there are weights, as far as the code shows."""
        return not self.is_given or self.is_trained

    @property
    def are_owned(self) -> bool:
        """Whether an optimizer has the weights, or those of a module that they are a part of."""
        return self.is_trained or (self.holder is not None and self.holder.are_owned)

    def part(self) -> Weights:
        """Return new weights that are a part of these."""
        return Weights(self, self.is_given)

    def change_since(self, time: int) -> Change | None:
        """Return the first write since a time, of these weights or of those that they are a part of."""
        return min(self.changes_since(time), key=lambda change: (not change.is_certain, change.time), default=None)

    def changes_since(self, time: int) -> list[Change]:
        """Return the writes since a time, of these weights or of those that they are a part of."""
        return [change for weights in self.chain() for change in weights.changes if change.time > time]

    def are_in(self, others: Container[Weights]) -> bool:
        """Tell whether other weights are these, or have them as a part."""
        return any(weights in others for weights in self.chain())

    def chain(self) -> Iterator[Weights]:
        """Yield the weights, and those that they are a part of."""
        weights: Weights | None = self
        while weights is not None:
            yield weights
            weights = weights.holder


def meet(some: Iterable[Weights], others: Iterable[Weights]) -> bool:
    """Tell whether some weights are others, or a part of them, or have them as a part."""
    one, another = set(some), set(others)
    return any(weights.are_in(another) for weights in one) or any(weights.are_in(one) for weights in another)


class Save(NamedTuple):
    """A record that a call saved weights: `node` is the call of the outermost module, in the code at hand.

    `behind` are the weights that the backward of the operation leads on to.
    """

    weights: Weights
    time: int
    node: ast.Call | ast.BinOp
    module: str
    rounds: Rounds
    behind: frozenset[Weights]

    def is_needed_for(self, wanted: frozenset[Weights]) -> bool:
        """Tell whether a backward that is restricted to some weights needs what was saved."""
        return meet([self.weights], wanted) or meet(self.behind, wanted)


class Graph(NamedTuple):
    """What the backward of a tensor goes through: saved weights, and those that get a gradient."""

    saves: frozenset[Save] = frozenset()
    reached: frozenset[Weights] = frozenset()

    def __bool__(self) -> bool:
        """Tell whether the tensor needs a gradient."""
        return bool(self.reached)


NO_GRAPH = Graph()


def joined(graphs: Iterable[Graph]) -> Graph:
    """Return what the backward of a tensor made of several others goes through."""
    kept = [graph for graph in graphs if graph]
    if len(kept) < 2:
        return kept[0] if kept else NO_GRAPH
    return Graph(
        frozenset().union(*(graph.saves for graph in kept)), frozenset().union(*(graph.reached for graph in kept))
    )


class Thing:
    """What an expression evaluates to."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Known(Thing):
    """A constant of Python."""

    value: object


@dataclass(slots=True, eq=False)
class Unknown(Thing):
    """Anything that is neither a tensor with a graph nor has weights: `round` numbers what a loop counts."""

    round: int | None = None


UNKNOWN = Unknown()
NONE = Known(None)


@dataclass(slots=True, eq=False)
class Tensor(Thing):
    """A tensor, or several that are made at once: `leaf` are the weights that it is, or looks into."""

    graph: Graph = NO_GRAPH
    leaf: Weights | None = None
    rounds: Rounds = ()

    @property
    def whole(self) -> Graph:
        """What a result of the tensor goes through."""
        if self.leaf is None or self.leaf.is_frozen:
            return self.graph
        return joined([self.graph, Graph(reached=frozenset((self.leaf,)))])


@dataclass(slots=True, eq=False)
class Layer(Thing):
    """A module of torch: `needs` tells when its backward needs the weights, if it has any."""

    qualified: str
    weights: Weights | None
    needs: Needs
    others: dict[str, Tensor] = field(default_factory=dict)


class Needs(NamedTuple):
    """Whether the backward of a layer needs its weights: always, or where its input has a graph."""

    always: bool = False
    with_graph: bool = False


@dataclass(slots=True, eq=False)
class Outside(Thing):
    """An object that comes from code not in sight: a module, an optimizer, or anything else.

    `is_cleared` tells that its gradients were zeroed, as optimizers are asked to.
    """

    path: str
    weights: Weights
    fields: dict[str, Thing] = field(default_factory=dict)
    is_cleared: bool = False


@dataclass(slots=True, eq=False)
class Instance(Thing):
    """An object of a class of the run; `filled` are the methods that ran because an attribute was missing."""

    of: Class
    fields: dict[str, Thing] = field(default_factory=dict)
    filled: set[ast.AST] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Items(Thing):
    """A list or tuple; `is_open` where it may have more elements; `is_module` for modules that a module registers."""

    items: list[Thing] = field(default_factory=list)
    is_open: bool = False
    is_module: bool = False
    is_called: bool = False


ANY = object()
"""The key of what a dictionary holds under keys that aren't known."""


@dataclass(slots=True, eq=False)
class Table(Thing):
    """A dictionary, by its known keys."""

    items: dict[object, Thing] = field(default_factory=dict)
    is_module: bool = False


@dataclass(slots=True, eq=False)
class Optimizer(Thing):
    """An optimizer, with the weights that it was given, and the expression that gave them."""

    weights: list[Weights]
    made: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Function(Thing):
    """A function of the run, its file, the names around it, and the object that it is a method of."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    module: ModuleIndex
    around: tuple[Mapping[str, Thing], ...]
    owner: Class | None = None
    receiver: Thing | None = None


@dataclass(slots=True, eq=False)
class Made(Thing):
    """A class of the run."""

    of: Class


@dataclass(slots=True, eq=False)
class Named(Thing):
    """A name from outside: `torch.nn.Linear`, `builtins.zip`."""

    qualified: str


@dataclass(slots=True, eq=False)
class Method(Thing):
    """A method of an object that isn't one of a class of the run."""

    receiver: Thing
    name: str


@dataclass(slots=True, eq=False)
class Parent(Thing):
    """What `super()` gives: an object, looked up behind a class."""

    receiver: Instance
    behind: Class


# -- what things have --------------------------------------------------------------------------------------------------


def graph_of(thing: Thing) -> Graph:
    """Return what the backward of a thing, or of anything in a container, goes through."""
    if isinstance(thing, Tensor):
        return thing.whole
    if isinstance(thing, Items):
        return joined(map(graph_of, thing.items))
    if isinstance(thing, Table):
        return joined(map(graph_of, thing.items.values()))
    if isinstance(thing, Method) and thing.name not in members.WITHOUT_GRAPH:  # `x.max(0).values`
        return graph_of(thing.receiver)
    return NO_GRAPH


def weights_of(thing: Thing, seen: set[int] | None = None) -> list[Weights]:
    """Return the weights that `parameters()` of a thing gives, or that a container of parameters has."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return []
    seen.add(id(thing))
    if isinstance(thing, Tensor):
        return [thing.leaf] if thing.leaf is not None else []
    if isinstance(thing, Layer):
        return ([thing.weights] if thing.weights is not None else []) + [
            w for other in thing.others.values() for w in weights_of(other, seen)
        ]
    if isinstance(thing, Outside):
        return [thing.weights]
    return [w for part in parts_of(thing) for w in weights_of(part, seen)]


def parts_of(thing: Thing) -> list[Thing]:
    """Return the elements of a container, or what a module registers of its attributes."""
    if isinstance(thing, Items):
        return thing.items
    if isinstance(thing, Table):
        return list(thing.items.values())
    if isinstance(thing, Instance) and thing.of.is_module:
        return [part for part in thing.fields.values() if is_registered(part)]
    return []


def is_registered(thing: Thing) -> bool:
    """Tell whether a module registers a thing that is assigned to one of its attributes."""
    if isinstance(thing, Instance):
        return thing.of.is_module
    if isinstance(thing, Items | Table):
        return thing.is_module
    return isinstance(thing, Layer | Outside) or (isinstance(thing, Tensor) and thing.leaf is not None)


def modules_in(thing: Thing) -> Iterator[Thing]:
    """Iterate over a module and all modules in it."""
    yield thing
    for part in parts_of(thing):
        if not isinstance(part, Tensor):
            yield from modules_in(part)


def reset(thing: Thing) -> None:
    """Let a module that code not in sight gets keep no graph: that code may detach its states, or make them anew."""
    for module in modules_in(thing) if isinstance(thing, Instance) else ():
        if isinstance(module, Instance):
            kept = {name: held for name, held in module.fields.items() if isinstance(held, Tensor) and held.graph}
            module.fields.update({name: Tensor(leaf=held.leaf) for name, held in kept.items()})


def copied(thing: Thing, memo: dict[int, Thing] | None = None) -> Thing:
    """Return a deep copy, with weights of its own."""
    memo = {} if memo is None else memo
    if id(thing) in memo:
        return memo[id(thing)]
    made: Thing = thing
    if isinstance(thing, Tensor):
        made = Tensor(thing.graph, Weights() if thing.leaf is not None else None)
    elif isinstance(thing, Layer):
        own = Weights() if thing.weights is not None else None
        made = Layer(thing.qualified, own, thing.needs, {name: Tensor(leaf=Weights()) for name in thing.others})
    elif isinstance(thing, Outside):
        made = Outside(thing.path, Weights(is_given=True))
    elif isinstance(thing, Items):
        made = memo[id(thing)] = Items([], thing.is_open, thing.is_module, thing.is_called)
        made.items = [copied(item, memo) for item in thing.items]
    elif isinstance(thing, Table):
        made = memo[id(thing)] = Table({}, thing.is_module)
        made.items = {key: copied(item, memo) for key, item in thing.items.items()}
    elif isinstance(thing, Instance):
        made = memo[id(thing)] = Instance(thing.of)
        made.fields = {name: copied(part, memo) for name, part in thing.fields.items()}
    memo[id(thing)] = made
    return made


@dataclass(slots=True)
class Given:
    """The arguments of a call."""

    positional: list[Thing] = field(default_factory=list)
    named: dict[str, Thing] = field(default_factory=dict)

    def all(self) -> list[Thing]:
        """Return all arguments."""
        return [*self.positional, *self.named.values()]

    def first(self, name: str = "") -> Thing | None:
        """Return the first argument, which may be given by its name."""
        return self.positional[0] if self.positional else self.named.get(name)
