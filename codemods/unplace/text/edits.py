"""Defines text edits, the only way in which `unplace` changes a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces `text[start:end]` by `replacement`; offsets count characters of the decoded source from 0."""

    start: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that don't overlap; raise `ValueError` when two of them do."""
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


def meet(edits: Iterable[Edit], others: Sequence[Edit]) -> bool:
    """Tell whether an edit overlaps or touches one of the others."""
    return any(edit.start <= other.end and other.start <= edit.end for edit in edits for other in others)


def compose(first: Iterable[Edit], second: Iterable[Edit], text: str) -> list[Edit]:
    """Return the edits of `text` that have the effect of `first`, followed by `second` on the result."""
    early, late = sorted(first), sorted(second)
    middle = apply_edits(text, early)
    composed: list[Edit] = []
    shift = 0  # the length of the middle text minus that of the original, up to here
    while early or late:
        starts = [edit.start for edit in late[:1]] + [edit.start + shift for edit in early[:1]]
        start = end = min(starts)
        inner, origin, inner_shift = [], start - shift, 0
        while True:
            if early and early[0].start + shift + inner_shift <= end:
                edit = early.pop(0)
                inner_shift += len(edit.replacement) - (edit.end - edit.start)
                end = max(end, edit.end + shift + inner_shift)
            elif late and late[0].start <= end:
                inner.append(late.pop(0))
                end = max(end, inner[-1].end)
            else:
                break
        moved = [Edit(edit.start - start, edit.end - start, edit.replacement) for edit in inner]
        composed.append(Edit(origin, end - shift - inner_shift, apply_edits(middle[start:end], moved)))
        shift += inner_shift
    return composed


def origin_of(offset: int, edits: Iterable[Edit]) -> int:
    """Return the offset before the edits of the character at `offset`; for inserted text, the start of the edit."""
    shift = 0
    for edit in sorted(edits):
        if offset < edit.start + shift:
            break
        if offset < edit.start + shift + len(edit.replacement):
            return edit.start
        shift += len(edit.replacement) - (edit.end - edit.start)
    return offset - shift
