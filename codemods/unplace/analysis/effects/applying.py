"""Application of effects: a call changes the state as its effect record says, and gets the value that it returns."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping

from unplace.analysis.domain.facts import ANY, DISTINCT, weaker
from unplace.analysis.domain.graph import ARGUMENTS, LEAF, NO_GRAPH, UNSEEN, Graph, extended
from unplace.analysis.domain.refs import Instance
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLED,
    CONTAINER,
    DICT,
    MODULE,
    NO_OBJS,
    NUMBER,
    NUMBER_VALUE,
    OTHER,
    SHAPE,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Objs,
    Origin,
    Saved,
    Token,
    Value,
)
from unplace.analysis.domain.views import UNCERTAIN
from unplace.analysis.effects.call import Call
from unplace.analysis.effects.clobbering import clobber, like
from unplace.analysis.effects.effect import (
    EACH,
    EVERY,
    LEFT,
    REST,
    RESULT,
    Attribute,
    Drawn,
    Effect,
    Item,
    Kept,
    Left,
    Returned,
    Slot,
    Source,
    View,
)
from unplace.analysis.effects.graphs import brought, of_arguments
from unplace.analysis.effects.saves import note
from unplace.analysis.interpret import identity
from unplace.analysis.interpret.slots import is_placed
from unplace.analysis.interpret.writes import anything
from unplace.torchapi import members

INSIDE = " inside "


def apply(call: Call, effect: Effect, key: Hashable = None) -> Value:
    """Apply the effect of a call and return its value; `key` tells several results at one node apart."""
    source = effect.returned.source if effect.returned is not None else None
    held = _attribute(call, source) if isinstance(source, Attribute) else None  # before the call replaces it
    keep(call, effect)
    for name in effect.reshapes & call.bound.keys():
        call.run.forget_shapes(call.state, call.bound[name])
    for name in (effect.changes & call.bound.keys()) - leave(call, effect, key):
        clobber(call.run, call.node, call.state.reachable(call.bound[name].objs), call.state)
        if call.bound[name].kinds & (MODULE | OTHER | UNKNOWN) and not is_placed(call.run, call.bound[name]):
            call.run.changes_any = True
            clobber(call.run, call.node, like(call.state, call.bound[name]), call.state)
    graph = brought(call.run, call.state, call.given, effect.brings) if effect.writes else NO_GRAPH
    for name in effect.writes & call.bound.keys():
        call.state.put_into_graph(call.bound[name].objs, graph)
        call.bound[name] = call.bound[name]._replace(graph=extended(call.bound[name].graph, graph))
    for holder in effect.moves & call.bound.keys():
        call.state.collapse(call.bound[holder].objs)
    for given, holder in effect.puts:
        put(call, given, call.bound[holder])
    for holder in (*effect.moves, *(holder for _, holder in effect.puts), *(slot.of for slot in effect.takes)):
        call.run.changed |= call.objs((holder,))
    if effect.returned is not None:
        made = value_of(call, effect.returned, key) if held is None else _known(call, effect.returned, held)
    else:
        values = [value for name, value in call.bound.items() if "." not in name]  # without elements: `name.slot`
        made = call.host.unknown_call(call.node, values, call.state)
    for slot in effect.takes:
        call.state.remove(call.bound[slot.of].objs, _key(call, slot))
    note(call.run, call.state, effect.saves, call.given, made, call.node, call.called)
    return made


def leave(call: Call, effect: Effect, key: Hashable) -> set[str]:
    """Store what a call leaves in attributes, and return the arguments that it changes in no other way."""
    left = {name for name in effect.changes & call.bound.keys() if _is_told(call, effect, name)}
    stored = [(place, _left_value(call, place, key)) for place in effect.leaves if place.parameter in left]
    for place, value in stored:
        owners = call.objs((place.parameter,))
        for owner in owners:
            known = call.state.heap.get((owner, place.name)) if value.kinds & UNKNOWN else None
            typed = value._replace(kinds=known.kinds, likely=known.likely) if known is not None else value
            call.state.store(owner, place.name, typed, is_only=len(owners) == 1)
        identity.store_in_twins(call.run, owners, place.name, value, call.state)
    return left


def _left_value(call: Call, place: Left, key: Hashable) -> Value:
    """Return what a call leaves in an attribute: a new value, or what another attribute held before."""
    source = place.value.source
    moved = _attribute(call, source) if isinstance(source, Attribute) else None
    if moved is not None:
        return moved
    value = value_of(call, place.value._replace(saved=frozenset()), (place, key))
    _note_saved(call, place.value, value, LEFT)
    return value


def _is_told(call: Call, effect: Effect, name: str) -> bool:
    """Tell whether it is known what a call leaves in an argument, and where the argument is held.

    A call whose exception is caught may leave anything that it stored on its way. Of an object that is passed twice,
    the order of the stores counts.
    """
    run, left = call.run, {place.parameter for place in effect.leaves}
    objs = call.objs((name,)) if name in left else NO_OBJS
    if not objs or (run.statement is not None and run.is_guarded(run.statement)):
        return False
    return objs.isdisjoint(call.objs(left - {name})) and is_placed(run, call.bound[name])


def keep(call: Call, effect: Effect) -> None:
    """Record which arguments and captured objects escape by a call."""
    if not (effect.keeps or effect.keeps_outer or effect.replaces):
        return
    run, state, line = call.run, call.state, call.node.lineno
    keeper = effect.keeper or f"`{call.code}(...)`"
    for name in effect.keeps:
        is_kept, part = name in effect.surely_keeps, CALLED if name in effect.shows else ""
        run.keep(state, call.objs((name,)), keeper, line, certain=is_kept, part=part)
    if effect.keeps_outer:
        run.keep(state, call.captured, keeper, line)
    for name in effect.replaces & call.bound.keys():
        run.keep(state, call.bound[name].objs, f"{keeper}, which replaces its data,", line, certain=True)


def put(call: Call, given: str | Source, base: Value) -> None:
    """Put a value into a container; its elements stay distinct as long as only new objects come in."""
    state, is_open = call.state, any(holder.origin is not Origin.FRESH for holder in base.objs)
    for value in call.of(given) if isinstance(given, str) else _sourced(call, given):
        if is_open:  # fs.append(lambda: h * 2)
            captured = call.run.held_by([value], state) - value.objs
            call.run.keep(state, captured, "a function in a container", call.node.lineno, certain=True)
        newness = state.newness(value)
        for holder in base.objs:
            slot = (holder, ANY)
            exact = any(True for key, held in state.fields_of(holder) if key != ANY and held.objs)
            known = state.heap.get(slot)
            others = newness if known is None else known.identity
            identity = weaker(newness, others) if len(base.objs) == 1 and not exact else None
            loose = value._replace(identity=identity)
            state.heap[slot] = weak_join(known, loose)._replace(identity=identity) if known is not None else loose


# -- the returned value ---------------------------------------------------------------------------------------------


def value_of(call: Call, returned: Returned, key: Hashable = None) -> Value:
    """Return the value of a call, made from the description in its effect."""
    if returned.same is not None and returned.same in call.bound and not returned.foreign:
        return call.bound[returned.same]
    if returned.folded:
        return _folded(call, returned)
    if returned.outside is not None:
        return _outside(call, returned, returned.outside)
    if isinstance(returned.source, Drawn):
        return _drawn(call, returned.source)
    if isinstance(returned.source, Slot):
        return _slot(call, returned.source)
    if isinstance(returned.source, View):
        return _view(call, returned, returned.source, key)
    if isinstance(returned.source, Item) and _is_of_tensor(call, returned.source):
        return _known(call, returned, _view(call, returned, View((returned.source.of,), returned.source.link), key))
    missing = not returned.parameters <= call.bound.keys()
    is_memory = bool(returned.kinds & OTHER and returned.parameters)  # of a tensor, without being one
    plain = (returned.kinds & (TENSOR | UNKNOWN | CONTAINER) == 0 and not is_memory) or not returned.holds
    if plain and not returned.foreign and not missing and not isinstance(returned.ref, Instance):
        return Value(returned.kinds, ref=returned.ref)
    is_lost = any(not call.objs((held.parameter,)) for held in returned.held)
    return _made(call, returned, returned.foreign or missing or is_lost, key)


def _label(call: Call, returned: Returned) -> str:
    return returned.label or f"the result of `{call.code}(...)`"


def _is_of_tensor(call: Call, source: Item) -> bool:
    return source.of in call.bound and call.bound[source.of].is_tensor


def _attribute(call: Call, source: Attribute) -> Value | None:
    """Return the value in an attribute of an argument; None where the argument isn't known."""
    if not call.objs((source.of,)):
        return None
    node = call.nodes.get(source.of, call.node)
    if source.of not in call.nodes and isinstance(call.node.func, ast.Attribute):
        node = call.node.func.value  # the receiver
    return call.elements.field(node, call.bound[source.of], call.state, source.name)


