"""Applies `map` with a function of the run, which is called for each element.

q, k, v = map(lambda t: t.view(n, heads, -1), self.qkv(x).chunk(3, dim=-1))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import LIST, UNKNOWN, Obj, Value
from unplace.analysis.effects.effect import Effect
from unplace.analysis.interpret import own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.scopes import Scope, variadic


def of_map(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> Value | None:
    """Return the results of all calls; None where the function is unseen or does more than compute them."""
    run, function = calls.run, arguments.positional[0].ref if arguments.positional else None
    if not isinstance(function, Function) or not arguments.exact or arguments.keywords:
        return None
    iterables = [*zip(arguments.nodes[1:], arguments.positional[1:], strict=True)]
    is_open = _can_be_inlined(function, len(iterables))
    if not is_open and not _only_computes(run.program.summary(function, run.scope)):
        return None
    if not _is_consumed(run.parents.get(node)):
        for _, iterable in iterables:
            run.keep(state, iterable.objs, "a `map` that runs later", node.lineno, certain=True)
    born: set[Obj] = set()
    run.born.append(born)
    run.inside.append(node)
    elements = [calls.evaluator.iterate(given, iterable, state) for given, iterable in iterables]
    if is_open:
        made = _inlined(calls, function.scope, elements, state)
    else:
        made = own_calls.of_function(calls, node, function, Arguments(elements, [n for n, _ in iterables]), state, None)
    run.inside.pop()
    run.born.pop()
    captured = Value(UNKNOWN, run.captured_by(function, state))
    drawn = elements[0] if len(elements) == 1 and state.is_apart(elements[0], [captured]) else None
    return run.collected(node, state, LIST, made, drawn, born)


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
