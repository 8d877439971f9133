"""Applies `map` and `filter` with a function of the run, which is called for each element.

q, k, v = map(lambda t: t.view(n, heads, -1), self.qkv(x).chunk(3, dim=-1))
for p in filter(lambda p: p.requires_grad, self.parameters()):
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import LIST, NONE, UNKNOWN, Obj, Value
from unplace.analysis.effects.effect import Effect
from unplace.analysis.interpret import own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope, variadic


def of_map(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> Value | None:
    """Return the results of all calls; None where the function is unseen or does more than compute them."""
    run, function = calls.run, arguments.positional[0].ref if arguments.positional else None
    if not isinstance(function, Function) or not arguments.exact or arguments.keywords:
        return None
    if not _can_be_followed(run, function, len(arguments.nodes) - 1):
        own_calls.hand_drawn(run, node, function, _drawn(calls, arguments, state), state)
        return None
    _keep_until_used(run, node, arguments, state)
    born: set[Obj] = set()
    run.born.append(born)
    run.inside.append(node)
    elements = _drawn(calls, arguments, state)
    made = _called(calls, node, function, elements, arguments.nodes[1:], state)
    run.inside.pop()
    run.born.pop()
    captured = Value(UNKNOWN, run.captured_by(function, state))
    drawn = elements[0] if len(elements) == 1 and state.is_apart(elements[0], [captured]) else None
    return run.collected(node, state, LIST, made, born, drawn, arguments.positional[1])


def of_filter(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> Value | None:
    """Return the elements that a function chooses; None where the function is unseen or does more than compute."""
    run = calls.run
    if not arguments.exact or arguments.keywords or len(arguments.positional) != 2:
        return None
    function = arguments.positional[0].ref
    if not arguments.positional[0].must_be(NONE):
        if not isinstance(function, Function) or not _can_be_followed(run, function, 1):
            return None
    _keep_until_used(run, node, arguments, state)
    run.inside.append(node)
    elements = _drawn(calls, arguments, state)
    if isinstance(function, Function):
        _called(calls, node, function, elements, arguments.nodes[1:], state)
    run.inside.pop()
    return run.collected(node, state, LIST, elements[0], set())


def _drawn(calls: CallEffects, arguments: Arguments, state: State) -> list[Value]:
    """Return what a round draws from the iterables behind the function."""
    iterables = zip(arguments.nodes[1:], arguments.positional[1:], strict=True)
    return [calls.evaluator.iterate(given, iterable, state) for given, iterable in iterables]


def _can_be_followed(run: Run, function: Function, arguments: int) -> bool:
    return _can_be_inlined(function, arguments) or _only_computes(run.program.summary(function, run.scope))


def _keep_until_used(run: Run, node: ast.Call, arguments: Arguments, state: State) -> None:
    """Let a sequence whose elements are asked for later keep what it draws from."""
    if not _is_consumed(run.parents.get(node)):
        for iterable in arguments.positional[1:]:
            run.keep(state, iterable.objs, f"a `{last_name(node.func)}` that runs later", node.lineno, certain=True)


def _called(
    calls: CallEffects,
    node: ast.Call,
    function: Function,
    elements: list[Value],
    nodes: Sequence[ast.expr],
    state: State,
) -> Value:
    """Return the result of calling a function with what a round draws."""
    if _can_be_inlined(function, len(elements)):
        return _inlined(calls, function.scope, elements, state)
    return own_calls.of_function(calls, node, function, Arguments(elements, [*nodes]), state, None)


def _only_computes(effect: Effect | None) -> bool:
    """Tell whether a function does nothing with its arguments but compute what it returns."""
    if effect is None or effect.returned is None:
        return False
    return not effect.writes | effect.may_write | effect.changes | effect.keeps


def _can_be_inlined(function: Function, arguments: int) -> bool:
    """Tell whether a function is a lambda that takes as many arguments, and writes nothing in place."""
    scope = function.scope
    is_plain = len(scope.parameters) == arguments and not variadic(scope)
    return isinstance(scope.node, ast.Lambda) and is_plain and not scope.suspects


def _inlined(calls: CallEffects, scope: Scope, elements: Sequence[Value], state: State) -> Value:
    """Return the value of a lambda for these arguments, of which its summary knows nothing."""
    assert isinstance(scope.node, ast.Lambda)
    own = dict(zip((a.arg for a in scope.parameters), elements, strict=True))
    outer = {name: state.env.pop(name) for name in own if name in state.env}
    state.env.update(own)
    made = calls.evaluator.evaluate(scope.node.body, state)
    for name in own:
        del state.env[name]
    state.env.update(outer)
    return made


def _is_consumed(parent: ast.AST | None) -> bool:
    """Tell whether all results are asked for at once: by an unpacking, a loop or a call of `list` and the like."""
    if isinstance(parent, ast.Assign):
        return all(isinstance(target, ast.Tuple | ast.List) for target in parent.targets)
    return isinstance(parent, ast.Call | ast.Starred | ast.For | ast.comprehension)
