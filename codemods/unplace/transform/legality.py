"""Legality: the questions that all rules ask about a site, in the order in which they decide on a recipe."""

from __future__ import annotations

import ast
from dataclasses import replace

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.values import (
    CONTAINER,
    LAYER_CALLED,
    NO_OBJS,
    SELECTING,
    TENSOR,
    UNKNOWN,
    Link,
    Obj,
    Objs,
    Origin,
    Value,
    is_same,
)
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.analysis.interpret.own_operators import methods_of
from unplace.analysis.interpret.stores import is_replayable
from unplace.analysis.interpret.writes import Write, can_be_tracked
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.recording import may_keep_graph
from unplace.analysis.queries import disjointness
from unplace.analysis.queries.leaf_escapes import is_handed_out
from unplace.analysis.queries.observers import Observers, replays
from unplace.analysis.queries.past_autograd import overwritten_past_autograd
from unplace.analysis.queries.yielded import drawn_once, is_drawn_once
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.types.own_methods import is_of_tensor_class, is_operator_of_object
from unplace.analysis.types.parameters import passed_for
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Fact, Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import members, results
from unplace.transform.lost_graphs import loses_graphs, spoils_gradient
from unplace.transform.meant import has_gradient_read, is_optimised, meant
from unplace.transform.recipes.pieces import put_back
from unplace.transform.sites import Site
from unplace.transform.storable import (
    found_again,
    goes_through_data,
    is_chain,
    is_simple_key,
    is_steady,
    slot_of,
    unstorable,
)
from unplace.transform.verdicts import Copy, Keep, Rebind, Refuse

_DETACHING = "detach_"
_MAKING = ("__init__", "__new__")


def settled(site: Site) -> Keep | Refuse | None:
    """Return the reason to leave a site alone that holds for every recipe, if there is one."""
    return _written_leaf(site) or meant(site) or _unfit(site) or changing_what_is_saved(site)


def changing_what_is_saved(site: Site) -> Refuse | None:
    """Return why an operation must keep saving its result: a write hidden from autograd changes the saved tensor."""
    line = overwritten_past_autograd(site.program, site.write)
    if line is None:
        return None
    return Refuse(Refusal.RESULT_OVERWRITTEN(line=Line(line)))


def _written_leaf(site: Site) -> Refuse | None:
    """Return why a parameter, or a leaf whose gradient may be read, can't be rebound although the write raises."""
    forbidden = site.forbidden()
    if forbidden is None or not forbidden.is_leaf:
        return None
    is_asked_for = is_optimised(site) or is_handed_out(site.run, site.write)
    if site.registered() is None and not is_asked_for and not forbidden.is_passed:
        return None
    return Refuse(Refusal.FORBIDDEN_LEAF(forbidden=forbidden.reason))


def without_counterpart(name: str, fact: str | None) -> Reason:
    """Return why an operator has no functional form: the fact from the operator table, if it has one."""
    return Refusal.TORCH(fact=Fact(fact)) if fact else Refusal.NO_COUNTERPART(name=name)


def _may_call_itself(site: Site) -> bool:
    """Tell whether the write stands in a tensor's method that its functional form may call.

    class Pose(torch.Tensor):
        def add(self, other):
            return self.clone().add_(other)
    """
    owner, name = site.program.module.class_of(site.run.scope), site.run.scope.name
    if owner is None or not owner.is_tensor or site.write.kind not in (WriteKind.METHOD, WriteKind.AUGMENTED):
        return False
    return torchapi.is_tensor_member(name) or (name.startswith("__") and name not in _MAKING)


