"""Text edits: the only way in which `unplace` changes a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces `text[start:end]` by `replacement`; offsets count characters of the decoded source from 0."""

    start: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that don't overlap; raises `ValueError` when two of them do."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position or edit.end < edit.start or edit.end > len(text):
            raise ValueError(f"edit {edit.start}:{edit.end} overlaps another one or lies outside the text")
        pieces.append(text[position : edit.start])
        pieces.append(edit.replacement)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)
