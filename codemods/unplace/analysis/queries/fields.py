"""Tells whether a function reads a field of a named tuple that it was given only where it takes the tensor out.

Of other containers that it was given, whether it has done with them.

mean = belief.mean
mean += gain * (z - mean)
return belief._replace(mean=mean)           reads the other fields
"""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import Obj, Objs, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import Parents


def is_left_alone(run: Run, state: Snapshot, holder: Obj, field: Hashable) -> bool:
    """Tell whether no use of an argument, a named tuple, reads a field but the one that a name is bound to.

    Whether the callers read it is another question.
    """
    bound = state.names_bound_to(holder) if holder.parameter is not None else ()
    owners = [getattr(held.ref, "of", None) for _, held in bound]
    if not bound or not all(of is not None and of.is_named_tuple for of in owners):
        return False
    names = {name for name, _ in bound}
    used = [n for n in run.scope.names if n.id in names and isinstance(n.ctx, ast.Load)]
    taken = [n for n in used if not _is_other_field(n, run.parents, field)]
    return len(taken) <= 1 and all(_is_bound(n, run.parents, field) for n in taken)


def is_done_with(state: Snapshot, holder: Obj, held: Value, reached: Objs) -> bool:
    """Tell whether only callers may still read what they put into an argument; `reached` is what live names reach."""
    if any(obj.parameter != holder.parameter for obj in held.objs):
        return False
    return holder not in reached | state.reachable(h for h in state.heap.holders if h is not holder)


def _is_other_field(name: ast.Name, parents: Parents, field: Hashable) -> bool:
    """Tell whether a use of a named tuple reads other fields: `b.var`, `b._replace(mean=mean)`."""
    read = parents.get(name)
    if not isinstance(read, ast.Attribute):
        return False
    call = parents.get(read)
    if read.attr == "_replace" and isinstance(call, ast.Call):
        return any(keyword.arg == field for keyword in call.keywords)
    return read.attr != field


def _is_bound(name: ast.Name, parents: Parents, field: Hashable) -> bool:
    """Tell whether a use of a named tuple binds the field to a name: `mean = b.mean`."""
    read = parents.get(name)
    around = parents.get(read) if isinstance(read, ast.Attribute) and read.attr == field else None
    return isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name)