def _unfit(site: Site) -> Refuse | None:
    value = site.value
    operator = site.write.operator
    if operator is not None and operator.kind == "storage":
        return Refuse(without_counterpart(site.write.name, operator.reason))
    if site.write.name.rsplit(".", 1)[-1] == "as_strided_":
        return Refuse(Refusal.STRIDES())
    is_elsewhere = site.write.data is not None and any(o.origin is not Origin.FRESH for o in site.roots())
    if is_elsewhere or (site.form is not Form.DATA_STORE and any(o.operator == "data" for o in site.roots())):
        return Refuse(Refusal.THROUGH_DATA())
    if site.write.kind is WriteKind.BOUND:
        return Refuse(Refusal.CALLED_OTHERWISE(called=site.write.name))
    if _may_call_itself(site):
        return Refuse(Refusal.MAY_CALL_ITSELF(name=site.run.scope.name))
    anew = defined_anew(site)
    if anew is not None:
        return anew
    if site.write.inside is not None and not site.write.is_local and not is_drawn_once(site.run, site.write):
        return Refuse(Refusal.IN_COMPREHENSION())
    is_overlapping = not site.is_metadata() and any(obj.overlapping for obj in site.state.roots(value.objs))
    if is_overlapping and not may_be_apart(site):
        return Refuse(Refusal.EXPANDED(name=site.name))
    if operands_apart(site) is None:
        return Refuse(Refusal.READS_ITS_WRITE())
    read_while_written = site.read_while_written_in()
    if read_while_written is not None:
        return Refuse(Refusal.READS_ANOTHER_VIEW(line=Line(read_while_written)))
    if site.is_leaf() and has_gradient_read(site):
        return Refuse(Refusal.LEAF(name=site.name))
    index = _may_be_copied(site)
    if index is not None and _picks_copies(site, index):
        return Refuse(Refusal.SELECTION_PERHAPS(index=code_of(index)))
    if site.is_metadata() and site.write.short_name not in members.DETACHED and _is_detached(site.program.module):
        return Refuse(Refusal.VIEW_DETACHED(name=site.name))
    return None


def _is_detached(module: ModuleIndex) -> bool:
    """Tell whether the run detaches tensors in place, which torch lets nobody do to a view."""
    return bool(module.reads_of(_DETACHING)) or module.is_named_elsewhere(_DETACHING)


def may_be_apart(site: Site) -> bool:
    """Tell whether no store is to be left, and the tensor isn't expanded for certain, but comes from other code."""
    return site.options.functional and not any(obj.operator in results.OVERLAPPING for obj in site.value.objs)


def assumptions_about(site: Site) -> tuple[Reason, ...]:
    """Return the assumptions about the kind of the target, its operands, and the intent of the write."""
    value = site.value
    kind = Assumption.NO_LIST if _is_new_either_way(site) else Assumption.TENSOR
    found = [] if value.is_tensor and not value.likely else [kind(name=site.name)]
    found += operands_apart(site) or ()
    if not site.is_metadata() and any(obj.overlapping for obj in site.state.roots(value.objs)):
        found.append(Assumption.NOT_EXPANDED(name=site.name))
    copied = _may_be_copied(site)
    if copied is not None:
        found.append(Assumption.NO_COPY_BY_INDEX(index=code_of(copied)))
    if not site.is_untracked() and may_keep_graph(site.run, site.write):
        found.append(Assumption.NO_GRAPH_WHERE_OFF(name=site.name))
    return (*found, Assumption.SEEN_BY_AUTOGRAD()) if _is_hidden_update(site) else tuple(found)


def _is_new_either_way(site: Site) -> bool:
    """Tell whether `out += res` and `out = out + res` do the same with all but lists that a layer or an operation made.

    Of a number or a tuple, Python makes a new one in both cases, and nobody else sees an array that nothing else holds.
    A list would take the rows of a tensor.
    """
    if site.write.kind is not WriteKind.AUGMENTED or not isinstance(site.write.target, ast.Name):
        return False
    made = (obj.origin is Origin.FRESH or obj.operator == LAYER_CALLED for obj in site.value.objs)
    return site.value.is_tensor and all(made) and not any(o.must_be(CONTAINER) for o in site.write.operands)


def _may_be_copied(site: Site) -> ast.expr | None:
    """Return an index by which the write may go to a copy, `y[rows].add_(1)`; None where each gives a view."""
    node: ast.expr = site.write.target
    if isinstance(node, ast.Subscript) and site.write.kind in (WriteKind.STORE, WriteKind.AUGMENTED_STORE):
        node = node.value
    while isinstance(node, ast.Subscript | ast.Attribute):
        holder = site.run.values.get(node.value)
        if isinstance(node, ast.Subscript) and holder is not None and holder.is_tensor:
            if is_basic_index(site.run, node.slice) is None:
                return node.slice
        node = node.value
    return None


