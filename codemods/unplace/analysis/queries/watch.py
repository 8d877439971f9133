"""Finds the observers of a write: the names, slots, views and callers that would notice if a name were only rebound."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from unplace.analysis.domain.facts import DISTINCT, Facts
from unplace.analysis.domain.heap import Slot
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import HIDDEN, hidden_thing
from unplace.analysis.domain.values import (
    CALLED,
    DICT,
    LIST,
    NO_OBJS,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Link,
    Obj,
    Objs,
    Origin,
    Saved,
    Value,
    is_same,
)
from unplace.analysis.domain.views import UNCERTAIN, UNSEEN
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.unfollowed import has_keeping_hooks
from unplace.analysis.queries import disjointness, fields
from unplace.analysis.queries.closures import is_held_by_name_alone
from unplace.analysis.queries.holders import also_held_by
from unplace.analysis.queries.observers import (
    LiveView,
    Observers,
    Sharing,
    assumption_about,
    assumptions_about,
    named_outside,
    relation,
    unsteady,
)
from unplace.analysis.queries.slots import place_of, places_of
from unplace.analysis.queries.yielded import are_earlier_rows, is_last_row, listed, yielded
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import variadic
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Line, Reason, quoted
from unplace.diagnostics.refusals import Refusal

_Question = tuple[Value, AccessPath | None, Value | None, Slot | None, bool]


class Watch:
    """The search for the observers of one object at one point; each answer is computed once."""

    def __init__(
        self,
        run: Run,
        state: Snapshot,
        live: set[str],
        of_parameter: Callable[[str], tuple[list[Reason], list[Reason]]] | None = None,
        written: str | None = None,
        cut: frozenset[Link] = UNCERTAIN,
        sharing: Sharing | None = None,
    ) -> None:
        """Prepare a search at the point of `state`; `live` are the names that may be read after it.

        `of_parameter` returns the blockers and assumptions that follow from the callers of a function that writes its
        parameter; without it, callers are assumed not to read the argument afterwards. `written` is what the source
        calls the written tensor, where it can be asked for that again. `cut` are the links that may be assumed to be
        none, where what they connect with the written tensor is in the way. `sharing` is what runs showed.
        """
        self._of_parameter = of_parameter
        self._written = written
        self._cut = cut
        self._sharing = sharing
        self.run = run
        self.state = state
        self.live = live
        self._later = [(n, v) for n, v in state.env.items() if v.objs and (n in live or n.startswith(HIDDEN))]
        self._own: Obj | None = None
        self._slot: Slot | None = None
        self._inside: Objs = NO_OBJS  # the containers whose elements are asked about
        self._asked: Objs = NO_OBJS  # what the callers have been asked about
        self._only_itself = False
        self._from_outside: Objs | None = None  # what is reached from what the function has not made
        self._reaching: dict[str, Objs] = {}
        self._found: dict[Hashable, Observers] = {}

    def of(
        self,
        value: Value,
        place: AccessPath | None,
        element_of: Value | None = None,
        *,
        slot: Slot | None = None,
        only_itself: bool = False,
    ) -> Observers:
        """Return the observers of `value`, which is reached (and would be rebound) through `place`, if given.

        `element_of` is the container where `place` is one of its elements, at an unknown index, and `slot` the one that
        `place` is assumed to name. `only_itself` means that the operation changes the tensor object (its shape), and
        not the memory that views share.
        """
        question = value, place, element_of, slot, only_itself
        known = self._found.get(question)
        if known is None:
            known = self._found[question] = self._parted(question, self._observers(*question))
        return known

    def of_elements(self, container: Value) -> Observers:
        """Return the observers of what a list or dictionary holds, apart from the container itself."""
        found = Observers()
        if not container.may_be(LIST | TUPLE | DICT):
            return found
        self._inside = self.state.reachable(container.objs)
        held = Value(TENSOR, self._inside - container.objs)
        if held.objs:
            self._search(held, None, found)
        self._inside = NO_OBJS
        return found

    def _parted(self, question: _Question, found: Observers) -> Observers:
        """Return the observers that remain where what only may share the memory is assumed not to, if that helps."""
        if not found.blockers or not self._cut:
            return found
        parted = Watch(self.run, self.state.parted(self._cut), self.live, self._of_parameter)
        others = parted._observers(*question)
        assumed = self._told_apart(question[0], question[1]) if not others.blockers else None
        if assumed is None:
            return found
        others.assumptions = list(dict.fromkeys((*assumed, *others.assumptions)))
        return others

    def _observers(
        self, value: Value, place: AccessPath | None, element_of: Value | None, slot: Slot | None, only_itself: bool
    ) -> Observers:
        self._slot, self._only_itself = slot, only_itself
        found = Observers()
        self._own = self._container(element_of, found)
        if self._own is not None and self._own.origin is not Origin.FRESH and place is not None:
            found.assumptions.append(Assumption.HELD_ALONE(place=quoted(str(place))))
        self._search(value, place, found)
        if not found.blockers:
            rebound = (place, *found.together) if place is not None else found.together
            self._order_views(found, value, {path.root for path in rebound if path.is_name})
        return found

    def _search(self, value: Value, place: AccessPath | None, found: Observers) -> None:
        """Look for observers in all places where there may be some, until one is in the way."""
        self._names(value, place, found)
        if not found.blockers:
            self._slots(value, place, found)
        if not found.blockers:
            self._outside(value.objs, found)

    def _container(self, value: Value | None, found: Observers) -> Obj | None:
        """Return the container of the written tensor, if its elements are known or assumed to be distinct tensors."""
        if value is None or len(value.objs) != 1:
            return None
        (holder,) = value.objs
        distinctness = self.state.distinctness(holder)
        if distinctness is None and holder.origin is Origin.FRESH:
            return None
        if distinctness != DISTINCT:
            found.assumptions.append(Assumption.DISTINCT_ELEMENTS(place=quoted(self._name_of(holder))))
        return holder

    def _name_of(self, holder: Obj) -> str:
        """Return the code of a container from outside, or of a place that holds the one that the code made."""
        if holder.origin is not Origin.FRESH:
            return holder.label
        return next((str(path) for path, _ in places_of(self.state, holder)), holder.label)

    def _names(self, value: Value, place: AccessPath | None, found: Observers) -> None:
        own = place.root if place is not None and place.is_name else None
        for name, held in self._later:
            if name == own:
                continue
            if name.startswith(HIDDEN) and not self._is_container(held):
                is_seen = self.state.may_share(held.objs, value.objs)
                if is_seen and not is_last_row(self.run, self.state, name, place, value):
                    found.blockers.append(Refusal.STILL_HELD(alive=hidden_thing(name)))
                continue
            if is_same(held, value):
                found.together.append(AccessPath(name))
            elif not self._is_container(held) and self._notices(held, value):
                definition = self._definition(name, held)
                shown = self._shown(name, held, value, place) if definition is None else None
                if definition is not None:
                    found.views.append(definition)
                elif shown is not None:
                    found.assumptions.append(shown)
                    if shown.kind is Assumption.SAME_TENSOR:
                        found.together.append(AccessPath(name))
                    else:
                        self._asked |= held.objs
                else:
                    found.blockers.append(self._view_read(name, held, value, place))

    def _shown(self, name: str, held: Value, value: Value, place: AccessPath | None) -> Reason | None:
        """Return what runs showed of a name that, by the source, is one of several tensors, or the written one is."""
        if self._sharing is None or place is None or str(place) != self._written:
            return None
        parted = self.state.parted(frozenset(Link) - {Link.VIEW})
        pairs = ((frozenset((one,)), frozenset((other,))) for one in held.objs for other in value.objs)
        is_open = not held.is_tensor or any(not parted.may_share(*pair) for pair in pairs)
        return self._sharing.told(name, str(place)) if is_open else None

    def _told_apart(self, value: Value, place: AccessPath | None) -> list[Reason] | None:
        """Return the assumptions that part the written tensor from all that only may share its memory.

        None where there are no words for one of them.
        """
        parted = self.state.parted(self._cut)
        is_alone = bool(disjointness.held_alone(parted, value.objs))  # is assumed already
        others: list[str | None] = [*self._names_parted(value, parted, is_alone)]
        outside = disjointness.cut_off(self.state, parted, value) if not is_alone else ()
        for (holder, key), held in self.state.slots_sharing(value.objs) if not is_alone else ():
            if holder is not self._own and self._is_seen(holder) and not parted.may_share(held.objs, value.objs):
                slot = place_of(self.state, holder, key)
                if slot is not None or not held.objs <= {*outside}:
                    others.append(str(slot) if slot is not None else None)
        unnamed = [obj for obj in outside if named_outside(obj) is None]
        others += (named_outside(obj) for obj in outside if obj.origin is not Origin.CALL or obj not in unnamed)
        written = str(place) if place is not None else self._written
        if others and (written is None or None in others):
            return None
        told = dict.fromkeys(other for other in others if other is not None)
        alone = assumptions_about(obj for obj in unnamed if obj.origin is Origin.CALL)
        return [*(Assumption.NOT_SHARED(one=other, other=written or "") for other in told), *alone]

    def _names_parted(self, value: Value, parted: Snapshot, is_alone: bool) -> Iterator[str | None]:
        """Iterate over the names that don't see the write any more; None for what has no name.

        Where nothing else holds the written tensor, those are the names of what is made from it (`base = e.float()`)
        and of other elements of its holder.
        """
        roots = parted.roots(value.objs)
        for name, held in self._later:
            if self._is_container(held) or parted.may_share(held.objs, value.objs):
                continue
            is_told = is_alone and roots.isdisjoint(parted.roots(held.objs) | self.state.roots(held.objs) & value.objs)
            is_seen = self._sharing is not None and name in self._sharing.shared
            if is_seen:
                yield None
            elif self._notices(held, value) and not is_told:
                yield name if not name.startswith(HIDDEN) else None

    def _notices(self, held: Value, value: Value) -> bool:
        if not self.state.may_share(held.objs, value.objs) or self._come_from_two_calls(held.objs, value.objs):
            return False
        if not self._only_itself:
            return True
        return not self.state.may_be(held.objs).isdisjoint(self.state.may_be(value.objs))

    def _come_from_two_calls(self, held: Objs, written: Objs) -> bool:
        """Tell whether two tensors are one only if two calls into unseen code returned the same tensor.

        `_outside` records the assumption that each call made its own.
        """
        state = self.state
        return all(
            first in state.bases
            and second in state.bases
            and state.bases[first].link is Link.CALL
            and state.bases[second].link is Link.CALL
            and first not in state.bases.roots(second)
            and second not in state.bases.roots(first)
            for first in held
            for second in written
            if state.overlap(first, second)
        )

    def _is_container(self, held: Value) -> bool:
        if held.kinds & (TENSOR | UNKNOWN):
            return False
        return any(True for obj in held.objs for _ in self.state.fields_of(obj))

    def _view_read(self, name: str, held: Value, value: Value, place: AccessPath | None) -> Reason:
        """Return the reason why a name that is read later prevents rebinding."""
        shown, used = relation(self.state, held, value, place), self._changed(held)
        if used is None:
            return Refusal.SHARES(name=name, relation=shown)
        return Refusal.SHARES_CHANGED(name=name, relation=shown, used=used)

    def _definition(self, name: str, held: Value) -> LiveView | None:
        """Return a name's view with its definition, if it can certainly be made again; else None."""
        if len(held.objs) != 1 or not isinstance(held.identity, Obj):
            return None
        definition = self.state.definitions.get(held.identity)
        if definition is None or held.objs != {held.identity} or unsteady(self.run, self.state, definition):
            return None
        return LiveView(name, definition, held.identity)

    def _changed(self, held: Value) -> str | None:
        """Return the name whose rebinding keeps a view from being made again by its defining expression."""
        definition = self.state.definitions.get(held.identity) if isinstance(held.identity, Obj) else None
        return unsteady(self.run, self.state, definition) if definition is not None else None

    def _order_views(self, found: Observers, value: Value, roots: set[str]) -> None:
        """Sort the views by creation and keep those made from names that are rebound by then; the others block."""
        found.views.sort(key=lambda view: view.obj.index)
        ready = set(roots)
        usable: list[LiveView] = []
        for view in found.views:
            env, bases = self.state.env, self.state.roots((view.obj,)) - {view.obj}
            tensors = {name for name in view.definition.uses if name in env and env[name].objs & bases}
            for name in sorted(tensors - ready):
                if is_same(self.state.env[name], value):  # not read later itself, but the view is made from it
                    found.together.append(AccessPath(name))
                    ready.add(name)
            if tensors and tensors <= ready:
                usable.append(view)
                ready.add(view.name)
            else:
                found.blockers.append(Refusal.VIEW_READ(name=view.name))
        found.views = usable

    def _slots(self, value: Value, place: AccessPath | None, found: Observers) -> None:
        loop = self._drawn(value, place, found)
        in_list = listed(self.run, self.state, place, value) if loop is None else None
        counted = in_list if in_list is not None and in_list.counter else None
        loop = counted.hidden if counted is not None else loop
        for (holder, key), held in self.state.slots_sharing(value.objs):
            if holder is self._own or holder in self._inside or (holder, key) == self._slot:
                continue
            if holder in value.objs:
                if value.may_be(TENSOR | UNKNOWN):
                    found.blockers.append(Refusal.ON_TENSOR())
                continue
            if not self._is_seen(holder) or are_earlier_rows(self.run, self.state, place, value, held):
                continue
            if loop is not None and self._is_own(holder) and holder not in self._reached(loop):
                continue
            if counted is not None and holder is counted.holder:
                found.together += [counted.path] if counted.path not in found.together else []  # once for all slots
                continue
            written = place_of(self.state, holder, key)
            if (written is not None and written == place) or self._is_replaced(place, holder, key):
                continue
            if holder.parameter is not None and fields.is_left_alone(self.run, self.state, holder, key):
                self._ask_callers(holder.parameter, found)
                self._asked |= {obj for obj in held.objs if obj.parameter is None}
                continue
            if written is not None and is_same(held, value):
                found.together.append(written)
            elif self._sharing is not None and self._sharing.is_alone and place is not None:
                found.assumptions.append(Assumption.HELD_ALONE(place=quoted(str(place))))
            elif written is not None:
                found.blockers.append(Refusal.SLOT_SHARES(place=str(written)))
            elif holder.parameter is not None and fields.is_done_with(self.state, holder, held, self._reached()):
                self._ask_callers(holder.parameter, found)
            elif not self._is_left_result(holder, held):
                found.blockers.append(Refusal.IN_CONTAINER(line=Line(holder.line)))

    def _is_replaced(self, place: AccessPath | None, holder: Obj, key: Hashable) -> bool:
        """Tell whether a rebinding of an element replaces a slot, or the slot is of a container that is gone by then.

        for x in batches:
            totals["loss"] += f(x)
            if is_full(totals):
                totals = {key: 0 for key in totals}
        """
        if place is None or not (len(place.steps) == 1 and place == AccessPath(place.root).element(key)):
            return False
        containers = self.state.env.get(place.root)
        return containers is not None and holder in containers.objs and not self._is_seen(holder, place.root)

    def _is_seen(self, holder: Obj, without: str = "") -> bool:
        """Tell whether later code may reach the slots of `holder`, other than by the name `without`."""
        if not self._is_own(holder) or self.state.kept_by(frozenset((holder,))) is not None:
            return True
        if self._from_outside is None:
            self._from_outside = self.state.reachable(h for h in self.state.heap.holders if not self._is_own(h))
        return holder in self._from_outside or holder in self._reached(without)

    def _is_own(self, holder: Obj) -> bool:
        """Tell whether a container was made by the function, or by its call: the tuple of `*args`."""
        return holder.origin is Origin.FRESH or holder.parameter in {a.arg for a in variadic(self.run.scope)}

    def _reached(self, without: str = "") -> Objs:
        """Return what live names reach, and what has no name in the source; `without` is left out."""
        found = self._reaching.get(without)
        if found is None:
            objs = [obj for name, held in self._later if name != without for obj in held.objs]
            found = self._reaching[without] = self.state.reachable(objs)
        return found

    def _drawn(self, value: Value, place: AccessPath | None, found: Observers) -> str | None:
        """Return the loop that has yielded the written element, and that alone goes on to read its container."""
        drawn = yielded(self.run, self.state, place, value)
        if drawn is not None and is_last_row(self.run, self.state, drawn.loop, place, value):
            return drawn.loop
        if drawn is None or not self._is_own(drawn.source) or drawn.source in self._reached(drawn.loop):
            return None
        distinctness = self.state.distinctness(drawn.source)
        if distinctness is None and drawn.source.origin is Origin.FRESH and self._sharing is None:
            return None
        is_known = any(True for _ in self.state.fields_of(drawn.source))
        if not is_known or distinctness != DISTINCT:
            found.assumptions.append(Assumption.DISTINCT_ELEMENTS(place=quoted(self._name_of(drawn.source))))
        return drawn.loop

    def _is_left_result(self, holder: Obj, held: Value) -> bool:
        """Tell whether only code out of sight may still read a tensor from what a call returned; `_outside` says so.

        preds = self.predict(x)
        h = preds.mean
        h.clamp_(-1, 1)

        What is taken out of anything else is no such result: `for head in heads: b = head.bias.view(2, -1)`.
        """
        if holder.origin is not Origin.CALL or any(obj.origin is Origin.FRESH for obj in held.objs):
            return False
        base = self.state.bases.get(holder)
        if base is not None and any(other.origin is not Origin.CALL for other in base.holders):
            return False
        keeper = self.state.kept_by(frozenset((holder,)))
        live = (o for name, v in self.state.env.items() if name in self.live for o in v.objs)
        others = (o for o in self.state.heap.holders if o.origin not in (Origin.FRESH, Origin.CALL))
        return not (keeper is not None and keeper.certain) and holder not in self.state.reachable((*live, *others))

    def _outside(self, objs: Objs, found: Observers) -> None:
        """Ask who outside has the tensors; that nobody has what a call returned says the same of its arguments."""
        parted = self.state.parted(UNSEEN)
        state = parted if disjointness.held_alone(parted, objs) else self.state
        concerned = state.may_be(objs) if self._only_itself else state.roots(objs)
        outside = [o for o in concerned - self._asked if o.origin is not Origin.FRESH]
        outside = [o for o in outside if not is_held_by_name_alone(self.run, o)]
        assumed: dict[str, Origin] = {}  # the last origin that a label had, which both decide
        for obj in sorted(outside):
            if obj.parameter is not None and self._of_parameter is not None:
                self._ask_callers(obj.parameter, found)
                if self.run.scope.name in OF_INSTANCES and has_keeping_hooks(self.run.program):
                    found.blockers.append(Refusal.HOOKED())
                continue
            holder = also_held_by(self.run, state, obj)
            if holder is not None:
                found.blockers.append(holder)
                continue
            if obj.origin is Origin.REGISTERED:
                found.blockers.append(Refusal.WRITES_REGISTERED())
                continue
            if assumed.get(obj.label) is not obj.origin:
                assumed[obj.label] = obj.origin
                assumption = assumption_about(obj)
                if assumption is not None and assumption not in found.assumptions:
                    found.assumptions.append(assumption)
        keeper = self._keeper(state, objs)
        if keeper is not None and keeper.certain:
            found.blockers.append(Refusal.KEPT(operation=keeper.operation, line=Line(keeper.line)))
        elif keeper is not None:
            kind = Assumption.NOT_KEPT if keeper.part == CALLED else Assumption.NOT_STORED
            found.assumptions.append(kind(operation=keeper.operation, line=Line(keeper.line)))

    def _keeper(self, state: Facts, objs: Objs) -> Saved | None:
        """Return what keeps the memory of some tensors or, where only that matters, one of these tensors itself."""
        if not self._only_itself:
            return state.kept_by(objs)
        return next((state.kept[obj] for obj in sorted(state.may_be(objs)) if obj in state.kept), None)

    def _ask_callers(self, parameter: str, found: Observers) -> None:
        """Record what follows from callers that may read their argument afterwards."""
        if self._of_parameter is not None:
            blockers, assumptions = self._of_parameter(parameter)
            found.blockers += blockers
            found.assumptions += [a for a in assumptions if a not in found.assumptions]
