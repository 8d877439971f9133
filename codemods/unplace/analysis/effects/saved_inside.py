"""What the operations of a function save for backward of what its callers hold, and of what it returns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import NO_GRAPH, Graph, of_all
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import NONE_VALUE, Obj, Objs, Origin
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.effects.effect import Kept, Returned, Save
from unplace.analysis.interpret.run import Run
from unplace.analysis.queries.demand import is_never_asked_for


class SavedInside(NamedTuple):
    """What a function saves: of its arguments, of what they hold in attributes, and of names that it captures."""

    arguments: tuple[Save, ...]
    held: tuple[Save, ...]
    captured: tuple[Save, ...]


def saved_of_callers(run: Run, exits: Sequence[Snapshot]) -> SavedInside:
    """Return what a function saves of what it didn't make, on its ways out; it is certain if it is on each of them."""
    saved, captured, guessed = dict[str, Graph](), dict[str, Graph](), set[str]()
    for state in exits:
        for obj, by in state.saved.items():
            place = state.from_callers(obj) or _captured(run, obj)
            if place is None:
                continue
            asked = [s for s in by if not is_never_asked_for(run, s)]
            if asked:
                found = captured if obj.origin is Origin.CLOSURE else saved
                found[place] = of_all([found.get(place, NO_GRAPH), *(s.graph for s in asked)])
            is_certain = any if place in captured else all
            if not is_certain(s.certain for s in asked):
                guessed.add(place)

    def saves(graphs: dict[str, Graph], *, is_held: bool = False) -> tuple[Save, ...]:
        places = (place for place in sorted(graphs) if ("." in place) is is_held)
        return tuple(Save(place, place not in guessed, graph=graphs[place]) for place in places)

    return SavedInside(saves(saved), saves(saved, is_held=True), saves(captured))


def _captured(run: Run, obj: Obj) -> str | None:
    """Return the name of an enclosing function that holds an object, if no inner function binds it to another."""
    name, scopes = obj.label.strip("`"), run.program.module.scopes
    owner = scopes.owner(run.scope, name) if obj.origin is Origin.CLOSURE else None
    if owner is None:
        return None
    stores = [n for s in owner.rebinding(name) for n in s.names if n.id == name and not isinstance(n.ctx, ast.Load)]
    return name if all(isinstance(scopes.parents.get(n), ast.AugAssign) for n in stores) else None


def saved_of_result(run: Run, state: Facts, objs: Objs) -> frozenset[Kept]:
    """Return the operations that saved these objects, or memory they view, except memory that the caller passed in."""
    found = [
        {s for root in state.roots((obj,)) if root.parameter is None for s in state.saved.get(root, ())} for obj in objs
    ]
    always = all(any(s.certain and s.on_path for s in by) for by in found)
    place = run.program.module.place
    path = place.path if place is not None else ""
    return frozenset(
        Kept(s.operation.partition(INSIDE)[0], s.certain and s.on_path and always, s.inside or (path, s.line), s.graph)
        for by in found
        for s in by
    )


def saved_in_either(first: Returned, second: Returned) -> frozenset[Kept]:
    """Return the join of the saves of two results; a save is certain only if each result was certainly saved."""
    every = first.saved | second.saved
    returned = [r for r in (first, second) if r.kinds != NONE_VALUE.kinds]
    if all(any(kept.certain for kept in r.saved) for r in returned):
        return every
    return frozenset(kept._replace(certain=False) for kept in every)
