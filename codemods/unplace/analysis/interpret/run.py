"""The run over one function: the facts gathered during the walk, and the in-place operations recorded for the rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Protocol, TypeVar

from unplace.analysis.domain.facts import ANY, Facts
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, UNSEEN, Graph, extended
from unplace.analysis.domain.ranks import Ranks
from unplace.analysis.domain.refs import GENERAL, Class, Function, Instance, Variant, alternatives
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import State, aged_value
from unplace.analysis.domain.values import (
    CALLABLE,
    CALLED,
    MODULE,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Names,
    Obj,
    Objs,
    Origin,
    Saved,
    Token,
    Value,
)
from unplace.analysis.effects.effect import Effect
from unplace.analysis.interpret.writes import (
    Given,
    Handings,
    Unfollowed,
    Write,
    anything,
    graph_of,
    is_tensor_data,
)
from unplace.analysis.project.module import ModuleIndex, home, parents_in
from unplace.analysis.project.overriding import Methods
from unplace.analysis.syntax.flow import Flow, may_swallow
from unplace.analysis.syntax.liveness import Liveness
from unplace.analysis.syntax.nodes import Parents
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.inference import Inference, inferred
from unplace.diagnostics.catalogue import Layout
from unplace.diagnostics.forms import WriteKind

T = TypeVar("T")


class Analysis(Protocol):
    """The analysis of one module, as its runs and the queries on runs use it."""

    module: ModuleIndex
    answers: dict[Hashable, object]  # to questions about several runs
    earlier: dict[tuple[Class, str], Value]  # of attributes, before the assignments that are estimated right now

    def run(self, scope: Scope) -> Run | None:
        """Return the finished run over a scope; None where there is none yet."""

    def exits(self, scope: Scope) -> list[tuple[Value, Snapshot]]:
        """Return one pair for each exit of a function: the returned value and the facts at that point."""

    def summary(self, function: Function, asking: Scope | None = None, variant: Variant = GENERAL) -> Effect | None:
        """Return the effect of calling a function; None when it isn't known. `asking` is the scope of the call."""

    def may_be_own(self, scope: Scope, call: ast.Call) -> bool:
        """Tell whether a call in a scope may reach a function of the module, or of another one of the run."""

    def free_name(self, run: Run, node: ast.Name, state: State) -> Value:
        """Return the value of a name that the walk hasn't bound."""

    def named(self, run: Run | None, qualified: str, node: ast.AST) -> Value:
        """Return the value of an imported name, given its qualified name."""

    def estimate(self, scope: Scope, node: ast.expr) -> Value:
        """Return the value of an expression, without regard to the flow that leads to it."""

    def passed_elsewhere(self, scope: Scope, name: str) -> Value:
        """Return the join of the values that calls in other files of the run pass for a parameter."""

    def contents(self, scope: Scope, node: ast.expr) -> Value:
        """Return the join of the elements of the list or dictionary that an expression evaluates to."""

    def elements_of(self, scope: Scope, source: ast.expr) -> Value:
        """Return the join of the elements of the list or dictionary that an expression creates."""

    def methods(self, owner: Class, name: str, *, is_exact: bool = False) -> Methods:
        """Return the methods that a call may run, also those of derived classes unless the class `is_exact`."""

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Iterate over the classes that derive from a class, as far as the files at hand know."""

    def overriding(self, owner: Class, name: str) -> tuple[Class, ...] | None:
        """Return the classes that derive from a class and may have their own attribute; None if too many files may."""

    def attribute(self, owner: Class, name: str) -> Value:
        """Return the value of an attribute of a class's instances; see `project.attributes.value_of`."""

    def attribute_elements(self, owner: Class, name: str) -> Value:
        """Return the join of the elements of an attribute that is a list or dictionary."""

    def answer(self, question: Hashable, work: Callable[[], T], otherwise: T) -> T:
        """Return the answer to a question about the file, which `work` finds once; `otherwise` says nothing."""


