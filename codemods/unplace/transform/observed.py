"""What runs of the program say about the assumptions of a rewrite: they confirm, contradict, or leave one open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from unplace import torchapi
from unplace.analysis.queries.observers import Sharing
from unplace.diagnostics.catalogue import Assumption, Contradiction, Held, Observed
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.observation.facts import HERE, OperationFacts
from unplace.observation.held import Holder, HolderKind

T = TypeVar("T", str, Holder)
_ABOUT_HOLDERS = frozenset(
    {
        Assumption.CALLER_LOOKS_AWAY,
        Assumption.HELD_ALONE,
        Assumption.RESULT_HELD_ALONE,
        Assumption.LAYER_HELD_ALONE,
        Assumption.INPUT_UNREAD,
        Assumption.FUNCTION_INPUT_UNREAD,
        Assumption.CONTAINER_INPUT_UNREAD,
        Assumption.RUN_TOGETHER,
    }
)
"""The assumptions that nobody else reads the memory afterwards."""
_ABOUT_KEEPERS = frozenset({Assumption.NOT_KEPT, Assumption.NOT_STORED})
_MOST = 3
"""The number of names or holders that are told."""
_ABOUT_KIND = (Assumption.TENSOR, Assumption.NO_LIST)
_ABOUT_DTYPE = frozenset({Assumption.NOT_WIDER})

_OUT_OF_SIGHT = frozenset(
    {
        Refusal.USED_AS_VALUE,
        Refusal.LAMBDA_USED_AS_VALUE,
        Refusal.HANDED_ON,
        Refusal.NOT_FOLLOWED,
        Refusal.NOT_FOLLOWED_READ,
    }
)
"""The reasons for which callers can't be seen in the source."""


@dataclass(frozen=True, slots=True)
class Called:
    """The function of an operation; `is_in_run` tells of a file, named as in the facts, whether the run handles it."""

    name: str
    is_in_run: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Seen:
    """The facts about an operation on `target`, if there are any, with which assumptions are compared."""

    facts: OperationFacts | None
    target: str = ""
    function: Called | None = None

    def left_open(self, assumed: Iterable[Reason]) -> tuple[Reason, ...]:
        """Return the assumptions that runs didn't confirm."""
        return tuple(each for each in assumed if self.confirmed(each) is None)

    def confirming(self, assumed: Iterable[Reason]) -> tuple[Reason, ...]:
        """Return in words what runs showed where they confirm one of the assumptions."""
        return tuple(told for each in assumed if (told := self.confirmed(each)) is not None)

    def confirmed(self, assumption: Reason) -> Reason | None:
        """Return in words what runs showed where they confirm an assumption."""
        if assumption.kind in (Assumption.NO_OTHER_CALLS, Assumption.NO_CALLS_OUTSIDE):
            return self._confirms_calls(assumption)
        return _confirms(self.facts, assumption, self.target)

    def _confirms_calls(self, assumption: Reason) -> Reason | None:
        """Return in words from how many runs it is known that only known code calls the function."""
        if self.function is None or self.facts is None or ("name", self.function.name) not in assumption.parts:
            return None
        is_here = assumption.kind is Assumption.NO_OTHER_CALLS
        is_known = all(file == HERE or (not is_here and self.function.is_in_run(file)) for file in self.facts.callers)
        return _confirmed(sum(self.facts.callers.values()) if is_known else 0, assumption)

    def contradicting(self, assumed: Iterable[Reason]) -> Reason | None:
        """Return the refusal of a rewrite where runs contradict one of its assumptions."""
        found = (_contradicts(self.facts, each, self.target) for each in assumed)
        return next((refusal for refusal in found if refusal is not None), None)