def _picks_copies(site: Site, index: ast.expr) -> bool:
    """Tell whether an index, or a part of it, is known to be a tensor, a list or a tuple, which mostly copies."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    values = [value for part in parts if (value := site.run.values.get(part)) is not None]
    names = {obj.parameter for value in values for obj in value.objs if obj.parameter is not None}
    passed = (each for name in names for each in passed_for(site.program, site.run.scope, name))
    values += [run.values[node] for run, node in passed if node in run.values]
    return any(not value.may_be(UNKNOWN) and value.may_be(TENSOR | CONTAINER) for value in values)


def operands_apart(site: Site) -> tuple[Reason, ...] | None:
    """Return the assumptions under which the write reads no memory that it writes; None where it does."""
    is_observed = site.facts is not None and site.facts.examined > 0
    return disjointness.operands_apart(site.run, site.write, is_observed=is_observed)


def _is_hidden_update(site: Site) -> bool:
    """Tell whether a write through `.data` changes or updates some values of a tensor that may have a graph.

    A whole store (`h.data = f(h)`) loses the graph of the stored values; such a partial write may be meant as it
    stands, unless it loses one, too, or spoils the gradient: gradients bypass it, as in a straight-through estimator.
    """
    if site.write.kind is WriteKind.DATA or not goes_through_data(site):
        return False
    target = site.write.target
    owner = site.run.values.get(target.value) if isinstance(target, ast.Attribute) and target.attr == "data" else None
    is_untracked = site.is_untracked() and (owner is None or not can_be_tracked(owner))
    is_partial = site.write.record.records and (site.is_saved() or not is_untracked)
    return is_partial and not loses_graphs(site) and not spoils_gradient(site)


# -- rebinding --------------------------------------------------------------------------------------------------------


def rebind(site: Site, place: ast.expr) -> Rebind | Refuse:
    """Rebind `place` and all other places of the same object, and rematerialise live views."""
    place = _behind_property(site, place)
    refusal = unstorable(site, place)
    if refusal is not None:
        return refusal
    path = AccessPath.of(place)
    slot = slot_of(site, place)
    observers = site.watch().of(site.value, path, container_of(site, place), slot=slot, only_itself=site.is_metadata())
    assumptions = (*assumptions_about(site), *found_again(place), *observers.assumptions)
    if observers.blockers:
        whole = put_back(site, place) if is_same_object(site, place) else None
        if whole is None:
            return Refuse(observers.blockers[0])
        return Rebind(whole.places, whole.lines, (*assumptions_about(site), *whole.assumptions))
    return Rebind((path, *observers.together), replays(observers.views), assumptions)


def _behind_property(site: Site, place: ast.expr) -> ast.expr:
    """Return the attribute that holds what a property returns, `self._h` for `self.h`; the place itself for others."""
    holder = site.run.values.get(place.value) if isinstance(place, ast.Attribute) else None
    owner = holder.ref.of if holder is not None and isinstance(holder.ref, Instance) else None
    if owner is None or not isinstance(place, ast.Attribute) or not owner.has_property(place.attr):
        return place
    behind = owner.behind(place.attr)
    return ast.Attribute(place.value, behind.attr, ast.Load()) if behind is not None else place


def is_same_object(site: Site, place: ast.expr) -> bool:
    """Tell whether a place holds the written tensor itself."""
    held = site.state.env.get(place.id) if isinstance(place, ast.Name) else None
    return held is not None and is_same(held, site.value)


def container_of(site: Site, place: ast.expr) -> Value | None:
    """Return the container that `place` is an element of, unless the state knows the very element."""
    holder = site.run.values.get(place.value) if isinstance(place, ast.Subscript) else None
    if not isinstance(place, ast.Subscript) or holder is None or holder.is_tensor:
        return None
    key = place.slice.value if isinstance(place.slice, ast.Constant) else ANY
    is_known = key is not ANY and not all(map(site.state.is_open, holder.objs))
    return None if is_known else holder


# -- clone, then write ------------------------------------------------------------------------------------------------


def private_copy(site: Site) -> Copy | Refuse:
    """Clone the owner of the written memory, rematerialise the views, and let the write go to the private memory."""
    target = site.write.target
    place = chain_root(site, target)
    if place is None:
        return of_selection(site) or Refuse(Refusal.NO_CHAIN(name=site.name))
    refusal = unstorable(site, place)
    if refusal is not None:
        return refusal
    if isinstance(place, ast.Name) and place.id in site.run.scope.volatile:
        return Refuse(Refusal.REBOUND_INSIDE(name=place.id))
    value = site.run.values.get(place)
    if isinstance(place, ast.Name):
        value = site.state.env.get(place.id, value)
    if value is None:
        return Refuse(Refusal.NOTHING_KNOWN(name=ast.unparse(place)))
    copied = _copy_owner(site, AccessPath.of(place), value, container_of(site, place))
    if isinstance(copied, Copy):
        return replace(copied, assumptions=(*copied.assumptions, *found_again(place)))
    whole = put_back(site, place) if isinstance(copied, Refuse) else None
    if whole is None:
        return copied
    return Copy(whole.places, (), (*assumptions_about(site), *whole.assumptions), whole.lines)


def of_selection(site: Site) -> Refuse | None:
    """Return why a write has no effect: it goes to elements that an index or a mask has copied, `y[mask][0] = 1`."""
    for node in ast.walk(site.write.target):
        made = site.run.values.get(node) if isinstance(node, ast.Subscript) else None
        if made is not None and any(obj.operator == SELECTING for obj in made.objs):
            return Refuse(Refusal.SELECTION(name=ast.unparse(node)))
    return None


def chain_root(site: Site, target: ast.expr) -> ast.expr | None:
    """Return the name, attribute or element at which the written chain of views starts."""
    node = target
    while True:
        if isinstance(node, ast.Name):
            return node
        value = site.run.values.get(node)
        if isinstance(node, ast.Attribute) and not _is_view_attribute(site, node):
            return node if is_chain(site, node) else None
        if value is None or not value.is_tensor:
            return None
        if any(obj.operator == SELECTING for obj in value.objs):
            return None
        if isinstance(node, ast.Subscript | ast.Attribute):
            base = site.run.values.get(node.value)
            if base is None or not base.is_tensor:  # an element of a list or dictionary, not a view
                is_element = isinstance(node, ast.Subscript) and is_simple_key(site, node.slice)
                return node if is_element and is_steady(site, node.value) else None
        if not is_replayable(site.run, node):
            return None
        if isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_view(site, value):
            node = node.func.value
        else:
            return None


def _is_view_attribute(site: Site, node: ast.Attribute) -> bool:
    base = site.run.values.get(node.value)
    return base is not None and base.kinds & TENSOR != 0 and torchapi.tensor_attribute(node.attr) is not None


def _is_view(site: Site, value: Value) -> bool:
    return all(
        (o in site.state.bases and site.state.bases[o].link is Link.VIEW) or o.origin is not Origin.FRESH
        for o in value.objs
    )


def several_stores(statement: ast.stmt, sites: list[Site]) -> Refuse | None:
    """Return why a statement with several stores can't run unchanged on clones made before it; None if it can."""
    if not isinstance(statement, ast.Assign) or any(s.write.kind is not WriteKind.STORE for s in sites):
        return Refuse(Refusal.SEVERAL_TARGETS())
    bound = assigned_names(statement)
    for site in sites:
        used = {n.id for n in ast.walk(site.write.target) if isinstance(n, ast.Name)}
        roots = site.roots()
        if used & bound or site.run.saved_in.get(statement, set()) & roots:
            return Refuse(Refusal.SEVERAL_TARGETS_READ())
    return None