@dataclass(slots=True)
class Run:
    """One walk over one scope, with the facts that it records."""

    program: Analysis
    scope: Scope
    names: Names = field(default_factory=Names)
    ranks: Ranks = field(default_factory=Ranks)
    values: dict[ast.expr, Value] = field(default_factory=dict)
    writes: dict[Hashable, Write] = field(default_factory=dict)  # by node; those of a called layer, also by the call
    returns: list[tuple[Value, Snapshot]] = field(default_factory=list)
    handed: Handings = field(default_factory=dict)  # the tensors passed to functions of the run that write them
    handed_unclear: Handings = field(default_factory=dict)  # passed to functions that write them if they are tensors
    handed_held: Handings = field(default_factory=dict)  # held by attributes of arguments: `self.h`
    handed_loosely: Handings = field(default_factory=dict)  # by captured names, `*args` or `map`, to what may write
    given: dict[tuple[ast.Call, Scope], Given] = field(default_factory=dict)  # by calls, and what they run
    unfollowed: dict[ast.Call, Unfollowed] = field(default_factory=dict)
    followed: set[ast.AST] = field(default_factory=set)  # the calls of functions of the run
    possible: dict[ast.stmt | ast.expr, Objs] = field(default_factory=dict)  # written if a tensor
    unclear: dict[ast.AST, Write] = field(default_factory=dict)  # the same, where the code doesn't speak against one
    flagged: dict[ast.AST, Write] = field(default_factory=dict)  # by calls that a flag, not known here, has write
    born: list[set[Obj]] = field(default_factory=list)
    statement: ast.stmt | None = None
    body: list[ast.stmt] = field(default_factory=list)
    saved_in: dict[ast.stmt, set[Obj]] = field(default_factory=dict)  # objects that each statement saves for backward
    kept_in: dict[ast.stmt, set[Obj]] = field(default_factory=dict)  # objects that escape in each statement
    changed: set[Obj] = field(default_factory=set)  # may have got other attributes or elements from a call
    relied: set[Graph] = field(default_factory=set)  # graphs that backward needs, of which none is in sight
    changes_any: bool = False  # an object has that the analysis doesn't tell from others: a module of a list
    constructed: set[Obj] = field(default_factory=set)  # made by torch.zeros and the like
    laid_out: dict[Obj, Layout] = field(default_factory=dict)  # objects made with a layout of their own
    reshaped: set[Obj] = field(default_factory=set)  # objects whose shape or strides an operation changed
    leaves: set[Obj] = field(default_factory=set)  # made with requires_grad=True
    replaced: set[Obj] = field(default_factory=set)  # passed on only by a module that a later method puts in place
    switched: dict[Obj, ast.AST] = field(default_factory=dict)  # made where a switch may be on or off
    classes: dict[Obj, Class] = field(default_factory=dict)  # of the objects from outside that are instances of one
    autocast: int = 0  # number of `with torch.autocast` blocks around the current statement
    inside: list[ast.AST] = field(default_factory=list)  # the comprehensions around the current expression
    recomputed: int = 0  # number of calls around the current one that backward makes again, so that nothing is saved
    in_any_order: int = 0  # number of calls around the current one that run layers in an order that isn't known
    variant: Variant = GENERAL
    alternative: Hashable = None  # which of the things that a callee may be is called right now
    _inference: Inference | None = None
    _liveness: Liveness | None = None
    _flow: Flow | None = None
    _read_while_written: dict[Obj, int] | None = None
    _named: dict[Obj, list[Value]] | None = None
    answers: dict[Hashable, Any] = field(default_factory=dict)  # to questions that are asked when the walk is done

    @property
    def inference(self) -> Inference:
        """The kinds that the uses in the scope allow."""
        if self._inference is None:
            self._inference = inferred(home(self.scope), self.scope)
        return self._inference

    def refined(self, node: ast.AST, value: Value) -> Value:
        """Return the value of an expression or of a bound target, refined by the uses of what it evaluates to."""
        if not value.kinds & UNKNOWN and not value.likely:
            return value
        return self.inference.of(node).refined(value)

    @property
    def liveness(self) -> Liveness:
        """The liveness of the names of the scope."""
        if self._liveness is None:
            self._liveness = Liveness(self.scope, self.body)
        return self._liveness

    @property
    def flow(self) -> Flow:
        """The flow index of the scope's statements."""
        if self._flow is None:
            self._flow = Flow(self.body)
        return self._flow

    def is_guarded(self, statement: ast.stmt) -> bool:
        """Tell whether the scope may continue after the statement has raised."""
        spot = self.flow.spot(statement)
        return spot is not None and any(self.may_swallow(guard) for guard in spot.guards)

    def reaches_end(self) -> bool:
        """Tell whether control may fall off the end of the body without a `return`."""
        return self.flow.reaches_end(self.may_swallow)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that contains an expression of the scope."""
        parents = self.parents
        while not isinstance(node, ast.stmt):
            node = parents[node]
        return node

    def may_swallow(self, guard: ast.stmt) -> bool:
        """Tell whether a `try` or `with` may swallow an exception that its body raises."""
        return may_swallow(guard, partial(self.program.module.qualified, self.scope, with_builtins=True))

    def all_writes(self) -> list[Write]:
        """Return the in-place operations of the scope, and those made on its tensors by the functions that it calls."""
        return [*self.writes.values(), *(write for _, write in self.handed.values())]

    def possible_writes(self) -> Iterator[Write]:
        """Iterate over all that may write: by the scope, by layers whose flag isn't known, by what it calls."""
        handings = (self.handed, self.handed_unclear, self.handed_held, self.handed_loosely)
        called = (write for each in handings for _, write in each.values())
        return chain(self.writes.values(), self.flagged.values(), called)

    @property
    def parents(self) -> Parents:
        """The parent of each node of the scope, including the nodes of inner scopes."""
        return parents_in(home(self.scope), self.scope)

    def names_of(self, obj: Obj) -> Sequence[Value]:
        """Return what the names that are an object for certain evaluate to; only asked when the walk is done."""
        if self._named is None:
            self._named = {}
            for node, value in self.values.items():
                if type(node) is ast.Name and isinstance(value.identity, Obj):
                    self._named.setdefault(value.identity, []).append(value)
        return self._named.get(obj, ())

    @property
    def read_while_written(self) -> Mapping[Obj, int]:
        """The tensors written by an operation that reads them through another view, with the line of the last one."""
        if self._read_while_written is None:
            writes = (w for w in self.writes.values() if w.record.records and w.reads_what_it_writes(certainly=True))
            self._read_while_written = {o: w.statement.lineno for w in writes for o in w.state.roots(w.value.objs)}
        return self._read_while_written

    def taken_names(self) -> set[str]:
        """Return all names that have a meaning in the scope or the module, which a new name must avoid."""
        return self.scope.all_names() | self.program.module.scopes.module.bound

    def fresh(
        self,
        node: ast.AST,
        state: State,
        label: str,
        kinds: int = TENSOR,
        *,
        key: Hashable = None,
        shape: Token = None,
        dtype: Token = None,
        graph: Graph,
        ref: Hashable = None,
        overlapping: bool = False,
        operator: str | None = None,
        likely: bool = False,
        is_new: bool = False,
    ) -> Value:
        """Return a new object of `node`, which nothing else holds yet; `is_new`: made by `torch.zeros` or the like."""
        line = getattr(node, "lineno", 0)
        key = key if self.alternative is None else (self.alternative, key)
        obj = self.names.obj((node, key), Origin.FRESH, label, line, overlapping=overlapping, operator=operator)
        self.make(obj, state)
        if graph == LEAF:
            self.leaves.add(obj)
        elif not state.record.records:
            graph = NO_GRAPH
        if state.record.switch is not None:
            self.switched[obj] = state.record.switch
        if is_new:
            self.constructed.add(obj)
        return Value(kinds, frozenset((obj,)), obj, shape if shape is not None else obj, dtype, graph, ref, likely)

    def make(self, obj: Obj, state: State) -> None:
        """Record that `obj` is made here, and forget the facts about it from an earlier iteration."""
        for born in self.born:
            born.add(obj)
        state.bases.forget(obj)
        state.definitions.pop(obj, None)
        state.kept.pop(obj, None)
        state.saved.pop(obj, None)
        state.heap.put(obj, {})

    def view(
        self,
        node: ast.AST,
        state: State,
        base: Value,
        label: str,
        link: Link,
        *,
        key: Hashable = None,
        piece: tuple[Token, Hashable] | None = None,
        forbidden: bool = False,
        same_shape: bool = False,
        overlapping: bool = False,
        operator: str | None = None,
        graph: Graph | None = None,
        dtype: Token = None,
    ) -> Value:
        """Return a tensor made at `node` that is, or may be, a view of `base`."""
        made = self.fresh(
            node,
            state,
            label,
            key=key,
            shape=base.shape if same_shape else None,
            dtype=dtype if dtype is not None else base.dtype,
            graph=base.graph if graph is None else graph,
            overlapping=overlapping,
            operator=operator,
            likely=base.likely,
        )
        (obj,) = made.objs
        if graph is None:
            self.leaves.discard(obj)  # a part of a leaf is none itself, nor is what a conversion makes of one
        if base.objs:
            state.bases[obj] = Base(base.objs, link, piece, forbidden)
        return made

    def foreign(
        self,
        key: Hashable,
        origin: Origin,
        label: str,
        line: int,
        kinds: int,
        *,
        ref: Hashable = None,
        graph: Graph = UNSEEN,
        dtype: Token = None,
        likely: bool = False,
        operator: str | None = None,
    ) -> Value:
        """Return an object that unseen code may hold, too."""
        obj = self.names.obj(key, origin, label, line, operator=operator)
        if isinstance(ref, Instance):
            self.classes[obj] = ref.of
        return Value(kinds, frozenset((obj,)), obj, obj, dtype if dtype is not None else obj, graph, ref, likely)

    def keep(self, state: State, objs: Objs, by: str, line: int, *, certain: bool = False, part: str = "") -> None:
        """Record that objects, and all that is reachable from them, may escape (`certain`: do escape) into `by`.

        `part` is `CALLED` where only code out of sight gets them.
        """
        if objs:
            self.keep_all(state, state.reachable(objs), by, line, certain=certain, part=part)

    def keep_all(
        self, state: State, reachable: Objs, by: str, line: int, *, certain: bool = False, part: str = ""
    ) -> None:
        """Do the same as `keep`, for a set that already includes everything reachable."""
        if self.statement is not None:
            self.kept_in.setdefault(self.statement, set()).update(reachable)
        keeper = Saved(by, line, certain, part=part)
        for obj in reachable:
            known = state.kept.get(obj)
            if known is None or (certain and not known.certain) or (known.part == CALLED != part and not known.certain):
                state.kept[obj] = keeper

    def save(
        self,
        state: State,
        value: Value,
        operation: str,
        node: ast.expr | ast.AugAssign,
        part: str = "",
        *,
        graph: Graph,
        certain: bool = True,
    ) -> None:
        """Record that autograd saves `value`, a part of `node`, for backward, if what `operation` makes has a graph."""
        if state.record.records and graph:
            roots = state.roots(value.objs)
            seen = roots if roots == value.objs else state.seen(value.objs)
            for objs, is_certain in ((seen, certain), (roots - seen, False)):
                self.note_saved(state, objs, Saved(operation, node.lineno, is_certain, node, part, graph=graph))

    def note_saved(self, state: State, objs: Objs, by: Saved) -> None:
        """Record that an operation saves these objects, regardless of their bases."""
        if not objs or not state.record.records or self.recomputed:
            return
        if self.statement is not None:
            self.saved_in.setdefault(self.statement, set()).update(objs)
        joined: dict[frozenset[Saved], frozenset[Saved]] = {}  # the same operations have saved most of them
        for obj in objs:
            known = state.saved.get(obj, frozenset())
            if known not in joined:
                joined[known] = known if by in known else known | {by}
            state.saved[obj] = joined[known]

    def write(
        self,
        node: ast.AST,
        kind: WriteKind,
        target: ast.expr,
        value: Value,
        state: State,
        name: str = "",
        operands: tuple[Value, ...] = (),
        source: ast.Call | None = None,
        *,
        is_one_of_several: bool = False,
    ) -> Value:
        """Record an in-place operation, and return the written tensor; a later visit replaces the record.

        The write to `x.data` is recorded as one to `x`, but it is `x.data` that autograd meets.
        """
        assert self.statement is not None
        data, met = None, value
        if kind is not WriteKind.AUGMENTED and is_tensor_data(target, self.values):
            data = target if isinstance(target.value, ast.Name) else None
        if data is not None:
            target, value = data.value, self.values[data.value]
        self.writes[(node, source) if is_one_of_several else node] = Write(
            node,
            kind,
            target,
            value,
            state.snapshot(),
            self.statement,
            name,
            operands,
            source,
            self.inside[0] if self.inside else None,
            self.autocast > 0,
            data,
            bool(self.inside) and state.roots(value.objs) <= self.born[-1],
            is_one_of_several,
            self.in_any_order > 0,
        )
        written = graph_of(*operands) if state.record.records else NO_GRAPH
        if extended(met.graph, written) != met.graph:
            state.put_into_graph(met.objs, written)
        return met._replace(graph=extended(met.graph, written))

    def captured_by(self, function: Function, state: Facts) -> Objs:
        """Return the objects held by the names of this scope that an inner function captures."""
        names = sorted(function.captured(self.scope))
        return anything([state.env[n] for n in names if n in state.env and state.env[n].objs])

    def held_by(self, values: list[Value], state: Facts) -> Objs:
        """Return the objects of values, with those that functions among them capture."""
        functions = [ref for value in values for ref in alternatives(value.ref) if isinstance(ref, Function)]
        return anything(values).union(*(self.captured_by(function, state) for function in functions))

    def collected(
        self, node: ast.AST, state: State, kinds: int, element: Value, born: set[Obj], *drawn: Value | None
    ) -> Value:
        """Return a container of what each of several rounds gives, with the objects `born` in a round.

        `drawn` is what a round takes, where its element is made of nothing else, and the container of that.
        """
        identity = state.newness(element, *drawn) if element.identity in born else None
        state.age(self.names, born)
        aged = aged_value(element, self.names, born)
        return self.container(node, state, kinds, {ANY: aged._replace(identity=identity)})

    def cannot_follow(self, node: ast.Call, state: State) -> None:
        """Record the facts at a call that can't be resolved but may reach a function of the run."""
        nodes = [a.value if isinstance(a, ast.Starred) else a for a in (*node.args, *(k.value for k in node.keywords))]
        values = {n: self.values[n] for n in nodes if n in self.values}
        given = anything(list(values.values()))
        if self.statement is None or not given or not self.program.may_be_own(self.scope, node):
            return
        inside = self.inside[0] if self.inside else None
        handed, kind = Value(UNKNOWN, state.reachable(given)), WriteKind.METHOD
        write = Write(node, kind, node.func, handed, state.snapshot(), self.statement, inside=inside)
        self.unfollowed[node] = Unfollowed(write, values)

    def forget_shapes(self, state: State, value: Value) -> None:
        """Forget the shape of a tensor that was reshaped in place, and the definitions of its views."""
        self.reshaped |= value.objs
        state.forget_definitions(value.objs)
        state.revise(lambda held: held._replace(shape=None) if held.objs & value.objs else held)

    def fill(self, state: State, container: Value, element: Value, key: Hashable, label: str) -> None:
        """Let a list or dictionary from outside hold a tensor, or something to call, if such are its elements."""
        is_called = element.ref is not None and element.must_be(MODULE | CALLABLE)
        for holder in container.objs if element.kinds == TENSOR or is_called else ():
            if not any(True for _ in state.fields_of(holder)):
                kinds, ref = element.kinds, element.ref
                held = self.foreign(key, Origin.CALL, label, 0, kinds, ref=ref, likely=element.likely)
                state.heap[(holder, ANY)] = held if not is_called or element.objs else Value(kinds, ref=ref)

    def container(self, node: ast.AST, state: State, kinds: int, fields: Mapping[Any, Value]) -> Value:
        """Return a new list, tuple or dict with these slots."""
        made = self.fresh(node, state, "container", kinds, graph=NO_GRAPH)
        (obj,) = made.objs
        state.heap.put(obj, dict(fields))
        return made