def _confirms(facts: OperationFacts | None, assumption: Reason, target: str) -> Reason | None:
    """Return what runs showed of an operation on `target`, in words, where it confirms an assumption."""
    if facts is None or not facts.tensors or not _is_about(assumption, target):
        return None
    kind, runs = assumption.kind, 0
    if kind in (Assumption.UNDIFFERENTIATED, Assumption.SEEN_BY_AUTOGRAD):
        return _confirms_purpose(facts, assumption)
    if kind in _ABOUT_KIND:
        runs = facts.runs if facts.tensors == facts.runs else 0
    elif kind in _ABOUT_DTYPE:
        runs = facts.tensors if not facts.wider and not facts.unmeasured else 0
    elif kind in _ABOUT_HOLDERS:
        is_alone = facts.alone == facts.examined
        runs = facts.refused if _is_always_refused(facts) else facts.examined if is_alone else 0
    elif kind in _ABOUT_KEEPERS:
        runs = facts.examined if not facts.kept else 0
    elif kind is Assumption.GRADIENT_FLOWS:
        runs = facts.graphs if facts.graphs == facts.tensors else 0
    elif kind is Assumption.FLAG_OPTIONAL:
        runs = sum(facts.made.values()) if all(_takes_flag(name) for name in facts.made) else 0
    elif kind is Assumption.NOT_SHARED:
        runs = facts.examined if not _shared(facts, assumption) else 0
    elif kind is Assumption.SAME_TENSOR:
        runs = facts.examined if facts.examined in (facts.same[str(name)] for _, name in assumption.parts) else 0
    elif kind is Assumption.DISTINCT_ELEMENTS:
        runs = facts.examined if not facts.twins else 0
    return _confirmed(runs, assumption)


def _confirmed(runs: int, assumption: Reason) -> Reason | None:
    if not runs:
        return None
    if runs == 1:
        return Observed.CONFIRMED_ONCE(assumption=assumption)
    return Observed.CONFIRMED(runs=f"{runs:,}", assumption=assumption)


def _confirms_purpose(facts: OperationFacts, assumption: Reason) -> Reason | None:
    """Return what runs showed where they leave one purpose that a write can have.

    A change of a parameter that torch refuses whenever autograd records has no gradient. A write through `.data` that
    overwrites what an operation saved makes the gradient of that one wrong: nobody can mean that.
    """
    if assumption.kind is Assumption.UNDIFFERENTIATED:
        if not refused_without_gradient(facts):
            return None
        (name,) = (part for gap, part in assumption.parts if gap == "name")
        return Observed.NO_GRADIENT(times=_times(facts.refused), name=name)
    if not facts.searched or facts.unsaved:
        return None
    return Observed.OVERWRITTEN_UNSEEN(saver=_most(facts.overwrote), searched=_runs(facts.searched))


def _is_always_refused(facts: OperationFacts) -> bool:
    """Tell whether torch raised whenever the write was to happen, so that nobody ever saw what it writes."""
    return 0 < facts.tensors == facts.refused


def refused_without_gradient(facts: OperationFacts) -> bool:
    """Tell whether all runs changed a parameter by values without a gradient, and torch raised when it recorded."""
    is_refused = facts.refused > 0 and facts.refused == facts.recorded
    return is_refused and not facts.graphs and facts.parameters == facts.tensors


def _contradicts(facts: OperationFacts | None, assumption: Reason, target: str) -> Reason | None:
    """Return the refusal of a rewrite where runs of an operation on `target` contradict an assumption of it."""
    if facts is None or not _is_about(assumption, target):
        return None
    found: Reason | None = None
    runs = f"{facts.tensors:,}"
    if assumption.kind in _ABOUT_KIND and facts.types:
        times = sum(facts.types.values())
        found = Contradiction.TYPE(type=_most(facts.types), times=f"{times:,}", runs=f"{facts.runs:,}")
    elif assumption.kind in _ABOUT_DTYPE and facts.wider:
        found = Contradiction.WIDER(times=f"{facts.wider:,}", runs=runs)
    elif assumption.kind in _ABOUT_HOLDERS and facts.holders and not _is_always_refused(facts):
        found = Contradiction.READER(holder=_held(_most(facts.holders)))
    elif assumption.kind in _ABOUT_KEEPERS and facts.kept:
        found = Contradiction.READER(holder=_held(_most(facts.keepers)))
    elif assumption.kind is Assumption.UNDIFFERENTIATED and facts.graphs:
        found = Contradiction.GRADIENT(times=f"{facts.graphs:,}", runs=runs)
    elif assumption.kind is Assumption.NOT_SHARED and _shared(facts, assumption):
        found = Contradiction.SHARED()
    elif assumption.kind is Assumption.DISTINCT_ELEMENTS and facts.twins:
        found = Contradiction.TWINS(times=f"{facts.twins:,}", runs=f"{facts.examined:,}")
    return Refusal.OBSERVED_OTHERWISE(assumption=assumption, found=found) if found is not None else None


