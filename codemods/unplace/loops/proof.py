"""The proof of a repair: the original, each of whose backwards uses what was saved for it, against the edited program.

Two runs from one seed are compared step by step, for each optimizer by itself: the gradients that it is given, and the
weights that it changes, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from unplace.loops.edits import Promise
from unplace.loops.events import Event, Log
from unplace.loops.recording import Request
from unplace.loops.scene import Scene

Recorder = Callable[[Request], Log]
"""Runs the program of a request, with the files as they are, and returns its log."""


def goal_of(reference: Log) -> dict[int, int]:
    """Return how often each optimizer stepped."""
    return {optimizer: len(reference.steps(optimizer)) for optimizer in reference.optimizers}


def agrees(reference: Log, other: Log) -> bool:
    """Tell whether another run came as far as the reference, and each optimizer was given the same gradients.

    Those that didn't step in that time have to hold the same ones, and the random generators and buffers have to be the
    same where rounds end.
    """
    if other.error or other.exit_code != reference.exit_code or other.pending != reference.pending:
        return False
    pairs = ((reference.steps(o), other.steps(o)) for o in {*reference.optimizers, *other.optimizers})
    if not all(_alike(one, another) for steps in pairs for one, another in zip_longest(*steps) if one is not None):
        return False
    ends = zip(_ends_of_rounds(reference), _ends_of_rounds(other), strict=False)
    return all(one.surroundings == another.surroundings for one, another in ends)


def _ends_of_rounds(log: Log) -> list[Event]:
    """Return the steps of the optimizer that steps last in a round."""
    return log.steps(log.optimizers[-1]) if log.optimizers else []


def begins_alike(reference: Log, other: Log) -> bool:
    """Tell whether the steps that both runs came to were given the same gradients."""
    pairs = (zip(reference.steps(o), other.steps(o), strict=False) for o in reference.optimizers)
    return all(_alike(one, another) for steps in pairs for one, another in steps)


def keeps_the_first_round(reference: Log, other: Log) -> bool:
    """Tell whether the first step of each optimizer was given the same gradients."""
    pairs = ((reference.steps(o), other.steps(o)) for o in reference.optimizers)
    return all(other_steps and _alike(steps[0], other_steps[0]) for steps, other_steps in pairs)


def same_losses(reference: Log, other: Log) -> bool:
    """Tell whether each backward started from the same values, as far as both runs came."""
    starts = ([log.events[position].gradients for position in log.backwards()] for log in (reference, other))
    return all(one == another for one, another in zip(*starts, strict=False))


def shows_the_next_round(scene: Scene) -> bool:
    """Tell whether gradients that a repair doesn't add any more would have been thrown away, as far as was seen.

    The optimizer that stepped too early steps again, or what it uses was set to zero before.
    """
    later = [p for p in range(scene.last, len(scene.log.events)) if scene.stepping in scene.event(p).optimizers]
    return bool(later) or scene.zeroing(scene.stepping, scene.first) is not None


def _alike(one: Event | None, another: Event | None) -> bool:
    if one is None or another is None:
        return False
    return (one.gradients, one.weights) == (another.gradients, another.weights)


def is_proved(promise: Promise, scene: Scene, reference: Log, live: Log, frozen: Callable[[], tuple[Log, Log]]) -> bool:
    """Tell whether a run of the edited program shows what the repair promises.

    `frozen` runs the original and the edited program with steps that change nothing.
    """
    if promise is Promise.GRADIENTS:
        return agrees(reference, live) and shows_the_next_round(scene)
    if promise is Promise.VALUES:
        return agrees(reference, live) and same_losses(reference, live) and scene.goes_on
    if live.error or live.exit_code != reference.exit_code:
        return False
    if promise is Promise.FIRST_ROUND:
        return keeps_the_first_round(reference, live)
    before, after = frozen()
    return agrees(before, after)
