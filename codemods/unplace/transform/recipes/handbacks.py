"""Plans how functions hand written parameters back to their callers: what they return, and how each call takes it.

def _update(h, x):          def _update(h, x):
    h += x                      h = h + x
                                return h

_update(h, x)               h = _update(h, x)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.refs import Choice, Function
from unplace.analysis.domain.values import Obj, Origin
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import (
    Handed,
    calls_in_file,
    calls_that_hand,
    is_named_elsewhere,
    is_private,
    uses_of,
)
from unplace.analysis.project.compiled import compiled
from unplace.analysis.project.module import home
from unplace.analysis.project.program import Program
from unplace.analysis.project.whole import calls_in_run
from unplace.analysis.queries.disjointness import arguments_apart, is_reached_otherwise
from unplace.analysis.queries.leaf_reads import asked_for_gradients_alone, reads_of_gradient
from unplace.analysis.queries.observers import Observers
from unplace.analysis.queries.watch import Watch
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import code_of, own_nodes, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import Form
from unplace.diagnostics.refusals import Refusal
from unplace.text.positions import Text
from unplace.transform.emit import bindings
from unplace.transform.emit.naming import name_for
from unplace.transform.emit.returning import OWN, Handback, Taking, is_fixed, returned_form
from unplace.transform.filter import leaves_out
from unplace.transform.legality import private_copy, rebind
from unplace.transform.recipes import expressions
from unplace.transform.recipes.known_calls import KnownCalls
from unplace.transform.sites import Callers, Site, is_site
from unplace.transform.storable import found_again
from unplace.transform.verdicts import Copy, Rebind, Refuse


@dataclass(slots=True)
class Handbacks:
    """The handbacks of the functions of a run, as the rewriting of one module needs them."""

    program: Program
    text: Text
    options: Options
    callers: Callers
    known: KnownCalls
    _planned: dict[Scope, Handback | Refuse] = field(default_factory=dict)
    _planning: set[Scope] = field(default_factory=set)
    _texts: dict[str, Text] = field(default_factory=dict)

    @property
    def is_planning(self) -> bool:
        """Tell whether a handback is being planned."""
        return bool(self._planning)

    def planned(self, scope: Scope) -> Handback | None:
        """Return the handback of a function, if it has been planned."""
        found = self._planned.get(scope)
        return found if isinstance(found, Handback) else None

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

    # -- planning -------------------------------------------------------------------------------------------------

    def taken_by(self, call: Handed, scope: Scope) -> Handback | Refuse:
        """Return the handback of a function that a call needs, or why there can't be one."""
        if call.program.module is not self.program.module and not self.options.spans_files:
            return Refuse(Refusal.CALLED_ELSEWHERE(function=scope.name))
        return self.handback(scope)

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
        program = self.program.home_of(scope)
        if not self.options.spans_files and program.module is not self.program.module:
            return Refuse(Refusal.OTHER_FILE(function=scope.name))
        names = tuple(a.arg for a in scope.parameters if self._is_read_somewhere(scope, a.arg))
        summary = program.summary(Function(scope))
        run = program.run(scope)
        if not names or summary is None or run is None:
            return Refuse(Refusal.NOTHING_KNOWN(name=scope.name))
        if scope in compiled(program.module):
            return Refuse(Refusal.COMPILED(function=scope.name))
        exits = program.exits(scope)
        for name in names:
            if name in scope.captured or not all(_is_still(name, state.env.get(name)) for _, state in exits):
                return Refuse(Refusal.REPLACED(name=name, function=scope.name))
        calls = self._calls(scope, names)
        if isinstance(calls, Refuse):
            return calls
        takings = [self._taking(node, c[0][1]) for node, c in calls.items()]
        same = summary.returned.same if summary.returned is not None else None
        reaches_end = run.reaches_end()
        values = [value for value, _ in exits]
        form = returned_form(scope, names, same, values, takings, reaches_end)
        if isinstance(form, Refuse):
            return form
        if form.is_changed and not all(
            self._is_written_by(other, scope, names) for other in _alternatives(program, scope)
        ):
            return Refuse(Refusal.NOT_ALL_CALLS(function=scope.name))
        refusal = self._return_too_early(run) if form.is_changed else None
        if refusal is not None:
            return refusal
        tensor = program.module.name_for(scope.parent or scope, "torch.Tensor")
        text, path = self._file(program)
        handback = Handback(text, path, scope, names, form, tensor, reaches_end)
        refusal = self._assume(handback, len(calls))
        if refusal is not None:
            return refusal
        for taking in takings:
            refusal = self._plan_call(handback, taking, calls[taking.call])
            if refusal is not None:
                line = calls[taking.call][0][1].line(self.program)
                return Refuse(Refusal.CALL_CANNOT_TAKE(line=line, refusal=refusal.reason))
        return handback

    def _is_written_by(self, other: Scope, scope: Scope, names: Sequence[str]) -> bool:
        """Tell whether another method writes the same parameters, which it then hands back, too."""
        places = [[a.arg for a in scope.parameters].index(name) for name in names]
        own = [a.arg for a in other.parameters]
        return all(place < len(own) and own[place] in self._written(other) for place in places)

    def _return_too_early(self, run: Run) -> Refuse | None:
        """Return why a `return` can't have more values: some are written in it, or in a `finally` that runs later."""
        writing = _with_sites(run) | self._with_calls(run).keys()
        returns = {node for node in own_nodes(run.scope.node) if isinstance(node, ast.Return)}
        if returns & writing:
            return Refuse(Refusal.RETURN_WRITES(function=run.scope.name))
        if any(statement in writing for node in returns for statement in _run_after(run, node)):
            return Refuse(Refusal.FINALLY_WRITES(function=run.scope.name))
        return None

    def _calls(self, scope: Scope, names: Sequence[str]) -> dict[ast.Call, list[tuple[str, Handed]]] | Refuse:
        """Return the calls of a function with what each passes for parameters, or why they aren't all to be edited."""
        program, spans = self.program.home_of(scope), self.options.spans_files
        is_open = Refuse(Refusal.NOT_ALL_CALLS(function=scope.name))
        is_named = is_named_elsewhere(program, scope)
        is_known = is_named and scope.name not in OF_INSTANCES and self.known.assumed(scope) is not None
        if is_named and spans and not is_known:
            return is_open
        every = calls_in_run(program, scope) if is_known else set()
        found: dict[ast.Call, list[tuple[str, Handed]]] = {}
        for name in names:
            handed = list(calls_that_hand(self.program, scope, name))
            if not spans and any(call.program.module is not program.module for call in handed):
                return Refuse(Refusal.CALLED_ELSEWHERE(function=scope.name))
            is_all = every == {call.write.node for call in handed}
            if not (is_all if is_known else len(handed) == uses_of(program, scope)):
                return is_open
            for call in handed:
                assert isinstance(call.write.node, ast.Call)
                callee = call.run.values.get(call.write.node.func)
                if callee is not None and isinstance(callee.ref, Choice):
                    return is_open
                if self._file(call.program)[1] != OWN and leaves_out(call.program.module.text, self.options):
                    return Refuse(Refusal.CALL_LEFT_OUT(line=call.line(self.program)))
                found.setdefault(call.write.node, []).append((name, call))
        return found

    def _taking(self, node: ast.Call, call: Handed) -> Taking:
        return Taking(node, call.write.statement, call.run, *self._file(call.program))

    def _file(self, program: Program) -> tuple[Text, str]:
        """Return the text of a file, and its path for edits."""
        place = program.module.place
        if program.module is self.program.module or place is None:
            return self.text, OWN
        if place.path not in self._texts:
            self._texts[place.path] = Text(program.module.text)
        return self._texts[place.path], place.path

    def _assume(self, handback: Handback, calls: int) -> Refuse | None:
        """Record what a handback assumes about calls out of sight; return the refusal if there may be others."""
        scope, assumed = handback.scope, self.known.assumed(handback.scope)
        program = self.program.home_of(scope)
        if handback.form.is_changed and assumed is None and is_named_elsewhere(program, scope):
            return Refuse(Refusal.NAMED_ELSEWHERE(function=scope.name))
        if assumed is None and not is_private(program, scope, calls):
            told = [Assumption.CALLER_LOOKS_AWAY(name=name) for name in handback.names]
            assumed = (Assumption.NO_OTHER_CALLS(name=scope.name),) if handback.form.is_changed else tuple(told)
        for assumption in assumed or ():
            handback.assume(assumption)
        return None

    def _plan_call(self, handback: Handback, taking: Taking, arguments: list[tuple[str, Handed]]) -> Refuse | None:
        """Plan how one call takes the new tensors."""
        for name, call in arguments:
            apart = arguments_apart(call.run, call.write)
            if apart is None or is_reached_otherwise(call.run, call.write, taking.call, call.write.target):
                return Refuse(Refusal.ANOTHER_ARGUMENT())
            for assumption in apart:
                handback.assume(assumption)
            site = self.site(call)
            if site.registered() is not None:
                return Refuse(Refusal.REGISTERED(name=site.name))
            if not self.is_read(call, site, self.live(site), elsewhere=True):
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
        refused = Refuse(Refusal.NOT_TWICE(place=site.name)) if found_again(place) else None
        whole = site.run.values.get(place.value) if isinstance(place, ast.Subscript) else None
        if isinstance(place, ast.Subscript) and whole is not None and whole.is_tensor:
            if is_basic_index(site.run, place.slice) is not True:
                return Refuse(Refusal.SELECTION_PERHAPS(index=code_of(place.slice)))
        rebound: Rebind | Copy | Refuse = refused or rebind(site, place)
        if isinstance(rebound, Refuse) and isinstance(place, ast.Subscript) and site.value.is_tensor:
            copied = private_copy(site)
            if isinstance(copied, Copy):
                taken = {path.root for paths in taking.places.values() for path in paths}
                value = name_for(site.run.taken_names() | taken, site.node, place, taking.call)
                taking.stores[name] = [*bindings.cloned(taking.text, copied), f"{site.name} = {value}"]
                taking.places[name] = (AccessPath(value),)
                rebound = copied
        if isinstance(rebound, Refuse):
            return rebound
        if isinstance(rebound, Rebind):
            if rebound.places[0].root in self.live(site) and any(reads_of_gradient(site.run, site.roots())):
                return Refuse(Refusal.LEAF(name=site.name))
            is_needed = (
                rebound.places[0].root in self.live(site) or not isinstance(place, ast.Name) or bool(rebound.views)
            )
            places = rebound.places if is_needed else rebound.places[1:]
            refusal = self._unfit(handback, taking, name, places, rebound.views)
            if refusal is not None:
                return refusal
            if any(self._outlives(taking.run, p) for p in places) and self._may_be_caught(handback, taking.run.scope):
                return Refuse(Refusal.HALF_WRITTEN_OUTSIDE())
            if places:
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
        indices = [n for n in _assigned_reads(statement) if (v := taking.run.values.get(n)) is not None and v.objs]
        if handback.form.is_extra and indices:  # they are evaluated before the names are bound
            return Refuse(Refusal.BINDS_OTHERWISE(name=indices[0].id))
        summary = self.program.home_of(handback.scope).summary(Function(handback.scope))
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
        run = self.program.home_of(handback.scope).run(handback.scope)
        written = [w.statement for w in run.writes.values()] if run is not None else []
        stops = [n for n in own_nodes(handback.scope.node) if isinstance(n, ast.Raise | ast.Assert)]
        if run is None or any(run.flow.may_follow(write, stop) for write in written for stop in stops):
            return True
        todo, seen = [caller], {caller}
        while todo:
            for program, scope, call in self._calls_named(todo.pop()):
                outer = program.run(scope)
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

    def _calls_named(self, scope: Scope) -> Iterator[tuple[Program, Scope, ast.Call]]:
        """Iterate over the calls of a function's name in its file and, where edits span files, in the others."""
        program = self.program.home_of(scope)
        others = program.others_with(frozenset([scope.name])) if self.options.spans_files else []
        for user in (program, *others):
            yield from ((user, caller, call) for caller, call in user.module.calls_named(scope.name))

    # -- questions ------------------------------------------------------------------------------------------------

    def site(self, call: Handed) -> Site:
        """Return a call that hands a tensor over as the site of a write to it."""
        return Site(call.program, call.run, call.write, Form.METHOD, self.callers, self.options)

    def live(self, site: Site) -> set[str]:
        """Return the names whose values may be read after a call; `x.grad` alone reads none of `x`."""
        return site.live() - (asked_for_gradients_alone(site.run, site.write) - site.other_reads())

    def is_read(self, call: Handed, site: Site, live: set[str], *, elsewhere: bool = False) -> bool:
        """Tell whether the caller notices the write, or, with `elsewhere`, code in other files such as importers."""
        if not elsewhere:
            own = call.run.liveness.read_after(site.statement) | site.other_reads()
            live = live & (own | self.returned(call.run.scope))
        return notices(Watch(call.run, call.write.state, live).of(call.write.value, None))

    def _is_read_somewhere(self, scope: Scope, name: str) -> bool:
        found = calls_that_hand if self.options.spans_files else calls_in_file
        calls = found(self.program, scope, name) if name in self._written(scope) else ()
        return any(self.is_read(call, site, self.live(site)) for call in calls for site in [self.site(call)])