def _copy_owner(site: Site, place: AccessPath, value: Value, element_of: Value | None) -> Copy | Refuse:
    """Plan a clone at `place`; where its base is still visible, go on to the base."""
    live = site.live()
    needed: frozenset[AccessPath] = frozenset()
    below: Objs = NO_OBJS
    reason: Reason | None = None
    while True:
        if reason is None or not value.objs <= below:
            names = {path.root for path in needed if path.is_name}
            observers = site.watch(live | names if names else None).of(value, place, element_of)
            missing = needed - {AccessPath(view.name) for view in observers.views} - {place, *observers.together}
            if not observers.blockers and not missing:
                return _copy_at(site, place, value, observers)
            if reason is None:
                reason = next(iter(observers.blockers), Refusal.NOT_MADE_AGAIN(place=str(place)))
                below = _below(site, value, live)
        base = _base_of(site, value)
        if base is None:
            return Refuse(reason)
        needed |= {place}
        place, value, element_of = AccessPath(base[0]), base[1], None


def _copy_at(site: Site, place: AccessPath, value: Value, observers: Observers) -> Copy:
    """Return the clone at a place with these observers."""
    is_known = (value.is_tensor and not value.likely) or place == AccessPath.of(site.write.target)
    assumptions = (*assumptions_about(site), *(() if is_known else (Assumption.TENSOR(name=str(place)),)))
    return Copy((place, *observers.together), replays(observers.views), (*assumptions, *observers.assumptions))


