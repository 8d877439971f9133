"""The statements of a file, and edits of its text by calls and by whole lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from unplace.text.edits import Edit, apply_edits
from unplace.text.keywords import with_keyword, without_keyword
from unplace.text.lines import begins_its_line, whole_lines
from unplace.text.lines import moved as moving
from unplace.text.positions import Text

Span = tuple[int, int, int, int]
Block = list[ast.stmt]
_BLOCKS = ("body", "orelse", "finalbody")


class Code:
    """The syntax tree of a text, with the way from each node outwards."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.tree = tree
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._positions = Text(text)

    @staticmethod
    @cache
    def of(text: str) -> Code | None:
        """Return the code of a text; None where it isn't Python."""
        try:
            return Code(text, ast.parse(text))
        except SyntaxError:
            return None

    # -- nodes ----------------------------------------------------------------------------------------------------

    def call_at(self, span: Span) -> ast.Call | None:
        """Return the call at a place: the one that begins and ends there, or else the first one of that line."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        exact = (call for call in calls if _span(call) == span)
        in_line = (call for call in calls if span[1] < 0 and call.lineno <= span[0] <= (call.end_lineno or 0))
        return next(exact, None) or next(in_line, None)

    def statements_around(self, span: Span) -> list[ast.stmt]:
        """Return the statements around a place, the innermost first."""
        found = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= span[0] and span[2] <= (node.end_lineno or 0)
        ]
        return sorted(found, key=lambda node: (-node.lineno, -_depth(node, self.parents)))

    def block_of(self, statement: ast.stmt) -> Block:
        """Return the statements among which one stands."""
        parent = self.parents[statement]
        blocks: Iterator[Block] = (getattr(parent, name, []) for name in _BLOCKS)
        handlers = (case.body for case in getattr(parent, "cases", ()))
        return next((block for block in (*blocks, *handlers) if statement in block), [statement])

    def common_block(self, spans: Sequence[Span]) -> tuple[Block, list[int]] | None:
        """Return the innermost block that has all places of one function, and the index of the statement of each."""
        chains = [self.statements_around(span) for span in spans]
        for candidate in chains[0] if all(chains) else ():
            block = self.block_of(candidate)
            indices = [next((i for i, s in enumerate(block) if s in chain), None) for chain in chains]
            if all(index is not None for index in indices):
                return block, [index for index in indices if index is not None]
        return None

    def loop_around(self, statement: ast.stmt) -> ast.For | ast.While | None:
        """Return the innermost loop around a statement, in its function."""
        node: ast.AST | None = self.parents.get(statement)
        while node is not None and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if isinstance(node, ast.For | ast.While):
                return node
            node = self.parents.get(node)
        return None

    # -- edits ----------------------------------------------------------------------------------------------------

    def with_keyword(self, call: ast.Call, keyword: str) -> Edit:
        """Return the edit that adds a keyword argument to a call."""
        return with_keyword(self._positions, call, keyword)

    def without_keyword(self, call: ast.Call, name: str) -> Edit | None:
        """Return the edit that takes a keyword argument out of a call; None where it has none."""
        return without_keyword(self._positions, call, name)

    def lines_of(self, statements: Sequence[ast.stmt]) -> tuple[int, int] | None:
        """Return the first and last line of statements in a row, with comments above; None where others share them."""
        return whole_lines(self._positions, statements, self.block_of(statements[0]))

    def begins_its_line(self, statement: ast.stmt) -> bool:
        """Tell whether only white space stands before a statement in its line."""
        return begins_its_line(self._positions, statement)

    def function_at(self, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the innermost function around a line."""
        around = self.statements_around((line, -1, line, -1))
        return next((s for s in around if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)), None)


def moved(text: str, lines: tuple[int, int], *, before: int) -> str:
    """Return a text with some of its lines in front of another line."""
    return apply_edits(text, moving(Text(text), lines, before))


def inserted(text: str, new: Sequence[str], *, before: int) -> str:
    """Return a text with new lines in front of one of its lines."""
    rows = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    if rows and not rows[-1].endswith(("\n", "\r")):
        rows[-1] += end
    return "".join([*rows[: before - 1], *(f"{line}{end}" for line in new), *rows[before - 1 :]])


def _span(node: ast.Call) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _depth(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> int:
    depth = 0
    while node in parents:
        node, depth = parents[node], depth + 1
    return depth