def told(facts: OperationFacts) -> Iterator[Reason]:
    """Yield what runs showed of an operation, in words."""
    yield from how_often(facts)
    if not facts.runs:
        return
    if facts.wider:
        yield Observed.WIDER(runs=f"{facts.wider:,}")
    for name, _ in facts.shares.most_common(_MOST):
        yield Observed.SHARED(name=name)
    if facts.examined:
        yield Observed.ALONE(runs=f"{facts.alone:,}", examined=f"{facts.examined:,}")
    for holder, _ in facts.holders.most_common(_MOST):
        yield Observed.HELD(holder=_held(holder))


def how_often(facts: OperationFacts) -> Iterator[Reason]:
    """Yield in words how often an operation ran, and with autograd recording."""
    if not facts.runs:
        yield Observed.NEVER_RAN()
        return
    if facts.tensors < facts.runs:
        yield Observed.RAN_MIXED(times=_times(facts.runs), tensors=_times(facts.tensors))
    else:
        yield Observed.RAN_ONCE() if facts.runs == 1 else Observed.RAN(times=_times(facts.runs))
    if facts.recorded:
        yield Observed.RECORDED(times=_times(facts.recorded))
    yield from _harm(facts)


def _harm(facts: OperationFacts) -> Iterator[Reason]:
    """Yield in words what an operation did to autograd."""
    if facts.refused:
        yield Observed.REFUSED(times=_times(facts.refused))
    for saver, count in facts.raised.most_common(_MOST):
        yield Observed.RAISED(times=_times(count), saver=saver)
    searched = _runs(facts.searched)
    for saver, count in facts.overwrote.most_common(_MOST if not facts.raised else 0):
        yield Observed.OVERWROTE(saver=saver, times=_times(count), searched=searched)
    if facts.searched and facts.unsaved == facts.searched and not facts.raised:
        yield Observed.OVERWROTE_NOTHING(searched=searched)


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"


def _takes_flag(name: str) -> bool:
    """Tell whether a class is one of torch's modules that has `inplace`, and gives a new tensor without it."""
    module = torchapi.module(name)
    return module is not None and module.inplace is not None


def _is_about(assumption: Reason, target: str) -> bool:
    """Tell whether an assumption is about the written tensor, and not about another one."""
    if assumption.kind in (*_ABOUT_KIND, Assumption.NOT_SHARED, *_ABOUT_DTYPE):
        return any(part == target for _, part in assumption.parts)
    return True


def _shared(facts: OperationFacts, assumption: Reason) -> bool:
    """Tell whether one of the two places of the assumption had the memory of the operation in a run."""
    places = [str(place) for _, place in assumption.parts]
    is_named = all(part.isidentifier() for place in places for part in place.split("."))
    if facts.overlaps and not is_named:
        return True
    return any(facts.shares[place] or facts.shares[place.partition("[")[0]] for place in places)


def _most(counts: Mapping[T, int]) -> T:
    return max(counts, key=lambda key: (counts[key], key))


_HELD = {kind: Held[kind.name] for kind in HolderKind}


def _held(holder: Holder) -> Reason:
    """Return a holder in words."""
    kind = _HELD[holder.kind]
    if kind is Held.CALLER:
        return kind(name=holder.name, function=holder.function, place=holder.place)
    return kind(name=holder.name) if holder.name else kind()


def callers_seen(
    sees: Callable[[str], tuple[list[Reason], list[Reason]]], parameter: str
) -> tuple[list[Reason], list[Reason]]:
    """Ask the source what callers may read; where it can't tell who they are, runs have to say that they don't."""
    blockers, assumptions = sees(parameter)
    if not blockers or any(blocker.kind not in _OUT_OF_SIGHT for blocker in blockers):
        return blockers, assumptions
    return [], [*assumptions, Assumption.CALLER_LOOKS_AWAY(name=parameter)]


def sharing_in(facts: OperationFacts) -> Sharing:
    """Return what runs showed of the names of a function."""
    same = (name for name, count in facts.same.items() if count == facts.examined)
    return Sharing(frozenset(same), frozenset(facts.shares))