def _known(call: Call, returned: Returned, value: Value) -> Value:
    """Return the value that a call hands out, of which the callee may know more than the caller."""
    _note_saved(call, returned, value)
    if value.kinds & UNKNOWN and not returned.kinds & UNKNOWN:
        return value._replace(kinds=returned.kinds, ref=returned.ref, likely=returned.likely)
    return value


def _made(call: Call, returned: Returned, is_foreign: bool, key: Hashable) -> Value:
    """Return a new object, or one that unseen code may hold, with its slots."""
    run, node, state = call.run, call.node, call.state
    label = _label(call, returned)
    sources = _handed_out(call, returned.parameters) if returned.parameters else NO_OBJS
    if is_foreign:
        value = _foreign(call, returned, label, key)
        sources |= call.captured | _held(call)
    else:
        like = call.bound[returned.like] if returned.like is not None else None
        value = run.fresh(
            node,
            state,
            label,
            call.bound[returned.kind_of].kinds if returned.kind_of is not None else returned.kinds,
            key=key,
            shape=returned.shape if like is None else like.shape,
            dtype=_dtype(call, returned),
            graph=_graph(call, returned),
            ref=returned.ref,
            overlapping=returned.overlapping,
            operator=returned.operator,
            likely=returned.likely,
            is_new=returned.is_new,
        )
    if returned.may_be_leaf and value.graph:
        run.leaves |= value.objs
    if sources:
        for obj in value.objs:
            state.bases[obj] = Base(sources, Link.CALL if returned.foreign else Link.EITHER)
    whole = NO_OBJS
    if returned.is_piece and isinstance(key, tuple) and not is_foreign and not sources:
        whole = _whole(call, returned, value, key)
    _note_saved(call, returned, value._replace(objs=value.objs | whole))
    _fill(call, returned, value, key)
    _hold(call, returned, value)
    return value


