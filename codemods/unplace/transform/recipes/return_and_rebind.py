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
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.values import CONTAINER, NONE, Obj, Objs, Origin, Saved, in_order
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import Handed, calls_that_hand, is_named_elsewhere, is_private, uses_of
from unplace.analysis.project.compiled import compiled
from unplace.analysis.project.module import passed_on
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import calls_that_may_hand, line_of_value, name_of
from unplace.analysis.queries.observers import Observers, Watch
from unplace.analysis.queries.purpose import documented
from unplace.analysis.syntax.bindings import assigned_names
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
from unplace.transform.emit.returning import Handback, Taking, returned_form
from unplace.transform.legality import private_copy, rebind, root_name
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
        handed = calls_that_hand(self.program, scope, parameter)
        assumptions: list[Reason] = []
        for call in handed:
            at_call = self._site(call)
            live = at_call.live()
            state, objs = call.write.state, call.write.value.objs
            if any(state.may_share(other.objs, objs) for other in call.write.operands):
                line = Line(call.write.statement.lineno)
                return [Refusal.MAY_PASS_TWICE(line=line, parameter=parameter)], []
            if self._is_read(call, at_call, live):
                planned = self.handback(scope)
                if isinstance(planned, Refuse):
                    line = Line(call.write.statement.lineno)
                    return [Refusal.CALLER_READS(line=line, parameter=parameter, refusal=planned.reason)], []
                return [], list(planned.assumptions)
            outer = call.run.scope
            watch = Watch(call.run, call.write.state, live, lambda name, outer=outer: self.sees(outer, name))  # type: ignore[misc]
            observers = watch.of(call.write.value, None)
            if observers.blockers and not self._is_read(call, at_call, live, elsewhere=True):
                return observers.blockers, []
            assumptions += [assumption] if _notices(observers) else observers.assumptions
        if is_private(self.program, scope, len(handed)):
            return [], assumptions
        if self._only_writes(scope):
            return [Refusal.ONLY_WRITES(function=scope.name)], []
        if scope.name in passed_on(self.program.module):
            return [Refusal.HANDED_ON(function=scope.name)], []
        if _has_lasting_default(scope, parameter):
            return [Refusal.LASTING_DEFAULT(parameter=parameter)], []
        blocker = self._use_out_of_reach(scope, parameter)
        if blocker is not None:
            return [blocker], []
        purpose = documented(scope, parameter, is_called=bool(handed))
        if purpose is not None:
            return [purpose], []
        return [], list(dict.fromkeys((assumption, *assumptions)))  # callers in sight may pass on their own argument

    def _use_out_of_reach(self, scope: Scope, parameter: str) -> Reason | None:
        """Return the refusal for a use of the function that can't be followed and may read the argument, if any."""
        line = line_of_value(self.program, scope)
        if line is not None:
            if isinstance(scope.node, ast.Lambda):
                return Refusal.LAMBDA_USED_AS_VALUE(line=Line(line))
            return Refusal.USED_AS_VALUE(function=scope.name, line=Line(line))
        for passing in calls_that_may_hand(self.program, scope, parameter):
            name, at = name_of(self.program, scope), Line(passing.call.lineno)
            if passing.run is None or passing.unfollowed is None:
                return Refusal.NOT_FOLLOWED(function=name, line=at)
            for value in passing.values:
                call = Handed(passing.run, replace(passing.unfollowed.write, value=value))
                at_call = self._site(call)
                if self._is_read(call, at_call, at_call.live()):
                    return Refusal.NOT_FOLLOWED_READ(function=name, line=at)
        return None

    def returned(self, scope: Scope) -> frozenset[str]:
        """Return the parameters whose new tensors the function hands back, and which are therefore live at its end."""
        if scope in self._planning or not scope.parameters:
            return frozenset()
        planned = self.handback(scope)
        return frozenset() if isinstance(planned, Refuse) else frozenset(planned.names)

    def saved_before(self, scope: Scope, parameter: str) -> Saved | None:
        """Return the operation of a caller that certainly saved the tensor before the function writes it, if any."""
        for call in calls_that_hand(self.program, scope, parameter):
            state = call.write.state
            for root in sorted(_handed_over(call), key=lambda o: o.index):
                certain = [saved for saved in state.saved.get(root, ()) if saved.certain]
                if certain and call.write.grad.records:
                    return min(certain, key=lambda saved: (saved.line, saved.operation))
        return None

    def saves_before(self, scope: Scope, parameter: str) -> Iterator[tuple[Run, Facts, Saved]]:
        """Iterate over all that callers saved of the tensor before the function writes it, with run and state."""
        for call in calls_that_hand(self.program, scope, parameter):
            state = call.write.state
            if call.write.inside is not None:  # the next round overwrites what this one saved
                yield call.run, state, Saved(scope.name, call.write.statement.lineno, certain=False)
            for root in _handed_over(call) if call.write.grad.records else ():
                yield from ((call.run, state, saved) for saved in in_order(state.saved.get(root, ())))

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
            handed = calls_that_hand(self.program, scope, name)
            if len(handed) != uses_of(self.program, scope):
                return Refuse(Refusal.NOT_ALL_CALLS(function=scope.name))
            for call in handed:
                assert isinstance(call.write.node, ast.Call)
                calls.setdefault(call.write.node, []).append((name, call))
        takings = [Taking(n, c[0][1].write.statement, c[0][1].run) for n, c in calls.items()]
        same = summary.returned.same if summary.returned is not None else None
        reaches_end = run.reaches_end()
        values = [value for value, _ in exits]
        form = returned_form(scope, names, same, values, takings, reaches_end)
        if isinstance(form, Refuse):
            return form
        returns = {r for r in own_nodes(scope.node) if isinstance(r, ast.Return)}
        if form.is_changed and returns & (_with_sites(run) | _with_calls(run).keys()):
            return Refuse(Refusal.RETURN_WRITES(function=scope.name))
        tensor = self.program.module.name_for(scope.parent or scope, "torch.Tensor")
        handback = Handback(self.text, scope, names, form, tensor, reaches_end)
        if form.is_changed and is_named_elsewhere(self.program, scope):
            return Refuse(Refusal.NAMED_ELSEWHERE(function=scope.name))
        if not is_private(self.program, scope, len(calls)):
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
        is_shared = bool(taking.places) and _with_calls(taking.run)[taking.statement] > 1
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

    # -- questions ------------------------------------------------------------------------------------------------

    def _site(self, call: Handed) -> Site:
        return Site(self.program, call.run, call.write, Form.METHOD, self, self.options)

    def _is_read(self, call: Handed, site: Site, live: set[str], *, elsewhere: bool = False) -> bool:
        """Tell whether the caller notices the write, or, with `elsewhere`, code in other files such as importers."""
        if not elsewhere:
            own = call.run.liveness.read_after(site.statement) | site.other_reads()
            live = live & (own | self.returned(call.run.scope))
        return _notices(Watch(call.run, call.write.state, live).of(call.write.value, None))

    def _is_read_somewhere(self, scope: Scope, name: str) -> bool:
        calls = calls_that_hand(self.program, scope, name)
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
        exits = self.program.exits(scope)
        return bool(exits) and not is_elsewhere and not outer and all(value.must_be(NONE) for value, _ in exits)


def _with_sites(run: Run) -> set[ast.stmt]:
    """Return the statements of a scope that contain in-place operations."""
    return {write.statement for write in run.writes.values() if is_site(write)}


def _with_calls(run: Run) -> Counter[ast.stmt]:
    """Count, for each statement of a scope, the calls that hand a tensor to a function that writes it."""
    found = {(call, write.statement) for (call, _), (_, write) in run.handed.items()}
    return Counter(statement for _, statement in found)


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


def _handed_over(call: Handed) -> Objs:
    """Return the objects that a call hands over: all that a container reaches, or the bases of a tensor."""
    state, value = call.write.state, call.write.value
    return state.reachable(value.objs) if value.may_be(CONTAINER) else state.roots(value.objs)


def _notices(observers: Observers) -> bool:
    return bool(observers.blockers or observers.together or observers.views)


def _is_still(name: str, value: object) -> bool:
    """Tell whether a name is still bound to the argument that was passed for it."""
    identity = getattr(value, "identity", None)
    return isinstance(identity, Obj) and identity.parameter == name
