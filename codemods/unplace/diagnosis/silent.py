"""Finds saved values that changed without autograd counting it, by their contents; slow, so only with `--silent`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.autograd.graph import Node

from unplace.diagnosis.contents import checksum, is_dense
from unplace.diagnosis.graph import note_of
from unplace.diagnosis.incident import Incident
from unplace.diagnosis.noted_writes import Write, Writes
from unplace.diagnosis.owners import owner_of
from unplace.diagnosis.places import Place
from unplace.diagnosis.postmortem import backward_after, saved_of
from unplace.observation.errors import Kind
from unplace.observation.graphs import roots, saved_by, walk


def remember(values: Iterable[Any]) -> None:
    """Note the contents of the values saved in the graphs of some tensors, where that hasn't been done yet."""
    waiting = roots(value for value in values if isinstance(value, torch.Tensor))
    while waiting:
        node = waiting.pop()
        note = note_of(node)
        if note is not None and note.contents is None:
            note.contents = [(tensor._version, checksum(tensor)) for _, tensor in _checked(node)]
            waiting.extend(before for before, _ in node.next_functions if before is not None)


def changed(
    outputs: Iterable[Any], writes: Writes, backwards: Mapping[Place, Sequence[int]], raised_at: Place
) -> Iterator[Incident]:
    """Yield an incident for each saved value of a graph whose contents have changed, but not its version."""
    for node in walk(roots(outputs)):
        note = note_of(node)
        if note is None or not note.contents:
            continue
        for (role, tensor), (version, before) in zip(_checked(node), note.contents, strict=False):  # some may be freed
            if tensor._version == version and checksum(tensor) != before:
                later = tuple(write for write in writes.to(tensor) if write.tick > note.tick)
                text = f"a value of shape {list(tensor.shape)} that backward needs was changed without an error"
                saved = saved_of(node, role)
                between, _ = backward_after(saved, later, backwards) or (None, 0)
                yield Incident(Kind.CHANGED, text, raised_at, saved, later, owner_of(tensor), between)


def cut(target: torch.Tensor, value: Any, write: Write) -> Incident | None:
    """Return the incident of a store to `.data` that cuts a gradient; None where there is no gradient to lose."""
    has_history = isinstance(value, torch.Tensor) and value.requires_grad and not value.is_leaf
    if target.grad_fn is None and not has_history:
        return None
    text = "a store to `.data` passes autograd by: the gradient is that of the values before it"
    saved = None if target.grad_fn is None else saved_of(target.grad_fn, "")
    return Incident(Kind.CUT, text, write.place, saved, (write,))


def _checked(node: Node) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the values that a node saved and whose versions torch checks: not those packed by the program's hooks."""
    for role, saved in saved_by(node):
        value = saved.data if saved.unpack_hook is None else None
        if is_dense(value):
            yield role, value
