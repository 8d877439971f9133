"""Forgets what objects hold: a call of unseen code may have stored anything in them."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import UNKNOWN, Objs, Origin, Value
from unplace.analysis.interpret.identity import with_twins
from unplace.analysis.interpret.run import Run

_STORED = "what a call stored"


def clobber(run: Run, node: ast.AST, reachable: Objs, state: State) -> None:
    """Assume that unseen code has stored anything in the slots of these objects."""
    run.changed |= reachable
    for holder in state.heap.among(with_twins(run, reachable, state)):
        fields, changed = state.heap.of(holder), dict[Hashable, Value]()
        for key, value in fields.items():
            if value.objs:
                objs, graph, ref = value.objs, value.graph, value.ref
                if not any(obj.label == _STORED for obj in objs):  # one for all calls: a long function has hundreds
                    objs |= run.foreign((node, "stored", key), Origin.CALL, _STORED, 0, UNKNOWN).objs
                changed[key] = Value(value.kinds, objs, (node, key), None, None, graph, ref, value.likely)
        if changed:
            state.heap.put(holder, {**fields, **changed})


def like(state: State, value: Value) -> Objs:
    """Return the objects that one of which the place isn't known may be: those with an attribute of its class."""
    holders = state.heap.holders
    if not isinstance(value.ref, Instance):
        return frozenset(holders)
    names = {name for cls in value.ref.of.linearized() for name in cls.assigned}
    return frozenset(holder for holder, fields in holders.items() if not names.isdisjoint(fields))
