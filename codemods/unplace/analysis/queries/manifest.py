"""Tells whether the code in sight gives a tensor its graph: where it is made, or in a call that passes it.

def scaled(h):                  a hazard that is latent: it needs a call with a graph
    y = h.exp()
    y += 1
    return y

loss = scaled(net(x)).sum()     the call that makes it manifest
"""

from __future__ import annotations

from unplace.analysis.domain.graph import Graph, is_seen, parameters_of
from unplace.analysis.domain.values import DISCRETE, Saved, Value
from unplace.analysis.interpret.indexing import INDEXING
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import callers_in_sight
from unplace.analysis.project.program import Program
from unplace.analysis.queries.demand import is_never_asked_for
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.findings import Awaited
from unplace.torchapi import members, results


def has_graph_in_sight(program: Program, run: Run, graph: Graph) -> bool:
    """Tell whether a graph in a run comes from what is in sight: the function itself, or some call of it."""
    question = "graph in sight", run.scope, run.variant, graph
    return program.answer_for_now(question, lambda: _is_in_sight(program, run, graph), False)


def _is_in_sight(program: Program, run: Run, graph: Graph) -> bool:
    seen: set[tuple[Scope, str]] = set()
    todo = [(program, run, graph)]
    while todo:
        home, current, sources = todo.pop()
        if is_seen(sources) or _is_relied_on(current, sources):
            return True
        names = {name for name in parameters_of(sources) if (current.scope, name) not in seen}
        seen |= {(current.scope, name) for name in names}
        if names:
            for caller in callers_in_sight(home, current.scope):
                user = caller.program.run(caller.scope)
                if user is not None:
                    found = [given.graphs[name] for given in caller.given() for name in names & given.graphs.keys()]
                    todo += [(caller.program, user, each) for each in found]
    return False


def _is_relied_on(run: Run, graph: Graph) -> bool:
    """Tell whether a graph comes from the one source that a backward of a run needs: the network of unseen code."""
    return any(len(needed) == 1 and needed <= graph for needed in run.relied)


def awaited(program: Program, run: Run, graph: Graph) -> Awaited | None:
    """Return what a hazard waits for; None where the code in sight shows the graph that it needs."""
    if has_graph_in_sight(program, run, graph):
        return None
    return Awaited.CALLER if parameters_of(graph) else Awaited.UNSEEN


def may_be_asked_for(program: Program, run: Run, saved: Saved, value: Value) -> bool:
    """Tell whether a backward may ask for what an operation of a run saved of a value.

    An index or a mask has no gradient itself; there the gradient of the operation must be known.
    """
    is_index = saved.operation == INDEXING or value.dtype in DISCRETE or saved.part in results.CHOOSING
    if is_index and not has_graph_in_sight(program, run, saved.graph):
        return False
    return bool(saved.graph) and not is_never_asked_for(run, saved)


def is_index_of_data(program: Program, run: Run, saved: Saved) -> bool:
    """Tell whether an operation saved an index into what isn't seen to have a graph: `table.gather(0, tokens)`."""
    return saved.part in members.INDEX_PARAMETERS and not has_graph_in_sight(program, run, saved.graph)
