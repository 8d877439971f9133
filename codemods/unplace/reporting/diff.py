"""Makes a unified diff, byte for byte in the form that `git apply` and `patch -p0` take.

A line ends with LF alone, as patch tools see it, and keeps its bytes, so that encodings, CRLF and a missing line end on
the last line survive. The edits tell where the text changed; difflib only aligns the lines inside each edited block,
because on a long file with many equal lines it would need minutes.
"""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import AnyStr, NamedTuple, TextIO

from unplace import documents
from unplace.reporting.styled import Span, wants_colour, write_lines
from unplace.runs.outcome import Change, Outcome
from unplace.text.edits import Edit, apply_edits

_ODD = re.compile(rb'[\x00-\x1f\x7f"\\]')
"""The bytes in a name for which Git puts the name in quotes, and writes them in octal."""

_STYLES = {b"-": "red", b"+": "green", b"@": "cyan"}


def write(stream: TextIO, outcomes: Iterable[Outcome]) -> None:
    """Write the patch of a run: as styled text on terminals or where colours are wanted, elsewhere as exact bytes."""
    stream.flush()
    for outcome in outcomes:
        if outcome.change is None:
            continue
        lines = patch(outcome.path, outcome.change, outcome.edits)
        if wants_colour(stream) or stream.isatty():
            write_lines(stream, styled(lines, outcome.change.after.encoding))
        else:
            stream.buffer.writelines(lines)
    stream.buffer.flush()


def patch(path: str, change: Change, edits: Sequence[Edit]) -> Iterator[bytes]:
    """Yield the lines of one file's patch, each with its line end; `edits` are the edits that made the change."""
    name = _name(path)
    yield b"--- " + name + b"\n"
    yield b"+++ " + name + b"\n"
    before, after = (io.BytesIO(source.data).readlines() for source in (change.before, change.after))
    if apply_edits(change.before.text, edits) == change.after.text:
        blocks = list(_blocks(change.before.text, edits))
    else:
        blocks = [Block(0, len(before), 0, len(after))]
    sections = documents.sections(path, change.before.text)
    for hunk in Alignment(before, after, blocks).get_grouped_opcodes():
        yield from _hunk(hunk, before, after, sections)


def _name(path: str) -> bytes:
    # A leading `./` suits `git apply` and `patch -p1`, which strip one component, and also `patch -p0`.
    pure = PurePath(path)
    name = os.fsencode(pure.as_posix() if pure.is_absolute() else f"./{pure.as_posix()}")
    if _ODD.search(name):
        return b'"' + _ODD.sub(lambda match: b"\\%03o" % ord(match.group()), name) + b'"'
    return name + b"\t" if b" " in name else name


class Block(NamedTuple):
    """Lines `start:end` of the old file and the lines `new_start:new_end` of the new file that replace them."""

    start: int
    end: int
    new_start: int
    new_end: int


def _blocks(text: str, edits: Sequence[Edit]) -> Iterator[Block]:
    """Yield the runs of lines that the edits touch, in order."""
    starts = [0, *(line_end.end() for line_end in re.finditer("\n", text))]
    block: Block | None = None
    growth = 0
    for edit in edits:
        first, last = (bisect_right(starts, offset) - 1 for offset in (edit.start, edit.end))
        if block is not None and first > block.end:
            yield block
            block = None
        start, new_start = (block.start, block.new_start) if block is not None else (first, first + growth)
        growth += edit.replacement.count("\n") - (last - first)
        block = Block(start, last + 1, new_start, last + 1 + growth)
    if block is not None:
        yield block


class _Opcode(NamedTuple):
    """An opcode of difflib: the tag says what becomes of lines `start:end`."""

    tag: str
    start: int
    end: int
    new_start: int
    new_end: int


class Alignment(SequenceMatcher[AnyStr]):
    """The alignment of two files: lines outside the blocks correspond one to one, those inside as difflib finds."""

    def __init__(self, before: list[AnyStr], after: list[AnyStr], blocks: Iterable[Block]) -> None:
        super().__init__(None, [], [])
        self._opcodes: list[_Opcode] = []
        position = new_position = 0
        for block in blocks:
            self._add(_Opcode("equal", position, block.start, new_position, block.new_start))
            inside = SequenceMatcher(None, before[block.start : block.end], after[block.new_start : block.new_end])
            for tag, start, end, new_start, new_end in inside.get_opcodes():
                offset, new_offset = block.start, block.new_start
                self._add(_Opcode(tag, offset + start, offset + end, new_offset + new_start, new_offset + new_end))
            position, new_position = min(block.end, len(before)), min(block.new_end, len(after))
        self._add(_Opcode("equal", position, len(before), new_position, len(after)))

    def get_opcodes(self) -> list[_Opcode]:  # type: ignore[override]  # they are such tuples, with names
        """Return the opcodes in the form of difflib."""
        return self._opcodes

    def _add(self, code: _Opcode) -> None:
        last = self._opcodes[-1] if self._opcodes else None
        if last is not None and last.tag == code.tag == "equal":
            self._opcodes[-1] = last._replace(end=code.end, new_end=code.new_end)
        elif code.start < code.end or code.new_start < code.new_end:
            self._opcodes.append(code)


def _hunk(
    codes: Sequence[tuple[str, int, int, int, int]],
    before: list[bytes],
    after: list[bytes],
    sections: Sequence[tuple[int, str]],
) -> Iterator[bytes]:
    old_range = _range(codes[0][1], codes[-1][2])
    changed = next(start for tag, start, *_ in codes if tag != "equal")
    section = next((f" {name}" for line, name in reversed(sections) if line <= changed), "")
    yield f"@@ -{old_range} +{_range(codes[0][3], codes[-1][4])} @@{section}\n".encode()
    for tag, start, end, new_start, new_end in codes:
        if tag == "equal":
            yield from (_line(b" ", line) for line in before[start:end])
        else:
            yield from (_line(b"-", line) for line in before[start:end])
            yield from (_line(b"+", line) for line in after[new_start:new_end])


def _range(start: int, end: int) -> str:
    """Return a range in the notation of a hunk: first line (from 1) and count; an empty range names the line before."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + (count > 0)},{count}"


def _line(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + b"\n\\ No newline at end of file\n"


def styled(lines: Iterable[bytes], encoding: str) -> Iterator[list[Span]]:
    """Yield the lines of a patch with their colours."""
    for number, line in enumerate(lines):
        style = "bold" if number < 2 else _STYLES.get(line[:1], "")
        yield [(line.decode(encoding, "replace").removesuffix("\n").removesuffix("\r"), style)]
