"""Represents reasons as data: a sentence with its lines and names; `str` turns it into English where it is shown.

The sentences are in `unplace.diagnostics.catalogue`. Calling one fills it in:

    Refusal.BETWEEN(line=Line(7))           the write in line 7 stays in place and would hit the new graph

Code that moves or counts reasons works on this data: `moved` returns the same reason for a text in which the lines have
moved, and reasons with the same `code` differ only in names and lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from string import Formatter
from typing import TypeAlias

_NAMES_LEFT_OPEN = "…"
_FORMATTER = Formatter()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text, or of a cell of a notebook, counted from 1; `file` names another file than the reader's."""

    number: int
    cell: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        """Return `line 3`, in notebooks `line 3 of cell 2`, in other files `line 3 of utils.py`."""
        place = self.file if self.cell is None else f"cell {self.cell}"
        return f"line {self.number}" if place is None else f"line {self.number} of {place}"

    @property
    def place(self) -> str:
        """The place as text: `3`, in notebooks `cell 2:3`."""
        return str(self.number) if self.cell is None else f"cell {self.cell}:{self.number}"


class Fact(str):
    """A text that is the same everywhere, such as a fact from torch's own table about an operator."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of the catalogue with the names, lines and further reasons that fill it in."""

    kind: Kind
    parts: tuple[tuple[str, Part], ...] = ()

    def __str__(self) -> str:
        """Return the sentence in English."""
        return self.kind.filled({name: _shown(part) for name, part in self.parts})

    @property
    def code(self) -> str:
        """The code of the sentence, with those of the reasons in it: `clause(leaf-written,expanded)`."""
        inner = [reason.code for _, part in self.parts for reason in _reasons(part)]
        return f"{self.kind.code}({','.join(inner)})" if inner else self.kind.code

    @property
    def opened(self) -> str:
        """The sentence with names and lines left open, which all reasons with this code share."""
        return self.kind.filled({name: _opened(part) for name, part in self.parts})

    def moved(self, move: Callable[[Line], Line]) -> Reason:
        """Return the same reason with each of its lines in the reader's file moved."""
        return self._moved(lambda line: move(line) if line.file is None else line)

    def moved_elsewhere(self, move: Callable[[Line], Line]) -> Reason:
        """Return the same reason with each of its lines in other files moved."""
        return self._moved(lambda line: line if line.file is None else move(line))

    def _moved(self, move: Callable[[Line], Line]) -> Reason:
        return replace(self, parts=tuple((name, _moved(part, move)) for name, part in self.parts))

    def every(self) -> Iterator[Reason]:
        """Iterate over this reason and all that it gives."""
        yield self
        for _, part in self.parts:
            for reason in _reasons(part):
                yield from reason.every()

    def holds(self, other: Reason) -> bool:
        """Tell whether this reason is, or gives, another one."""
        return any(reason == other for reason in self.every())


Part: TypeAlias = "str | Line | Reason | tuple[Reason, ...]"
"""A value for a gap. A tuple is an enumeration; `{name:; }` in the sentence gives the separator of its members."""


class Kind(Enum):
    """A sentence with gaps; its code is its name. Members of a catalogue are called to fill in the gaps."""

    def __init__(self, text: str) -> None:
        """Split the sentence into pieces: text, and the gap after it with the separator for several members."""
        self.pieces = [(before, gap, between or ", ") for before, gap, between, _ in _FORMATTER.parse(text)]
        self.gaps = tuple(dict.fromkeys(gap for _, gap, _ in self.pieces if gap is not None))

    @property
    def code(self) -> str:
        """The code of the sentence: `leaf-written`."""
        return self.name.lower().replace("_", "-")

    def __call__(self, **parts: Part) -> Reason:
        """Return the reason with the gaps filled in; each gap has to be named."""
        assert parts.keys() == {*self.gaps}, f"{self.name} has the gaps {self.gaps}, not {tuple(parts)}"
        return Reason(self, tuple((gap, parts[gap]) for gap in self.gaps))

    def filled(self, shown: dict[str, list[str]]) -> str:
        """Return the sentence with texts in its gaps."""
        return "".join(
            before + (between.join(shown[gap]) if gap is not None else "") for before, gap, between in self.pieces
        )


def _reasons(part: Part) -> Iterator[Reason]:
    """Yield the reasons in a part."""
    if isinstance(part, Reason):
        yield part
    elif isinstance(part, tuple):
        yield from part


def _shown(part: Part) -> list[str]:
    return [str(reason) for reason in part] if isinstance(part, tuple) else [str(part)]


def _opened(part: Part) -> list[str]:
    if isinstance(part, Line):
        return ["line N"]
    if isinstance(part, Fact):
        return [part]
    return [_NAMES_LEFT_OPEN] if isinstance(part, str) else [reason.opened for reason in _reasons(part)]


def _moved(part: Part, move: Callable[[Line], Line]) -> Part:
    if isinstance(part, Line):
        return move(part)
    if isinstance(part, tuple):
        return tuple(reason._moved(move) for reason in part)
    return part._moved(move) if isinstance(part, Reason) else part


def quoted(label: str) -> str:
    """Return a label in backticks, unless it has a space or backticks already."""
    return label if "`" in label or " " in label else f"`{label}`"
