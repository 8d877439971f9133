"""Defines what `unplace` reports: one finding per in-place operation, one report per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from unplace.diagnostics.catalogue import Left, Observed, Purpose
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line, Reason
from unplace.text.edits import Edit
from unplace.text.visible import visible


class Status(str, Enum):
    """The verdict on an operation in this run."""

    REWRITTEN = "rewritten"
    KEPT = "kept"
    REFUSED = "refused"


class Applicability(str, Enum):
    """The applicability of an edit, surest first: proved, or based on what runs showed, conventions or assumptions."""

    SAFE = "safe"
    OBSERVED = "observed"
    CONVENTIONAL = "conventional"
    UNSAFE = "unsafe"

    @classmethod
    def of_all(cls, edits: Iterable[Applicability | None]) -> Applicability:
        """Return the applicability of edits that are made together: that of the least sure one."""
        return max((each for each in edits if each is not None), key=list(cls).index, default=cls.SAFE)


class Harm(str, Enum):
    """The harm of a write, as far as the code in sight tells.

    It is harmful where torch raises on a path of that code, or a gradient is wrong: the write hits memory that an
    earlier operation saved for backward, torch forbids it, or a store to `.data` cuts a gradient. It is possible where
    only code out of sight could make it so: it would have to pass a tensor with a graph, or to save the memory.
    """

    HARMFUL = "harmful"
    POSSIBLE = "possible"
    HARMLESS = "harmless"


class Awaited(Enum):
    """What a hazard waits for to do harm: a graph that the code in sight gives to no tensor concerned."""

    CALLER = "a caller passes a tensor with a graph"
    UNSEEN = "code out of sight gives a tensor a graph"


Elsewhere: TypeAlias = tuple[tuple[str, tuple[Edit, ...]], ...]
"""Edits of other files, by absolute path."""


@dataclass(frozen=True, slots=True)
class SavedBy:
    """The operation that saved the overwritten memory for backward, and its line: in a cell, or in another file."""

    operation: str
    line: int
    cell: int | None = None
    file: str | None = None

    @property
    def place(self) -> str:
        """The place as text: `line 3`, in notebooks `line 3 of cell 2`, in other files `line 3 of utils.py`."""
        return str(Line(self.line, self.cell, self.file))

    def moved_elsewhere(self, move: Callable[[Line], Line]) -> SavedBy:
        """Return the operation in another line of another file; one in the same file stays."""
        return self if self.file is None else replace(self, line=move(Line(self.line, file=self.file)).number)

    def moved(self, move: Callable[[Line], Line]) -> SavedBy:
        """Return the operation in another line; one in another file stays."""
        if self.file is not None:
            return self
        line = move(Line(self.line, self.cell))
        return SavedBy(self.operation, line.number, line.cell)


@dataclass(frozen=True, slots=True)
class InCell:
    """A place in a notebook as people know it: the number of the cell, and lines and columns in it, all from 1."""

    number: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Finding:
    """An in-place operation of a file and its verdict.

    Lines and columns count from 1, columns in characters; the end is exclusive, as in most editors.
    `applicability` is None unless the operation can be rewritten. `status` tells what this run does with it: an
    operation whose edit is `unsafe` is `refused` in a run that only applies safe ones. `reason` tells what its edit
    does, or why there is none, and `assumed` holds the assumptions of the edit, or what runs showed. `edits` are the
    text edits that rewrite it; findings that share a `fix` number share their edits and can only be applied together.
    `saved_by` is known where the harm is certain, but not for `.data` stores and writes that torch forbids. In a
    notebook, lines, columns and edits are those of the file, and `cell` is the same place in its cell. `elsewhere` has
    the edits that other files need along with these, by absolute path; `may_span` tells that edits of several files may
    rewrite the operation. `ran` tells how often it ran, where runs were observed. `awaited` tells
    what would make a possible harm certain, where that is known. `verified` tells what calls before and after its edit
    showed, where they were made.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    form: Form
    status: Status
    applicability: Applicability | None
    harm: Harm
    reason: Reason
    assumed: tuple[Reason, ...] = ()
    fix: int | None = None
    edits: tuple[Edit, ...] = ()
    saved_by: SavedBy | None = None
    cell: InCell | None = None
    elsewhere: Elsewhere = ()
    may_span: bool = False
    ran: tuple[Reason, ...] = ()
    awaited: Awaited | None = None
    verified: Reason | None = None

    @property
    def is_hazard(self) -> bool:
        """True where the operation is harmful, or is as soon as a tensor has the graph that it waits for."""
        return self.harm is Harm.HARMFUL or self.awaited is not None

    @property
    def message(self) -> str:
        """The reason in English."""
        return str(self.reason)

    @property
    def left(self) -> Left | None:
        """The principle by which the operation is kept; None for one that isn't."""
        return Left.by(self.reason) if self.status is Status.KEPT else None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the edit, in English."""
        return tuple(map(str, self.assumed))

    def moved(self, move: Callable[[Line], Line]) -> Finding:
        """Return the finding with each line that it mentions moved; its own place stays."""
        by = self.saved_by
        return replace(
            self,
            reason=self.reason.moved(move),
            assumed=tuple(assumption.moved(move) for assumption in self.assumed),
            saved_by=by.moved(move) if by is not None else None,
        )

    def moved_elsewhere(self, move: Callable[[Line], Line]) -> Finding:
        """Return the finding with each line that it mentions in other files moved."""
        by = self.saved_by
        return replace(
            self,
            reason=self.reason.moved_elsewhere(move),
            assumed=tuple(assumption.moved_elsewhere(move) for assumption in self.assumed),
            saved_by=by.moved_elsewhere(move) if by is not None else None,
        )

    @property
    def place(self) -> str:
        """The place as text: `3:5`, in notebooks `cell 2:3:5`."""
        if self.cell is None:
            return f"{self.line}:{self.column}"
        return f"cell {self.cell.number}:{self.cell.line}:{self.cell.column}"

    @property
    def is_observed_harmful(self) -> bool:
        """True where torch raised in an observed run because of the operation."""
        return any(told.kind in (Observed.RAISED, Observed.REFUSED) for told in self.ran)

    @property
    def is_unclear(self) -> bool:
        """True where nothing shows whether the operation writes a tensor."""
        return self.status is Status.KEPT and self.reason.kind in (Purpose.UNKNOWN_KIND, Purpose.UNKNOWN_KIND_UNSAFE)

    @property
    def is_reported(self) -> bool:
        """True where people are told of the finding: for all but operations that are meant to be in place."""
        return self.status is not Status.KEPT


class Trouble(str, Enum):
    """A kind of problem that programs distinguish, such as an editor that shows it differently."""

    UNUSED_SUPPRESSION = "unused-suppression"
    INVALID_SUPPRESSION = "invalid-suppression"
    NO_MEMORY = "no-memory"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that kept a file (or a place in it) from being handled; `line` and `column` count from 1 if known.

    In notebooks, they count in the cell with the number `cell`, unless the problem is about the file as a whole.
    `codes` are the rules that it is about, of those that a comment names.
    """

    path: str
    message: str
    line: int | None = None
    column: int | None = None
    cell: int | None = None
    trouble: Trouble | None = None
    codes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return `path:line:column: message`, as compilers do; in notebooks `path:cell 2:line:column: message`."""
        cell = f":cell {self.cell}" if self.cell is not None else ""
        place = "".join(f":{number}" for number in (self.line, self.column) if number is not None)
        return f"{visible(self.path)}{cell}{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The findings in one file, and its text after the run: `after` is `before` where nothing is rewritten.

    `edits` turn `before` into `after`. They can be more than those of the findings: an operation that can only be
    rewritten after another one is rewritten after it.
    """

    path: str
    before: str
    after: str
    findings: Sequence[Finding] = field(default_factory=tuple)
    edits: Sequence[Edit] = field(default_factory=tuple)
    warnings: Sequence[Problem] = field(default_factory=tuple)

    @property
    def changed(self) -> bool:
        """True where the run changes the file."""
        return self.before != self.after
