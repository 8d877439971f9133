"""Finds the facts behind an exception, with the graph and the tensors still at hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from unplace.diagnosis.graph import Note, note_of, parent_of
from unplace.diagnosis.incident import Incident, Owner, Saved
from unplace.diagnosis.noted_writes import Write, Writes
from unplace.diagnosis.owners import owner_of
from unplace.diagnosis.places import NOWHERE, Place
from unplace.observation import errors
from unplace.observation.errors import Kind
from unplace.observation.graphs import operator, roots, saved_by, walk
from unplace.observation.stale import victim_of

BEFORE = -1
"""The tick of what happened before the observation began, or at a moment that isn't known."""


def failed_backward(
    error: RuntimeError,
    kind: Kind,
    outputs: Iterable[Any],
    *,
    raised_at: Place,
    reported: Sequence[Note],
    writes: Writes,
    backwards: Mapping[Place, Sequence[int]],
) -> Incident:
    """Find the facts about an error of backward.

    `outputs` are the tensors from which backward started, `reported` the notes of the nodes at which autograd says it
    failed (the innermost first), and `backwards` the lines that called backward before, with the ticks of the last
    calls.
    """
    text = str(error)
    nodes = list(walk(roots(outputs)))
    named = [node for node in nodes if reported and note_of(node) is reported[0]]
    saved = saved_of(named[0], "") if named else None
    value: torch.Tensor | None = None
    later: Sequence[Write] = ()
    if kind is Kind.OVERWRITTEN:
        victim = victim_of(error, nodes, named)
        if victim is not None:
            value = victim.value
            saved = _saved_by_checkpoint(reported) if victim.node is None else saved_of(victim.node, victim.role)
        later = _later_writes(text, saved.tick if saved else BEFORE, value, writes)
    elif kind is Kind.DETACHED and saved is not None:
        later = _detaching(named[0], saved.tick, writes)
    elif kind is Kind.NO_DERIVATIVE and saved is not None:
        later = [Write(f"{saved.op}_", saved.place, saved.tick)]
        saved = None
    between = backward_after(saved, later, backwards)
    owner = None if value is None else owner_of(value)
    if not later and between and owner is not None and owner.kind == "gradient":
        later = [Write("backward", *between)]  # adds to gradients that are there
    continued = _continued_at(nodes, between[1]) if between else None
    return Incident(
        kind,
        text,
        raised_at,
        saved,
        tuple(later),
        owner,
        between[0] if between else None,
        continued,
        saved is not None and value is not None and _is_constant(saved, value, later),
        continued is not None and between is not None and _is_made_at(nodes, continued, between[1]),
    )


def failed_call(
    error: RuntimeError, kind: Kind, arguments: Iterable[Any], *, raised_at: Place, write: Write
) -> Incident:
    """Find the facts about a write that torch refused to make; `arguments` are those of the call."""
    text = str(error)
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    saved = _maker(text, tensors) if kind in (Kind.MULTIPLE_VIEWS, Kind.FUNCTION_VIEW) else None
    owner: Owner | None = None
    if kind in (Kind.LEAF, Kind.VIEW_OF_LEAF) and tensors:
        owner = owner_of(tensors[0])
    return Incident(kind, text, raised_at, saved, (write,), owner)


def saved_of(node: Node, role: str) -> Saved:
    """Describe the value that a node saved in a role; with an empty role, the operation only."""
    note, parent = note_of(node), parent_of(node)
    return Saved(
        operator(node),
        role,
        note.place if note else NOWHERE,
        note.tick if note else BEFORE,
        isinstance(node, BackwardCFunction),
        operator(parent) if parent is not None else None,
    )


def _is_constant(saved: Saved, value: torch.Tensor, later: Sequence[Write]) -> bool:
    """Tell whether a saved value has no gradient.

    That can't be told from an operation's own results, of which it keeps the values only: they don't count.
    """
    return not (
        saved.is_function or saved.is_own_result or value.requires_grad or any(write.requires_grad for write in later)
    )


def _saved_by_checkpoint(reported: Sequence[Note]) -> Saved:
    place = reported[0].checkpoint if reported else None
    return Saved("checkpoint", "input", place or NOWHERE, BEFORE)


def _later_writes(text: str, tick: int, tensor: torch.Tensor | None, writes: Writes) -> Sequence[Write]:
    """Return the writes that came after the value was saved and that raised its version."""
    stale = errors.stale_value(text)
    if stale is None:
        return ()
    if tensor is not None:
        later = [write for write in writes.to(tensor) if write.tick > tick and write.version > stale.expected]
        return [write for write in later if write.op != "detach_"]
    # The derivative of a write to a view is wrapped and can't be asked what it saved; its memory has this version, and
    # mostly a write of this shape, which may be the one that saved.
    fitting: list[list[Write]] = []
    for noted in writes.all():
        later = [write for write in noted if write.tick > tick and write.version > stale.expected]
        if not later or later[-1].version != stale.found:
            continue
        if any(write.shape == stale.shape for write in noted):
            return later
        fitting.append(later)
    return fitting[0] if len(fitting) == 1 else ()


def _detaching(node: Node, tick: int, writes: Writes) -> Sequence[Write]:
    """Return the calls of `detach_` on the values that a node saved; they raise no error of their own."""
    values = (saved.data for _, saved in saved_by(node) if isinstance(saved.data, torch.Tensor))
    later = (write for value in values for write in writes.to(value) if write.tick > tick)
    return [write for write in later if write.op == "detach_"]


def backward_after(
    saved: Saved | None, later: Sequence[Write], backwards: Mapping[Place, Sequence[int]]
) -> tuple[Place, int] | None:
    """Return the last call of backward between the saving of a value and the first write to it: its line and tick."""
    if saved is None:
        return None
    end = later[0].tick if later else math.inf
    calls = [(tick, place) for place, ticks in backwards.items() for tick in ticks if saved.tick < tick < end]
    tick, place = max(calls, key=lambda call: call[0], default=(0, None))
    return None if place is None else (place, tick)


def _continued_at(nodes: Iterable[Node], tick: int) -> Place | None:
    """Return the place of the first operation that goes on from a graph older than a tick; None if there is none."""
    crossing = []
    for node in nodes:
        note = note_of(node)
        if note is not None and note.tick > tick and any(_is_older(before, tick) for before, _ in node.next_functions):
            crossing.append(note)
    return min(crossing, key=lambda note: note.tick).place if crossing else None


def _is_made_at(nodes: Iterable[Node], place: Place, tick: int) -> bool:
    """Tell whether a line made a part of a graph before a tick."""
    notes = (note_of(node) for node in nodes)
    return any(note is not None and note.tick < tick and note.place == place for note in notes)


def _is_older(node: Node | None, tick: int) -> bool:
    if node is None or not node.next_functions:  # leaves are as old as the program, and may be
        return False
    note = note_of(node)
    return note is not None and note.tick < tick


def _maker(text: str, tensors: Iterable[torch.Tensor]) -> Saved | None:
    """Describe the operation that made the view that an error names; None where it isn't found."""
    number, name = errors.view_maker(text) or (0, "")
    for tensor in tensors:
        node = tensor.grad_fn
        if node is not None and node.name().startswith(name) and tensor.output_nr == number:
            return saved_of(node, "")
    return None
