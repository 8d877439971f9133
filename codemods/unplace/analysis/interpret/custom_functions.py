"""Calls of a custom `autograd.Function`, whose forward says what it returns and what it saves for backward.

class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

y = Exponential.apply(x)            a new tensor, and saves `y`

A result that is an argument, or a view of anything, torch doesn't let be written while it records. What a forward
stores on its context (`ctx.y = y`) is kept by unseen code: autograd doesn't check whether it was written.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator

from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import CONTAINER, NONE, NUMBER, OTHER, TENSOR, TUPLE, UNKNOWN, Link, Value
from unplace.analysis.effects.applying import apply
from unplace.analysis.effects.call import Call
from unplace.analysis.effects.effect import RESULT, Effect, Returned, View
from unplace.analysis.effects.graphs import of_arguments
from unplace.analysis.interpret.arguments import Arguments, bind_parameters
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import members, modes


def is_applied(of: Class, name: str) -> bool:
    """Tell whether `of.name(...)` runs a custom function."""
    return name == "apply" and of.derives_from(modes.FUNCTION)


def applied(calls: CallEffects, node: ast.Call, of: Class, arguments: Arguments, state: State) -> Value:
    """Return the result of `of.apply(...)`, and record what the function saves."""
    _prove_tensors(calls.run, of, arguments, state)
    effect, bound = _effect(calls.run, of, arguments, state)
    called = f"{of.node.name}.apply()"
    if effect is None:
        made = calls.unknown_call(node, arguments.all(), state)
    else:
        calls.run.followed.add(node)
        made = apply(Call(calls, node, bound, state, called), effect)
    _note_saved(calls.run, node, of, arguments, made, state)
    return made


# -- what it returns ------------------------------------------------------------------------------------------------


def _effect(run: Run, of: Class, arguments: Arguments, state: State) -> tuple[Effect | None, dict[str, Value]]:
    """Return the effect of a custom function that only computes, with its arguments by name; else no effect."""
    forward = run.program.methods(of, "forward", is_exact=True).only
    parameters = [p.arg for p in forward.scope.parameters] if forward is not None else []
    if forward is None or not parameters or of.defines("setup_context"):
        return None, {}
    given = arguments.copy()
    given.positional.insert(0, Value(OTHER))
    bound = bind_parameters(forward, given, None)
    effect = run.program.summary(forward, run.scope)
    if bound is None or effect is None or effect.returned is None:
        return None, {}
    context = parameters[0]
    returned = _as_torch_gives_it(effect.returned, f"{of.node.name}.apply()")
    changes = {name for name in effect.changes - {context} if name in bound and not bound[name].is_tensor}
    is_more = effect.writes | effect.may_write | effect.replaces | effect.reshapes | changes
    reaches_out = effect.keeps_outer or effect.writes_outer or bool(run.captured_by(forward, state))
    if returned is None or is_more or reaches_out or context in effect.returned.parameters:
        return None, {}
    return Effect(returned, keeps=effect.keeps - {context}), bound


def _as_torch_gives_it(returned: Returned, label: str) -> Returned | None:
    """Return what `apply` makes of a forward's result; None where other code may hold it, or for other objects."""
    if returned.foreign or returned.held or returned.kinds & ~(TENSOR | UNKNOWN | CONTAINER):
        return None
    if returned.kinds & CONTAINER:
        elements: list[tuple[Hashable, Returned]] = []
        for key, element in returned.elements:
            given = _as_torch_gives_it(element, label) if element.kinds != NONE else element
            if given is None:
                return None
            elements.append((key, given))
        plain = returned.kinds == TUPLE and not returned.parameters and not returned.together
        return Returned(TUPLE, elements=tuple(elements), label="container") if plain and elements else None
    if not returned.parameters:
        operator = members.APPLYING if returned.is_view else None
        return Returned(TENSOR, label=label, overlapping=returned.overlapping, operator=operator)
    of = tuple(sorted(returned.parameters))
    if len(of) > 1:
        return None
    return Returned(TENSOR, source=View(of, Link.VIEW, forbidden=True), label=label, operator=members.APPLYING)


def _prove_tensors(run: Run, of: Class, arguments: Arguments, state: State) -> None:
    """Narrow the arguments that the function gives to `ctx.save_for_backward`, which takes nothing but tensors."""
    forward = _forward(of)
    names = [p.arg for p in forward.parameters][1:] if forward is not None and arguments.exact else []
    saved = set(_saved(forward)) if forward is not None else set()
    for position, (name, value) in enumerate(zip(names, arguments.positional, strict=False)):
        if name in saved and (value.kinds & UNKNOWN or value.likely) and not value.may_be(NUMBER):
            narrowed = state.narrow_to_tensor(value)
            arguments.positional[position] = run.values[arguments.nodes[position]] = narrowed


# -- what it saves --------------------------------------------------------------------------------------------------


def _note_saved(run: Run, node: ast.Call, of: Class, arguments: Arguments, made: Value, state: State) -> None:
    """Record what a custom function saves of its arguments and of the value `made` of them."""
    forward = _forward(of)
    if forward is None or not arguments.exact:
        return
    called = f"{of.node.name}.apply()"
    parameters = [p.arg for p in forward.parameters][1:]
    given = dict(zip(parameters, arguments.positional, strict=False))
    saved, graph = set(_saved(forward)), of_arguments(run, state, arguments.all())
    for name in sorted(saved & given.keys()):
        if given[name].may_be(TENSOR | UNKNOWN):
            run.save(state, given[name], called, node, graph=graph)
    results = saved - given.keys()
    returns = [n.value for n in forward.of(ast.Return)]
    if returns and all(_named(value) in results for value in returns):
        run.save(state, made, called, node, RESULT, graph=graph)
    parts = returns[0].elts if len(returns) == 1 and isinstance(returns[0], ast.Tuple) else []
    for position, part in enumerate(parts):
        for holder in made.objs if _named(part) in results else ():
            element = state.heap.get((holder, position))
            if element is not None:
                run.save(state, element, called, node, RESULT, graph=graph)


def _forward(of: Class) -> Scope | None:
    return next((scope for scope in of.scope.inner if scope.name == "forward"), None)


def _saved(forward: Scope) -> Iterator[str]:
    """Iterate over the names that a forward gives to `ctx.save_for_backward`."""
    for node in forward.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "save_for_backward":
                yield from (argument.id for argument in node.args if isinstance(argument, ast.Name))


def _named(node: ast.expr | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None
