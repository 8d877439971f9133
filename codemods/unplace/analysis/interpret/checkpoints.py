"""Applies checkpoints, which call a function now and again in backward: `checkpoint(block, x, use_reentrant=False)`.

What is given to the function is saved, for the second call. What operations inside it save isn't: backward computes it
anew. So a result can be written in place, but the arguments can't, not even by the function itself.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from unplace.analysis.domain.graph import UNSEEN
from unplace.analysis.domain.refs import Function, alternatives
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import TENSOR, UNKNOWN, Value
from unplace.analysis.effects.graphs import of_arguments
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.interpret.writes import anything
from unplace.analysis.syntax.nodes import code_of
from unplace.torchapi import transforms


def called(calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> Value | None:
    """Return the result of `checkpoint(function, *arguments)`; None where the function isn't known."""
    first = transforms.CHECKPOINTS[qualified]
    _save_arguments(calls, node, arguments, first, state)
    callee = arguments.positional[0] if arguments.positional and arguments.exact else None
    if callee is None or callee.ref is None:
        return None
    own = transforms.OF_CHECKPOINT
    given = replace(
        arguments,
        positional=arguments.positional[first:],
        nodes=arguments.nodes[first:],
        keywords={name: value for name, value in arguments.keywords.items() if name not in own},
        keyword_nodes={name: given for name, given in arguments.keyword_nodes.items() if name not in own},
    )
    calls.run.recomputed += 1
    made = calls.apply(node, callee, given, state)
    calls.run.recomputed -= 1
    return made


def _save_arguments(calls: CallEffects, node: ast.Call, arguments: Arguments, first: int, state: State) -> None:
    """Record that a checkpoint saves what it calls a function with, and may need what else the function reads."""
    run, label = calls.run, f"{code_of(node.func)}()"
    graph = of_arguments(run, state, arguments.all()) | UNSEEN
    for value in arguments.positional[first:]:
        if value.is_tensor:
            run.save(state, value, label, node, graph=graph)
    functions = [ref for value in arguments.all() for ref in alternatives(value.ref) if isinstance(ref, Function)]
    others = anything([value for value in arguments.all() if not value.is_tensor])
    read = others.union(*(run.captured_by(function, state) for function in functions))
    for obj in sorted(state.reachable(read)):
        run.save(state, Value(TENSOR | UNKNOWN, frozenset((obj,))), label, node, graph=graph, certain=False)
