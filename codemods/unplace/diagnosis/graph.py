"""Keeps notes on the nodes of autograd's graph."""

from __future__ import annotations

from collections.abc import Iterator

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
