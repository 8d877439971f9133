"""Copies of expressions where they stand: `.clone()` behind them, in the layout of the code around."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from unplace.analysis.syntax.nodes import Parents, walk
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.transform.emit.snippet import precedence
from unplace.transform.emit.wrapping import SHORT, wrapped


@dataclass(slots=True)
class Copies:
    """Copies that let a write stay: what is copied, the edits by path, what makes or gets them, and assumptions."""

    copied: set[ast.AST] = field(default_factory=set)
    edits: dict[str, set[Edit]] = field(default_factory=dict)
    told: dict[Reason, None] = field(default_factory=dict)
    assumptions: dict[Reason, None] = field(default_factory=dict)

    def add(self, node: ast.AST, path: str, edits: Iterable[Edit]) -> None:
        """Add the copy of a node's value, made by edits of the file at a path."""
        self.copied.add(node)
        self.edits.setdefault(path, set()).update(edits)

    def join(self, other: Copies) -> None:
        """Add all copies of another collection."""
        self.copied |= other.copied
        for path, edits in other.edits.items():
            self.edits.setdefault(path, set()).update(edits)
        self.told |= other.told
        self.assumptions |= other.assumptions

    def cost(self, text: Text) -> tuple[int, int]:
        """Return what the copies cost: their number, with the lines that they add, and the lines that they change."""
        every = [edit for edits in self.edits.values() for edit in edits]
        copies = sum(edit.replacement.count(".clone()") for edit in every)
        return copies + sum(edit.replacement.count(text.newline) for edit in every), len(every)


def cloned(text: Text, expression: ast.expr, parents: Parents) -> tuple[Edit, ...]:
    """Return the edits that append `.clone()` to an expression, in parentheses where needed.

    Formatters put blanks around the `**` of `x.clone() ** 2` that they leave out of `x**2`.
    """
    start, end = text.span(expression)
    if precedence(expression) < 20:
        return (Edit(start, start, "("), Edit(end, end, ").clone()"))
    operand: ast.AST = expression
    while isinstance(parents.get(operand), ast.Attribute):
        operand = parents[operand]
    power = parents.get(operand)
    if not isinstance(power, ast.BinOp) or _sign_of(text, power) != "**" or _hugs_calls(text):
        return (Edit(end, end, ".clone()"),)
    before, behind = text.span(power.left)[1], text.span(power.right)[0]
    if end == before:
        return (Edit(end, behind, ".clone() ** "),)
    return tuple(sorted((Edit(end, end, ".clone()"), Edit(before, behind, " ** "))))


def laid_out(text: Text, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return sorted edits, with one in place of those that would make the line of a statement too long."""
    by_line: dict[int, list[Edit]] = {}
    for edit in sorted(edits):
        by_line.setdefault(text.place(edit.start)[0], []).append(edit)
    return tuple(each for line, here in by_line.items() for each in _broken(text, line, here))


def _broken(text: Text, number: int, edits: Sequence[Edit]) -> Sequence[Edit]:
    """Return the edits of a line, or one that breaks the statement on it, which they would make too long."""
    line = text.line(number)
    start, indent = text.starts[number - 1], line[: len(line) - len(line.lstrip())]
    if len(line) + sum(len(edit.replacement) for edit in edits) <= SHORT:
        return edits
    statement = next((s for s in _simple_statements(text) if s.lineno == s.end_lineno == number), None)
    if statement is None or text.span(statement)[0] != start + len(indent):
        return edits
    first, last = text.span(statement)
    if edits[-1].end > last:
        return edits
    inside = [Edit(edit.start - first, edit.end - first, edit.replacement) for edit in edits]
    changed = apply_edits(text.text[first:last], inside)
    broken = wrapped(text, changed, indent, line[last - start :].rstrip())
    return edits if broken == changed else (Edit(first, last, broken),)


def _simple_statements(text: Text) -> Iterator[ast.stmt]:
    return (n for n in walk(parsed(text.text)) if isinstance(n, ast.stmt) and not hasattr(n, "body"))


def _sign_of(text: Text, power: ast.BinOp) -> str:
    """Return what stands between the operands of an operator, with the blanks around it."""
    return text.text[text.span(power.left)[1] : text.span(power.right)[0]]


def _hugs_calls(text: Text) -> bool:
    """Tell whether a file leaves out the blanks around the `**` of calls, too."""
    powers = (n for n in walk(parsed(text.text)) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow))
    return any(isinstance(power.left, ast.Call) and _sign_of(text, power) == "**" for power in powers)