def _alternatives(program: Program, scope: Scope) -> Iterator[Scope]:
    """Iterate over the methods that a call may run instead of a method: those of related classes."""
    owner = program.module.class_of(scope)
    above = owner.linearized() if owner is not None else []
    for cls in dict.fromkeys((*above, *(c for each in above for c in program.overriding(each, scope.name) or ()))):
        node = cls.methods.get(scope.name)
        if node is not None and node is not scope.node:
            yield home(cls.scope).scopes.by_node[node]


def _with_sites(run: Run) -> set[ast.stmt]:
    """Return the statements of a scope that contain in-place operations."""
    return {write.statement for write in run.writes.values() if is_site(write)}


def _run_after(run: Run, node: ast.Return) -> Iterator[ast.AST]:
    """Iterate over what `finally` clauses run between a `return` and the end of the function."""
    inner: ast.AST = node
    while inner is not run.scope.node:
        outer = run.parents[inner]
        last = getattr(outer, "finalbody", [])
        if inner not in last:
            for statement in last:
                yield from walk(statement)
        inner = outer


def notices(observers: Observers) -> bool:
    """Tell whether something would notice that a name is only rebound."""
    return bool(observers.blockers or observers.together or observers.views)


def _is_still(name: str, value: object) -> bool:
    """Tell whether a name is still bound to the argument that was passed for it."""
    identity = getattr(value, "identity", None)
    return isinstance(identity, Obj) and identity.parameter == name


def _assigned_reads(statement: ast.stmt) -> list[ast.Name]:
    """Return the names that the indices of a statement's targets read: `h` of `q[h.sum()] = f(h)`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    indices = [n.slice for target in targets for n in walk(target) if isinstance(n, ast.Subscript)]
    return [n for index in indices for n in walk(index) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
