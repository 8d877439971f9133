"""Applies `map` with a function of the run, which is called for each element.

q, k, v = map(lambda t: t.view(n, heads, -1), self.qkv(x).chunk(3, dim=-1))
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.state import State, aged_value
from unplace.analysis.domain.values import LIST, Obj, Value
from unplace.analysis.interpret import own_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects


def of_map(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> Value | None:
    """Return the results of all calls; None where the function is unseen or does more than compute them."""
    run, function = calls.run, arguments.positional[0].ref if arguments.positional else None
    if not isinstance(function, Function) or not arguments.exact or arguments.keywords:
        return None
    effect = run.program.summary(function, run.scope)
    if effect is None or effect.returned is None or effect.writes | effect.may_write | effect.changes | effect.keeps:
        return None
    iterables = [*zip(arguments.nodes[1:], arguments.positional[1:], strict=True)]
    if not _is_consumed(run.parents.get(node)):
        for _, iterable in iterables:
            run.keep(state, iterable.objs, "a `map` that runs later", node.lineno, certain=True)
    born: set[Obj] = set()
    run.born.append(born)
    run.inside.append(node)
    elements = [calls.evaluator.iterate(given, iterable, state) for given, iterable in iterables]
    made = own_calls.of_function(calls, node, function, Arguments(elements, [n for n, _ in iterables]), state, None)
    run.inside.pop()
    run.born.pop()
    drawn = elements[0] if len(elements) == 1 else None
    identity = state.newness(made, drawn) if made.identity in born else None
    state.age(run.names, born)
    return run.container(node, state, LIST, {ANY: aged_value(made, run.names, born)._replace(identity=identity)})


def _is_consumed(parent: ast.AST | None) -> bool:
    """Tell whether all results are asked for at once: by an unpacking, a loop or a call of `list` and the like."""
    if isinstance(parent, ast.Assign):
        return all(isinstance(target, ast.Tuple | ast.List) for target in parent.targets)
    return isinstance(parent, ast.Call | ast.Starred | ast.For | ast.comprehension)
