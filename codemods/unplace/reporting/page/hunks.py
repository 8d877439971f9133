"""Computes the changes in a file from its two texts alone.

Lines that occur once in each text divide both into short pieces; difflib aligns only the pieces that differ, because on
a long file with many changes it would need minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from unplace.reporting.diff import Alignment, Block


def hunks(before: str | None, after: str | None) -> str:
    """Return the hunks of a unified diff, whose heads name first lines only; empty where nothing changes."""
    if before is None or after is None or before == after:
        return ""
    old, new = _lines(before), _lines(after)
    return "\n".join(_written(old, new))


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _written(old: list[str], new: list[str]) -> Iterator[str]:
    for codes in Alignment(old, new, _blocks(old, new)).get_grouped_opcodes():
        yield f"@@ -{codes[0][1] + 1} +{codes[0][3] + 1} @@"
        for tag, start, end, new_start, new_end in codes:
            if tag == "equal":
                yield from (f" {line}" for line in old[start:end])
            else:
                yield from (f"-{line}" for line in old[start:end])
                yield from (f"+{line}" for line in new[new_start:new_end])


def _blocks(old: list[str], new: list[str]) -> Iterator[Block]:
    """Yield the pieces that differ, between lines that certainly correspond."""
    position = new_position = 0
    for anchor, new_anchor in (*_anchors(old, new), (len(old), len(new))):
        if old[position:anchor] != new[new_position:new_anchor]:
            yield Block(position, anchor, new_position, new_anchor)
        position, new_position = anchor + 1, new_anchor + 1


def _anchors(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of lines that occur once in each text, in the order of both."""
    once, new_once = (
        {line: index for index, line in enumerate(lines) if counts[line] == 1}
        for lines, counts in ((old, Counter(old)), (new, Counter(new)))
    )
    last = -1
    for line, index in once.items():
        new_index = new_once.get(line, -1)
        if new_index > last:
            last = new_index
            yield index, new_index
