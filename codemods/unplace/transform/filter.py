"""Filter for the operations that a run handles; it leaves all others alone and doesn't report them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unplace.config import suppressions
from unplace.config.options import Options
from unplace.config.suppressions import Suppressions
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.reasons import Reason
from unplace.observation.facts import FileFacts, OperationFacts

if TYPE_CHECKING:
    from unplace.text.positions import LineRanges


@dataclass(frozen=True, slots=True)
class Filter:
    """The operations that a run handles: by code, harm and lines, less those that a comment ignores.

    `only` and `lines` are None where they exclude nothing. The lines are those of the original text; `origin` maps a
    line of the module to the original one. `within` are the lines of the module itself that a later round looks at;
    None for all. With `apart`, a module with `inplace=True` is judged without the calls of it
    in functions outside of the lines. `failed` has, by line and code, why the recipes tried so far repaired nothing.
    `observed` are the facts from runs about the original text, of which `is_edited` tells that the module's differs.
    `goes_on` tells that another round follows an edit, and may decide about what waits for it.
    """

    codes: frozenset[str]
    only: frozenset[Harm] | None = None
    lines: LineRanges | None = None
    origin: Callable[[int], int] = field(default=lambda line: line)
    within: LineRanges | None = None
    comments: Suppressions = field(default_factory=Suppressions)
    apart: bool = False
    failed: Mapping[tuple[int, str], Sequence[Reason]] = field(default_factory=dict)
    observed: FileFacts | None = None
    is_edited: bool = False
    goes_on: bool = False

    def facts(self, *nodes: ast.AST) -> OperationFacts | None:
        """Return what runs showed of an operation, given the nodes that may be its own."""
        return self.observed.of(nodes, self.origin(_lines_of(nodes[0])[0])) if self.observed is not None else None

    def reaches(self, node: ast.AST) -> bool:
        """Tell whether a part of a node is in the lines; the module as a whole always is."""
        if self.is_whole or isinstance(node, ast.Module):
            return True
        lines = _lines_of(node)
        return _meets(self.within, *lines) and _meets(self.lines, *map(self.origin, lines))

    @property
    def is_whole(self) -> bool:
        """Tell whether the run handles all lines."""
        return self.lines is None and self.within is None

    def failures(self, code: str, node: ast.AST) -> Sequence[Reason]:
        """Return why the recipes tried for an operation with this code repaired nothing."""
        return self.failed.get((self.origin(_lines_of(node)[0]), code), ()) if self.failed else ()

    def __call__(self, code: str, harm: Harm, node: ast.AST) -> bool:
        """Tell whether the run handles an operation, given the code of its rule, its harm and its node."""
        return (self.only is None or harm in self.only) and self.counts(code, node)

    def counts(self, code: str, node: ast.AST) -> bool:
        """Tell whether an operation is one of those that the run handles but for its harm."""
        return code in self.codes and self.reaches(node) and not self.comments.covers(code, *_lines_of(node))


def leaves_out(text: str, options: Options) -> bool:
    """Tell whether a comment in a file leaves it out: `# unplace: skip-file`."""
    return options.comments and suppressions.read(text).skips_file


def _meets(ranges: LineRanges | None, start: int, end: int) -> bool:
    return ranges is None or any(start <= last and first <= end for first, last in ranges)


def _lines_of(node: Any) -> tuple[int, int]:
    return node.lineno, node.end_lineno
