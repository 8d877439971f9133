"""Return and rebind: a function that wrote to its parameter returns the new tensor, and each call binds it.

    def _update(h, x):          def _update(h, x):
        h += x                      h = h + x
                                    return h

    _update(h, x)               h = _update(h, x)

Where no caller notices the write, the function only rebinds its parameter, and nothing else has to change.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.refs import Choice, Function
from unplace.analysis.domain.values import NONE, Obj, Origin, Saved
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import (
    Handed,
    calls_elsewhere,
    calls_in_file,
    calls_that_hand,
    is_named_elsewhere,
    is_private,
    line_in,
    uses_of,
)
from unplace.analysis.project.compiled import compiled
from unplace.analysis.project.module import passed_on
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import Passing, calls_that_may_hand, line_of_value, name_of
from unplace.analysis.project.users import unfollowed_elsewhere, values_elsewhere
from unplace.analysis.project.whole import are_calls_known
from unplace.analysis.queries import saved_by_callers
from unplace.analysis.queries.observers import Observers, Watch
from unplace.analysis.queries.purpose import documented
from unplace.analysis.syntax.bindings import assigned_names, root_name
from unplace.analysis.syntax.nodes import own_nodes
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import default_of
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Refusal
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line, Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit import bindings
from unplace.transform.emit.layout import new_name
from unplace.transform.emit.returning import Handback, Taking, is_fixed, returned_form
from unplace.transform.legality import private_copy, rebind
from unplace.transform.recipes import expressions
from unplace.transform.sites import Site, is_site
from unplace.transform.verdicts import Copy, Rebind, Refuse


@dataclass(slots=True)
class Callers:
    """The callers of the functions of one module: what they see of a written parameter, and how they take a new one.

    A function's handback is planned when it is first asked for.
    """

    program: Program
    text: Text
    options: Options
    _planned: dict[Scope, Handback | Refuse] = field(default_factory=dict)
    _planning: set[Scope] = field(default_factory=set)
    _asking: set[tuple[Scope, str]] = field(default_factory=set)
    _seen: dict[tuple[Scope, str], tuple[list[Reason], list[Reason]]] = field(default_factory=dict)
    _writing: dict[Scope, bool] = field(default_factory=dict)
    _known: dict[Scope, bool] = field(default_factory=dict)

    def sees(self, scope: Scope, parameter: str) -> tuple[list[Reason], list[Reason]]:
        """Return the blockers and assumptions that follow from the callers of a function that writes `parameter`."""
        assumption = Assumption.CALLER_LOOKS_AWAY(name=parameter)
        if (scope, parameter) in self._asking:
            return [], [assumption]
        is_alone = not self._asking and not self._planning  # else the answer may be cut short
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
        handed = calls_in_file(self.program, scope, parameter)
        assumptions: list[Reason] = []
        settled = self._settled(scope, parameter, handed, assumptions)
        if settled is not None:
            return settled
        program = self.program.home_of(scope)
        if is_private(program, scope, len(handed)):
            return [], assumptions
        is_known = self.knows_calls(scope)
        blocker = None if is_known else self._blocker(scope, parameter, is_called=bool(handed))
        if blocker is not None:
            return [blocker], []
        settled = self._settled(scope, parameter, calls_elsewhere(self.program, scope, parameter), assumptions)
        if settled is not None or is_known:
            return settled or ([], list(dict.fromkeys(assumptions)))
        blocker = self._use_out_of_reach(
            scope, values_elsewhere(program, scope), unfollowed_elsewhere(program, scope, parameter)
        )
        if blocker is not None:
            return [blocker], []
        return [], list(dict.fromkeys((assumption, *assumptions)))  # callers in sight may pass on their own argument

    def _settled(
        self, scope: Scope, parameter: str, handed: Iterable[Handed], assumptions: list[Reason]
    ) -> tuple[list[Reason], list[Reason]] | None:
        """Return what follows from these callers alone; where nothing does, add what has to be assumed about them."""
        for call in handed:
            at_call = self._site(call)
            live = at_call.live()
            state, objs = call.write.state, call.write.value.objs
            if any(state.may_share(other.objs, objs) for other in call.write.operands):
                return [Refusal.MAY_PASS_TWICE(line=call.line(self.program), parameter=parameter)], []
            if self._is_read(call, at_call, live):
                is_own = call.program.module is self.program.module
                planned = self.handback(scope) if is_own else Refuse(Refusal.CALLED_ELSEWHERE(function=scope.name))
                if isinstance(planned, Refuse):
                    line = call.line(self.program)
                    return [Refusal.CALLER_READS(line=line, parameter=parameter, refusal=planned.reason)], []
                return [], list(planned.assumptions)
            outer = call.run.scope
            watch = Watch(call.run, call.write.state, live, lambda name, outer=outer: self.sees(outer, name))  # type: ignore[misc]
            elements = watch.of_elements(call.write.value)
            if _notices(elements):
                return [Refusal.ELEMENT_READ(line=call.line(self.program), parameter=parameter)], []
            assumptions += elements.assumptions
            observers = watch.of(call.write.value, None)
            if observers.blockers and not self._is_read(call, at_call, live, elsewhere=True):
                return observers.blockers, []
            reads = [Assumption.CALLER_LOOKS_AWAY(name=parameter)]
            assumptions += reads if _notices(observers) else observers.assumptions
        return None

    def _blocker(self, scope: Scope, parameter: str, *, is_called: bool) -> Reason | None:
        """Return why callers outside the file must be expected to read the argument, as far as the file shows."""
        program = self.program.home_of(scope)
        if self._only_writes(scope):
            return Refusal.ONLY_WRITES(function=scope.name)
        if scope.name in passed_on(program.module):
            return Refusal.HANDED_ON(function=scope.name)
        if _has_lasting_default(scope, parameter):
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
                at_call = self._site(call)
                if self._is_read(call, at_call, at_call.live()):
                    return Refusal.NOT_FOLLOWED_READ(function=name, line=at)
        return None

    def returned(self, scope: Scope) -> frozenset[str]:
        """Return the parameters whose new tensors the function hands back, and which are therefore live at its end."""
        if scope in self._planning or not scope.parameters or not self._may_return(scope):
            return frozenset()
        planned = self.handback(scope)
        return frozenset() if isinstance(planned, Refuse) else frozenset(planned.names)

    def _may_return(self, scope: Scope) -> bool:
        """Tell whether a function writes a parameter and could return it: one with a fixed return has to do so now."""
        written = self._written(scope)
        if not is_fixed(scope) or not written:
            return bool(written)
        summary = self.program.home_of(scope).summary(Function(scope))
        return summary is not None and summary.returned is not None and summary.returned.same in written

    def _written(self, scope: Scope) -> frozenset[str]:
        """Return the parameters whose writes the run may move: those that may be no tensors, too, with `--unsafe`."""
        summary = self.program.home_of(scope).summary(Function(scope))
        if summary is None:
            return frozenset()
        return summary.writes | summary.may_write if self.options.unsafe else summary.writes

    def knows_calls(self, scope: Scope) -> bool:
        """Tell whether the run is the whole program, and all calls of a function in it are known."""
        if self.options.whole_program and scope not in self._known:
            self._known[scope] = are_calls_known(self.program, scope)
        return self._known.get(scope, False)

    def is_saved_by_none(self, scope: Scope, parameter: str) -> bool:
        """Tell whether all callers are known, and none saved the tensor before the function writes it."""
        return self.options.whole_program and saved_by_callers.is_saved_by_none(
            self.program, scope, parameter, self.knows_calls
        )

    def saved_before(self, scope: Scope, parameter: str) -> Saved | None:
        """Return the operation of a caller that certainly saved the tensor before the function writes it, if any."""
        return saved_by_callers.saved_before(self.program, scope, parameter)

    def saves_before(self, scope: Scope, parameter: str) -> Iterator[tuple[Run, Facts, Saved]]:
        """Iterate over all that callers saved of the tensor before the function writes it, with run and state."""
        return saved_by_callers.saves_before(self.program, scope, parameter)

    def edits_of(self, site: Site) -> tuple[Edit, ...]:
        """Return the edits of the function's returns and of its callers that the rewriting of a site needs.

        A caller that only passes on its own argument may have to hand the tensor back to its own callers.
        """
        found: set[Edit] = set()
        todo = [(site.run.scope, _parameters(site))]
        seen: set[Scope] = set()
        while todo:
            scope, names = todo.pop()
            if scope in seen:
                continue
            seen.add(scope)
            planned = self._planned.get(scope)
            if isinstance(planned, Handback) and names & set(planned.names):
                found |= planned.all_edits()
                continue
            handed = [call for name in sorted(names) for call in calls_that_hand(self.program, scope, name)]
            todo += [(call.run.scope, outer) for call in handed if (outer := _parameters(self._site(call)))]
        return tuple(sorted(found))

    # -- planning -------------------------------------------------------------------------------------------------

    def handback(self, scope: Scope) -> Handback | Refuse:
        """Return how the function hands its written parameters back to the callers that read them, or why it can't."""
        known = self._planned.get(scope)
        if known is not None:
            return known
        if scope in self._planning:
            return Refuse(Refusal.RECURSIVE(function=scope.name))
        self._planning.add(scope)
        try:
            planned = self._plan(scope)
        finally:
            self._planning.discard(scope)
        self._planned[scope] = planned
        return planned

    def _plan(self, scope: Scope) -> Handback | Refuse:
        if not self.program.module.owns(scope):
            return Refuse(Refusal.OTHER_FILE(function=scope.name))
        names = tuple(a.arg for a in scope.parameters if self._is_read_somewhere(scope, a.arg))
        summary = self.program.summary(Function(scope))
        run = self.program.run(scope)
        if not names or summary is None or run is None:
            return Refuse(Refusal.NOTHING_KNOWN(name=scope.name))
        if scope in compiled(self.program.module):
            return Refuse(Refusal.COMPILED(function=scope.name))
        exits = self.program.exits(scope)
        for name in names:
            if name in scope.captured or not all(_is_still(name, state.env.get(name)) for _, state in exits):
                return Refuse(Refusal.REPLACED(name=name, function=scope.name))
        calls: dict[ast.Call, list[tuple[str, Handed]]] = {}
        for name in names:
            handed = list(calls_that_hand(self.program, scope, name))
            if any(call.program.module is not self.program.module for call in handed):
                return Refuse(Refusal.CALLED_ELSEWHERE(function=scope.name))
            if len(handed) != uses_of(self.program, scope):
                return Refuse(Refusal.NOT_ALL_CALLS(function=scope.name))
            for call in handed:
                assert isinstance(call.write.node, ast.Call)
                callee = call.run.values.get(call.write.node.func)
                if callee is not None and isinstance(callee.ref, Choice):
                    return Refuse(Refusal.NOT_ALL_CALLS(function=scope.name))
                calls.setdefault(call.write.node, []).append((name, call))
        takings = [Taking(n, c[0][1].write.statement, c[0][1].run) for n, c in calls.items()]
        same = summary.returned.same if summary.returned is not None else None
        reaches_end = run.reaches_end()
        values = [value for value, _ in exits]
        form = returned_form(scope, names, same, values, takings, reaches_end)
        if isinstance(form, Refuse):
            return form
        returns = {r for r in own_nodes(scope.node) if isinstance(r, ast.Return)}
        if form.is_changed and returns & (_with_sites(run) | self._with_calls(run).keys()):
            return Refuse(Refusal.RETURN_WRITES(function=scope.name))
        tensor = self.program.module.name_for(scope.parent or scope, "torch.Tensor")
        handback = Handback(self.text, scope, names, form, tensor, reaches_end)
        is_known = self.knows_calls(scope)
        if form.is_changed and not is_known and is_named_elsewhere(self.program, scope):
            return Refuse(Refusal.NAMED_ELSEWHERE(function=scope.name))
        if not is_known and not is_private(self.program, scope, len(calls)):
            told = [Assumption.CALLER_LOOKS_AWAY(name=name) for name in names]
            for assumption in [Assumption.NO_OTHER_CALLS(name=scope.name)] if form.is_changed else told:
                handback.assume(assumption)
        for taking in takings:
            refusal = self._plan_call(handback, taking, calls[taking.call])
            if refusal is not None:
                return Refuse(Refusal.CALL_CANNOT_TAKE(line=Line(taking.call.lineno), refusal=refusal.reason))
        return handback

    def _plan_call(self, handback: Handback, taking: Taking, arguments: list[tuple[str, Handed]]) -> Refuse | None:
        """Plan how one call takes the new tensors."""
        for name, call in arguments:
            if any(call.write.state.may_share(o.objs, call.write.value.objs) for o in call.write.operands):
                return Refuse(Refusal.ANOTHER_ARGUMENT())
            site = self._site(call)
            if site.registered() is not None:
                return Refuse(Refusal.REGISTERED(name=site.name))
            if not self._is_read(call, site, site.live(), elsewhere=True):
                outside = site.observers()  # callers of this function may read what it passes on
                if outside.blockers:
                    return Refuse(outside.blockers[0])
                for assumption in outside.assumptions:
                    handback.assume(assumption)
                continue
            if taking.run.is_guarded(site.statement):
                return Refuse(Refusal.HALF_WRITTEN())
            refusal = self._place(handback, taking, name, site)
            if refusal is not None:
                return refusal
            taking.is_movable = not site.in_header and not expressions.is_noticed_before(taking.statement, [site])
        is_touched = taking.places or handback.form.is_extra
        is_shared = bool(taking.places) and self._with_calls(taking.run)[taking.statement] > 1
        if is_shared or (is_touched and taking.statement in _with_sites(taking.run)):
            return Refuse(Refusal.ANOTHER_OPERATION())
        return handback.take(taking)

    def _place(self, handback: Handback, taking: Taking, name: str, site: Site) -> Refuse | None:
        """Choose where the tensor returned for one parameter goes: to the names of the old one, or into a clone."""
        place = site.write.target
        rebound: Rebind | Copy | Refuse = rebind(site, place)
        if isinstance(rebound, Refuse) and isinstance(place, ast.Subscript) and site.value.is_tensor:
            copied = private_copy(site)
            if isinstance(copied, Copy):
                taken = {path.root for paths in taking.places.values() for path in paths}
                value = new_name(site.run.taken_names() | taken)
                taking.stores[name] = [*bindings.cloned(self.text, copied), f"{site.name} = {value}"]
                taking.places[name] = (AccessPath(value),)
                rebound = copied
        if isinstance(rebound, Refuse):
            return rebound
        if isinstance(rebound, Rebind):
            is_needed = rebound.places[0].root in site.live() or not isinstance(place, ast.Name) or bool(rebound.views)
            places = rebound.places if is_needed else rebound.places[1:]
            refusal = self._unfit(handback, taking, name, places, rebound.views)
            if refusal is not None:
                return refusal
            if any(self._outlives(taking.run, p) for p in places) and self._may_be_caught(handback, taking.run.scope):
                return Refuse(Refusal.HALF_WRITTEN_OUTSIDE())
            taking.places[name] = places
            taking.views += rebound.views
        for assumption in rebound.assumptions:
            handback.assume(assumption)
        outer = self._planned.get(taking.run.scope)
        if isinstance(outer, Handback) and any(o.origin is Origin.PARAMETER for o in site.roots()):
            handback.needs.append(outer)
        return None

    def _unfit(
        self,
        handback: Handback,
        taking: Taking,
        name: str,
        places: tuple[AccessPath, ...],
        views: tuple[Binding, ...],
    ) -> Refuse | None:
        """Return why these places can't take the tensor, or why its views can't be rematerialised."""
        statement = taking.statement
        taken = assigned_names(statement) if isinstance(statement, ast.Assign) else set()
        both = taken & {place.root for place in places if place.is_name}
        if handback.form.is_extra and both:
            return Refuse(Refusal.BINDS_OTHERWISE(name=min(both)))
        summary = self.program.summary(Function(handback.scope))
        if views and (summary is None or name in summary.replaces | summary.reshapes):
            return Refuse(Refusal.OLD_SHAPE(name=str(views[0].targets[0])))
        return None

    def _outlives(self, run: Run, place: AccessPath) -> bool:
        """Tell whether code outside the function may read a place after an exception has ended the function."""
        scope = run.scope
        return not place.is_name or place.root in scope.captured | scope.global_names | scope.nonlocal_names

    def _may_be_caught(self, handback: Handback, caller: Scope) -> bool:
        """Tell whether the state after an exception may be seen.

        It may where the function raises after a write, or where a call that leads to `caller` is guarded.
        """
        run = self.program.run(handback.scope)
        written = [w.statement for w in run.writes.values()] if run is not None else []
        stops = [n for n in own_nodes(handback.scope.node) if isinstance(n, ast.Raise | ast.Assert)]
        if run is None or any(run.flow.may_follow(write, stop) for write in written for stop in stops):
            return True
        todo, seen = [caller], {caller}
        while todo:
            for scope, call in self.program.module.calls_named(todo.pop().name):
                outer = self.program.run(scope)
                if outer is None or outer.is_guarded(outer.statement_of(call)):
                    return True
                if scope not in seen:
                    seen.add(scope)
                    todo.append(scope)
        return False

    def _with_calls(self, run: Run) -> Counter[ast.stmt]:
        """Count, for each statement of a scope, the calls that hand a tensor to a function whose write may be moved."""
        handed = [*run.handed.items(), *(run.handed_unclear.items() if self.options.unsafe else ())]
        found = {(call, write.statement) for (call, _, _), (_, write) in handed}
        return Counter(statement for _, statement in found)

    # -- questions ------------------------------------------------------------------------------------------------

    def _site(self, call: Handed) -> Site:
        return Site(call.program, call.run, call.write, Form.METHOD, self, self.options)

    def _is_read(self, call: Handed, site: Site, live: set[str], *, elsewhere: bool = False) -> bool:
        """Tell whether the caller notices the write, or, with `elsewhere`, code in other files such as importers."""
        if not elsewhere:
            own = call.run.liveness.read_after(site.statement) | site.other_reads()
            live = live & (own | self.returned(call.run.scope))
        return _notices(Watch(call.run, call.write.state, live).of(call.write.value, None))

    def _is_read_somewhere(self, scope: Scope, name: str) -> bool:
        calls = calls_in_file(self.program, scope, name) if name in self._written(scope) else []
        return any(self._is_read(call, site, site.live()) for call in calls for site in [self._site(call)])

    def _only_writes(self, scope: Scope) -> bool:
        """Tell whether a function seems to have no purpose other than to write its arguments."""
        if scope not in self._writing:
            self._writing[scope] = self._has_no_other_purpose(scope)
        return self._writing[scope]

    def _has_no_other_purpose(self, scope: Scope) -> bool:
        stores = (ast.Attribute, ast.Subscript)
        held = {a.arg for a in scope.parameters}
        nodes = [n for n in own_nodes(scope.node) if isinstance(n, stores) and isinstance(n.ctx, ast.Store)]
        is_elsewhere = any(isinstance(n, ast.Attribute) and root_name(n) in held and n.attr != "data" for n in nodes)
        outer = scope.global_names | scope.nonlocal_names
        exits = self.program.home_of(scope).exits(scope)
        return bool(exits) and not is_elsewhere and not outer and all(value.must_be(NONE) for value, _ in exits)


def _with_sites(run: Run) -> set[ast.stmt]:
    """Return the statements of a scope that contain in-place operations."""
    return {write.statement for write in run.writes.values() if is_site(write)}


def _parameters(site: Site) -> frozenset[str]:
    """Return the parameters of the enclosing function whose tensors a site writes."""
    return frozenset(o.parameter for o in site.roots() if o.parameter is not None)


def _has_lasting_default(scope: Scope, parameter: str) -> bool:
    """Tell whether a parameter's default may be a tensor, which all calls that omit the argument share."""
    if isinstance(scope.node, ast.Module | ast.ClassDef):
        return False
    argument = next(a for a in scope.parameters if a.arg == parameter)
    default = default_of(scope.node.args, argument)
    return default is not None and not isinstance(default, ast.Constant)


def _notices(observers: Observers) -> bool:
    return bool(observers.blockers or observers.together or observers.views)


def _is_still(name: str, value: object) -> bool:
    """Tell whether a name is still bound to the argument that was passed for it."""
    identity = getattr(value, "identity", None)
    return isinstance(identity, Obj) and identity.parameter == name
