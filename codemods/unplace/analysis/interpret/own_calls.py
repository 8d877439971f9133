"""Applies calls of the project's own functions, by their summaries, and of its classes, which create objects."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping, Sequence

from unplace.analysis.domain.graph import NO_GRAPH, UNSEEN
from unplace.analysis.domain.refs import GENERAL, Bound, Choice, Class, Function, Instance, Variant, alternatives
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    MODULE,
    NONE,
    OTHER,
    OTHER_VALUE,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Origin,
    Value,
)
from unplace.analysis.effects.applying import apply
from unplace.analysis.effects.call import Call
from unplace.analysis.effects.clobbering import clobber
from unplace.analysis.effects.effect import Effect
from unplace.analysis.effects.graphs import brought
from unplace.analysis.interpret import custom_functions, specializing
from unplace.analysis.interpret.arguments import Arguments, bind_loosely, bind_parameters
from unplace.analysis.interpret.attributes import field_of
from unplace.analysis.interpret.choices import either
from unplace.analysis.interpret.identity import INSTANCE
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.interpret.writes import Given, Handings, Write, anything, can_be_tracked
from unplace.analysis.project.calling import parameters_of
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.classes import is_class_method
from unplace.analysis.syntax.constructors import is_plain, own_constructor, stored_parameters, surely_stored
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.identities import makes_new_objects
from unplace.analysis.types.kinds import of_annotation, of_instance
from unplace.diagnostics.forms import WriteKind


def of_function(
    calls: CallEffects,
    node: ast.Call,
    function: Function,
    arguments: Arguments,
    state: State,
    receiver: Value | None,
    key: Hashable = "result",
    *,
    saves: bool = True,
) -> Value:
    """Return the result of calling a function of the run.

    `key` distinguishes the results of several functions that one call may reach. `saves` is False where autograd saves
    no argument, because none has a graph.
    """
    run = calls.run
    bound = bind_parameters(function, arguments, receiver)
    is_loose = bound is None
    if bound is None:
        bound = bind_loosely(function, arguments, receiver)
    if bound is None:
        return calls.unknown_call(node, [*arguments.all(), *([receiver] if receiver else [])], state)
    variant = specializing.of_call(run.program, function, arguments, receiver, run.variant) if not is_loose else GENERAL
    effect = run.program.summary(function, run.scope, variant) if _runs(run, function, node) else None
    if is_loose:
        _hand_loosely(run, node, function, effect, arguments, bound, state)
    is_unfit = effect is not None and bool(run.recomputed) and _writes_given(effect)
    flagged = GENERAL if is_loose else specializing.with_flags(variant, function, arguments, receiver, run.variant)
    given = _note_given(run, node, function, bound, flagged, state)
    if effect is None or is_unfit or (is_loose and effect.writes | effect.may_write):
        return calls.unknown_call(node, [*arguments.all(), *([receiver] if receiver else [])], state)
    if not saves:
        effect = effect._replace(saves=())
    if is_loose:  # no argument is known to be the one that is saved
        effect = effect._replace(saves=tuple(save._replace(part="") for save in effect.saves))
    else:
        run.followed.add(node)
    nodes = arguments.named_nodes(bound)
    for name in sorted((effect.writes | effect.may_write) & nodes.keys()):
        others = tuple(value for other, value in bound.items() if other != name)
        handings = run.handed if name in effect.writes else run.handed_unclear
        _hand(run, node, function.scope, name, nodes[name], bound[name], others, state, handings, variant)
    _read_written(calls, node, effect, bound, state)
    _hand_held(run, node, function, effect, bound, state, variant)
    called = f"{code_of(node.func)}()"
    _save_held(run, node, called, effect, bound, given, state)
    bound = {name: _with_captures(run, node, value, state) for name, value in bound.items()}
    hand_captured(run, node, function, state)
    captured = state.reachable(run.captured_by(function, state))
    is_dropped = isinstance(run.statement, ast.Expr) and run.statement.value is node and _returns_something(effect)
    for name, certain, _, needs in effect.saves_captured:
        if name in given:
            graph = brought(run, state, given, needs)
            run.save(state, given[name], called, node, graph=graph, certain=certain and not is_dropped)
    if captured:
        clobber(run, node, captured, state)
        for obj in captured:
            run.save(state, Value(UNKNOWN, frozenset((obj,))), called, node, graph=UNSEEN, certain=False)
    return apply(Call(calls, node, bound, state, called, captured, nodes, outer=given), effect, key)


def _note_given(
    run: Run, node: ast.Call, function: Function, bound: Mapping[str, Value], variant: Variant, state: State
) -> Mapping[str, Value]:
    """Record what a call gives, and return what brings graphs: arguments, and what the callee captures."""
    given = {**{n: state.env[n] for n in function.captured(run.scope) if n in state.env}, **bound}
    graphs = {name: brought(run, state, given, frozenset([name])) for name in given}
    run.given[node, function.scope] = Given(graphs, variant, state.record)
    return given


def _runs(run: Run, function: Function, node: ast.Call) -> bool:
    """Tell whether a call runs a function: that of a coroutine only makes one, unless it is awaited at once."""
    is_coroutine = isinstance(function.scope.node, ast.AsyncFunctionDef)
    return not is_coroutine or isinstance(run.parents.get(node), ast.Await)


def _writes_given(effect: Effect) -> bool:
    """Tell whether a function may write what it is given, or what an object that it is given holds."""
    return bool(effect.writes | effect.may_write | effect.writes_held | effect.may_write_held)


def _returns_something(effect: Effect) -> bool:
    return effect.returned is None or effect.returned.kinds != NONE


def hand_captured(run: Run, node: ast.Call, function: Function, state: State) -> None:
    """Record what a function that a call runs, or hands on, may write by the names that it captures.

    each(lambda k: logits.mul_(k), [2, 3])
    """
    for name in sorted(function.captured(run.scope)) if function.scope.suspects else ():
        if name in state.env:
            _hand(run, node, function.scope, name, node.func, state.env[name], (), state, run.handed_loosely)


def hand_drawn(run: Run, node: ast.Call, function: Function, elements: Sequence[Value], state: State) -> None:
    """Record the elements that `map` passes to a function."""
    for parameter, value in zip(function.scope.parameters, elements, strict=False):
        _hand(run, node, function.scope, parameter.arg, node.func, value, (), state, run.handed_loosely)


def _hand_loosely(
    run: Run,
    node: ast.Call,
    function: Function,
    effect: Effect | None,
    arguments: Arguments,
    bound: Mapping[str, Value],
    state: State,
) -> None:
    """Record what a call passes to a function with `*args` or `**kwargs` that writes it.

    The arguments for `*args` are recorded as the tuple that the function gets.
    """
    signature = getattr(function.scope.node, "args", None)
    if signature is None:
        return
    given = [*arguments.positional, *arguments.keywords.values()]
    for name in sorted((effect.writes | effect.may_write) & bound.keys()) if effect is not None else ():
        if any(bound[name] is value for value in given):
            _hand(run, node, function.scope, name, node.func, bound[name], (), state, run.handed_loosely)
    if not arguments.exact:
        return
    surplus = arguments.positional[len(parameters_of(function.scope)) :]
    if signature.vararg is not None and any(value.may_be(TENSOR | UNKNOWN) for value in surplus):
        name, inside = signature.vararg.arg, state.fork()
        passed = run.container(node.func, inside, TUPLE, dict(enumerate(surplus)))
        _hand(run, node, function.scope, name, node.func, passed, (), inside, run.handed_loosely)


def _hand(
    run: Run,
    node: ast.Call,
    callee: Scope,
    name: str,
    argument: ast.expr,
    value: Value,
    others: tuple[Value, ...],
    state: State,
    handings: Handings,
    variant: Variant = GENERAL,
) -> None:
    """Record that a call passes a tensor to a function of the run that writes, or may write, it."""
    assert run.statement is not None
    write = Write(
        node,
        WriteKind.METHOD,
        argument,
        value,
        state.snapshot(),
        run.statement,
        operands=others,
        inside=run.inside[0] if run.inside else None,
        autocast=run.autocast > 0,
        variant=variant,
    )
    handings[(node, name, callee)] = (callee, write)


def _hand_held(
    run: Run,
    node: ast.Call,
    function: Function,
    effect: Effect,
    bound: Mapping[str, Value],
    state: State,
    variant: Variant,
) -> None:
    """Record the tensors that a call passes in attributes of its arguments to a function that writes them.

    self.enqueue(keys)                   def enqueue(self, keys): self.queue[:, :n] = keys
    """
    for paths, handings in ((effect.writes_held, run.handed_held), (effect.may_write_held, run.handed_loosely)):
        for path in sorted(paths):
            for value in _held_at(path, bound, state):
                _hand(run, node, function.scope, path, node.func, value, (), state, handings, variant)


def _save_held(
    run: Run,
    node: ast.Call,
    called: str,
    effect: Effect,
    bound: Mapping[str, Value],
    given: Mapping[str, Value],
    state: State,
) -> None:
    """Record the tensors in attributes of arguments that autograd saves during a call: `self.h` for `self.step()`."""
    for path, certain, _, needs in effect.saves_held:
        graph = brought(run, state, given, needs)
        for value in _held_at(path, bound, state):
            if graph and value.may_be(TENSOR | UNKNOWN):
                run.save(state, value, called, node, graph=graph, certain=certain and value.is_tensor)


def _read_written(calls: CallEffects, node: ast.Call, effect: Effect, bound: Mapping[str, Value], state: State) -> None:
    """Read what a function writes or saves in modules of the run: until then, no slot holds a buffer.

    scale(x) + scale(y)                  def forward(self, x): self.running.mul_(0.9); return x / self.running
    """
    written = effect.writes_held | effect.may_write_held
    for path in sorted({*written, *(save.parameter for save in effect.saves_held)}):
        name, _, attribute = path.partition(".")
        module = bound.get(name)
        if module is None or not module.must_be(MODULE) or not isinstance(module.ref, Instance):
            continue
        if path in written or module.ref.of.lookup("buffers", attribute):
            func = node.func
            is_callee = calls.run.values.get(func) == module  # rather than what a method is called on
            holder = func.value if isinstance(func, ast.Attribute) and not is_callee else func
            field_of(calls.evaluator, holder, module, state, attribute)


def _held_at(path: str, bound: Mapping[str, Value], state: State) -> list[Value]:
    """Return what is known to be in an attribute of the objects that a call passes for a parameter: `self.queue`."""
    name, _, attribute = path.partition(".")
    found = [state.heap.get((holder, attribute)) for holder in bound[name].objs] if name in bound else []
    return [value for value in found if value is not None]


def of_bound(calls: CallEffects, node: ast.Call, ref: Bound, arguments: Arguments, state: State) -> Value:
    """Return the result of calling a method of an object of the run that was looked up earlier.

    step = self.step
    step(x)
    """
    if isinstance(ref.receiver.ref, Class):
        return of_unbound(calls, node, ref.name, ref.receiver, arguments, state)
    if isinstance(ref.receiver.ref, Instance):
        of = ref.receiver.ref
        methods = calls.run.program.methods(of.of, ref.name, is_exact=of.is_exact)
        if methods.only is not None:
            return of_function(calls, node, methods.only, arguments, state, ref.receiver)
        if methods.functions:
            choice = Choice(frozenset(methods.functions), methods.is_open)
            return _of_one_of(calls, node, choice, arguments, state, ref.receiver)
    return calls.unknown_call(node, [ref.receiver, *arguments.all()], state)


def _of_one_of(
    calls: CallEffects, node: ast.Call, methods: Choice, arguments: Arguments, state: State, receiver: Value
) -> Value:
    """Return the result of calling a method that derived classes override."""

    def of_one(callee: Value, own: State) -> Value:
        given = arguments.copy()
        if isinstance(callee.ref, Function):
            return of_function(calls, node, callee.ref, given, own, receiver)
        return calls.unknown_call(node, [receiver, *given.all()], own)

    return either(calls, node, Value(CALLABLE, ref=methods), of_one, state)


def of_unbound(calls: CallEffects, node: ast.Call, name: str, base: Value, arguments: Arguments, state: State) -> Value:
    """Return the result of calling a method that is looked up on its class.

    Net.scaled(h)                        a static or class method
    Base.forward(self, x)                with the receiver among the arguments
    """
    assert isinstance(base.ref, Class)
    method = calls.run.program.methods(base.ref, name, is_exact=True).only
    if method is None:
        if custom_functions.is_applied(base.ref, name):
            return custom_functions.applied(calls, node, base.ref, arguments, state)
        return calls.unknown_call(node, arguments.all(), state)
    return of_function(calls, node, method, arguments, state, base if is_class_method(method.scope.node) else None)


def _with_captures(run: Run, node: ast.Call, value: Value, state: State) -> Value:
    """Return a value that also stands for the objects that it captures, where it is a function."""
    functions = [ref for ref in alternatives(value.ref) if isinstance(ref, Function)]
    for function in functions:
        hand_captured(run, node, function, state)
    captured = frozenset().union(*(run.captured_by(function, state) for function in functions))
    return value._replace(objs=value.objs | captured) if captured else value


def of_class(calls: CallEffects, node: ast.Call, of: Class, arguments: Arguments, state: State) -> Value:
    """Return an object of a class of the run, whose constructor may keep its arguments."""
    run = calls.run
    if not of.is_tensor and not makes_new_objects(run.program, of):
        made = calls.unknown_call(node, arguments.all(), state)
        run.classes.update(dict.fromkeys(made.objs, of))
        return made._replace(kinds=of_instance(of), ref=Instance(of))
    stored = _stored_plainly(run, of, arguments)
    if stored is not None:
        return _new_object(run, node, of, stored, state)
    run.cannot_follow(node, state)
    label = f"`{code_of(node.func)}(...)`"
    run.keep(state, anything(_stored(run, of, arguments)), label, node.lineno, certain=True)
    run.keep(state, anything(arguments.all()), label, node.lineno)
    name = f"the result of {label}" if of.is_tensor else of.node.name
    ref = Instance(of, is_exact=True, given=specializing.of_constructor(of, arguments))
    made = run.foreign((node, INSTANCE), Origin.CALL, name, node.lineno, of_instance(of), ref=ref)
    if is_plain(of):
        _construct(calls, node, made, of, arguments, state)
    return made


def _construct(calls: CallEffects, node: ast.Call, made: Value, of: Class, arguments: Arguments, state: State) -> None:
    """Run the constructor of a class on a new object: what it saves, writes, and leaves in the object."""
    run = calls.run
    init = run.program.methods(of, "__init__", is_exact=True).only
    bound = bind_parameters(init, arguments, made) if init is not None else None
    if init is None or bound is None:
        return
    saves = any(can_be_tracked(value) or value.may_be(CONTAINER) for value in arguments.all())
    of_function(calls, node, init, arguments, state, made, saves=saves)
    statement = run.statement
    is_only = statement is not None and not run.inside and not run.flow.may_follow(statement, statement)
    for attribute, parameter in _kept_by_new(home(of.scope), of).items():
        for obj in made.objs if parameter in bound else ():
            state.store(obj, attribute, bound[parameter], is_only=is_only)


def _stored_plainly(run: Run, of: Class, arguments: Arguments) -> dict[str, Value] | None:
    """Return what the attributes of a new object hold of the arguments; None if the constructor may do more."""
    if of.fields is not None:
        return arguments.stored_in(of.fields)
    init = run.program.methods(of, "__init__", is_exact=True).only
    stored = _parameters_in(home(of.scope), of) if init is not None and init.scope is own_constructor(of) else None
    bound = bind_parameters(init, arguments, OTHER_VALUE) if init is not None and stored is not None else None
    if bound is None or stored is None:
        return None
    return {name: bound[parameter] for name, parameter in stored.items() if parameter in bound}


@once
def _parameters_in(module: ModuleIndex, of: Class) -> Mapping[str, str] | None:
    return stored_parameters(of)


@once
def _kept_by_new(module: ModuleIndex, of: Class) -> Mapping[str, str]:
    return surely_stored(of)


def _new_object(run: Run, node: ast.Call, of: Class, stored: Mapping[str, Value], state: State) -> Value:
    """Return a new object of a class whose constructor does nothing but store these values."""
    made = run.fresh(node, state, of.node.name, OTHER, graph=NO_GRAPH, ref=Instance(of, is_exact=True))
    for name, value in stored.items():
        promised = of_annotation(of.declared.get(name))
        if value.kinds & UNKNOWN and not promised & UNKNOWN:
            value = value._replace(kinds=promised)
        for obj in made.objs:
            state.heap[(obj, name)] = value
    return made


def of_replacing(calls: CallEffects, node: ast.Call, base: Value, arguments: Arguments, state: State) -> Value:
    """Return a copy of an object of the run with other values in some fields: `state._replace(h=h)`."""
    of = base.ref.of if isinstance(base.ref, Instance) else None
    given, fields = arguments.keywords, of.fields if of is not None else None
    is_plain = arguments.exact and not arguments.positional and bool(base.objs)
    if of is None or fields is None or not is_plain or not given.keys() <= set(fields):
        return calls.unknown_call(node, [base, *arguments.all()], state)
    kept = {n: field_of(calls.evaluator, node, base, state, n) for n in fields if n not in given}
    return _new_object(calls.run, node, of, {**kept, **given}, state)


def _stored(run: Run, of: Class, arguments: Arguments) -> list[Value]:
    """Return the arguments that the constructor of a class is known to keep."""
    if not any(value.is_tensor and value.objs for value in arguments.all()):
        return []
    init = run.program.methods(of, "__init__").only
    bound = bind_parameters(init, arguments, OTHER_VALUE) if init is not None else None
    effect = run.program.summary(init, run.scope) if init is not None and bound is not None else None
    if bound is None or effect is None:
        return []
    return [value for name, value in bound.items() if name in effect.keeps and value.is_tensor]
