"""Laws of the abstract domain: what a join may forget, what it must keep, and how a round of a loop becomes an old one.

`larger covers smaller` is the order: whatever may hold in the smaller one may hold in the larger one, and what the
larger one is certain of the smaller one is, too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from unplace.analysis.domain.facts import ANY, Definition
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, SEEN, UNSEEN, Graph, derived, joined
from unplace.analysis.domain.merging import Merger, same_facts
from unplace.analysis.domain.refs import ANYTHING, Choice, Named, alternatives
from unplace.analysis.domain.state import State, aged_value, join_bases, weak_join
from unplace.analysis.domain.values import (
    LIST,
    NONE,
    NUMBER,
    TENSOR,
    UNKNOWN,
    Base,
    Link,
    Names,
    Obj,
    Origin,
    Saved,
    Token,
    Value,
    is_same,
)

NAMES = Names()
FRESH = [NAMES.obj(f"made {number}", Origin.FRESH, f"`made{number}`", number) for number in range(4)]
OUTER = [NAMES.obj("passed", Origin.PARAMETER, "`x`", 1)]
OLD = [NAMES.aged(FRESH[0])]
THINGS = [*OUTER, *OLD, *FRESH]
VARIABLES = ("a", "b")
FIELDS = (1, "1", "h", ANY)
PLACE = "here"
EXPRESSIONS = [ast.parse(text, mode="eval").body for text in ("y[0]", "y.view(-1)")]

GRAPHS = st.sampled_from([NO_GRAPH, LEAF, SEEN, UNSEEN, frozenset(["x"]), frozenset(["x", "y"]), SEEN | UNSEEN])

# -- what is drawn ----------------------------------------------------------------------------------------------------

tokens = st.one_of(st.none(), st.sampled_from(THINGS), st.sampled_from([("token", 0), ("token", 1)]))
values = st.builds(
    Value,
    kinds=st.sampled_from([TENSOR, NUMBER, NONE, LIST, UNKNOWN, TENSOR | NONE, TENSOR | NUMBER]),
    objs=st.frozensets(st.sampled_from(THINGS), max_size=2),
    identity=tokens,
    shape=tokens,
    dtype=st.sampled_from([None, "float32", "int64", ("dtype", 0)]),
    graph=GRAPHS,
    ref=st.sampled_from([None, Named("relu"), Named("exp"), Named("tanh"), Choice(frozenset([Named("exp")]), True)]),
    likely=st.booleans(),
)
borns = st.sets(st.sampled_from(FRESH))


@st.composite
def bases(draw: st.DrawFn, among: Sequence[Obj] = THINGS) -> Base:
    """A base among some things; only what is cut from one thing alone is a known piece of it."""
    objs = draw(st.frozensets(st.sampled_from(among), min_size=1, max_size=2))
    piece = (("cut", *objs), draw(st.integers(0, 1))) if len(objs) == 1 and draw(st.booleans()) else None
    return Base(objs, draw(st.sampled_from(Link)), piece, draw(st.booleans()))


def few(obj: Obj) -> Value:
    """Return what a name of one thing holds."""
    return Value(TENSOR, frozenset([obj]), obj, obj, "float32")


Step = Callable[[State], None]
held = st.one_of(st.sampled_from([few(thing) for thing in THINGS]), values)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """Something that a statement may make of a state: a binding, a store, a view, what others keep, what is saved."""
    kind = draw(st.sampled_from(["bind", "bind", "store", "store", "view", "view", "keep", "save", "unbind"]))
    thing = draw(st.sampled_from(THINGS))
    name = draw(st.sampled_from(VARIABLES))
    if kind == "bind":
        value, token = draw(held), draw(st.sampled_from(["once", "twice"]))
        return lambda state: (state.env.update({name: value}), state.binds.update({name: token}), None)[-1]
    if kind == "unbind":
        return lambda state: (state.env.pop(name, None), None)[-1]
    if kind == "store":
        slot, stored = (thing, draw(st.sampled_from(FIELDS))), draw(held)
        return lambda state: state.heap.__setitem__(slot, stored)
    if kind == "view":
        view = thing if thing.old or thing is not THINGS[0] else THINGS[1]
        own = {view, view if view.old else NAMES.aged(view)}  # whatever is a view of it looks into something else, too
        among = bases(THINGS if thing.old else THINGS[: max(THINGS.index(thing), 1)])
        base = draw(among.filter(lambda each: not each.objs <= own))
        definition = Definition(draw(st.sampled_from(EXPRESSIONS)), {"y": draw(st.integers(0, 1))})
        return lambda state: (
            state.bases.__setitem__(view, base),
            state.definitions.__setitem__(view, definition),
            None,
        )[-1]
    if kind == "keep":
        keeper = Saved("put", draw(st.integers(1, 3)))
        return lambda state: state.kept.__setitem__(thing, keeper)
    operation = Saved(draw(st.sampled_from(["exp", "mul"])), 1, draw(st.booleans()))
    return lambda state: state.saved.__setitem__(thing, state.saved.get(thing, frozenset()) | {operation})


def walked(state: State, path: list[Step]) -> State:
    """Return what some steps make of a state."""
    result = state.fork()
    for step in path:
        step(result)
    return result


paths = st.lists(steps(), max_size=8)
states = st.builds(walked, st.just(State()), paths)


@st.composite
def branches(draw: st.DrawFn, count: int) -> tuple[State, ...]:
    """What may be true at the ends of some branches, which begin at one point of the program."""
    start = draw(states)
    return tuple(walked(start, draw(st.lists(steps(), max_size=4))) for _ in range(count))


# -- the order --------------------------------------------------------------------------------------------------------


def value_covers(large: Value, small: Value) -> bool:
    """Tell whether one value may be all that another may be; what its tokens say is told by `agree`."""
    return (
        small.kinds & ~large.kinds == 0
        and small.objs <= large.objs
        and derived(small.graph) <= derived(large.graph)
        and ref_covers(large, small)
        and (not isinstance(large.dtype, str) or large.dtype == small.dtype)
        and (large.likely or not small.likely)
    )


def ref_covers(large: Value, small: Value) -> bool:
    """Tell whether a value may stand for all that another may stand for."""
    if large.ref in (small.ref, ANYTHING) or (small.ref is None and small.kinds == NONE):
        return True
    is_open = isinstance(large.ref, Choice) and large.ref.is_open
    may_be_unseen = small.ref is None or (isinstance(small.ref, Choice) and small.ref.is_open)
    return {*alternatives(small.ref)} <= {*alternatives(large.ref)} and (is_open or not may_be_unseen)


def base_covers(large: Base, small: Base) -> bool:
    """Tell whether one base may be all that another may be."""
    return (
        small.objs <= large.objs
        and (large.link in (small.link, Link.EITHER) or (large.link is Link.MAYBE and small.link is Link.CALL))
        and small.holders <= large.holders
        and large.key in (small.key, None)
        and large.piece in (small.piece, None)
        and (large.forbidden or not small.forbidden)
    )


def places(state: State) -> dict[Hashable, Value]:
    """Return what all names and slots hold."""
    return {**state.env, **dict(state.heap.items())}


def is_one(first: Token, second: Token) -> bool:
    """Tell whether two tokens say that two things are the same: not where they stand for many of earlier rounds."""
    return first is not None and first == second and not (isinstance(first, Obj) and first.old)


def agreeing(state: State) -> Iterator[tuple[str, Hashable, Hashable]]:
    """Yield the pairs of places that hold the same object for certain, or objects of one shape or dtype."""
    for (one, first), (other, second) in combinations(places(state).items(), 2):
        if is_same(first, second):
            yield "identity", one, other
        for aspect in ("shape", "dtype"):
            if is_one(getattr(first, aspect), getattr(second, aspect)):
                yield aspect, one, other


def assert_covers(large: State, small: State) -> None:
    """Assert that whatever may be true in the smaller state may be in the larger one."""
    known = places(small)
    for place, value in known.items():
        assert value_covers(places(large)[place], value), place
    for aspect, one, other in agreeing(large):
        if one in known and other in known:
            assert is_one(getattr(known[one], aspect), getattr(known[other], aspect)), (aspect, one, other)
    for obj, base in small.bases.items():
        assert base_covers(large.bases[obj], base), obj
    for obj, saved in small.saved.items():
        assert saved <= large.saved[obj]
    assert set(small.kept) <= set(large.kept)
    assert set(large.definitions) <= set(small.definitions)
    for obj, definition in large.definitions.items():
        assert definition.expression is small.definitions[obj].expression
        assert definition.uses == small.definitions[obj].uses
    for name, token in large.binds.items():
        assert token == small.binds.get(name) or token == ("bind", PLACE, name)


def merged(*joined: State) -> State:
    """Return the join of states, which stay as they are."""
    return Merger(PLACE).merge([state.fork() for state in joined])


def aged(state: State, born: set[Obj]) -> State:
    """Return a state as the next round sees it."""
    result = state.fork()
    result.age(NAMES, born)
    return result


# -- values, bases ----------------------------------------------------------------------------------------------------


def assert_is_join(join: Callable[[object, object], object], one: object, other: object, third: object) -> None:
    """Assert the laws of a join that need no order."""
    assert join(one, other) == join(other, one)
    assert join(one, one) == one
    assert join(join(one, other), third) == join(one, join(other, third))
    assert join(join(one, other), other) == join(one, other)


@given(values, values, values)
def test_values_are_joined_in_any_order(one: Value, other: Value, third: Value) -> None:
    # Where nothing is one variable, nothing is the same: an identity survives only if there is nothing to join.
    assert_is_join(weak_join, *(value._replace(identity=None) for value in (one, other, third)))
    assert one is other or weak_join(one, other).identity is None


@given(values, values, values)
def test_a_join_of_values_covers_both_and_is_monotone(one: Value, other: Value, third: Value) -> None:
    assert value_covers(weak_join(one, other), one)
    assert value_covers(weak_join(one, other), other)
    assert value_covers(weak_join(weak_join(one, third), other), weak_join(one, other))


@given(bases(), bases(), bases())
def test_bases_are_joined_in_any_order(one: Base, other: Base, third: Base) -> None:
    assert_is_join(join_bases, one, other, third)
    assert base_covers(join_bases(one, other), one)
    assert base_covers(join_bases(join_bases(one, third), other), join_bases(one, other))


@given(GRAPHS, GRAPHS, GRAPHS)
def test_graphs_are_joined_in_any_order(one: Graph, other: Graph, third: Graph) -> None:
    assert_is_join(joined, one, other, third)


# -- joins of states --------------------------------------------------------------------------------------------------


@given(branches(2))
def test_states_are_joined_in_any_order(ends: tuple[State, State]) -> None:
    one, other = ends
    assert same_facts(merged(one, other), merged(other, one))


@given(branches(2))
def test_a_join_with_itself_or_with_a_part_changes_nothing(ends: tuple[State, State]) -> None:
    one, other = ends
    assert same_facts(merged(one, one), one)
    join = merged(one, other)
    assert same_facts(merged(join, join), join)
    assert same_facts(merged(join, one), join)
    assert same_facts(merged(join, other), join)


@given(branches(2))
def test_a_join_covers_all_that_is_joined(ends: tuple[State, State]) -> None:
    one, other = ends
    assert_covers(merged(one, other), one)
    assert_covers(merged(one, other), other)


contents = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from([few(thing) for thing in THINGS]))


@given(contents, contents)
def test_fields_that_a_join_calls_the_same_were_so(one: dict[Hashable, Value], other: dict[Hashable, Value]) -> None:
    ends = [State(), State()]
    for end, fields in zip(ends, (one, other), strict=True):
        for field, value in fields.items():
            end.heap[OUTER[0], field] = value
    assert_covers(merged(*ends), ends[0])
    assert_covers(merged(*ends), ends[1])


@given(branches(3))
def test_a_join_is_monotone(ends: tuple[State, State, State]) -> None:
    one, other, more = ends
    assert_covers(merged(merged(one, more), other), merged(one, other))


@given(branches(2))
def test_what_is_joined_stays_as_it_was(ends: tuple[State, State]) -> None:
    one, other = ends
    before = one.fork(), other.fork()
    Merger(PLACE).merge([one, other]).age(NAMES, set(FRESH))
    assert same_facts(one, before[0])
    assert same_facts(other, before[1])


@given(branches(2))
def test_what_may_share_memory_before_a_join_may_share_it_behind(ends: tuple[State, State]) -> None:
    one, other = ends
    join = merged(one, other)
    for first, second in combinations(THINGS, 2):
        assert not one.overlap(first, second) or join.overlap(first, second), (first, second)
        assert one.reachable([first]) <= join.reachable([first])
        assert one.kept_by(frozenset([first])) is None or join.kept_by(frozenset([first])) is not None


Pieces = frozenset[tuple[Token, Hashable]]


def ways(state: State, obj: Obj, pieces: Pieces = frozenset(), passed: tuple[Obj, ...] = ()) -> set[tuple[Obj, Pieces]]:
    """Return the bases that an object may look into, with the pieces that it was cut from on each way there."""
    base = state.bases.get(obj)
    if base is None or obj in passed:
        return {(obj, pieces)}
    cut = pieces | ({base.piece} if base.piece else frozenset())
    further = (ways(state, parent, cut, (*passed, obj)) for parent in base.objs)
    return {(obj, pieces)}.union(*further)


def are_apart(first: Pieces, second: Pieces) -> bool:
    """Tell whether two ways lead from different pieces of one cut."""
    return any(cut == other and piece != part for cut, piece in first for other, part in second)


@st.composite
def views(draw: st.DrawFn) -> State:
    """A state in which things are pieces of others, or views of either of two."""
    state = State()
    for position, thing in enumerate([*FRESH, *OLD]):
        known = [*OUTER, *FRESH][: position + 1]
        objs = draw(st.frozensets(st.sampled_from(known), min_size=1, max_size=2))
        piece = (("cut", *objs), draw(st.integers(0, 1))) if len(objs) == 1 else None
        state.bases[thing] = Base(objs, Link.VIEW, piece)
    return state


@settings(max_examples=500)
@given(views())
def test_two_things_share_memory_if_they_do_on_any_way_to_a_common_base(state: State) -> None:
    for first, second in combinations(THINGS, 2):
        may_share = any(
            base is other and not are_apart(one, two)
            for base, one in ways(state, first)
            for other, two in ways(state, second)
        )
        assert may_share <= state.overlap(first, second), (first, second)


@given(states)
def test_sharing_memory_is_mutual(state: State) -> None:
    for first, second in combinations(THINGS, 2):
        assert state.overlap(first, second) == state.overlap(second, first), (first, second)
    for thing in THINGS:
        assert state.overlap(thing, thing)
        assert all(state.overlap(thing, base) for base in state.roots([thing])), thing


# -- rounds of a loop -------------------------------------------------------------------------------------------------


def mentioned(state: State) -> set[Obj]:
    """Return all objects that a state says something about."""
    held = places(state).values()
    return {
        *(obj for value in held for obj in value.objs),
        *(token for value in held for token in (value.identity, value.shape, value.dtype) if isinstance(token, Obj)),
        *(holder for holder, _ in dict(state.heap.items())),
        *(obj for thing, base in state.bases.items() for obj in (thing, *base.objs)),
        *(obj for table in (state.definitions, state.kept, state.saved) for obj in table),
    }


def home(obj: Obj, born: set[Obj]) -> Obj:
    """Return what stands for an object in the next round."""
    return NAMES.aged(obj) if obj in born else obj


@given(states, borns)
def test_nothing_that_a_round_made_is_new_in_the_next(state: State, born: set[Obj]) -> None:
    assert not mentioned(aged(state, born)) & born
    assert mentioned(aged(state, born)) <= {home(obj, born) for obj in mentioned(state)}


@given(states, borns)
def test_a_round_ends_once(state: State, born: set[Obj]) -> None:
    assert same_facts(aged(aged(state, born), born), aged(state, born))
    assert same_facts(aged(state, set()), state)


@given(states, borns)
def test_what_may_share_memory_in_a_round_may_share_it_in_the_next(state: State, born: set[Obj]) -> None:
    later = aged(state, born)
    for first, second in combinations(THINGS, 2):
        assert not state.overlap(first, second) or later.overlap(home(first, born), home(second, born))
    for thing in THINGS:
        assert {home(obj, born) for obj in state.reachable([thing])} <= later.reachable([home(thing, born)])
        kept = later.kept_by(frozenset([home(thing, born)]))
        assert state.kept_by(frozenset([thing])) is None or kept is not None


@given(states, borns)
def test_what_an_older_round_is_certain_of_was_so(state: State, born: set[Obj]) -> None:
    later, known = aged(state, born), places(state)
    for aspect, one, other in agreeing(later):
        if one in known and other in known:
            assert is_one(getattr(known[one], aspect), getattr(known[other], aspect)), (aspect, one, other)
    assert not any(base.piece for obj, base in later.bases.items() if obj.old and obj not in state.bases)


@given(values, values, borns)
def test_aging_is_monotone_and_goes_along_with_joins(one: Value, other: Value, born: set[Obj]) -> None:
    def old(value: Value) -> Value:
        return aged_value(value, NAMES, born)

    assert value_covers(old(weak_join(one, other)), old(one))
    assert value_covers(old(weak_join(one, other)), weak_join(old(one), old(other)))
    assert old(old(one)) == old(one)


def facts(state: State) -> State:
    """Return a state without what it is certain of: tokens and definitions."""
    result = state.fork()
    for name, value in result.env.items():
        result.env[name] = value._replace(identity=None, shape=None, dtype=None)
    for slot, value in list(result.heap.items()):
        result.heap[slot] = value._replace(identity=None, shape=None, dtype=None)
    result.definitions = {}
    result.binds = {}
    return result


@given(branches(2), borns)
def test_a_join_of_aged_states_is_the_aged_join(ends: tuple[State, State], born: set[Obj]) -> None:
    one, other = ends
    join = merged(aged(one, born), aged(other, born))
    assert same_facts(facts(join), facts(aged(merged(one, other), born)))
    assert_covers(join, aged(one, born))
