"""Reads of a written tensor: what autograd saves of a view, under its name, is copied once, where the view is made.

u = traj[:, t]                         u = traj[:, t].clone()
traj[:, t + 1] = u + f(u) * g(u)       traj[:, t + 1] = u + f(u) * g(u)
"""

from __future__ import annotations

import ast
from itertools import chain

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.values import Link, Obj, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.queries.strides import asks_for_gaps


def where_made(run: Run, state: Facts, name: ast.expr) -> ast.expr | None:
    """Return the expression that makes the view which a name stands for, if a copy is as good for all who read it.

    No write goes through the view, and nothing that is read after a write has its memory.
    """
    value = run.values[name]
    views = [obj for obj in value.objs if obj in state.bases]
    view = views[0] if len(views) == 1 else None
    if not isinstance(name, ast.Name) or view is None or view.old:
        return None
    if state.may_share(value.objs - {view}, frozenset([view])):  # what else the name may stand for needs a copy, too
        return None
    key = run.names.key_of(view)
    made = key[0] if isinstance(key, tuple) else None
    statement = run.parents.get(made) if isinstance(made, ast.Subscript | ast.Call) else None
    if not isinstance(made, ast.expr) or not isinstance(statement, ast.Assign) or statement.value is not made:
        return None
    is_named = all(isinstance(target, ast.Name) for target in statement.targets)
    is_one_view = state.bases[view].link is Link.VIEW and run.values[made].objs == {view}
    here, there = run.flow.spot(statement), run.flow.spot(run.statement_of(name))
    is_around = here is not None and there is not None and here.loops == there.loops[: len(here.loops)]
    if not is_named or not is_one_view or not is_around or asks_for_gaps(run, value.objs):
        return None
    return None if any(_is_missed(run, write, view) for write in run.possible_writes()) else made


def _is_missed(run: Run, write: Write, view: Obj) -> bool:
    """Tell whether a write goes through a view, or others keep the view, or it is read after the write."""
    state, live = write.state, run.liveness.read_after(write.statement)

    def is_of_view(value: Value) -> bool:
        return any(run.names.key_of(obj) == run.names.key_of(view) for obj in state.roots(value.objs))

    if is_of_view(write.value):
        return True
    if not state.may_share(write.value.objs, frozenset([view])):
        return False
    held = chain((value for name, value in state.env.items() if name in live), state.heap.values())
    return state.kept_by(frozenset([view])) is not None or any(map(is_of_view, held))
