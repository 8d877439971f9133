"""Return and rebind: a function that wrote to its parameter returns the new tensor, and each call binds it.

    def _update(h, x):          def _update(h, x):
        h += x                      h = h + x
                                    return h

    _update(h, x)               h = _update(h, x)

Where no caller notices the write, the function only rebinds its parameter, and nothing else has to change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Function, Instance, alternatives
from unplace.analysis.domain.values import NONE, Saved, Value
from unplace.analysis.domain.views import UNSEEN
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import (
    Handed,
    calls_elsewhere,
    calls_in_file,
    calls_that_hand,
    is_private,
    line_in,
)
from unplace.analysis.project.modes import is_backward
from unplace.analysis.project.module import passed_on
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import Passing, calls_that_may_hand, line_of_value, name_of
from unplace.analysis.project.users import unfollowed_elsewhere, values_elsewhere
from unplace.analysis.queries import saved_by_callers
from unplace.analysis.queries.disjointness import held_alone
from unplace.analysis.queries.forbidden import Forbidden
from unplace.analysis.queries.purpose import acts_elsewhere, documented
from unplace.analysis.queries.saved_by_callers import Element
from unplace.analysis.queries.watch import Watch
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import has_lasting_default
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.returning import Placed
from unplace.transform.recipes.handbacks import Handbacks, notices
from unplace.transform.recipes.known_calls import KnownCalls
from unplace.transform.sites import Site
from unplace.transform.spanning import is_private as is_private_name
from unplace.transform.verdicts import Refuse


@dataclass(slots=True)
class Callers:
    """The callers of the functions of one module: what they see of a written parameter, and how they take a new one.

    A function's handback is planned when it is first asked for.
    """

    program: Program
    text: Text
    options: Options
    _asking: set[tuple[Scope, str]] = field(default_factory=set)
    _seen: dict[tuple[Scope, str], tuple[list[Reason], list[Reason]]] = field(default_factory=dict)
    _writing: dict[tuple[Scope, bool], bool] = field(default_factory=dict)
    _passed: dict[tuple[Scope, str], tuple[Handed, Forbidden] | None] = field(default_factory=dict)
    _known: KnownCalls = field(init=False)
    _handbacks: Handbacks = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the handbacks of the functions."""
        self._known = KnownCalls(self.program, self.options)
        self._handbacks = Handbacks(self.program, self.text, self.options, self, self._known)

    def sees(self, scope: Scope, parameter: str) -> tuple[list[Reason], list[Reason]]:
        """Return the blockers and assumptions that follow from the callers of a function that writes `parameter`."""
        assumption = Assumption.CALLER_LOOKS_AWAY(name=parameter)
        if is_backward(self.program.home_of(scope).module, scope):
            return [], [assumption]
        if (scope, parameter) in self._asking:
            return [], [assumption]
        is_alone = not self._asking and not self._handbacks.is_planning  # else the answer may be cut short
        if is_alone and (scope, parameter) in self._seen:
            return self._seen[scope, parameter]
        self._asking.add((scope, parameter))
        try:
            found = self._sees(scope, parameter, assumption)
        finally:
            self._asking.discard((scope, parameter))
        if is_alone:
            self._seen[scope, parameter] = found
        return found

    def _sees(self, scope: Scope, parameter: str, assumption: Reason) -> tuple[list[Reason], list[Reason]]:
        assumptions: list[Reason] = []
        handed = calls_in_file(self.program, scope, parameter)
        held = self._written_in(scope, parameter)
        holding = [call for place in held for call in calls_in_file(self.program, scope, place)]
        settled = self._settled(scope, parameter, [*handed, *holding], assumptions)
        if settled is not None:
            return settled
        program = self.program.home_of(scope)
        if is_private(program, scope, len(handed)):
            return [], assumptions
        outside = self._known.assumed(scope)
        blocker: Reason | None
        if outside is None:
            blocker = self._blocker(scope, parameter, is_called=bool(handed))
        else:
            blocker = self._meant(scope, parameter)
        if blocker is not None:
            return [blocker], []
        elsewhere = (call for place in (parameter, *held) for call in calls_elsewhere(self.program, scope, place))
        settled = self._settled(scope, parameter, elsewhere, assumptions)
        if settled is not None or outside is not None:
            return settled or ([], list(dict.fromkeys((*(outside or ()), *assumptions))))
        blocker = self._use_out_of_reach(
            scope, values_elsewhere(program, scope), unfollowed_elsewhere(program, scope, parameter)
        )
        if blocker is not None:
            return [blocker], []
        return [], list(dict.fromkeys((assumption, *assumptions)))  # callers in sight may pass on their own argument

    def _written_in(self, scope: Scope, parameter: str) -> list[str]:
        """Return the attributes of a parameter whose tensors the function writes: `s.h`."""
        summary = self.program.home_of(scope).summary(Function(scope))
        places = summary.writes_held if summary is not None else frozenset()
        return sorted(place for place in places if place.startswith(f"{parameter}."))

    def _settled(
        self, scope: Scope, parameter: str, handed: Iterable[Handed], assumptions: list[Reason]
    ) -> tuple[list[Reason], list[Reason]] | None:
        """Return what follows from these callers alone; where nothing does, add what has to be assumed about them."""
        for call in handed:
            other = _other_class(call.write.value)
            if other is not None:
                line = call.line(self.program)
                return [Refusal.PASSES_OTHER(line=line, parameter=parameter, other=other)], []
            at_call = self._handbacks.site(call)
            live = self._handbacks.live(at_call)
            state, objs = call.write.state, call.write.value.objs
            shared = [other for other in call.write.operands if state.may_share(other.objs, objs)]
            if any(state.parted().may_share(other.objs, objs) for other in shared):
                return [Refusal.MAY_PASS_TWICE(line=call.line(self.program), parameter=parameter)], []
            if shared:
                assumptions.append(Assumption.PASSED_ONCE(name=parameter))
            if self._handbacks.is_read(call, at_call, live):
                planned = self._handbacks.taken_by(call, scope)
                if isinstance(planned, Refuse):
                    line = call.line(self.program)
                    untaken = Refusal.CALLER_READS(line=line, parameter=parameter, refusal=planned.reason)
                    return [documented(scope, parameter, is_called=True) or untaken], []
                return [], list(dict.fromkeys((*assumptions, *planned.assumptions)))
            outer = call.run.scope
            watch = Watch(call.run, call.write.state, live, lambda name, outer=outer: self.sees(outer, name))  # type: ignore[misc]
            elements = watch.of_elements(call.write.value)
            if notices(elements):
                return [Refusal.ELEMENT_READ(line=call.line(self.program), parameter=parameter)], []
            assumptions += elements.assumptions
            observers = watch.of(call.write.value, None)
            if observers.blockers and not self._handbacks.is_read(call, at_call, live, elsewhere=True):
                return observers.blockers, []
            reads = [Assumption.CALLER_LOOKS_AWAY(name=parameter)]
            assumptions += reads if notices(observers) else observers.assumptions
        return None

    def _meant(self, scope: Scope, parameter: str) -> Reason | None:
        """Return why the write to a parameter is meant to last, although all calls of the function are known."""
        if has_lasting_default(scope, parameter):
            return Refusal.LASTING_DEFAULT(parameter=parameter)
        return None if self._known.are_all(scope) else documented(scope, parameter, is_called=True)

    def _blocker(self, scope: Scope, parameter: str, *, is_called: bool) -> Reason | None:
        """Return why callers outside the file must be expected to read the argument, as far as the file shows."""
        program = self.program.home_of(scope)
        if self._only_writes(scope, is_called):
            is_alone = program.module.place is None and not is_called and is_private_name(scope.name)
            return (Refusal.ONLY_WRITES_HERE if is_alone else Refusal.ONLY_WRITES)(function=scope.name)
        if scope.name in passed_on(program.module):
            return Refusal.HANDED_ON(function=scope.name)
        if has_lasting_default(scope, parameter):
            return Refusal.LASTING_DEFAULT(parameter=parameter)
        line = line_of_value(program, scope)
        values = [(program, line)] if line is not None else []
        calls = ((program, passing) for passing in calls_that_may_hand(program, scope, parameter))
        return self._use_out_of_reach(scope, values, calls) or documented(scope, parameter, is_called=is_called)

    def _use_out_of_reach(
        self, scope: Scope, values: Iterable[tuple[Program, int]], calls: Iterable[tuple[Program, Passing]]
    ) -> Reason | None:
        """Return the refusal for a use of the function that can't be followed and may read the argument, if any."""
        name = name_of(self.program.home_of(scope), scope)
        for program, line in values:
            at = line_in(self.program, program, line)
            if isinstance(scope.node, ast.Lambda):
                return Refusal.LAMBDA_USED_AS_VALUE(line=at)
            return Refusal.USED_AS_VALUE(function=scope.name, line=at)
        for program, passing in calls:
            at = line_in(self.program, program, passing.call.lineno)
            if passing.run is None or passing.unfollowed is None:
                return Refusal.NOT_FOLLOWED(function=name, line=at)
            for value in passing.values:
                call = Handed(program, passing.run, replace(passing.unfollowed.write, value=value))
                at_call = self._handbacks.site(call)
                if self._handbacks.is_read(call, at_call, self._handbacks.live(at_call)):
                    return Refusal.NOT_FOLLOWED_READ(function=name, line=at)
        return None

    def is_closed(self, scope: Scope) -> bool:
        """Tell whether a scope is a module whose names only its own code can read."""
        return self._known.is_closed(scope)

    def returned(self, scope: Scope) -> frozenset[str]:
        """Return the parameters whose new tensors the function hands back, and which are therefore live at its end."""
        return self._handbacks.returned(scope)

    def is_saved_by_none(self, scope: Scope, parameter: str) -> bool:
        """Tell whether all callers are known, and none saved the tensor before the function writes it."""
        return saved_by_callers.is_saved_by_none(self.program, scope, parameter, self._known.are_all)

    def saved_before(
        self, scope: Scope, parameter: str, element: Element = None, *, is_open: bool = False
    ) -> Saved | None:
        """Return the operation of a caller that certainly saved the tensor before the function writes it, if any."""
        return saved_by_callers.saved_before(self.program, scope, parameter, element, is_open=is_open)

    def forbidden_passed(self, scope: Scope, parameter: str) -> tuple[Handed, Forbidden] | None:
        """Return a call that passes what torch lets nobody write, with the reason, if any."""
        asked = (scope, parameter)
        if asked not in self._passed:
            self._passed[asked] = saved_by_callers.forbidden_passed(self.program, scope, parameter)
        return self._passed[asked]

    def saves_before(self, scope: Scope, parameter: str) -> Iterator[tuple[Run, Facts, Saved]]:
        """Iterate over all that callers saved of the tensor before the function writes it, with run and state."""
        return saved_by_callers.saves_before(self.program, scope, parameter)

    def edits_of(self, site: Site) -> dict[str, tuple[Edit, ...]]:
        """Return the edits of the function's returns and of its callers that the rewriting of a site needs, by file.

        A caller that only passes on its own argument may have to hand the tensor back to its own callers.
        """
        found: set[Placed] = set()
        todo = [(site.run.scope, _parameters(site))]
        seen: set[Scope] = set()
        while todo:
            scope, names = todo.pop()
            if scope in seen:
                continue
            seen.add(scope)
            planned = self._handbacks.planned(scope)
            if planned is not None and names & set(planned.names):
                found |= planned.all_edits()
                continue
            handed = [call for name in sorted(names) for call in calls_that_hand(self.program, scope, name)]
            todo += [(call.run.scope, outer) for call in handed if (outer := _parameters(self._handbacks.site(call)))]
        return {path: tuple(sorted(e for p, e in found if p == path)) for path in sorted({path for path, _ in found})}

    def _only_writes(self, scope: Scope, is_called: bool) -> bool:
        """Tell whether a function seems to have no purpose other than to write its arguments."""
        if (scope, is_called) not in self._writing:
            self._writing[scope, is_called] = self._has_no_other_purpose(scope, is_called)
        return self._writing[scope, is_called]

    def _has_no_other_purpose(self, scope: Scope, is_called: bool) -> bool:
        summary = self.program.home_of(scope).summary(Function(scope))
        written = summary.writes | summary.may_write if summary is not None else frozenset()
        if acts_elsewhere(scope, written, is_called=is_called):
            return False
        stores = (ast.Attribute, ast.Subscript)
        held = {a.arg for a in scope.parameters}
        nodes = [n for n in scope.nodes if isinstance(n, stores) and isinstance(n.ctx, ast.Store)]
        is_elsewhere = any(isinstance(n, ast.Attribute) and root_name(n) in held and n.attr != "data" for n in nodes)
        outer = scope.global_names | scope.nonlocal_names
        exits = self.program.home_of(scope).exits(scope)
        return bool(exits) and not is_elsewhere and not outer and all(value.must_be(NONE) for value, _ in exits)


def _other_class(passed: Value) -> str | None:
    """Return the class of the run that is passed instead of a tensor; None for a tensor, and for what has elements."""
    classes = (ref.of for ref in alternatives(passed.ref) if isinstance(ref, Instance) and not ref.of.is_tensor)
    found = (of for of in classes if not any(cls.defines("__getitem__") for cls in of.linearized()))
    return next((of.node.name for of in found if not of.is_immutable), None)


def _parameters(site: Site) -> frozenset[str]:
    """Return the parameters of the enclosing function whose tensors a site writes.

    That a call returned one of its arguments is assumed away where nothing else is to hold what it returned.
    """
    parted = site.state.parted(UNSEEN)
    roots = parted.roots(site.value.objs) if held_alone(parted, site.value.objs) else site.roots()
    return frozenset(o.parameter for o in roots if o.parameter is not None)
