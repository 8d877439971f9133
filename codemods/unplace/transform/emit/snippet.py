"""One statement of the source as a LibCST tree, and the way back to text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from unplace.text.positions import Text
from unplace.transform.emit.alignment import realigned

Change = Callable[[cst.CSTNode], cst.CSTNode]

_Places = Mapping[tuple[int, int, int, int], Sequence[cst.CSTNode]]
"""Expressions and arguments by position: first line and column, last line and column."""

_KEPT = 1024
"""The number of parsed statements that are kept: all but one are the same when an edited file is parsed again."""


@lru_cache(_KEPT)
def _parsed(source: str, is_statement: bool) -> tuple[cst.Module, _Places]:
    """Parse a statement, or an expression in parentheses that are removed again; nobody changes the cached tree."""
    module = cst.parse_module(f"{source}\n" if is_statement else f"({source})\n")
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    by_place: dict[tuple[int, int, int, int], list[cst.CSTNode]] = {}
    for node, place in wrapper.resolve(PositionProvider).items():
        if isinstance(place, CodeRange) and isinstance(node, cst.BaseExpression | cst.Arg):
            key = (place.start.line, place.start.column, place.end.line, place.end.column)
            by_place.setdefault(key, []).append(node)
    return (module if is_statement else _unwrapped(module, by_place)), by_place


def _unwrapped(module: cst.Module, by_place: dict[tuple[int, int, int, int], list[cst.CSTNode]]) -> cst.Module:
    """Remove the parentheses with which an expression of several lines could be parsed alone."""
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    old = line.body[0]
    assert isinstance(old, cst.Expr)
    node = old.value
    bare = node.with_changes(lpar=node.lpar[1:], rpar=node.rpar[:-1])
    for nodes in by_place.values():
        nodes[:] = [bare if n is node else n for n in nodes]
    return module.with_changes(body=[line.with_changes(body=[old.with_changes(value=bare)])])


class Snippet:
    """A simple statement, or an expression of a compound statement's header, taken out of its module."""

    def __init__(self, text: Text, root: ast.stmt | ast.expr) -> None:
        """Parse the source of `root` alone."""
        self.start, self.end = text.span(root)
        self.text = text
        self._wrapped = isinstance(root, ast.expr)
        self.module, self._by_place = _parsed(text.text[self.start : self.end], not self._wrapped)
        self._changes: dict[cst.CSTNode, Change] = {}

    def node(self, of: ast.expr) -> cst.BaseExpression:
        """Return the LibCST node of an expression of the statement; raise `LookupError` if there is none."""
        first_line, first_column = self.text.place(self.start)
        start, end = self.text.span(of)
        key: list[int] = []
        for offset in (start, end):
            line, column = self.text.place(offset)
            on_first = line == first_line
            key += [line - first_line + 1, column - (first_column if on_first else 1) + (on_first and self._wrapped)]
        found = [
            n for n in self._by_place.get((key[0], key[1], key[2], key[3]), []) if isinstance(n, cst.BaseExpression)
        ]
        if not found:
            raise LookupError(f"no node for {ast.unparse(of)!r}")
        return found[0]

    def change(self, of: ast.expr, change: Change) -> None:
        """Plan a change of one expression; changes of its subexpressions are made first."""
        self._changes[self.node(of)] = change

    def code(self, node: cst.CSTNode) -> str:
        """Return the source of a node with the planned changes made in it."""
        changed = node.visit(_Changes(self._changes))
        assert isinstance(changed, cst.CSTNode)
        return self.module.code_for_node(changed)

    def statement(self) -> cst.BaseSmallStatement:
        """Return the statement with the planned changes made."""
        changed = self.module.visit(_Changes(self._changes)) if self._changes else self.module
        line = changed.body[0]
        assert isinstance(line, cst.SimpleStatementLine)
        return line.body[0]

    def render(self, statement: cst.BaseSmallStatement) -> str:
        """Return a statement as text, in the place of the old one."""
        new = self.module.code_for_node(statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
        _, column = self.text.place(self.start)
        return realigned(self.text.text[self.start : self.end], new, column - 1, column - 1)

    def line(self, start: str, value: cst.BaseExpression) -> str:
        """Return a line that begins in some way and goes on with a value of the statement, as wide as it was there."""
        code = self.module.code_for_node(value)
        old = self.text.text[self.start : self.end]
        place = old.find(code)
        if place < 0 or "\n" in old[:place]:
            return start + code
        _, column = self.text.place(self.start)
        return start + realigned(code, code, column - 1 + place, column - 1 + len(start))


class _Changes(cst.CSTTransformer):
    """Applies planned changes, innermost first."""

    def __init__(self, changes: dict[cst.CSTNode, Change]) -> None:
        super().__init__()
        self._changes = changes

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        change = self._changes.get(original_node)
        return updated_node if change is None else change(updated_node)


def without_data(node: cst.CSTNode) -> cst.CSTNode:
    """Return `y` for `y.data`."""
    assert isinstance(node, cst.Attribute)
    return node.value


def expression(code: str) -> cst.BaseExpression:
    """Parse an expression."""
    return cst.parse_expression(code)


def extended(code: str, more: Sequence[str]) -> str:
    """Append elements to a tuple; its lines and comments stay."""
    module, _ = _parsed(code, True)
    (line,) = module.body
    assert isinstance(line, cst.SimpleStatementLine)
    (statement,) = line.body
    assert isinstance(statement, cst.Expr)
    assert isinstance(statement.value, cst.Tuple)
    *elements, last = statement.value.elements
    if not isinstance(last.comma, cst.Comma) or last.comma.whitespace_after.empty:
        last = last.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
    added = [cst.Element(expression(element)) for element in more]
    return module.code_for_node(statement.value.with_changes(elements=[*elements, last, *added]))


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """Put an expression in parentheses, unless it already is."""
    if node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def assignment(
    places: Sequence[str],
    value: cst.BaseExpression,
    around: tuple[cst.SimpleWhitespace, cst.SimpleWhitespace] | None = None,
    first: cst.BaseExpression | None = None,
) -> cst.Assign:
    """Build `a = b = value`; `first` is the first place as the source writes it, `around` the blanks around `=`."""
    before, after = around if around is not None else (cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    targets = [
        cst.AssignTarget(
            target=_target(first if first is not None and index == 0 else expression(place)),
            whitespace_before_equal=before,
            whitespace_after_equal=after,
        )
        for index, place in enumerate(places)
    ]
    return cst.Assign(targets=targets, value=value)


def blanks(operator: cst.BaseAugOp) -> tuple[cst.SimpleWhitespace, cst.SimpleWhitespace]:
    """Return the blanks around an augmented operator; a single space stands for those with a line break."""
    found = []
    for name in ("whitespace_before", "whitespace_after"):
        blank = getattr(operator, name)
        is_plain = isinstance(blank, cst.SimpleWhitespace) and "\n" not in blank.value
        found.append(blank if is_plain else cst.SimpleWhitespace(" "))
    return found[0], found[1]


def _target(node: cst.BaseExpression) -> cst.BaseAssignTargetExpression:
    assert isinstance(node, cst.Name | cst.Attribute | cst.Subscript | cst.Tuple)
    return node


def precedence(node: ast.expr) -> int:
    """Return how tightly an expression binds; higher is tighter."""
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)]
    if isinstance(node, ast.UnaryOp):
        return 3 if isinstance(node.op, ast.Not) else 11
    for types, level in _LEVELS:
        if isinstance(node, types):
            return level
    return 20


_OPERATORS: dict[type[ast.operator], int] = {
    ast.BitOr: 5,
    ast.BitXor: 6,
    ast.BitAnd: 7,
    ast.LShift: 8,
    ast.RShift: 8,
    ast.Add: 9,
    ast.Sub: 9,
    ast.Mult: 10,
    ast.Div: 10,
    ast.FloorDiv: 10,
    ast.Mod: 10,
    ast.MatMult: 10,
    ast.Pow: 12,
}
_LEVELS: tuple[tuple[tuple[type, ...], int], ...] = (
    ((ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Lambda, ast.IfExp, ast.Tuple), 0),
    ((ast.BoolOp,), 1),
    ((ast.Compare,), 4),
)


def needs_parentheses(right: ast.expr, operator: ast.operator) -> bool:
    """Tell whether `right` needs parentheses as the right operand of `operator`."""
    level = _OPERATORS[type(operator)]
    if isinstance(operator, ast.Pow):
        return precedence(right) < 11
    return precedence(right) <= level
