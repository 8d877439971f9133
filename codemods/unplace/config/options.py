"""Options: what a run applies, however it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from unplace import rules
from unplace.diagnostics.findings import Harm
from unplace.text.positions import LineRanges

if TYPE_CHECKING:
    from unplace.files.patterns import Patterns
    from unplace.torchapi.releases import Release


@dataclass(frozen=True, slots=True)
class Options:
    """What a run applies: `unsafe` also edits that rest on an assumption; `select`/`ignore` name rule codes.

    `preserve_dtype` casts the result back wherever it isn't known to have the dtype of the tensor written in place.
    `target_torch` is the oldest torch that rewritten code has to run on: newer functions aren't used.
    `only` leaves out operations of other harm, `per_file_ignores` codes in the files that a pattern names, `changed`
    all but these lines of each file. Without `comments`, those that have operations ignored don't count; without
    `unused`, nobody asks which of them hold nothing back. With `markdown`, Markdown files hold Python blocks.
    """

    unsafe: bool = False
    preserve_dtype: bool = False
    target_torch: Release | None = None
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    only: frozenset[Harm] | None = None
    per_file_ignores: tuple[tuple[Patterns, frozenset[str]], ...] = ()
    changed: Mapping[str, LineRanges] | None = field(default=None, hash=False)
    comments: bool = True
    unused: bool = True
    markdown: bool = False

    def unfiltered(self) -> Options:
        """The same options for all rules, whatever selection, harm and comments leave out."""
        return replace(self, select=None, ignore=frozenset(), only=None, per_file_ignores=(), comments=False)

    def wanted(self, path: str) -> frozenset[str]:
        """The codes of the rules that the run looks for in a file."""
        codes = (frozenset(rules.codes()) if self.select is None else self.select) - self.ignore
        for patterns, ignored in self.per_file_ignores:
            if codes & ignored and patterns.match(path):
                codes -= ignored
        return codes