def _whole(call: Call, returned: Returned, piece: Value, key: tuple[Hashable, Hashable]) -> Objs:
    """Return the memory, made by the call, of which the elements of a returned container are disjoint pieces."""
    made = call.run.fresh(
        call.node, call.state, returned.label, key=(key, "whole"), dtype=piece.dtype, graph=piece.graph
    )
    for obj in piece.objs:
        call.state.bases[obj] = Base(made.objs, Link.VIEW, ((call.node, key[0]), ANY), returned.forbidden)
    return made.objs


def _dtype(call: Call, returned: Returned) -> Token:
    """Return the dtype of a new tensor: that of an argument, or one that the call has anyway."""
    name = returned.like if returned.like is not None else returned.dtype_of
    return call.bound[name].dtype if name in call.bound else returned.dtype


def _graph(call: Call, returned: Returned) -> Graph:
    """Return the graph of a returned tensor; a leaf that the callee has made stays one."""
    if returned.graph == LEAF:
        return LEAF
    return brought(call.run, call.state, call.given, returned.graph)


def _held(call: Call) -> Objs:
    """Return what the slots of the arguments hold: the callee may return it, as `return self.h` does."""
    given = call.state.reachable(anything(list(call.bound.values())))
    return anything([value for _, value in call.state.reachable_slots(given)])


def _hold(call: Call, returned: Returned, value: Value) -> None:
    """Put the returned value into the slots of arguments in which the callee has left it."""
    for name, slot, is_certain in sorted(returned.held):
        holders = call.objs((name,))
        for holder in holders:
            if is_certain and len(holders) == 1 and not holder.old:
                call.state.heap[(holder, slot)] = value
            else:
                other = call.run.foreign((call.node, "left", slot), Origin.CALL, f"`{slot}`", 0, UNKNOWN)
                call.state.heap[(holder, slot)] = weak_join(value, other)


def _handed_out(call: Call, parameters: Iterable[str]) -> Objs:
    """Return the objects whose memory a call may return: arguments, and what is held by those that are no tensors.

    What a tensor is a view of follows from its own base, and stays as doubtful as that is.
    """
    given = [value for name in parameters for value in call.of(name)]
    others = [value for value in given if not value.must_be(TENSOR)]
    return anything(given) | call.state.reachable(anything(others))


