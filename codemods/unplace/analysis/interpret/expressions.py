"""Evaluates expressions to abstract values, in the order in which Python evaluates them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import NO_GRAPH, UNSEEN, derived
from unplace.analysis.domain.merging import Merger
from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CALLED,
    CONSUMER,
    CONTAINER,
    DICT,
    ITERATING,
    LIST,
    NONE,
    NONE_VALUE,
    NUMBER,
    NUMBER_VALUE,
    OTHER,
    OTHER_VALUE,
    SELECTING,
    SHAPE,
    TENSOR,
    TEXT,
    TEXT_VALUE,
    TUPLE,
    UNKNOWN,
    Base,
    Link,
    Obj,
    Origin,
    Value,
)
from unplace.analysis.interpret import (
    arithmetic,
    indexing,
    module_lists,
    own_operators,
    registered,
    specializing,
    unpacking,
)
from unplace.analysis.interpret.attributes import attribute_of, field_of
from unplace.analysis.interpret.calls import Calls
from unplace.analysis.interpret.narrowing import narrow
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.slots import INSIDE_OF_UNKNOWN
from unplace.analysis.interpret.writes import anything, graph_of
from unplace.analysis.project.generators import are_held
from unplace.analysis.project.module import home
from unplace.analysis.syntax.nodes import NUMBERS, TEXTS, children, code_of, walk

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Evaluator:
    """The evaluator of the expressions of one run; each value is also recorded in `run.values`."""

    def __init__(self, run: Run) -> None:
        """Prepare an evaluator that records values and effects in `run`."""
        self.run = run

    def evaluate(self, node: ast.expr, state: State) -> Value:
        """Return the value of an expression, and apply its effects to `state`."""
        handler = _BY_TYPE.get(type(node))
        if handler is None:
            for child in children(node):
                if isinstance(child, ast.expr):
                    self.evaluate(child, state)
            value = self.unknown(node, state, "an expression")
        else:
            value = handler(self, node, state)
        if value.kinds & UNKNOWN:
            value = self.run.refined(node, value)
        self.run.values[node] = value
        return value

    def unknown(
        self, node: ast.expr, state: State, label: str, key: str = "unknown", operator: str | None = None
    ) -> Value:
        """Return a value of which nothing is known, and which other code may hold."""
        place = (node, key, self.run.alternative)
        value = self.run.foreign(place, Origin.CALL, label, node.lineno, UNKNOWN, operator=operator)
        for obj in value.objs:
            self.run.make(obj, state)
        return value

    def _call(self, node: ast.expr, state: State) -> Value:
        return Calls(self).call(node, state)  # made for each call: kept, it would form a cycle with the evaluator

    # -- leaves ---------------------------------------------------------------------------------------------------

    def _constant(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Constant)
        constant = node.value
        if constant is None:
            return NONE_VALUE
        if type(constant) in TEXTS:
            return TEXT_VALUE
        if type(constant) in NUMBERS:
            return Value(NUMBER, dtype="bool") if isinstance(constant, bool) else NUMBER_VALUE
        return OTHER_VALUE

    def _name(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Name)
        found = state.env.get(node.id)
        if found is not None and node.id not in self.run.scope.volatile:
            return found
        value = self.run.program.free_name(self.run, node, state)
        return value._replace(objs=value.objs | found.objs) if found is not None else value

    def _text(self, node: ast.expr, state: State) -> Value:
        for child in walk(node):
            if isinstance(child, ast.FormattedValue):
                self.evaluate(child.value, state)
        return TEXT_VALUE

    def _slice(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Slice)
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.evaluate(part, state)
        return OTHER_VALUE

    def _starred(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Starred)
        return self.evaluate(node.value, state)

    def _lambda(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Lambda)
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
            value = self.evaluate(default, state)
            self.run.keep(state, value.objs, "a default argument", node.lineno, certain=True)
        scope = self.run.program.module.scopes.by_node[node]
        return Value(CALLABLE, ref=Function(scope))

    def _walrus(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.NamedExpr)
        value = self.evaluate(node.value, state)
        state.env[node.target.id] = value
        state.binds[node.target.id] = node
        return value

    def _suspend(self, node: ast.expr, state: State) -> Value:
        inner = getattr(node, "value", None)
        if inner is not None:
            value = self.evaluate(inner, state)
            held = are_held(home(self.run.scope), self.run.scope)
            self.run.keep(state, value.objs, CONSUMER, node.lineno, certain=held)
        return self.unknown(node, state, "what was sent in")

    # -- attributes and subscripts --------------------------------------------------------------------------------

    def _attribute(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Attribute)
        base = self.evaluate(node.value, state)
        found = registered.listed(self.run, node, base, state)
        return found if found is not None else attribute_of(self, node, base, state)

    def _subscript(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Subscript)
        base = self.evaluate(node.value, state)
        self.evaluate(node.slice, state)
        return self.element_of(node, base, state)

    def element_of(self, node: ast.Subscript, base: Value, state: State) -> Value:
        """Return the value of `base[index]`, with base and index evaluated already."""
        if base.may_be(TENSOR) and base.kinds & ~(TENSOR | NUMBER | NONE | UNKNOWN) == 0:
            base = base._replace(kinds=TENSOR, likely=base.likely or base.may_be(UNKNOWN))  # on some way to here
        if base.is_tensor:
            basic = indexing.is_basic_index(self.run, node.slice)
            if basic is not True:
                indexing.save_indices(self.run, node.slice, graph_of(base), state)
            if basic is False:
                return self.run.fresh(
                    node,
                    state,
                    "a selection",
                    dtype=base.dtype,
                    graph=graph_of(base),
                    operator=SELECTING,
                    likely=base.likely,
                )
            link = Link.VIEW if basic else Link.MAYBE
            piece = indexing.piece_of(self.run, node.slice, base, state) if basic else None
            return self.run.view(node, state, base, f"`{code_of(node)}`", link, piece=piece)
        if base.must_be(SHAPE):
            return Value(SHAPE if isinstance(node.slice, ast.Slice) else NUMBER)
        modules = module_lists.listed(self.run, base)
        if modules is not None:
            return module_lists.taken(self.run, node, base, modules)
        if base.must_be(TEXT):
            return TEXT_VALUE
        if base.must_be(ARRAY):
            return self.run.fresh(node, state, "an array", ARRAY | NUMBER, graph=NO_GRAPH)
        if base.must_be(CONTAINER) and base.objs:
            if isinstance(node.slice, ast.Slice):
                element = self.element(node, base, state)
                return self.run.container(node, state, base.kinds, {ANY: element})
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return self.element(node, base, state, key)
        if base.kinds == NUMBER | TEXT | CALLABLE or (base.must_be(CALLABLE | OTHER | NONE) and not base.objs):
            return OTHER_VALUE
        return self.inside(node, base, state, node.slice.value if isinstance(node.slice, ast.Constant) else None)

    def inside(self, node: ast.expr, holder: Value, state: State, key: Hashable = None) -> Value:
        """Return a value that an object hands out, which may be anything reachable from that object."""
        is_result = type(key) is int and {obj.operator for obj in holder.objs} == {CALLED}
        operator = CALLED if is_result else None  # an attribute is rather one of an object that goes on holding it
        value = self.unknown(node, state, f"`{code_of(node)}`", INSIDE_OF_UNKNOWN, operator)
        if holder.objs:
            for obj in value.objs:
                reachable, own = state.reachable(holder.objs) - {obj}, holder.objs - {obj}
                told_apart = key if isinstance(key, str) or (type(key) is int and key >= 0) else None
                state.bases[obj] = Base(reachable, Link.MAYBE, holders=own, key=told_apart)
        return value._replace(graph=derived(holder.graph) or UNSEEN)

    def field(self, node: ast.expr, base: Value, state: State, name: str) -> Value:
        """Return the value of an attribute that the code doesn't name: `h` of a getter's `return self.h`."""
        return field_of(self, node, base, state, name)

    def element(self, node: ast.expr, base: Value, state: State, key: Hashable = None) -> Value:
        """Return the slot of a container under a constant key, or the join of all its slots."""
        found: list[Value] = []
        exact = False
        for holder in base.objs:
            slots = dict(state.fields_of(holder))
            if isinstance(key, int) and key < 0 and ANY not in slots and all(isinstance(k, int) for k in slots):
                key = len(slots) + key
            if key is not None and key in slots and ANY not in slots and not holder.old:
                found.append(slots[key])
                exact = len(base.objs) == 1
            elif holder.origin is not Origin.FRESH and ANY not in slots:
                found.append(self.inside(node, base, state, key))
            else:
                found.extend(slots.values())
        if not found:
            return self.inside(node, base, state, key)
        value = found[0]
        for other in found[1:]:
            value = weak_join(value, other)
        return value if exact else value._replace(identity=(node, "read"), shape=(node, "shape"))  # some element

    # -- operators ------------------------------------------------------------------------------------------------

    def _binary(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.BinOp)
        left = self.evaluate(node.left, state)
        right = self.evaluate(node.right, state)
        made = own_operators.binary(self, node, left, right, state)
        if made is not None:
            return made
        return arithmetic.binary(self.run, node, node.op, left, right, state)

    def _unary(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.UnaryOp)
        operand = self.evaluate(node.operand, state)
        if isinstance(node.op, ast.Not):
            return NUMBER_VALUE
        if operand.must_be(NUMBER):
            return NUMBER_VALUE
        made = own_operators.unary(self, node, operand, state)
        if made is not None:
            return made
        if isinstance(node.op, ast.UAdd):
            return operand
        return self.run.fresh(
            node,
            state,
            "a result",
            operand.kinds,
            shape=operand.shape,
            dtype=operand.dtype,
            graph=graph_of(operand),
            likely=operand.likely,
        )

    def _compare(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Compare)
        operands = [self.evaluate(e, state) for e in (node.left, node.comparators[0])]
        states = []
        for other in node.comparators[1:]:  # `a < b < c` leaves `c` out where `a < b` doesn't hold
            states.append(state.fork())
            operands.append(self.evaluate(other, state))
        if states:
            state.become(Merger(node).merge([*states, state.fork()]))
        made = own_operators.compare(self, node, operands, state)
        return made if made is not None else arithmetic.compare(self.run, node, operands, state)

    def _boolean(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.BoolOp)
        values, states = [self.evaluate(node.values[0], state)], list[State]()
        for operand in node.values[1:]:
            if not self._is_plain(operand, state):
                states.append(state.fork())
            values.append(self.evaluate(operand, state))
        if states:
            state.become(Merger(node).merge([*states, state.fork()]))
        return self._either(node, values)

    def _is_plain(self, node: ast.expr, state: State) -> bool:
        """Tell whether to evaluate an operand does nothing: it is a local name, or `not` of one."""
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) and self._is_plain(node.operand, state)
        return isinstance(node, ast.Name) and node.id in state.env and node.id not in self.run.scope.volatile

    def _conditional(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.IfExp)
        self.evaluate(node.test, state)
        outcome = specializing.outcome(self.run, node.test)
        if outcome is not None:
            return self.evaluate(node.body if outcome else node.orelse, state)
        other = state.fork()
        narrow(self.run, node.test, state, True)
        narrow(self.run, node.test, other, False)
        values = [self.evaluate(node.body, state), self.evaluate(node.orelse, other)]
        state.become(Merger(node).merge([state.fork(), other]))
        return self._either(node, values)

    def _either(self, node: ast.expr, values: list[Value]) -> Value:
        value = values[0]
        for other in values[1:]:
            value = weak_join(value, other)
        return value._replace(identity=(node, "either"), shape=value.shape or (node, "shape"))

    # -- displays and comprehensions ------------------------------------------------------------------------------

    def _display(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Tuple | ast.List)
        kinds = TUPLE if isinstance(node, ast.Tuple) else LIST
        fields: dict[Hashable, Value] = {}
        for index, element in enumerate(node.elts):
            value = self.evaluate(element, state)
            if isinstance(element, ast.Starred):
                inner = self.iterate(element, value, state)
                fields[ANY] = weak_join(fields[ANY], inner) if ANY in fields else inner
            else:
                fields[index] = value
        return self.run.container(node, state, kinds, fields)

    def _set(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Set)
        values = [self.evaluate(e, state) for e in node.elts]
        self.run.keep(state, anything(values), "a set", node.lineno, certain=True)
        return OTHER_VALUE

    def _dict(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, ast.Dict)
        fields: dict[Hashable, Value] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.keep_key(key, self.evaluate(key, state), state)
            value = self.evaluate(item, state)
            if key is None:
                value = self.element(item, value, state) if value.objs else value
            slot = key.value if isinstance(key, ast.Constant) else ANY
            fields[slot] = weak_join(fields[slot], value) if slot in fields and slot == ANY else value
        return self.run.container(node, state, DICT, fields)

    def keep_key(self, node: ast.expr, key: Value, state: State) -> None:
        """Record that a dictionary holds a key, too."""
        self.run.keep(state, key.objs, "the keys of a dictionary", node.lineno, certain=True)

    def _comprehension(self, node: ast.expr, state: State) -> Value:
        assert isinstance(node, _Comprehension)
        outer, binds = dict(state.env), dict(state.binds)
        born: set[Obj] = set()
        self.run.born.append(born)
        self.run.inside.append(node)
        is_late = isinstance(node, ast.GeneratorExp) and not self.run.program.module.scopes.runs_at_once(node)
        iterable = self.evaluate(node.generators[0].iter, state)
        before = set(born)
        drawn, element = self._round(node, iterable, state, is_late)
        if any(write.inside is self.run.inside[0] for write in self.run.writes.values()):
            state.age(self.run.names, born - before)  # the next round meets what this one wrote and saved
            drawn, element = self._round(node, iterable, state, is_late)
        self.run.inside.pop()
        self.run.born.pop()
        own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        made_of = walk(node.value if isinstance(node, ast.DictComp) else node.elt)
        others = [state.env[n.id] for n in made_of if isinstance(n, ast.Name) and n.id in state.env.keys() - own]
        is_only = len(node.generators) == 1 and state.is_apart(drawn, others)
        kinds = DICT if isinstance(node, ast.DictComp) else OTHER if isinstance(node, ast.SetComp) else LIST
        collected = self.run.collected(node, state, kinds, element, born, drawn if is_only else None, iterable)
        state.env = {
            name: outer[name] if name in own else value
            for name, value in state.env.items()
            if name in outer or name not in own
        }
        for name in own & binds.keys():
            state.binds[name] = binds[name]
        return collected

    def _round(self, node: _Comprehension, first: Value, state: State, is_late: bool) -> tuple[Value, Value]:
        """Return what the innermost loop of a comprehension draws, and the element that is made of it."""
        drawn = first
        for generator in node.generators:
            iterable = first if generator is node.generators[0] else self.evaluate(generator.iter, state)
            if is_late:
                self.run.keep(state, iterable.objs, "a generator that runs later", node.lineno, certain=True)
            drawn = self.iterate(generator.iter, iterable, state)
            unpacking.bind(self, generator.target, drawn, state)
            for condition in generator.ifs:
                self.evaluate(condition, state)
        if isinstance(node, ast.DictComp):
            self.keep_key(node.key, self.evaluate(node.key, state), state)
            return drawn, self.evaluate(node.value, state)
        return drawn, self.evaluate(node.elt, state)

    def iterate(self, node: ast.expr, iterable: Value, state: State, key: Hashable = None) -> Value:
        """Return the value that a loop over `iterable` yields, or the one at an index that an unpacking takes."""
        if iterable.is_tensor:
            return unpacking.row(self.run, node, iterable, state)
        if iterable.must_be(SHAPE):
            return NUMBER_VALUE
        modules = module_lists.listed(self.run, iterable)
        if modules is not None:
            return TEXT_VALUE if modules.is_dict else module_lists.member(self.run, node, modules)
        if iterable.must_be(CONTAINER) and iterable.objs:
            if iterable.must_be(DICT):
                return Value(TEXT | NUMBER | UNKNOWN)
            return self.element(node, iterable, state)._replace(identity=(node, "item"), shape=(node, "shape"))
        if iterable.must_be(ARRAY):
            return Value(ARRAY | NUMBER)
        if iterable.must_be(TEXT | NUMBER):
            return iterable
        return self.inside(node, iterable, state, key)

    def iterator_over(self, node: ast.expr, iterable: Value, state: State) -> Value:
        """Return the contents of a loop's iterator: the sequence, or the rows of a tensor, all made at the start."""
        if iterable.is_tensor:
            link, by = Link.VIEW, ITERATING
            return self.run.view(node, state, iterable, "the loop", link, key="rows", forbidden=True, operator=by)
        return iterable


_BY_TYPE: dict[type, Callable[[Evaluator, ast.expr, State], Value]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Subscript: Evaluator._subscript,
    ast.Call: Evaluator._call,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.Compare: Evaluator._compare,
    ast.BoolOp: Evaluator._boolean,
    ast.IfExp: Evaluator._conditional,
    ast.Tuple: Evaluator._display,
    ast.List: Evaluator._display,
    ast.Set: Evaluator._set,
    ast.Dict: Evaluator._dict,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._comprehension,
    ast.Lambda: Evaluator._lambda,
    ast.NamedExpr: Evaluator._walrus,
    ast.Starred: Evaluator._starred,
    ast.Await: Evaluator._suspend,
    ast.Yield: Evaluator._suspend,
    ast.YieldFrom: Evaluator._suspend,
    ast.JoinedStr: Evaluator._text,
    ast.Slice: Evaluator._slice,
}
