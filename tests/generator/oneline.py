"""Syntax trees that remember which statements stand in one line, so that a shrunken program still has them there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MARK = "_stands_beside"
BODIES = ("body", "orelse", "finalbody")
OWNERS = (
    *(ast.If, ast.For, ast.While, ast.With, ast.Try, getattr(ast, "TryStar", ast.Try)),
    *(ast.ExceptHandler, ast.match_case, ast.FunctionDef),
)
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass, ast.Break, ast.Continue, ast.Raise,
          ast.Assert, ast.Delete, ast.Global, ast.Nonlocal)  # fmt: skip


def parsed(text: str) -> ast.Module:
    """The tree of a text; statements that stand behind something else in their line are marked."""
    tree = ast.parse(text)
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and lines[node.lineno - 1].encode()[: node.col_offset].strip():
            setattr(node, MARK, True)
    return tree


def unparsed(tree: ast.Module) -> str:
    """The text of a tree, with the marked statements in the lines of those in front of them."""
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    try:
        again = ast.parse(text)
    except SyntaxError:
        return text
    lines: list[str | None] = list(text.splitlines())
    pairs = list(zip(_bodies(tree), _bodies(again), strict=False))
    for (_, marked), (owner, placed) in reversed(pairs):
        _join(lines, owner, marked, placed)
    return "\n".join(line for line in lines if line is not None) + "\n"


def _bodies(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for field in BODIES:
            value = getattr(node, field, None)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield node, value


def _join(lines: list[str | None], owner: ast.AST, marked: list[ast.stmt], placed: list[ast.stmt]) -> None:
    if len(marked) != len(placed) or not all(_is_line(node) for node in placed):
        is_whole = False
    else:
        is_whole = all(hasattr(node, MARK) for node in marked) and isinstance(owner, OWNERS)
    for position in range(min(len(marked), len(placed)) - 1, -1, -1):
        node = placed[position]
        if not hasattr(marked[position], MARK) or not _is_line(node):
            continue
        if position and _is_line(placed[position - 1]):
            _put(lines, node.lineno - 1, placed[position - 1].lineno - 1, "; ")
        elif not position and is_whole:
            _put(lines, node.lineno - 1, node.lineno - 2, " ")


def _put(lines: list[str | None], source: int, target: int, between: str) -> None:
    moved, header = lines[source], lines[target]
    if moved is not None and header is not None and (between != " " or header.endswith(":")):
        lines[target], lines[source] = f"{header}{between}{moved.strip()}", None


def _is_line(node: ast.stmt) -> bool:
    return isinstance(node, SIMPLE) and node.lineno == node.end_lineno
