"""Finds the operations inside a called function that saved what it returned, so that they can be given a copy.

belief = predict(belief, q)                 def predict(b, q):
update(belief, z)                               return Belief(torch.tanh(b.mean + q), b.var + q)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.values import Saved, in_order
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.calling import function_of

_DEEPEST = 4


def savers_inside(run: Run, saved: Saved, depth: int = _DEEPEST) -> Iterator[tuple[Run, Facts, Saved]]:
    """Iterate over the operations of a called function of the same file that are meant by a save of its result."""
    call, operation = saved.node, saved.operation.partition(INSIDE)[0]
    if not isinstance(call, ast.Call) or saved.part != "result" or INSIDE not in saved.operation or saved.file:
        return
    callee = run.values.get(call.func)
    function = function_of(run.program, callee.ref) if callee is not None else None
    if function is None or not depth or not run.program.module.owns(function.scope):
        return
    inner = run.program.run(function.scope)
    if inner is None:
        return
    for value, state in run.program.exits(function.scope):
        roots = [root for root in state.roots(state.reachable(value.objs)) if root.parameter is None]
        saves = in_order({s for root in roots for s in state.saved.get(root, ())})
        for found in (s for s in saves if s.operation.partition(INSIDE)[0] == operation):
            if INSIDE in found.operation:
                yield from savers_inside(inner, found, depth - 1)
            else:
                yield inner, state, found