def _foreign(call: Call, returned: Returned, label: str, key: Hashable) -> Value:
    """Return an object that unseen code may hold as well, or that the callee has put where other code finds it."""
    run, line, place, graph = call.run, call.node.lineno, (call.node, key), _graph(call, returned) or UNSEEN
    operator = CALLED if returned.is_of_unseen else None
    value = run.foreign(
        place, Origin.CALL, label, line, returned.kinds, ref=returned.ref, graph=graph, operator=operator
    )
    for obj in value.objs:
        run.make(obj, call.state)
    if returned.is_kept:
        run.keep(call.state, value.objs, f"`{call.code}(...)`", line, certain=True)
    return value._replace(likely=returned.likely)


def _note_saved(call: Call, returned: Returned, value: Value, part: str = RESULT) -> None:
    """Record the operations inside the callee that saved the value that it returns, or leaves in an attribute."""
    for operation, certain, place, needs in sorted(returned.saved, key=_by_operation):
        graph = brought(call.run, call.state, call.given, needs)
        saved = Saved(f"{operation}{INSIDE}{call.code}()", call.node.lineno, certain, call.node, part, inside=place)
        call.run.note_saved(call.state, value.objs if graph else NO_OBJS, saved._replace(graph=graph))


def _by_operation(kept: Kept) -> tuple[str, bool, tuple[str, int], list[str]]:
    return kept.operation, kept.certain, kept.place, sorted(kept.graph)


def _fill(call: Call, returned: Returned, value: Value, key: Hashable) -> None:
    """Fill the slots of a returned container, and record which of its elements may share memory."""
    state = call.state
    fields: dict[Hashable, Value] = {}
    for slot, element in returned.elements:
        if slot == REST:
            fields.update(_slots(call, element.same))
        elif slot == EACH:
            names = [name for name in call.bound if name.startswith(EVERY)]
            fields.update({i: _drawn(call, Drawn((name,))) for i, name in enumerate(names)})
        else:
            fields[slot] = value_of(call, element, (key, slot))
    apart = next((_distinctness(call, each, fields[ANY]) for slot, each in returned.elements if slot == ANY), None)
    for slot, held in fields.items():
        for obj in value.objs:
            state.heap[(obj, slot)] = held._replace(identity=apart) if slot == ANY else held
    _part(call, returned, fields, key)
    for first, second in sorted(returned.together, key=str):
        for obj in value.objs:
            one, other = state.heap.get((obj, first)), state.heap.get((obj, second))
            is_seen, others = (first, second) not in returned.unseen, state.memory_of(one) if one else NO_OBJS
            for part in state.memory_of(other) if one and other else ():
                state.bases[part] = _with_sharer(state.bases.get(part), others - {part}, is_seen=is_seen)


def _distinctness(call: Call, element: Returned, value: Value) -> Token:
    """Return `DISTINCT` where no two elements of a returned container share memory: pieces, `list(y)` of a tensor."""
    source = element.source
    if not isinstance(source, Drawn) or not source.is_copy or len(source.parameters) != 1:
        return DISTINCT if element.is_cut else None
    of = call.bound.get(source.parameters[0])
    return call.state.newness(value, value, of) if of is not None and of.must_be(TENSOR) else None


def _with_sharer(known: Base | None, others: Objs, *, is_seen: bool) -> Base:
    """Return the base of a tensor that may also share the memory of others, as the callee shows, or as unseen code may.

    What else the tensor is seen to share is then what it is held by.
    """
    objs = known.objs if known is not None else NO_OBJS
    if not is_seen:
        holders = known.holders if known is not None else NO_OBJS
        is_doubtful = known is not None and (known.link is Link.CALL or (known.holders and known.link in UNCERTAIN))
        return Base(objs | others, Link.CALL, holders=holders if is_doubtful else holders | objs)
    if known is not None and known.link in UNCERTAIN:
        return known._replace(objs=objs | others, holders=known.holders | others)
    return Base(objs | others, Link.EITHER)


def _part(call: Call, returned: Returned, fields: Mapping[Hashable, Value], key: Hashable) -> None:
    """Record that the elements of a returned container look into different parts of an argument.

    return x[:, :n], x[:, n:]
    """
    bases, shared = call.state.bases, {slot for pair in returned.together for slot in pair}
    for slot, element in returned.elements:
        if slot in (ANY, EACH, REST) or slot in shared or element.source is not None:
            continue
        for obj in fields[slot].objs:
            base = bases.get(obj)
            if obj.origin is Origin.FRESH and base is not None and base.link is Link.EITHER and base.piece is None:
                bases[obj] = base._replace(piece=((call.node, "parts", key), slot))


