"""Finds the tensors that reach a write only if a loop before it has no round, which the code in sight doesn't show.

def total(t, dims):
    for d in dims:
        t = t.sum(d)
    t += 1                  the argument, if `dims` is empty
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.values import Obj, Objs
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.module import reaching_after_rounds, reaching_in
from unplace.analysis.syntax.reaching import Definition


def met_after_rounds(run: Run, write: Write, objs: Objs) -> Objs:
    """Return the objects, but for those that a write only meets if a loop that binds its name anew has no round."""
    name = _name_in(write.target)
    module = run.program.module
    if not objs or name is None or not module.owns(run.scope) or name not in reaching_in(module, run.scope).seen_by:
        return objs
    found = reaching_after_rounds(module, run.scope).seen_by.get(name)
    if found is None or found == reaching_in(module, run.scope).seen_by[name]:
        return objs
    return frozenset(obj for obj in objs if any(_may_give(run, write, definition, obj) for definition in found))


def _name_in(target: ast.expr) -> ast.Name | None:
    """Return the name of which a target is, or takes elements: `t`, `t[0]`."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target if isinstance(target, ast.Name) else None


def _may_give(run: Run, write: Write, definition: Definition, obj: Obj) -> bool:
    """Tell whether a definition may bind a name to an object, or to a view of it."""
    if isinstance(definition, str):
        return definition in (obj.parameter, write.state.from_callers(obj)) or obj.parameter is None
    outer = run.parents.get(definition)
    is_plain = isinstance(outer, ast.Assign) and outer.targets == [definition]
    value = run.values.get(outer.value) if isinstance(outer, ast.Assign) and is_plain else None
    if value is None:
        return True
    made = {run.names.key_of(each) for each in value.objs}  # what an earlier round made is another object
    bound = {each for each in write.value.objs if run.names.key_of(each) in made}
    return obj in write.state.roots(write.state.reachable(value.objs | bound))
