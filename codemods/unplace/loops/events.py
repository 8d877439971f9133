"""What a run of a training program shows: its backwards and its optimizers' steps, in order, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

BACKWARD, STEP, ZERO = "backward", "step", "zero_grad"


@dataclass(frozen=True, slots=True)
class Spot:
    """A call in the user's own code: `activation` tells one run of the function from another.

    `span` has the first line and column and the last ones, columns in bytes; the columns are -1 where Python doesn't
    tell them.
    """

    path: str
    function: str
    activation: int
    span: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `stack` are the calls that led to it, the innermost first.

    `optimizers` are those concerned, by the order in which they were made; none for a backward. Of a step are known:
    checksums of the `gradients` and the `weights`, and of the random state and all buffers (`surroundings`). The
    `gradients` of a backward are those of the values from which it starts.
    """

    kind: str
    optimizers: tuple[int, ...]
    stack: tuple[Spot, ...]
    gradients: int = 0
    weights: int = 0
    surroundings: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A value that one round hands to the next with its graph: `text` is its name in the function of `spot`.

    `form` is the class that holds the tensors: `Tensor`, `tuple`, `list` or `dict`.
    """

    text: str
    form: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Log:
    """The record of a run up to its end, its failure or the point where enough was seen.

    `failed_at` is the number of the backward, from 0, that raised an in-place error. `parameters` has for each
    optimizer the ways to write its parameters in each of the functions that led to the backward that was asked about.
    `states` are those which that backward goes through. `pending` has checksums of the gradients that the optimizers
    held at the end which had not stepped by then.
    """

    events: tuple[Event, ...]
    exit_code: int
    error: str = ""
    failed_at: int | None = None
    parameters: Mapping[int, tuple[tuple[str, ...], ...]] | None = None
    states: tuple[State, ...] = ()
    is_distributed: bool = False
    pending: tuple[int, ...] = ()

    def steps(self, optimizer: int) -> list[Event]:
        """Return the steps of an optimizer."""
        return [event for event in self.events if event.kind == STEP and optimizer in event.optimizers]

    @property
    def optimizers(self) -> list[int]:
        """The optimizers that stepped, in the order of their first steps."""
        return list(dict.fromkeys(o for event in self.events if event.kind == STEP for o in event.optimizers))

    def backwards(self) -> Iterator[int]:
        """Yield the positions of the backwards among the events."""
        return (position for position, event in enumerate(self.events) if event.kind == BACKWARD)

    def as_json(self) -> dict[str, Any]:
        """Return the log as JSON values."""
        return asdict(self)


def log_of(known: dict[str, Any]) -> Log:
    """Return the log that JSON values describe."""
    events = tuple(_event(**event) for event in known.pop("events"))
    states = tuple(State(state["text"], state["form"], _spot(state["spot"])) for state in known.pop("states"))
    parameters = {int(number): tuple(map(tuple, texts)) for number, texts in (known.pop("parameters") or {}).items()}
    pending = tuple(known.pop("pending"))
    return Log(events, states=states, parameters=parameters, pending=pending, **known)


def _event(stack: list[dict[str, Any]], optimizers: list[int], **rest: Any) -> Event:
    return Event(stack=tuple(map(_spot, stack)), optimizers=tuple(optimizers), **rest)


def _spot(known: dict[str, Any]) -> Spot:
    return Spot(known["path"], known["function"], known["activation"], tuple(known["span"]))
