"""What would notice if a written name were only rebound, and the steps that this asks for besides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from unplace.analysis.domain.facts import Definition, Facts
from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.values import BY_CALLS, LIST, TENSOR, UNKNOWN, Link, Obj, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.diagnostics.catalogue import Assumption, Relation
from unplace.diagnostics.reasons import Line, Reason, quoted


@dataclass(frozen=True, slots=True)
class LiveView:
    """A live name of a view of the written memory, which its defining expression can make again."""

    name: str
    definition: Definition
    obj: Obj


def unsteady(run: Run, state: Facts, definition: Definition) -> str | None:
    """Return a name that no longer is what it was when a view was made: bound anew, or a list with other elements."""
    lists = run.answers.get((unsteady, definition.expression))
    if lists is None:
        lists = run.answers[unsteady, definition.expression] = _names_given(definition.expression)
    for used, token in definition.uses.items():
        held = state.env.get(used) if used in lists else None
        is_list = held is not None and held.may_be(LIST | UNKNOWN)
        if state.binds.get(used) != token or (is_list and held is not None and held.objs & run.changed):
            return used
    return None


def _names_given(expression: ast.expr) -> frozenset[str]:
    """Return the names that are arguments of calls in an expression."""
    arguments = [a for n in ast.walk(expression) if isinstance(n, ast.Call) for a in n.args]
    return frozenset(a.id for a in arguments if isinstance(a, ast.Name))


def replays(views: Sequence[LiveView]) -> tuple[Binding, ...]:
    """Return the bindings that make views again, in order of creation; all names of one view get the same binding."""
    names: dict[Obj, list[AccessPath]] = {}
    for view in views:
        names.setdefault(view.obj, []).append(AccessPath(view.name))
    firsts = {view.obj: view for view in reversed(views)}
    return tuple(
        Binding(tuple(names[view.obj]), ast.unparse(view.definition.expression))
        for view in views
        if firsts[view.obj] is view
    )


@dataclass(frozen=True, slots=True)
class Sharing:
    """What runs showed of the names of a function: those of the written tensor itself, and those of its memory."""

    same: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()

    @property
    def is_alone(self) -> bool:
        """Tell whether no name of the function, and nothing that one of them has, shared the memory."""
        return not self.shared

    def told(self, name: str, written: str) -> Reason | None:
        """Return what every run showed of a name and of what is written under another; None where runs differed."""
        if name in self.same:
            return Assumption.SAME_TENSOR(one=name, other=written)
        return Assumption.NOT_SHARED(one=name, other=written) if name not in self.shared else None


@dataclass(slots=True)
class Observers:
    """The observers of a write, and the steps needed besides rebinding the written name.

    `together`: access paths (`b`, `self.h`, `d["k"]`) of the same object, which have to be rebound with it.
    `views`: names of views to be made again, in order of creation. `blockers`: reasons why rebinding would be wrong; a
    search ends where it has found one. `assumptions`: assumptions to be made about unseen code.
    """

    together: list[AccessPath] = field(default_factory=list)
    views: list[LiveView] = field(default_factory=list)
    blockers: list[Reason] = field(default_factory=list)
    assumptions: list[Reason] = field(default_factory=list)


def assumption_about(obj: Obj) -> Reason | None:
    """Return what has to be assumed of a tensor from outside, which others may have; None where nothing has."""
    if obj.parameter is not None:
        return Assumption.CALLER_LOOKS_AWAY(name=obj.parameter)
    if obj.operator in BY_CALLS:
        return Assumption.RESULT_HELD_ALONE(place=obj.label)
    if obj.origin in (Origin.ATTRIBUTE, Origin.GLOBAL, Origin.CLOSURE, Origin.CALL):
        return Assumption.HELD_ALONE(place=quoted(obj.label))
    return None


def assumptions_about(objs: Iterable[Obj]) -> tuple[Reason, ...]:
    """Return what has to be assumed of tensors from outside, each once."""
    return tuple(dict.fromkeys(told for obj in objs if (told := assumption_about(obj)) is not None))


def named_outside(obj: Obj) -> str | None:
    """Return how the source names a tensor from outside; None where its label is words."""
    code = obj.label.removeprefix("`").removesuffix("`")
    is_quoted = len(code) == len(obj.label) - 2
    return code if "`" not in code and (is_quoted or " " not in code) else None


def relation(state: Facts, held: Value, value: Value, place: AccessPath | None) -> Reason:
    """Return how a value that is read later is related to the written tensor."""
    written = f"`{place}`" if place is not None else "the written tensor"
    for obj in value.objs | held.objs:
        base = state.bases.get(obj)
        if base is not None and base.link is Link.MAYBE:
            return Relation.MAY_SHARE(written=written, operation=obj.label, line=Line(obj.line))
        if base is not None and base.link is Link.DATA:
            return Relation.SWAPPED(written=written)
    if any(obj in state.roots(value.objs) for obj in held.objs):
        return Relation.BASE(written=written) if held.must_be(TENSOR) else Relation.HOLDER(written=written)
    return Relation.SHARES(written=written)
