"""What was found about views, slots and snapshots stays what working it out anew finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.heap import Heap
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import TENSOR, Base, Link, Obj, Origin, Saved, Value
from unplace.analysis.domain.views import Views

OBJECTS = [Obj(index, Origin.FRESH, f"o{index}", index) for index in range(6)]
SPLIT = "a split"

objects = st.sampled_from(OBJECTS)
several = st.frozensets(objects, min_size=1, max_size=3)
pieces = st.none() | st.tuples(st.just(SPLIT), st.integers(0, 2))
bases = st.builds(Base, several, st.sampled_from(Link), pieces)
values = st.builds(Value, st.just(TENSOR), several)
edits = st.lists(st.tuples(objects, st.none() | bases), max_size=12)  # None: it is no view any more
slots = st.lists(st.tuples(objects, st.sampled_from(["a", "b", 0]), values), max_size=8)


def _edit(views: Views, obj: Obj, base: Base | None) -> None:
    if base is None:
        views.forget(obj)
    else:
        views[obj] = base


def _answers(views: Views) -> list[object]:
    found: list[object] = [views.roots(obj) for obj in OBJECTS]
    return found + [views.overlap(one, other) for one in OBJECTS for other in OBJECTS]


@given(edits)
def test_what_is_known_of_views_follows_each_change(steps: list[tuple[Obj, Base | None]]) -> None:
    """Asked after each change, views say what new ones of the same bases say."""
    views = Views()
    for obj, base in steps:
        _edit(views, obj, base)
        assert _answers(views) == _answers(Views(dict(views)))


@given(edits, edits)
def test_forks_of_views_share_answers_and_not_changes(
    before: list[tuple[Obj, Base | None]], after: list[tuple[Obj, Base | None]]
) -> None:
    """A fork that changes keeps the answers of the other as they are, and the other way round."""
    views = Views()
    for obj, base in before:
        _edit(views, obj, base)
    known = _answers(views)
    fork = views.fork()
    for obj, base in after:
        _edit(fork, obj, base)
    assert _answers(fork) == _answers(Views(dict(fork)))
    assert _answers(views) == known == _answers(Views(dict(views)))


def test_different_pieces_of_one_split_do_not_overlap() -> None:
    whole, first, second, part = OBJECTS[:4]
    views = Views()
    for piece, obj in enumerate((first, second)):
        views[obj] = Base(frozenset((whole,)), Link.VIEW, (SPLIT, piece))
    views[part] = Base(frozenset((second,)), Link.VIEW)
    assert not views.overlap(first, second)
    assert not views.overlap(first, part)
    assert views.overlap(second, part)
    assert views.overlap(whole, part)


@given(edits, slots, st.lists(objects, max_size=3))
def test_a_snapshot_answers_as_the_state_does(
    steps: list[tuple[Obj, Base | None]], stored: list[tuple[Obj, object, Value]], kept: list[Obj]
) -> None:
    """Asked twice, a snapshot says what is worked out of the same facts without remembering."""
    state = _state(steps, stored, kept)
    snapshot = state.snapshot()
    for _ in range(2):
        for one in OBJECTS:
            first = frozenset((one,))
            assert snapshot.reachable(first) == state.reachable(first)
            assert snapshot.kept_by(first) == state.kept_by(first)
            sharing = [(slot, held) for slot, held in state.heap.items() if state.may_share(held.objs, first)]
            assert list(snapshot.slots_sharing(first)) == sharing
            for other in OBJECTS:
                second = frozenset((other, OBJECTS[0]))
                assert snapshot.may_share(first, second) == state.may_share(first, second)


@given(edits, slots, st.lists(objects, max_size=3), edits, slots)
def test_what_comes_next_leaves_a_snapshot_as_it_is(
    steps: list[tuple[Obj, Base | None]],
    stored: list[tuple[Obj, object, Value]],
    kept: list[Obj],
    later: list[tuple[Obj, Base | None]],
    stored_later: list[tuple[Obj, object, Value]],
) -> None:
    """A walk that goes on changes nothing of what was true before."""
    state = _state(steps, stored, kept)
    snapshot = state.snapshot()
    known = _all_of(snapshot)
    for obj, base in later:
        _edit(state.bases, obj, base)
    for obj, key, value in stored_later:
        state.heap[(obj, key)] = value
    state.kept.clear()
    assert _all_of(snapshot) == known
    assert _all_of(_state(steps, stored, kept)) == known


def _state(steps: list[tuple[Obj, Base | None]], stored: list[tuple[Obj, object, Value]], kept: list[Obj]) -> State:
    state = State(kept={obj: Saved(f"by {obj.label}", obj.line) for obj in kept})
    for obj, base in steps:
        _edit(state.bases, obj, base)
    for obj, key, value in stored:
        state.heap[(obj, key)] = value
    return state


def _all_of(facts: Facts) -> list[object]:
    every = [frozenset((obj,)) for obj in OBJECTS]
    found: list[object] = [list(facts.heap.items()), _answers(facts.bases)]
    return found + [(facts.reachable(objs), facts.kept_by(objs)) for objs in every]


def test_the_fields_of_an_object_can_be_replaced_while_they_are_walked_over() -> None:
    holder, other = OBJECTS[:2]
    value = Value(TENSOR, frozenset((other,)))
    heap = Heap()
    heap.put(holder, {0: value, 1: value})
    for key in heap.of(holder):
        del heap[(holder, key)]
    assert list(heap.items()) == []
    assert heap.owners == frozenset()