def _below(site: Site, value: Value, live: set[str]) -> Objs:
    """Return the value and its bases up to the last one that is read later: below that, no clone is enough."""
    state = site.state
    held = [state.env[name] for name in live & state.env.keys()]
    seen = {obj for each in held if each.kinds & (TENSOR | UNKNOWN) for obj in each.objs}
    chain: list[Obj] = []
    length = 0
    objs = value.objs
    while len(objs) == 1 and (base := state.bases.get(obj := next(iter(objs)))) is not None and base.link is Link.VIEW:
        chain.append(obj)
        objs = base.objs
        length = len(chain) if len(objs) == 1 and not objs.isdisjoint(seen) else length
    return frozenset(chain[:length])


def _base_of(site: Site, value: Value) -> tuple[str, Value] | None:
    """Return a name for the tensor that `value` is a view of, and the value of the name."""
    state = site.state
    if len(value.objs) != 1:
        return None
    (obj,) = value.objs
    definition = state.definitions.get(obj)
    if definition is None:
        return None
    bases = state.roots((obj,)) - {obj}
    for name in definition.uses:
        held = state.env.get(name)
        if held is not None and held.objs & bases:
            return name, held
    return None


def silent(site: Site) -> tuple[Reason, ...] | Refuse:
    """Return the assumptions under which nothing reads the written tensor except through the operation's own value."""
    observers: Observers = site.observers()
    if observers.blockers:
        return Refuse(observers.blockers[0])
    if observers.together or observers.views:
        name = observers.together[0] if observers.together else observers.views[0].name
        return Refuse(Refusal.SEES_NO_ASSIGNMENT(name=str(name)))
    distinct = drawn_once(site.run, site.write) or () if site.write.inside is not None else ()
    return (*assumptions_about(site), *distinct, *observers.assumptions)


def defined_anew(site: Site) -> Refuse | None:
    """Return the refusal of an operation that a class defines, in place or out of place; None where none does.

    `q *= p` multiplies quaternions element by element where their class has a `__mul__` of its own.
    """
    names, module = _methods(site.write), site.program.module
    if is_of_tensor_class(module, names):
        return Refuse(Refusal.REDEFINED(name=site.name))
    is_certain = site.value.is_tensor and not site.value.likely
    if not is_certain and isinstance(site.write.node, ast.AugAssign) and is_operator_of_object(module, names):
        return Refuse(Refusal.POSES(name=site.name))
    return None


def _methods(write: Write) -> frozenset[str]:
    """Return the names of the methods that a write and its functional form call."""
    if isinstance(write.node, ast.AugAssign):
        return methods_of(write.node.op)
    if write.kind is WriteKind.METHOD:
        return frozenset((write.name, write.name.rstrip("_")))
    return frozenset(("__setitem__",)) if write.kind is WriteKind.STORE else frozenset()
