"""Walks the statements of one scope in execution order: branches are joined, loops run to a fixpoint."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from unplace.analysis.cancellation import go_on
from unplace.analysis.domain.facts import ANY, Facts
from unplace.analysis.domain.gradmode import Record, entered, turns_autocast_on
from unplace.analysis.domain.merging import Merger, mark_left, same_facts
from unplace.analysis.domain.refs import Function, Named
from unplace.analysis.domain.state import State, hidden_name, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DICT,
    LIST,
    NONE,
    NUMBER,
    NUMBER_VALUE,
    OTHER,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Base,
    Link,
    Origin,
    Value,
)
from unplace.analysis.interpret import arithmetic, attributes, indexing, own_operators, specializing, unpacking
from unplace.analysis.interpret.expressions import Evaluator
from unplace.analysis.interpret.narrowing import narrow
from unplace.analysis.interpret.rounds import has_round
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.stores import bind_name, may_write, require_grad, store_attribute, store_item
from unplace.analysis.interpret.writes import graph_of
from unplace.analysis.syntax.flow import fails_always
from unplace.analysis.syntax.nodes import TRIES, walk
from unplace.analysis.types import kinds
from unplace.diagnostics.catalogue import Alive
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import modes

_MOST_ROUNDS = 25


class TooComplexError(Exception):
    """The loop has no fixpoint within the limit of rounds, so the function can't be analysed."""


@dataclass(slots=True)
class _Loop:
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)  # in front of the `with` blocks under way inside the loop


