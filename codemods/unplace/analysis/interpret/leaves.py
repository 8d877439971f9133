"""Tensors that are asked for a gradient: `x.requires_grad_()`, `x.requires_grad = flag`."""

from __future__ import annotations

import ast

from unplace.analysis.domain.graph import LEAF, NO_GRAPH, SEEN, extended
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import DISCRETE, Value, is_same
from unplace.analysis.interpret.run import Run
from unplace.diagnostics.forms import is_true


def require_grad(run: Run, state: State, value: Value, flag: ast.expr | None) -> Value:
    """Return the tensor after `requires_grad_(flag)`, and revise it under all its names.

    It becomes a leaf if it was in no graph before.
    """
    graph = value.graph
    if isinstance(flag, ast.Constant) and flag.value is False:
        graph = NO_GRAPH
    else:
        run.leaves |= value.objs
        if value.dtype not in DISCRETE:
            state.put_into_graph(value.objs, SEEN)
            is_new = not graph and (flag is None or is_true(flag))
            graph = LEAF if is_new else extended(graph, SEEN)
    state.revise(lambda held: held._replace(graph=graph) if is_same(held, value) else held)
    return value._replace(graph=graph)
