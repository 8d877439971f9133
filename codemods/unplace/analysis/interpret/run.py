"""One analysis run over one function: what it knows while it walks, and what it hands to the rules."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.gradmode import GradMode
from unplace.analysis.domain.refs import Class, Function
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    DISCRETE,
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
    Tracked,
    Value,
    is_same,
)
from unplace.analysis.effects.effect import Effect
from unplace.analysis.interpret.writes import Unfollowed, Write, anything, can_be_tracked, is_data, stays_in_place
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.flow import Flow, may_swallow
from unplace.analysis.syntax.liveness import Liveness
from unplace.analysis.syntax.nodes import parents_below
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.catalogue import Layout
from unplace.diagnostics.forms import WriteKind


class Analysis(Protocol):
    """What a run, and all that looks at runs, asks of the analysis of its module."""

    module: ModuleIndex

    def run(self, scope: Scope) -> Run | None:
        """Return the finished run over a scope, None where there is none yet."""

    def exits(self, scope: Scope) -> list[tuple[Value, Snapshot]]:
        """Return what a function returns on each way out, and what is true there."""

    def summary(self, function: Function) -> Effect | None:
        """Return what calling a function does; None when nothing can be said."""

    def may_be_own(self, call: ast.Call) -> bool:
        """Tell whether a call may be one of a function of the module."""

    def free_name(self, run: Run, node: ast.Name, state: State) -> Value:
        """Return the value of a name that the walk hasn't bound."""

    def named(self, run: Run | None, qualified: str, node: ast.AST) -> Value:
        """Return something imported, by its qualified name."""

    def estimate(self, scope: Scope, node: ast.expr) -> Value:
        """Return the value of an expression without knowing the flow up to it."""

    def contents(self, scope: Scope, node: ast.expr) -> Value:
        """Return what the elements of a list or dictionary are."""

    def elements_of(self, scope: Scope, source: ast.expr) -> Value:
        """Return what the elements of a list or dictionary are that an expression makes."""

    def method(self, owner: Class, name: str) -> Function | None:
        """Return a method of a class that no decorator wraps and no subclass overrides."""

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Iterate over the classes that are known to derive from a class."""

    def attribute(self, owner: Class, name: str) -> Value:
        """Return what an attribute of an instance is."""

    def attribute_elements(self, owner: Class, name: str) -> Value:
        """Return what the elements of an attribute are that is a list or dictionary."""

    def guessing(self, key: Hashable) -> AbstractContextManager[bool]:
        """Guard a guess against asking for itself; False where it does."""


@dataclass(slots=True)
class Run:
    """The context of one walk over one scope."""

    program: Analysis
    scope: Scope
    names: Names = field(default_factory=Names)
    values: dict[ast.expr, Value] = field(default_factory=dict)
    writes: dict[ast.AST, Write] = field(default_factory=dict)
    returns: list[tuple[Value, Snapshot]] = field(default_factory=list)
    handed: dict[tuple[ast.Call, str], tuple[Scope, Write]] = field(default_factory=dict)  # to functions that write it
    unfollowed: dict[ast.Call, Unfollowed] = field(default_factory=dict)
    possible: dict[ast.stmt | ast.expr, Objs] = field(default_factory=dict)  # what may be written there, if a tensor
    born: list[set[Obj]] = field(default_factory=list)
    grad: GradMode = GradMode.CALLER
    statement: ast.stmt | None = None
    body: list[ast.stmt] = field(default_factory=list)
    saved_in: dict[ast.stmt, set[Obj]] = field(default_factory=dict)  # what the operations of a statement saved
    kept_in: dict[ast.stmt, set[Obj]] = field(default_factory=dict)  # what code out of sight was given in a statement
    constructed: set[Obj] = field(default_factory=set)  # made by torch.zeros and the like
    private: set[Obj] = field(default_factory=set)  # made by `x = x.clone()`
    copied: set[Obj] = field(default_factory=set)  # made by operations whose purpose is new memory: clone, cat, pad
    laid_out: dict[Obj, Layout] = field(default_factory=dict)  # made with a layout of its own
    reshaped: set[Obj] = field(default_factory=set)  # those whose shape or strides an operation changed
    leaves: set[Obj] = field(default_factory=set)  # made with requires_grad=True
    autocast: int = 0  # how many `with torch.autocast` blocks surround the current statement
    inside: list[ast.AST] = field(default_factory=list)  # the comprehensions around the current expression
    _liveness: Liveness | None = None
    _flow: Flow | None = None
    _muddled: dict[Obj, int] | None = None
    _parents: dict[ast.AST, ast.AST] | None = None

    @property
    def liveness(self) -> Liveness:
        """Which names of the scope are read where."""
        if self._liveness is None:
            self._liveness = Liveness(self.scope, self.body)
        return self._liveness

    @property
    def flow(self) -> Flow:
        """Where the statements of the scope stand."""
        if self._flow is None:
            self._flow = Flow(self.body)
        return self._flow

    def is_guarded(self, statement: ast.stmt) -> bool:
        """Whether code of the scope may run on after the statement has raised."""
        spot = self.flow.spot(statement)
        return spot is not None and any(self.may_swallow(guard) for guard in spot.guards)

    def reaches_end(self) -> bool:
        """Whether the code may run to its end without a `return`."""
        return self.flow.reaches_end(self.may_swallow)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The statement that an expression of the scope stands in."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def may_swallow(self, guard: ast.stmt) -> bool:
        """Whether what the body of a `try` or `with` raises may end there."""
        return may_swallow(guard, self._qualified)

    def _qualified(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name) and self.program.module.scopes.owner(self.scope, node.id) is None:
            return f"builtins.{node.id}"
        return self.program.module.qualified(self.scope, node)

    def all_writes(self) -> list[Write]:
        """The in-place operations of the scope itself, and those of the functions that it hands tensors to."""
        return [*self.writes.values(), *(write for _, write in self.handed.values())]

    @property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """The parent of each node of the scope, those of inner scopes included."""
        if self._parents is None:
            self._parents = parents_below(self.scope.node)
        return self._parents

    @property
    def muddled(self) -> Mapping[Obj, int]:
        """The tensors that an operation wrote while it read them through another view, with the line of the last."""
        if self._muddled is None:
            writes = (w for w in self.writes.values() if w.grad.records and w.reads_what_it_writes(certainly=True))
            self._muddled = {o: w.statement.lineno for w in writes for o in w.state.roots(w.value.objs)}
        return self._muddled

    def taken_names(self) -> set[str]:
        """Every name that means something in the scope or the module: what a new name must avoid."""
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
        tracked: Tracked = Tracked.MAYBE,
        ref: Hashable = None,
        overlapping: bool = False,
        operator: str | None = None,
        likely: bool = False,
        is_new: bool = False,
    ) -> Value:
        """A new object made at `node`, that nothing else holds yet; `is_new`: by a constructor such as torch.zeros."""
        line = getattr(node, "lineno", 0)
        obj = self.names.obj((node, key), Origin.FRESH, label, line, overlapping=overlapping, operator=operator)
        self.make(obj, state)
        if tracked is Tracked.LEAF:
            self.leaves.add(obj)
        if is_new:
            self.constructed.add(obj)
        return Value(kinds, frozenset((obj,)), obj, shape if shape is not None else obj, dtype, tracked, ref, likely)

    def make(self, obj: Obj, state: State) -> None:
        """Note that `obj` is made here and now, forgetting what an earlier iteration said of it."""
        for born in self.born:
            born.add(obj)
        state.bases.forget(obj)
        state.definitions.pop(obj, None)
        state.kept.pop(obj, None)
        state.saved.pop(obj, None)
        state.touched.discard(obj)
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
        tracked: Tracked | None = None,
        dtype: Token = None,
    ) -> Value:
        """A tensor made at `node` that looks (or may look) into the memory of `base`."""
        made = self.fresh(
            node,
            state,
            label,
            key=key,
            shape=base.shape if same_shape else None,
            dtype=dtype if dtype is not None else base.dtype,
            tracked=base.tracked if tracked is None else tracked,
            overlapping=overlapping,
            operator=operator,
            likely=base.likely,
        )
        (obj,) = made.objs
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
        tracked: Tracked = Tracked.MAYBE,
        dtype: Token = None,
        likely: bool = False,
    ) -> Value:
        """Something that code out of sight may hold as well."""
        obj = self.names.obj(key, origin, label, line)
        return Value(kinds, frozenset((obj,)), obj, obj, dtype if dtype is not None else obj, tracked, ref, likely)

    def keep(self, state: State, objs: Objs, by: str, line: int, *, certain: bool = False) -> None:
        """Hand objects, and all that can be reached from them, to something that may (or certainly does) hold them."""
        if objs:
            self.keep_all(state, state.reachable(objs), by, line, certain=certain)

    def keep_all(self, state: State, reachable: Objs, by: str, line: int, *, certain: bool = False) -> None:
        """Like `keep`, for objects from which everything reachable is included already."""
        if self.statement is not None:
            self.kept_in.setdefault(self.statement, set()).update(reachable)
        for obj in reachable:
            known = state.kept.get(obj)
            if known is None or (certain and not known.certain):
                state.kept[obj] = Saved(by, line, certain)

    def save(
        self,
        state: State,
        value: Value,
        operation: str,
        node: ast.expr | ast.AugAssign,
        part: str = "",
        *,
        certain: bool = True,
    ) -> None:
        """Note that autograd keeps `value`, which is this part of `node`, for the backward of `operation`."""
        if self.grad.records:
            self.note_saved(state, state.roots(value.objs), Saved(operation, node.lineno, certain, node, part))

    def note_saved(self, state: State, objs: Objs, by: Saved) -> None:
        """Note that an operation keeps these objects, whatever they are views of."""
        if not self.grad.records:
            return
        if self.statement is not None:
            self.saved_in.setdefault(self.statement, set()).update(objs)
        saved = frozenset((by,))
        for obj in objs:
            known = state.saved.get(obj)
            state.saved[obj] = saved if known is None else known | saved

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
    ) -> Value:
        """Record an in-place operation and return the written tensor; later visits of a place replace earlier ones."""
        assert self.statement is not None
        data = target if kind is not WriteKind.AUGMENTED and is_data(target) else None
        if isinstance(data, ast.Attribute):
            target, value = data.value, self.values[data.value]
        else:
            data = None
        self.writes[node] = Write(
            node,
            kind,
            target,
            value,
            state.snapshot(),
            self.statement,
            self.grad,
            name,
            operands,
            source,
            self.inside[0] if self.inside else None,
            self.autocast > 0,
            data,
            bool(self.inside) and state.roots(value.objs) <= self.born[-1],
        )
        if kind.is_whole and not stays_in_place(kind, name, value) and not self._fills(name, value, state):
            state.touched |= value.objs
        if self.grad.records and any(can_be_tracked(o) for o in operands):
            self.becomes_tracked(state, value)
            return value._replace(tracked=Tracked.MAYBE) if value.tracked is Tracked.NO else value
        return value

    def _fills(self, name: str, value: Value, state: State) -> bool:
        """Whether a method fills memory made for it, and so stays."""
        method = torchapi.inplace_method(name)
        roots = state.roots(value.objs) - state.bases.keys()
        is_made = bool(roots) and roots <= self.constructed | self.private | self.copied
        is_fill = method is not None and method.kind in ("copy", "random", "diagonal")
        return is_fill and is_made and not any(root in state.saved for root in roots)

    def hand(
        self,
        node: ast.Call,
        callee: Scope,
        name: str,
        argument: ast.expr,
        value: Value,
        others: tuple[Value, ...],
        state: State,
    ) -> None:
        """Record that a call hands a tensor to a function of this file that writes this parameter."""
        assert self.statement is not None
        inside = self.inside[0] if self.inside else None
        write = Write(
            node,
            WriteKind.METHOD,
            argument,
            value,
            state.snapshot(),
            self.statement,
            self.grad,
            operands=others,
            inside=inside,
            autocast=self.autocast > 0,
        )
        self.handed[(node, name)] = (callee, write)

    def cannot_follow(self, node: ast.Call, state: State) -> None:
        """Record what is true where a call of an unknown function may be one of a function of this file."""
        if self.statement is None or not self.program.may_be_own(node):
            return
        nodes = [a.value if isinstance(a, ast.Starred) else a for a in (*node.args, *(k.value for k in node.keywords))]
        values = {n: self.values[n] for n in nodes if n in self.values}
        objs = state.reachable(anything(list(values.values())))
        inside = self.inside[0] if self.inside else None
        if objs:
            handed, kind = Value(UNKNOWN, objs), WriteKind.METHOD
            write = Write(node, kind, node.func, handed, state.snapshot(), self.statement, self.grad, inside=inside)
            self.unfollowed[node] = Unfollowed(write, values)

    def require_grad(self, state: State, value: Value, flag: ast.expr | None) -> Value:
        """What a tensor is after `requires_grad_(flag)`, under all its names; a leaf if it was in no graph before."""
        is_on = flag is None or (isinstance(flag, ast.Constant) and flag.value is True)
        is_off = isinstance(flag, ast.Constant) and flag.value is False
        tracked = value.tracked
        if is_off:
            tracked = Tracked.NO
        else:
            self.leaves |= value.objs
            if tracked is Tracked.NO and value.dtype not in DISCRETE:
                self.becomes_tracked(state, value)
                tracked = Tracked.LEAF if is_on else Tracked.MAYBE
        state.revise(lambda held: held._replace(tracked=tracked) if is_same(held, value) else held)
        return value._replace(tracked=tracked)

    def becomes_tracked(self, state: State, value: Value) -> None:
        """A tensor in a graph was written into `value`: whatever shares its memory is in the graph now."""

        def revised(held: Value) -> Value:
            if held.tracked is Tracked.NO and held.objs and state.may_share(held.objs, value.objs):
                return held._replace(tracked=Tracked.MAYBE)
            return held

        state.revise(revised)

    def forget_shapes(self, state: State, value: Value) -> None:
        """After an operation that changes a tensor's shape in place: its views can't be made again as they were."""
        self.reshaped |= value.objs
        for obj, definition in list(state.definitions.items()):
            used = frozenset().union(*(state.env[n].objs for n in definition.uses if n in state.env))
            if (used | {obj}) & value.objs or state.may_share(frozenset((obj,)), value.objs):
                del state.definitions[obj]
        state.revise(lambda held: held._replace(shape=None) if held.objs & value.objs else held)

    def fill(self, state: State, container: Value, element: Value, key: Hashable, label: str) -> None:
        """Let a list or dictionary from outside hold tensors, if that is what it is filled with."""
        for holder in container.objs if element.kinds == TENSOR else ():
            if not any(True for _ in state.fields_of(holder)):
                state.heap[(holder, ANY)] = self.foreign(key, Origin.CALL, label, 0, TENSOR, likely=element.likely)

    def container(self, node: ast.AST, state: State, kinds: int, fields: Mapping[Any, Value]) -> Value:
        """A new list, tuple or dict with these slots."""
        made = self.fresh(node, state, "container", kinds, tracked=Tracked.NO)
        (obj,) = made.objs
        state.heap.put(obj, dict(fields))
        return made