def _outside(call: Call, returned: Returned, origin: Origin) -> Value:
    """Return an object that no argument brings: the same one on each call, because it may be the same."""
    key, label = (call.node, origin.value), _label(call, returned)
    return call.run.foreign(key, origin, label, call.node.lineno, returned.kinds, graph=_graph(call, returned))


def _view(call: Call, returned: Returned, view: View, key: Hashable) -> Value:
    """Return a tensor that views, or may view, the memory of arguments."""
    first = call.bound[view.of[0]]
    if returned.operator == members.APPLYING:  # whatever a custom function was given, it returns tensors
        first = first._replace(kinds=TENSOR, likely=False)
    return call.run.view(
        call.node,
        call.state,
        first._replace(objs=call.objs(view.of)),
        _label(call, returned),
        view.link,
        key=key,
        piece=(call.node, ANY) if view.is_piece else None,
        forbidden=view.forbidden,
        same_shape=view.same_shape,
        overlapping=returned.overlapping,
        operator=returned.operator,
        graph=None if returned.graph == ARGUMENTS else _graph(call, returned),
        dtype=returned.dtype,
    )


def _slots(call: Call, name: str | None) -> Iterator[tuple[Hashable, Value]]:
    """Iterate over all slots of an argument, or over the keyword arguments."""
    if name is None or name not in call.bound:
        yield from call.keywords.items()
    else:
        yield from call.state.reachable_slots(call.bound[name].objs)


def _sourced(call: Call, source: Source) -> list[Value]:
    """Return the values that a container gets: an element of one argument, or of each."""
    if isinstance(source, Drawn):
        return [_drawn(call, source)]
    assert isinstance(source, Slot)
    if source.of != EVERY:
        return [_slot(call, source)]
    elements = call.elements
    others = [value for name, value in call.bound.items() if name != "self"]
    return [elements.element(call.node, value, call.state) if value.objs else value for value in others]


def _key(call: Call, slot: Slot) -> Hashable:
    """Return the constant key that a call gives for a slot of a dictionary; None for anything else."""
    node = call.nodes.get(slot.key)
    return node.value if isinstance(node, ast.Constant) and call.bound[slot.of].must_be(DICT) else None


def _slot(call: Call, slot: Slot) -> Value:
    """Return the value in a slot of a container, joined with the default if one is given."""
    found = call.elements.element(call.node, call.bound[slot.of], call.state, _key(call, slot))
    return weak_join(found, call.bound[slot.default]) if slot.default in call.bound else found


def _drawn(call: Call, drawn: Drawn) -> Value:
    """Return an element of the given arguments, joined over all of them.

    An element of an extra argument of a variadic parameter is attributed to the expression of that argument.
    """
    found: Value | None = None
    for name in drawn.parameters:
        for each in [n for n in call.bound if n.startswith(EVERY)] if name == EVERY else [name]:
            value = call.bound[each]
            node = call.nodes.get(each, call.node) if each.startswith(EVERY) else call.node
            is_sequence = value.must_be(CONTAINER) and value.objs and not value.must_be(DICT)
            of = call.elements.element if drawn.is_copy and is_sequence else call.elements.iterate
            element = of(node, value, call.state)
            if drawn.part is not None:
                element = call.elements.element(node, element, call.state, drawn.part)
            found = element if found is None else weak_join(found, element)
    assert found is not None
    return found


def _folded(call: Call, returned: Returned) -> Value:
    """Return the result of `sum`, `max` and the like: a number, a tensor made of the arguments, or one of them."""
    run, node, state = call.run, call.node, call.state
    flat = values = [value for name, value in call.bound.items() if name not in call.keywords]
    if len(values) == 1 and values[0].must_be(CONTAINER) and values[0].objs:
        flat = [call.elements.element(node, values[0], state)]
    if all(v.must_be(NUMBER | SHAPE) for v in flat):
        return NUMBER_VALUE
    is_tensor = any(v.may_be(TENSOR) for v in flat) and not any(v.may_be(ARRAY) for v in flat)
    graph = of_arguments(run, state, flat)
    if is_tensor and not returned.parameters:
        return run.fresh(node, state, returned.label, TENSOR, graph=graph, likely=any(v.likely for v in flat))
    kinds = TENSOR | NUMBER if is_tensor else UNKNOWN
    made = run.fresh(node, state, returned.label, kinds, graph=graph, likely=is_tensor)
    given = anything(flat)
    for obj in made.objs if given or is_tensor else ():
        state.bases[obj] = Base(given, Link.EITHER)
    return made
