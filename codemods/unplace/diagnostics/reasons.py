"""Reasons as data: what is said, of which lines and names; `str` makes English of it, at the edge.

The sentences stand in `unplace.diagnostics.catalogue`. One is filled in by calling it:

    Refusal.BETWEEN(line=Line(7))           the write in line 7 stays in place and would hit the new graph

What is moved or counted is the data: `moved` gives the same reason for a text whose lines stand elsewhere, and reasons
with the same `code` say the same of different places.
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
    """A line of a text, or of a cell of a notebook, counted from 1."""

    number: int
    cell: int | None = None

    def __str__(self) -> str:
        """`line 3`, in notebooks `line 3 of cell 2`."""
        return f"line {self.number}" if self.cell is None else f"line {self.number} of cell {self.cell}"

    @property
    def place(self) -> str:
        """`3`, in notebooks `cell 2:3`."""
        return str(self.number) if self.cell is None else f"cell {self.cell}:{self.number}"


class Fact(str):
    """Words that are the same wherever they are said, such as what torch's own table says of an operator."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of the catalogue with the names, lines and further reasons that fill it in."""

    kind: Kind
    parts: tuple[tuple[str, Part], ...] = ()

    def __str__(self) -> str:
        """The sentence in English."""
        return self.kind.filled({name: _shown(part) for name, part in self.parts})

    @property
    def code(self) -> str:
        """The code of the sentence, with those of the reasons in it: `clause(leaf-written,expanded)`."""
        inner = [reason.code for _, part in self.parts for reason in _reasons(part)]
        return f"{self.kind.code}({','.join(inner)})" if inner else self.kind.code

    @property
    def opened(self) -> str:
        """The sentence with its names and lines left open: the same for all reasons with this code."""
        return self.kind.filled({name: _opened(part) for name, part in self.parts})

    def moved(self, move: Callable[[Line], Line]) -> Reason:
        """The same reason where every line is another one."""
        return replace(self, parts=tuple((name, _moved(part, move)) for name, part in self.parts))

    def holds(self, other: Reason) -> bool:
        """Tell whether this reason is, or gives, another one."""
        return self == other or any(reason.holds(other) for _, part in self.parts for reason in _reasons(part))


Part: TypeAlias = "str | Line | Reason | tuple[Reason, ...]"
"""What fills in a gap. A tuple is an enumeration; `{name:; }` in the sentence says what stands between its members."""


class Kind(Enum):
    """A sentence with gaps; its code is its name. The members of a catalogue are called to fill them in."""

    def __init__(self, text: str) -> None:
        """Take the sentence apart: text, and the gap behind it with what separates its members."""
        self.pieces = [(before, gap, between or ", ") for before, gap, between, _ in _FORMATTER.parse(text)]
        self.gaps = tuple(dict.fromkeys(gap for _, gap, _ in self.pieces if gap is not None))

    @property
    def code(self) -> str:
        """The name of the sentence, as programs know it: `leaf-written`."""
        return self.name.lower().replace("_", "-")

    def __call__(self, **parts: Part) -> Reason:
        """Fill in the gaps; each has to be named."""
        assert parts.keys() == {*self.gaps}, f"{self.name} has the gaps {self.gaps}, not {tuple(parts)}"
        return Reason(self, tuple((gap, parts[gap]) for gap in self.gaps))

    def filled(self, shown: dict[str, list[str]]) -> str:
        """Return the sentence with texts in its gaps."""
        return "".join(
            before + (between.join(shown[gap]) if gap is not None else "") for before, gap, between in self.pieces
        )


def _reasons(part: Part) -> Iterator[Reason]:
    """The reasons in a part."""
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
        return tuple(reason.moved(move) for reason in part)
    return part.moved(move) if isinstance(part, Reason) else part
