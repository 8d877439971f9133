"""Applies calls of methods of tensors, modules, containers and little-known objects."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.gradmode import entered
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, UNSEEN, is_seen
from unplace.analysis.domain.refs import (
    Bound,
    Choice,
    Class,
    Instance,
    Named,
    ParameterName,
    TensorMethod,
    alternatives,
)
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Origin,
    Value,
)
from unplace.analysis.effects import saves
from unplace.analysis.effects.applying import apply
from unplace.analysis.effects.call import Call
from unplace.analysis.effects.clobbering import clobber
from unplace.analysis.effects.effect import RESULT, RETURNED, Effect, Returned, Save
from unplace.analysis.effects.result_types import cast_dtype
from unplace.analysis.interpret import inherited, modelled_calls, module_lists, own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.attributes import attribute_of
from unplace.analysis.interpret.choices import either
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.stores import may_write, require_grad, share_memory
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.interpret.writes import as_arguments, can_be_tracked
from unplace.analysis.project.calling import function_of
from unplace.analysis.project.module import home
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.types import evidence
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.own_methods import is_of_own_class, is_of_posing_class
from unplace.diagnostics.catalogue import Layout
from unplace.diagnostics.forms import WriteKind, is_true
from unplace.torchapi import members, modes, modules

_SELF = frozenset(("self",))


def of_method(calls: CallEffects, node: ast.Call, func: ast.Attribute, base: Value, state: State) -> Value:
    """Return the result of `base.name(...)`, with `base` evaluated already."""
    name = func.attr
    if name == "backward" and not is_seen(base.graph):
        calls.run.relied.add(base.graph)
    if name == "backward" and not any(k.arg in ("retain_graph", "create_graph") for k in node.keywords):
        state.let_go()
    is_super = isinstance(base.ref, Named) and base.ref.qualified == "builtins.super()"
    is_object = isinstance(base.ref, Instance) or is_super  # with a method of its own
    is_inplace = torchapi.inplace_method(name) is not None and base.may_be(TENSOR | UNKNOWN) and not is_object
    is_inplace &= evidence.may_be_of_tensor(node, name)
    is_shared = is_inplace and is_of_own_class(home(calls.run.scope), name)
    proved = is_inplace and not is_shared and evidence.of_name(name) is Evidence.PROOF
    may_pose = (base.kinds & UNKNOWN or base.likely) and is_of_posing_class(home(calls.run.scope), name)
    if proved or (base.is_tensor and base.likely and not may_pose and evidence.of_call(node) is Evidence.PROOF):
        base = state.narrow_to_tensor(base)
    if base.is_tensor:
        return of_tensor(calls, node, func, base, calls.arguments(node, state), state)
    if isinstance(base.ref, Instance):
        return _of_instance(calls, node, func, base, state)
    if isinstance(base.ref, Choice) and _has(calls.run, base.ref, name):
        return _of_one_of(calls, node, func, base, state)
    arguments = calls.arguments(node, state)
    if name in modes.ENTERING:
        _enter(func.value, base, arguments, state)
    if isinstance(base.ref, Named) and base.ref.qualified == modes.FUNCTION_CONTEXT:
        return Value(NONE)  # `ctx.save_for_backward(x)`; the calls of the function tell what it saves
    if base.must_be(CALLABLE) and isinstance(base.ref, Class):
        return own_calls.of_unbound(calls, node, name, base, arguments, state)
    above = inherited.of_super(calls, node, name, arguments, state) if is_super else None
    if above is not None:
        return above
    if base.must_be(MODULE) or (base.kinds & UNKNOWN and name in modules.GIVING_PARAMETERS):
        return _of_module(calls, node, name, base, state, arguments)
    plain = _of_plain(calls, node, name, base, arguments, state)
    if plain is not None:
        return plain
    own = members.own_name(name)
    if own != name and base.may_be(TENSOR | UNKNOWN) and not is_object:
        may_write(calls.run, node, WriteKind.BOUND, func.value, base, tuple(arguments.all()), state, own)
    elif is_shared:
        may_write(calls.run, node, WriteKind.METHOD, func.value, base, tuple(arguments.all()), state, name)
    elif is_inplace:
        calls.run.write(node, WriteKind.METHOD, func.value, base, state, name, tuple(arguments.all()))
        return base
    operator = torchapi.tensor_method(name)
    is_known = operator is not None and base.may_be(TENSOR | UNKNOWN) and not may_pose
    found = evidence.of_call(node) if is_known else Evidence.NONE
    if found and calls.run.inference.of(func.value).may_be_tensor:
        guess = base._replace(kinds=TENSOR, likely=base.likely or found is Evidence.HINT)
        return of_tensor(calls, node, func, guess, arguments, state)
    given = arguments.all()
    if name in modules.STORING and not calls.run.program.may_be_own(calls.run.scope, node):
        calls.run.keep(
            state, calls.run.held_by(given, state), f"`{code_of(node.func)}(...)`", node.lineno, certain=True
        )
        given = []
    result = calls.unknown_call(node, [base, *given], state)
    dtype = cast_dtype(name, arguments)
    return result._replace(dtype=dtype) if dtype is not None else result


def _enter(receiver: ast.expr, base: Value, arguments: Arguments, state: State) -> None:
    """Enter a context manager for the rest of the function: `mode.__enter__()`, `stack.enter_context(mode)`."""
    pairs = zip((receiver, *arguments.nodes), (base, *arguments.positional), strict=True)
    for node, value in pairs:
        state.record = entered(value, node, state.record)


def _of_instance(calls: CallEffects, node: ast.Call, func: ast.Attribute, base: Value, state: State) -> Value:
    """Return the result of calling a method of an object whose class belongs to the run."""
    callee = calls.run.values[func] = attribute_of(calls.evaluator, func, base, state)
    return _called(calls, node, func, base, callee, calls.arguments(node, state), state)


def _called(
    calls: CallEffects,
    node: ast.Call,
    func: ast.Attribute,
    base: Value,
    callee: Value,
    arguments: Arguments,
    state: State,
) -> Value:
    """Return the result of `base.name(...)`, with the attribute of the object and the arguments evaluated already."""
    name = func.attr
    if name == "_replace" and isinstance(base.ref, Instance) and base.ref.of.is_named_tuple:
        return own_calls.of_replacing(calls, node, base, arguments, state)
    is_of_torch = name in modules.RETURNING_ITSELF | modules.GIVING | modules.ITERATING
    if callee.ref is None and base.must_be(MODULE) and is_of_torch:
        return _of_module(calls, node, name, base, state, None)
    if callee.ref is None and callee.kinds & UNKNOWN:
        if isinstance(base.ref, Instance) and base.ref.of.is_tensor and torchapi.inplace_method(name) is not None:
            may_write(calls.run, node, WriteKind.METHOD, func.value, base, tuple(arguments.all()), state, name)
        return calls.unknown_call(node, [base, *arguments.all()], state, callee)
    return calls.apply(node, callee, arguments, state)


def _has(run: Run, choice: Choice, name: str) -> bool:
    """Tell whether one of several objects has a method of this name, or something to call in such an attribute."""
    objects = [ref for ref in choice.refs if isinstance(ref, Instance)]
    if any(run.program.methods(ref.of, name, is_exact=ref.is_exact).functions for ref in objects):
        return True
    return any(run.program.attribute(ref.of, name).ref is not None for ref in objects)


def _of_one_of(calls: CallEffects, node: ast.Call, func: ast.Attribute, base: Value, state: State) -> Value:
    """Return the result of calling a method of one of several objects.

    def train(model, x):
        y = model.encode(x)         the callers in sight pass a `Net`
    """
    arguments = calls.arguments(node, state)
    choice = base.ref
    assert isinstance(choice, Choice)
    methods = frozenset(Bound(base._replace(ref=ref), func.attr) for ref in choice.refs)
    calls.run.values[func] = Value(CALLABLE, ref=Choice(methods, choice.is_open))

    def of_one(receiver: Value, own: State) -> Value:
        given = arguments.copy()
        if isinstance(receiver.ref, Instance):
            callee = attribute_of(calls.evaluator, func, receiver, own)
            return _called(calls, node, func, receiver, callee, given, own)
        return calls.unknown_call(node, [receiver, *given.all()], own)

    return either(calls, node, base, of_one, state)


def _of_plain(
    calls: CallEffects, node: ast.Call, name: str, base: Value, arguments: Arguments, state: State
) -> Value | None:
    """Return the result of calling a method of a container, text, number or array; None for any other receiver."""
    if base.must_be(CONTAINER) and base.objs:
        return modelled_calls.of_container(calls, node, name, base, arguments, state)
    if base.must_be(TEXT):
        return Value(TEXT | NUMBER | LIST)
    if base.must_be(SHAPE | NUMBER):
        return Value(NUMBER)
    if base.must_be(ARRAY):
        return calls.run.fresh(node, state, "an array", ARRAY | NUMBER, graph=NO_GRAPH)
    return None


# -- tensors --------------------------------------------------------------------------------------------------------


def of_tensor(
    calls: CallEffects, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments, state: State
) -> Value:
    """Return the result of calling a method of a tensor."""
    name, run = func.attr, calls.run
    inplace = torchapi.inplace_method(name)
    if inplace is not None:
        return _in_place(calls, node, WriteKind.METHOD, func.value, inplace, base, arguments, state)
    if (own := members.own_name(name)) != name:
        return of_name(calls, node, own, func.value, base, arguments, state)
    operator = torchapi.tensor_method(name)
    if operator is None:
        return calls.unknown_call(node, [base, *arguments.all()], state)
    if name in torchapi.HOOKS:  # x.register_hook(mask.mul)
        run.keep(state, run.held_by(arguments.all(), state), "a hook", node.lineno, certain=True)
    if name == "retain_grad":
        run.keep(state, base.objs, "retain_grad()", node.lineno, certain=True)
    if name == "numpy":
        run.keep(state, base.objs, "the NumPy array that shares its memory", node.lineno, certain=True)
        return Value(ARRAY)
    if "out" in arguments.keywords:
        return calls.out(node, f"torch.{name}", arguments, state)
    bound = {**dict(zip(operator.parameters, [base, *arguments.positional], strict=False)), **arguments.keywords}
    return calls.operator(node, operator, bound, arguments, state)


def of_bound(
    calls: CallEffects, node: ast.Call, ref: TensorMethod, callee: Value, arguments: Arguments, state: State
) -> Value:
    """Return the result of calling a method of a tensor that was looked up earlier.

    bump = acc.mul_
    bump(2)
    """
    inplace = torchapi.inplace_method(members.own_name(ref.node.attr))
    assert inplace is not None
    return _in_place(calls, node, WriteKind.BOUND, node.func, inplace, _receiver(callee), arguments, state)


def of_name(
    calls: CallEffects, node: ast.Call, name: str, target: ast.expr, base: Value, arguments: Arguments, state: State
) -> Value:
    """Return the result of an in-place method that is called by another name: `torch.Tensor.add_(y, 1)`."""
    inplace = torchapi.inplace_method(name)
    assert inplace is not None
    return _in_place(calls, node, WriteKind.BOUND, target, inplace, base, arguments, state)


def of_handed(run: Run, node: ast.Call, given: Iterable[Value], state: State) -> None:
    """Record that unseen code, which gets methods of tensors, calls them: `list(map(acc.mul_, factors))`."""
    for value in given:
        for ref in alternatives(value.ref):
            if isinstance(ref, TensorMethod):
                name = members.own_name(ref.node.attr)
                run.write(node, WriteKind.BOUND, ref.node, _receiver(value), state, name)


def _receiver(method: Value) -> Value:
    """Return the tensor of a method that was looked up earlier."""
    return Value(TENSOR, method.objs, dtype=method.dtype, graph=method.graph, likely=method.likely)


def _in_place(
    calls: CallEffects,
    node: ast.Call,
    kind: WriteKind,
    target: ast.expr,
    inplace: torchapi.InplaceMethod,
    base: Value,
    arguments: Arguments,
    state: State,
) -> Value:
    """Record the write of a method such as `add_`, and return the written tensor."""
    name, run = inplace.name, calls.run
    call = Call(calls, node, {"self": base}, state, f"{name}()")
    functional = torchapi.tensor_method(inplace.functional) if inplace.functional else None
    operands = tuple(_operands(arguments, functional))
    if functional is not None:  # before the write, because `y.mul_(y)` overwrites what it saves
        _save_operands(calls, node, functional, base, arguments, state)
    base = call.bound["self"] = run.write(node, kind, target, base, state, name, operands)
    if inplace.kind in ("flag", "detach"):
        for obj in base.objs:
            state.definitions.pop(obj, None)
    if name == "set_" and operands:
        run.forget_shapes(state, base)
        share_memory(run, node, base, operands[0], state)
    if name == "share_memory_":
        run.laid_out.update(dict.fromkeys(state.roots(base.objs), Layout.SHARED))
    made = apply(call, _effect_in_place(inplace, functional, base, operands))
    if inplace.kind == "metadata":
        return made._replace(shape=None)
    if name == "requires_grad_":
        return require_grad(run, state, base, arguments.nodes[0] if arguments.nodes else None)
    return made


def _operands(arguments: Arguments, functional: torchapi.Operator | None) -> Iterator[Value]:
    """Iterate over the arguments of an in-place method; no gradient flows through its indices and masks."""
    names = functional.parameters[1:] if functional is not None else ()
    bound = dict(zip(names, arguments.positional, strict=False)) | dict(arguments.keywords)
    yield from as_arguments(bound).values()
    yield from arguments.positional[len(names) :]
    yield from arguments.rest


def _effect_in_place(
    inplace: torchapi.InplaceMethod, functional: torchapi.Operator | None, base: Value, operands: tuple[Value, ...]
) -> Effect:
    """Return the effect that an in-place method has besides its write."""
    returned = Returned(TENSOR, same="self")
    if inplace.kind == "metadata":
        return Effect(returned, reshapes=_SELF)
    is_saved = inplace.saves_result and not (functional is not None and saves.keeps_no_result(functional, operands))
    return Effect(returned, saves=(Save(RETURNED, part=RESULT),) if is_saved and can_be_tracked(base) else ())


def _save_operands(
    calls: CallEffects, node: ast.Call, functional: torchapi.Operator, base: Value, arguments: Arguments, state: State
) -> None:
    """Record what autograd saves for an in-place method: a copy of the old receiver, but the operands themselves."""
    shadow = base._replace(objs=frozenset())
    bound = dict(zip(functional.parameters, [shadow, *arguments.positional], strict=False))
    bound.update(arguments.keywords)
    bound = as_arguments(bound)
    saved = saves.saved_by(functional, bound, node)
    saves.note(calls.run, state, saved, bound, None, node, f"{functional.short}()")


# -- modules --------------------------------------------------------------------------------------------------------


def _of_module(
    calls: CallEffects, node: ast.Call, name: str, base: Value, state: State, arguments: Arguments | None
) -> Value:
    """Return the result of calling a method of a module that torch defines."""
    if name == modules.VISITING and not _leaves_modules_alone(calls.run, arguments):
        clobber(calls.run, node, state.reachable(base.objs), state)
        calls.run.changes_any |= not base.objs
    if name in modules.RETURNING_ITSELF:
        return base
    found = module_lists.listed(calls.run, base)
    held = module_lists.of_method(calls.run, node, name, found, state) if found is not None else None
    if held is not None:
        return held
    if name in modules.GIVING:
        if (
            name in modules.GIVING_BUFFERS
        ):  # one that was computed is a tensor like others, which this gives another name
            calls.run.keep(state, state.reachable(base.objs) - base.objs, f"`{name}()`", node.lineno, certain=True)
        return _registered(calls, node, name, state)
    if name == "forward":
        return calls.apply(node, base, arguments or Arguments(), state)
    values = arguments.all() if arguments is not None else []
    return calls.unknown_call(node, [base, *values] if base.objs else values, state)


def _leaves_modules_alone(run: Run, arguments: Arguments | None) -> bool:
    """Tell whether the function that visits modules, the argument of `apply`, replaces nothing in them."""
    visitors = [function_of(run.program, v.ref) for v in arguments.all()] if arguments is not None else [None]
    effects = [run.program.summary(visitor, run.scope) if visitor is not None else None for visitor in visitors]
    return all(effect is not None and not effect.changes for effect in effects)


def _registered(calls: CallEffects, node: ast.Call, name: str, state: State) -> Value:
    """Return the result of `parameters()` and the like: a sequence of registered tensors, alone or with their names."""
    is_kept = name == modules.STATE and any(k.arg == modules.KEEPING and is_true(k.value) for k in node.keywords)
    kinds = UNKNOWN if name in modules.GIVING_MODULES and not is_kept else TENSOR
    graph = LEAF if name.endswith("parameters") or is_kept else UNSEEN
    element = Returned(kinds, outside=Origin.REGISTERED, graph=graph, label=f"`{name}()`")
    if name.startswith("named_"):
        pair = ((0, Returned(TEXT, ref=ParameterName())), (1, element))
        element = Returned(TUPLE, elements=pair, graph=NO_GRAPH, label="container")
    sequence = Returned(LIST, elements=((ANY, element),), graph=NO_GRAPH, label="a sequence")
    return apply(Call(calls, node, {}, state), Effect(sequence))
