"""Which operations of a module a run is about; it leaves the others alone and doesn't report them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unplace.config.suppressions import Suppressions
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from unplace.text.positions import LineRanges


@dataclass(frozen=True, slots=True)
class Wanted:
    """The operations with one of some codes, of some harm and in some lines, that no comment has ignored.

    `only` and `lines` are None where they leave nothing out. The lines are those of the text as it was at first;
    `origin` tells from which of them a line of the module comes. Those are judged `apart` from what calls their modules
    in functions elsewhere. `failed` holds, by line and code, why the recipes repaired nothing that were tried.
    """

    codes: frozenset[str]
    only: frozenset[Harm] | None = None
    lines: LineRanges | None = None
    origin: Callable[[int], int] = field(default=lambda line: line)
    comments: Suppressions = field(default_factory=Suppressions)
    apart: bool = False
    failed: Mapping[tuple[int, str], Sequence[Reason]] = field(default_factory=dict)

    def reaches(self, node: ast.AST) -> bool:
        """Whether a node, or the module, has a part in the lines."""
        if self.lines is None or isinstance(node, ast.Module):
            return True
        start, end = map(self.origin, _lines_of(node))
        return any(start <= last and first <= end for first, last in self.lines)

    def failures(self, code: str, node: ast.AST) -> Sequence[Reason]:
        """Why recipes for an operation with the code of a rule repaired nothing."""
        return self.failed.get((self.origin(_lines_of(node)[0]), code), ()) if self.failed else ()

    def __call__(self, code: str, harm: Harm, node: ast.AST) -> bool:
        """Whether the run is about an operation, given the code of its rule, its harm and its node."""
        if code not in self.codes or (self.only is not None and harm not in self.only):
            return False
        return self.reaches(node) and not self.comments.covers(code, *_lines_of(node))


def _lines_of(node: Any) -> tuple[int, int]:
    return node.lineno, node.end_lineno