class Interpreter:
    """The abstract interpreter of statements; expressions are left to the `Evaluator`."""

    def __init__(self, run: Run) -> None:
        """Prepare a walk that records values and writes in `run`."""
        self.run = run
        self.evaluator = Evaluator(run)
        self._loops: list[_Loop] = []
        self._raises: list[list[State]] = []
        self._heads: dict[ast.stmt, State] = {}

    def block(self, body: list[ast.stmt], state: State | None) -> State | None:
        """Interpret the statements of a block; return None when its end can't be reached."""
        for statement in body:
            if state is None:
                return None
            handler = _BY_TYPE.get(type(statement))
            if handler is not None:
                go_on()
                self.run.statement = statement
                state = handler(self, statement, state)
                if state is not None and self._raises:
                    left = state.fork()
                    for raised in self._raises:  # a handler further out may be the one that fits
                        raised.append(left)
        return state

    # -- simple statements ----------------------------------------------------------------------------------------

    def _expression(self, s: ast.Expr, state: State) -> State:
        self.evaluator.evaluate(s.value, state)
        return state

    def _assert(self, s: ast.Assert, state: State) -> State | None:
        self.evaluator.evaluate(s.test, state)
        if s.msg is not None:
            failed = state.fork()
            self.evaluator.evaluate(s.msg, failed)
            for raised in self._raises:
                raised.append(failed)
        if fails_always(s):
            return None
        narrow(self.run, s.test, state, True)
        return state

    def _assign(self, s: ast.Assign, state: State) -> State:
        value = self.evaluator.evaluate(s.value, state)
        for target in s.targets:
            self.assign(target, value, state, s.value)
        return state

    def _annotated(self, s: ast.AnnAssign, state: State) -> State:
        if s.value is None:
            return state
        value = self.evaluator.evaluate(s.value, state)
        promised = kinds.of_annotation(s.annotation)
        if (value.kinds & UNKNOWN or value.likely) and not promised & UNKNOWN:
            value = value._replace(kinds=promised, likely=False)
        self.assign(s.target, value, state, s.value)
        return state

    def assign(self, target: ast.expr, value: Value, state: State, source: ast.expr | None) -> None:
        """Interpret `target = value`; `source` is the assigned expression, if there is one."""
        if isinstance(target, ast.Name):
            bind_name(self.run, target.id, value, target, source, state)
        elif isinstance(target, ast.Attribute):
            holder = self.evaluator.evaluate(target.value, state)
            store_attribute(self.evaluator, target, holder, value, state)
            if target.attr == "requires_grad" and holder.is_tensor and source is not None:
                require_grad(self.run, state, holder, source)
        elif isinstance(target, ast.Subscript):
            holder = self.evaluator.evaluate(target.value, state)
            self.evaluator.evaluate(target.slice, state)
            store_item(self.evaluator, target, holder, value, state)
        elif unpacking.matches(target, source):
            assert isinstance(target, ast.Tuple | ast.List)
            assert isinstance(source, ast.Tuple | ast.List)
            for one, part in zip(target.elts, source.elts, strict=True):
                self.assign(one, self.run.values[part], state, part)
        else:
            unpacking.bind(self.evaluator, target, value, state)

    def _augmented(self, s: ast.AugAssign, state: State) -> State:
        target = s.target
        holder: Value | None = None
        if isinstance(target, ast.Name):
            old = self.evaluator.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target), state)
            self.run.values[target] = old
        else:
            holder = self.evaluator.evaluate(target.value, state)
            if isinstance(target, ast.Subscript):
                self.evaluator.evaluate(target.slice, state)
                old = self.evaluator.element_of(target, holder, state)
            else:
                old = attributes.attribute_of(self.evaluator, target, holder, state)
            self.run.values[target] = old
        old = self.run.values[target] = self.run.refined(s, old)
        operand = self.evaluator.evaluate(s.value, state)
        if isinstance(target, ast.Subscript) and holder is not None and holder.is_tensor:
            self._saves_of(s, old, operand, state)  # first, because `y[1:] /= y[0]` overwrites what it saves
            self.run.write(s, WriteKind.AUGMENTED_STORE, target.value, holder, state, operands=(operand,))
            graph = graph_of(holder, operand)
            indexing.save_indices(self.run, target.slice, graph, state)
            if isinstance(s.op, ast.Pow) and not operand.must_be(NUMBER):
                self.run.save(state, holder, "pow()", s, graph=graph)
            return state
        new = self._operated(s, old, operand, state)
        if new is old and old.objs:
            if isinstance(target, ast.Attribute) and holder is not None:
                attributes.set_property(self.run, target, holder, new, state)
            return state
        if isinstance(target, ast.Name):
            bind_name(self.run, target.id, new, s, None, state)
        elif isinstance(target, ast.Attribute) and holder is not None:
            attributes.store_plain_attribute(self.run, target, holder, new, state)
        elif isinstance(target, ast.Subscript) and holder is not None:
            store_item(self.evaluator, target, holder, new, state, is_update=True)
            if self.run.unclear.pop(target, None) is not None:  # what is written is `x`, or the element of a list
                may_write(self.run, s, WriteKind.AUGMENTED_STORE, target.value, holder, (operand,), state)
        return state

    def _operated(self, s: ast.AugAssign, old: Value, operand: Value, state: State) -> Value:
        """Return the target after `target op= operand`: the same object where it was written in place."""
        in_place = not isinstance(s.op, ast.MatMult)
        made = own_operators.binary(self.evaluator, s, old, operand, state)
        if made is not None and not old.must_be(TENSOR | NUMBER | NONE):
            may_write(self.run, s, WriteKind.AUGMENTED, s.target, old, (operand,), state)
            return weak_join(old, made)._replace(identity=(s, "sum"))
        if old.is_tensor or (old.kinds & UNKNOWN and operand.is_tensor):
            if not in_place:
                return arithmetic.tensor_result(self.run, s, s.op, old, operand, state)
            self._saves_of(s, old, operand, state)  # first, because `y *= y` overwrites what it saves
            self.run.write(s, WriteKind.AUGMENTED, s.target, old, state, operands=(operand,))
            if isinstance(s.op, ast.Pow) and not operand.must_be(NUMBER):
                self.run.save(state, old, "pow()", s, "result", graph=graph_of(old, operand))
            if old.must_be(TENSOR):
                return old
            if old.must_be(TENSOR | NONE):
                return old._replace(kinds=TENSOR)  # None would have raised
            number = old._replace(objs=frozenset())  # where no tensor was written; of a tensor, autograd saves a copy
            fresh = arithmetic.tensor_result(self.run, s, s.op, number, operand, state)
            if not operand.may_be(TENSOR):
                return old._replace(identity=(s, "sum"))
            joined = weak_join(old._replace(kinds=TENSOR), fresh)
            dtype = fresh.dtype if old.may_be(NUMBER) else old.dtype
            return joined._replace(identity=(s, "sum"), shape=fresh.shape or old.shape, dtype=dtype)
        if old.must_be(NUMBER) and operand.must_be(NUMBER):
            return NUMBER_VALUE
        if old.must_be(TUPLE) and operand.must_be(CONTAINER):  # a new one, which has the elements of both
            return arithmetic.binary(self.run, s, s.op, old, operand, state)
        if old.must_be(CONTAINER):
            self.run.changed |= old.objs
        if old.must_be(LIST) and old.objs:
            element = self.evaluator.iterate(s.value, operand, state)
            for holder in old.objs:
                slot = (holder, ANY)
                loose = element._replace(identity=None)
                state.heap[slot] = weak_join(state.heap[slot], loose) if slot in state.heap else loose
            return old
        if old.must_be(DICT) and old.objs:
            for holder in old.objs:
                for _, held in list(state.reachable_slots(operand.objs)):
                    slot = (holder, ANY)
                    state.heap[slot] = (
                        weak_join(state.heap[slot], held) if slot in state.heap else held._replace(identity=None)
                    )
            return old
        if old.must_be(ARRAY | CONTAINER):
            return old
        if old.must_be(NUMBER) and operand.is_tensor:
            return arithmetic.tensor_result(self.run, s, s.op, old, operand, state)
        if old.must_be(NUMBER | TEXT | NONE):
            return Value(old.kinds | operand.kinds)
        may_write(self.run, s, WriteKind.AUGMENTED, s.target, old, (operand,), state)
        self.run.keep(state, operand.objs, "an augmented assignment", s.lineno)
        fresh = self.run.fresh(s, state, "a result", UNKNOWN, graph=graph_of(old, operand))
        return weak_join(old, fresh)._replace(identity=(s, "sum"), dtype=old.dtype)  # a tensor keeps its own

    def _saves_of(self, s: ast.AugAssign, old: Value, operand: Value, state: State) -> None:
        """Record what autograd saves for `target op= operand`: a copy of the old target, but the operand itself."""
        shadow = state.fork()
        arithmetic.tensor_result(self.run, s, s.op, old._replace(objs=frozenset()), operand, shadow)
        state.saved = shadow.saved

    def _delete(self, s: ast.Delete, state: State) -> State:
        for target in s.targets:
            if isinstance(target, ast.Name):
                state.env.pop(target.id, None)
                state.binds.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                holder = self.evaluator.evaluate(target.value, state)
                self.evaluator.evaluate(target.slice, state)
                key = target.slice.value if isinstance(target.slice, ast.Constant) and holder.must_be(DICT) else None
                state.remove(holder.objs, key)
                self.run.changed |= holder.objs
            elif isinstance(target, ast.Attribute):
                holder = self.evaluator.evaluate(target.value, state)
                for obj in holder.objs:
                    state.store(obj, target.attr, Value(OTHER), is_only=len(holder.objs) == 1)
        return state

    def _function(self, s: ast.FunctionDef, state: State) -> State:
        run = self.run
        for default in [*s.args.defaults, *(d for d in s.args.kw_defaults if d is not None)]:
            value = self.evaluator.evaluate(default, state)
            run.keep(state, value.objs, "a default argument", s.lineno, certain=True)
        record = state.record
        plain = all(self._is_plain_decorator(d, state) for d in s.decorator_list)
        state.record = record  # torch sets the mode again that `@torch.set_grad_enabled(False)` has changed
        function = Function(run.program.module.scopes.by_node[s])
        value = Value(CALLABLE, ref=function) if plain else Value(CALLABLE, run.captured_by(function, state))
        bind_name(run, s.name, value, s, None, state)
        return state

    def _is_plain_decorator(self, node: ast.expr, state: State) -> bool:
        value = self.evaluator.evaluate(node, state)
        target = node.func if isinstance(node, ast.Call) else node
        ref = self.run.values[target].ref if target in self.run.values else value.ref
        return isinstance(ref, Named) and ref.qualified in modes.KEEPING_FUNCTIONS | {modes.SET_GRAD_ENABLED}

    def _class(self, s: ast.ClassDef, state: State) -> State:
        found = self.run.program.module.classes.get(s)
        inner = self.run.program.module.scopes.by_node[s]
        for name in sorted(inner.read & state.env.keys()):
            self.run.keep(state, state.env[name].objs, f"the class `{s.name}`", s.lineno, certain=True)
        bind_name(self.run, s.name, Value(CALLABLE, ref=found), s, None, state)
        return state

    # -- leaving --------------------------------------------------------------------------------------------------

    def _return(self, s: ast.Return, state: State) -> None:
        value = self.evaluator.evaluate(s.value, state) if s.value is not None else Value(NONE)
        self.run.returns.append((value, state.frozen()))

    def _raise(self, s: ast.Raise, state: State) -> None:
        for part in (s.exc, s.cause):
            if part is not None:
                self.evaluator.evaluate(part, state)

    def _break(self, s: ast.Break, state: State) -> None:
        if self._loops:
            self._loops[-1].breaks.append(self._left(state))

    def _continue(self, s: ast.Continue, state: State) -> None:
        if self._loops:
            self._loops[-1].continues.append(self._left(state))

    def _left(self, state: State) -> State:
        """Leave the `with` blocks inside the loop under way."""
        state.record = next(iter(self._loops[-1].records), state.record)
        return state

    # -- branches -------------------------------------------------------------------------------------------------

    def _join(self, place: object, states: list[State | None]) -> State | None:
        reached = [s for s in states if s is not None]
        mark_left(reached)
        return Merger(place).merge(reached) if reached else None

    def _if(self, s: ast.If, state: State) -> State | None:
        self.evaluator.evaluate(s.test, state)
        outcome = specializing.outcome(self.run, s.test)
        if outcome is not None:
            narrow(self.run, s.test, state, outcome)
            return self.block(s.body if outcome else s.orelse, state)
        other = state.fork()
        narrow(self.run, s.test, state, True)
        narrow(self.run, s.test, other, False)
        then = self._arm(s, True, state)
        return self._join((s, "join"), [then, self._arm(s, False, other)])

    def _arm(self, s: ast.If, taken: bool, state: State) -> State | None:
        """Interpret a branch; outside loops, what it makes never meets what the other branch makes."""
        names = self.run.names
        before = names.arms
        if not self._loops:
            names.arms = {**before, s: taken}
        end = self.block(s.body if taken else s.orelse, state)
        names.arms = before
        return end

    def _match(self, s: ast.Match, state: State) -> State | None:
        subject = self.evaluator.evaluate(s.subject, state)
        ends: list[State | None] = [state.fork()]
        for case in s.cases:
            branch = state.fork()
            for part in walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    value = self.run.foreign((part, name), Origin.ATTRIBUTE, f"`{name}`", s.lineno, UNKNOWN)
                    for obj in value.objs:
                        branch.bases[obj] = Base(state.reachable(subject.objs), Link.EITHER)
                    bind_name(self.run, name, value, part, None, branch)
            if case.guard is not None:
                self.run.statement = s
                self.evaluator.evaluate(case.guard, branch)
            ends.append(self.block(case.body, branch))
        return self._join((s, "join"), ends)

    def _with(self, s: ast.With, state: State) -> State | None:
        before, autocast = state.record, self.run.autocast
        if self._loops:
            self._loops[-1].records.append(before)
        for item in s.items:
            record = state.record
            value = self.evaluator.evaluate(item.context_expr, state)
            if turns_autocast_on(item.context_expr):
                self.run.autocast += 1
            state.record = entered(value, item.context_expr, record)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, state, None)
        if not self.run.may_swallow(s):
            end = self.block(s.body, state)
        else:
            self._raises.append([state.fork()])
            end = self.block(s.body, state)
            end = self._join((s, "swallowed"), [end, Merger((s, "raised")).merge(self._raises.pop())])
        self.run.autocast = autocast
        if self._loops:
            self._loops[-1].records.pop()
        if end is not None:
            end.record = before
        return end

    def _try(self, s: ast.Try, state: State) -> State | None:
        before, record = len(self.run.returns), state.record
        self._raises.append([state.fork()])
        body = self.block(s.body, state)
        raised = self._raises.pop()
        anywhere = Merger((s, "raised")).merge(raised)
        anywhere.record = record
        ends: list[State | None] = [self.block(s.orelse, body) if body is not None else None]
        for handler in s.handlers:
            branch = anywhere.fork()
            if handler.type is not None:
                self.run.statement = s
                self.evaluator.evaluate(handler.type, branch)
            if handler.name:
                bind_name(self.run, handler.name, Value(OTHER), handler, None, branch)
            ends.append(self.block(handler.body, branch))
        joined = self._join((s, "join"), ends)
        if not s.finalbody:
            return joined
        returned = self.run.returns[before:]
        pending = [self._pending(s, value, at) for value, at in returned]
        entered = self._join((s, "final"), [joined if joined is not None else anywhere, *pending])
        del self.run.returns[before:]
        final = self.block(s.finalbody, entered)
        if final is not None:
            self.run.returns += [(value, final.frozen()) for value, _ in returned]
        if joined is None or final is None:
            return None
        final.env.pop(hidden_name(Alive.RETURN, s.lineno), None)
        return final

    def _pending(self, s: ast.Try, value: Value, at: Facts) -> State:
        """Return the state in which the `finally` block runs while a `return` is pending."""
        state = State.of(at)
        if value.objs:
            state.env[hidden_name(Alive.RETURN, s.lineno)] = value
        return state

    # -- loops ----------------------------------------------------------------------------------------------------

    def _loop(self, s: ast.For | ast.AsyncFor | ast.While, state: State) -> State | None:
        iterable = None if isinstance(s, ast.While) else self.evaluator.evaluate(s.iter, state)
        iterator = hidden_name(Alive.LOOP, s.lineno)
        if iterable is not None and iterable.objs and not isinstance(s, ast.While):
            state.env[iterator] = self.evaluator.iterator_over(s.iter, iterable, state)
        known = self._heads.get(s)
        head = state if known is None else Merger((s, "head")).merge([known, state])
        merger = Merger((s, "head"))
        for _ in range(_MOST_ROUNDS):
            frame = _Loop()
            self._loops.append(frame)
            self.run.born.append(set())
            self.run.statement = s
            inside = head.fork()
            if isinstance(s, ast.While):
                self.evaluator.evaluate(s.test, inside)
                leaving = inside.fork()
            else:
                assert iterable is not None
                leaving = inside.fork()
                element = self.evaluator.iterate(s.iter, iterable, inside)
                unpacking.bind(self.evaluator, s.target, element, inside)
            end = self.block(s.body, inside)
            born = self.run.born.pop()
            self._loops.pop()
            back = self._join((s, "back"), [end, *frame.continues])
            if back is None:
                break
            mark_left([head, back])
            new = merger.merge([head, back])
            new.age(self.run.names, born, are_many=True)
            if same_facts(new, head):
                break
            head = new
        else:
            raise TooComplexError(f"the loop in line {s.lineno} doesn't come to rest")
        self._heads[s] = head
        if isinstance(s, ast.While):
            left = None if isinstance(s.test, ast.Constant) and s.test.value else leaving
        else:
            left = back if has_round(self.run, s.iter) else leaving
        for ended in filter(None, (left, *frame.breaks)):
            ended.env.pop(iterator, None)
        after = None if left is None else self.block(s.orelse, left)
        return self._join((s, "after"), [after, *frame.breaks])


_BY_TYPE: dict[type, Callable[..., State | None]] = {
    ast.Expr: Interpreter._expression,
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented,
    ast.If: Interpreter._if,
    ast.For: Interpreter._loop,
    ast.AsyncFor: Interpreter._loop,
    ast.While: Interpreter._loop,
    ast.With: Interpreter._with,
    ast.AsyncWith: Interpreter._with,
    ast.Return: Interpreter._return,
    ast.Raise: Interpreter._raise,
    ast.Break: Interpreter._break,
    ast.Continue: Interpreter._continue,
    ast.FunctionDef: Interpreter._function,
    ast.AsyncFunctionDef: Interpreter._function,
    ast.ClassDef: Interpreter._class,
    ast.Delete: Interpreter._delete,
    ast.Assert: Interpreter._assert,
    ast.Match: Interpreter._match,
    **dict.fromkeys(TRIES, Interpreter._try),
}
