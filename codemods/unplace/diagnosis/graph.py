"""Reads autograd's graph: the nodes, our notes on them, and the values that they saved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from unplace.diagnosis.places import Place

MARK = "[unplace]"
_KEY = "traceback_"
_PARENT = "parent_"


class Note:
    """A note of where and when a node was made, kept in the node's metadata, so that it lives as long as the node.

    Autograd takes it for the stack of anomaly detection: it reads the lines of the node at which backward fails, and
    of no other (but those that made it, in double backward). Being read, a note adds itself to `reported`. `contents`
    has version and checksum of each value that the node saved, with `--silent`.
    """

    __slots__ = ("checkpoint", "contents", "lines", "place", "reported", "tick")

    def __init__(
        self, place: Place, tick: int, lines: list[str] | None, reported: list[Note], checkpoint: Place | None
    ) -> None:
        self.place = place
        self.checkpoint = checkpoint
        self.tick = tick
        self.lines = lines
        self.reported = reported
        self.contents: list[tuple[int, int]] | None = None

    def __iter__(self) -> Iterator[str]:
        self.reported.append(self)
        return iter([MARK] if self.lines is None else self.lines)


def note_of(node: Node) -> Note | None:
    """Return the note on a node; None for a node that was made before the observation began."""
    note = node.metadata.get(_KEY)
    return note if isinstance(note, Note) else None


def parent_of(node: Node) -> Node | None:
    """Return the node whose derivative made this one, in a backward with `create_graph`; None for others."""
    parent = node.metadata.get(_PARENT)
    return parent if isinstance(parent, Node) else None


def roots(tensors: Iterable[Any]) -> list[Node]:
    """Return the nodes that made some tensors, or that gradient edges name; leaves have none."""
    nodes = (tensor.grad_fn if isinstance(tensor, torch.Tensor) else tensor.node for tensor in tensors)
    return [node for node in nodes if node is not None]


def walk(starts: Iterable[Node]) -> Iterator[Node]:
    """Yield each node of a graph once, starting from the nodes from which backward would start."""
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)


def saved_by(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the values that a node saved: the role (`self`, `result`, ...) and autograd's `SavedTensor`."""
    for attribute in dir(node):
        if attribute.startswith("_raw_saved_"):
            role = attribute.removeprefix("_raw_saved_")
            try:
                value = getattr(node, attribute)
            except RuntimeError:  # freed by a backward
                continue
            for saved in value if isinstance(value, list | tuple) else (value,):
                yield ("" if role == "tensors" else role), saved


def operator(node: Node) -> str:
    """Return the operator that made a node, or the class of a custom `Function`.

    The operator of the node `NativeLayerNormBackward0` is `native_layer_norm`.
    """
    name = re.sub(r"Backward\d*$", "", node.name().rpartition("::")[2])
    if isinstance(node, BackwardCFunction) or not name:
        return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
