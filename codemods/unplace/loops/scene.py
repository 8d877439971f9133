"""The scene of a failure: the backward that goes through old weights, the steps before it, and the step after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unplace.loops.code import Block, Code
from unplace.loops.events import BACKWARD, STEP, ZERO, Event, Log, Spot

Texts = Mapping[str, str]
"""The texts of files by path."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The events around a failing backward, in the order in which they happened.

    `later` is that backward, and `last` the first step after it, of the optimizer `wanted`. `early` is the step before
    it that changed what it goes through, of the optimizer `stepping`, and `first` the backward that this step is for;
    where no optimizer stepped before, both are the failing backward. `culprits` are the lines that wrote.
    """

    log: Log
    texts: Texts
    later: int
    last: int
    early: int
    first: int
    culprits: Sequence[tuple[str, int]] = ()

    @property
    def wanted(self) -> int:
        """The optimizer whose step follows the failing backward."""
        return self.event(self.last).optimizers[0]

    @property
    def stepping(self) -> int:
        """The optimizer that stepped too early, or else the one that steps next."""
        return self.event(self.early if self.early < self.later else self.last).optimizers[0]

    @property
    def goes_on(self) -> bool:
        """True where another backward was seen after the step that follows the failing one."""
        return any(event.kind == BACKWARD for event in self.log.events[self.last :])

    def event(self, position: int) -> Event:
        """Return an event by its position."""
        return self.log.events[position]

    def zeroing(self, optimizer: int, before: int, after: int = -1) -> int | None:
        """Return the last `zero_grad` that reaches an optimizer, between two positions."""
        found = (p for p in range(before - 1, after, -1) if self._zeroes(p, optimizer))
        return next(found, None)

    def _zeroes(self, position: int, optimizer: int) -> bool:
        event = self.event(position)
        return event.kind == ZERO and optimizer in event.optimizers

    def together(self, positions: Sequence[int]) -> Together | None:
        """Return the innermost block of one run of a function that led to all of some events."""
        stacks = [self.event(position).stack for position in positions]
        for spot in stacks[0]:
            spots = [next((s for s in stack if s.activation == spot.activation), None) for stack in stacks]
            known = [s for s in spots if s is not None]
            if len(known) < len(stacks):
                continue
            text = self.texts.get(spot.path)
            code = Code.of(text) if text is not None else None
            found = code.common_block([s.span for s in known]) if code is not None else None
            return None if found is None or code is None else Together(code, spot.path, *found, known)
        return None


@dataclass(frozen=True, slots=True)
class Together:
    """Events in one block: the statement of each by its index, and the call that leads to it."""

    code: Code
    path: str
    block: Block
    indices: list[int]
    spots: list[Spot]


def scenes(log: Log, texts: Texts, culprits: Sequence[tuple[str, int]]) -> list[Scene]:
    """Return the scenes of a failure, one for each optimizer that stepped before it: several may have come too early.

    `log.failed_at` tells the backward in a run that goes on past it; there is none in a run that ended earlier, with
    another error. The optimizers that stepped at the lines `culprits` come first.
    """
    assert log.failed_at is not None
    backwards = list(log.backwards())
    if log.failed_at >= len(backwards):
        return []
    later = backwards[log.failed_at]
    last = _next(log, later, STEP)
    if last is None:
        return []
    before = [position for position in range(later) if log.events[position].kind == STEP]
    named = [position for position in before if _stands_at(log.events[position], culprits)]
    found: dict[int, Scene] = {}
    for early in (*reversed(named), *reversed(before)):
        first = next((p for p in range(early, -1, -1) if log.events[p].kind == BACKWARD), None)
        optimizer = log.events[early].optimizers[0]
        if first is not None and optimizer not in found:
            found[optimizer] = Scene(log, texts, later, last, early, first, culprits)
    return list(found.values()) or [Scene(log, texts, later, last, later, later, culprits)]


def _next(log: Log, after: int, kind: str) -> int | None:
    return next((p for p in range(after + 1, len(log.events)) if log.events[p].kind == kind), None)


def _stands_at(event: Event, places: Sequence[tuple[str, int]]) -> bool:
    return any(
        spot.path == path and spot.span[0] <= line <= spot.span[2] for spot in event.stack for path, line in places
    )
