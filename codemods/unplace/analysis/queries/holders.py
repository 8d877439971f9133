"""Finds what else holds a tensor from outside: other names, attributes and functions, as the code in sight shows."""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Class, alternatives
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import Obj, Origin
from unplace.analysis.effects.effect import keeps_arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.calling import function_of
from unplace.analysis.project.held_elsewhere import holder_of_attribute, holder_of_global
from unplace.analysis.project.sharing import attributes_holding, other_holder
from unplace.analysis.queries.closures import handed_on, second_holder
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal


def also_held_by(run: Run, state: Snapshot, obj: Obj) -> Reason | None:
    """Return the reason why code in sight holds a tensor that the function has from outside; None where none does."""
    return _held_in_sight(run, state, obj) or _held_by_callee(run, obj)


def _held_in_sight(run: Run, state: Snapshot, obj: Obj) -> Reason | None:
    """Return the reason why the code in sight holds a tensor from outside twice; None where it doesn't."""
    if obj.origin is Origin.CLOSURE:
        return second_holder(run, obj) or _held_outside(run, obj)
    if obj.origin is Origin.GLOBAL:
        name = obj.label.strip("`")
        return _held_outside(run, obj) or holder_of_global(run.program.module, name) or _handed_on(run, name)
    if obj.origin is not Origin.ATTRIBUTE:
        return None
    found = _held_by_its_class(run, [*attributes_holding(state, obj)])
    holder, _, attribute = obj.label.strip("`").rpartition(".")
    owner = run.program.module.scopes.owner(run.scope, holder)
    is_global = owner is not None and owner.is_module  # an attribute of a class or function: `Norm.mean`
    return found or (_handed_on(run, attribute, is_attribute=True) if is_global else None)


def _handed_on(run: Run, name: str, *, is_attribute: bool = False) -> Reason | None:
    """Return the reason why other code of the file holds the tensor of a global name, or of an attribute."""
    node = handed_on(run.program, name, is_attribute=is_attribute)
    return Refusal.PASSED_ON(name=code_of(node), line=Line(node.lineno)) if node is not None else None


def _held_by_callee(run: Run, obj: Obj) -> Reason | None:
    """Return the reason why a function of the run holds what it has returned, as its code shows."""
    key = run.names.key_of(obj) if obj.origin is Origin.CALL else None
    node = key[0] if isinstance(key, tuple) else None
    callee = run.values.get(node.func) if isinstance(node, ast.Call) else None
    for ref in alternatives(callee.ref) if callee is not None else ():
        function = function_of(run.program, ref)
        if function is not None and keeps_arguments(run.program.summary(function)):
            return Refusal.HELD_BY_CALLEE(place=obj.label)
    return None


def _held_by_its_class(run: Run, attributes: list[tuple[Class, str]]) -> Reason | None:
    """Return the reason why attributes aren't the only holders of a tensor, as the class of the object shows."""
    for owner, name in attributes:
        found = other_holder(run.program, owner, name) or holder_of_attribute(run.program, owner, name)
        if found is not None:
            return found
    return None


def _held_outside(run: Run, obj: Obj) -> Reason | None:
    """Return the reason why a tensor of an outer scope shares memory with another name there."""
    name = obj.label.strip("`")
    program = run.program
    owner = program.module.scopes.owner(run.scope, name)
    outer = program.run(owner) if owner is not None and owner is not run.scope else None
    if owner is None or outer is None:
        return None
    for state in (*(state for _, state in program.exits(owner)), *(w.state for w in outer.writes.values())):
        held = state.env.get(name)
        others = [(n, v) for n, v in state.env.items() if n != name and not n.startswith(HIDDEN)]
        for other, value in others if held is not None else ():
            if held is not None and state.may_share(state.reachable(value.objs), held.objs):
                shares = Refusal.OUTER_SHARES(name=other, function=owner.name)
                return Refusal.SLOT_SHARES(place=other) if owner.is_module else shares
    return None
