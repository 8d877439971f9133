"""The order in which Python evaluates the parts of a statement or an expression, and which parts it may skip.

A compound statement stands for its header alone: the part of `while f(x) > 0:` is `f(x) > 0`. Its blocks are the
business of the flow index.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from unplace.analysis.syntax.nodes import children, walk


class When(Enum):
    """The number of times that a part is evaluated when the whole is."""

    ONCE = auto()
    MAYBE = auto()  # once or not at all: behind `and`, in a branch of `a if c else b`, in a chained comparison
    OFTEN = auto()  # any number of times, so that each part of a comprehension may follow the others
    LATER = auto()  # when a lambda is called


@dataclass(frozen=True, slots=True)
class Part:
    """A node directly below another one, and when it is evaluated."""

    node: ast.AST
    when: When = When.ONCE


@dataclass(frozen=True, slots=True)
class Around:
    """The parts of a statement that are evaluated before one of its nodes, and those that may be evaluated after it.

    `is_sure`: the node itself is evaluated once whenever the statement runs without an exception.
    """

    before: tuple[ast.AST, ...]
    after: tuple[ast.AST, ...]
    is_sure: bool


def parts(node: ast.AST) -> list[Part]:
    """Return the parts of a node in evaluation order; of a compound statement, those of its header."""
    special = _SPECIAL.get(type(node))
    if special is not None:
        return list(special(node))
    return [Part(child) for child in children(node) if not isinstance(child, ast.stmt)]


def leaves_out(node: ast.AST) -> bool:
    """Tell whether an expression or a simple statement may evaluate one of its parts more or less than once."""
    return type(node) in _LEAVES_OUT


def around(statement: ast.stmt, node: ast.AST) -> Around | None:
    """Return the parts of a statement around one of its nodes, or None if the node is no part of it."""
    before: list[ast.AST] = []
    after: list[ast.AST] = []
    is_sure, is_repeated = True, False
    current: ast.AST = statement
    while current is not node:
        below = parts(current)
        position = next((i for i, part in enumerate(below) if any(n is node for n in walk(part.node))), None)
        if position is None:
            return None
        part = below[position]
        is_repeated = is_repeated or part.when in (When.OFTEN, When.LATER)
        is_sure = is_sure and part.when is When.ONCE
        if is_repeated:
            others = [other.node for other in below if other is not part]
            before += others
            after[:0] = others
        else:
            before += [other.node for other in below[:position] if not _exclude(current, part, other)]
            after[:0] = [other.node for other in below[position + 1 :] if not _exclude(current, part, other)]
        current = part.node
    return Around(tuple(before), tuple(after), is_sure)


def _exclude(node: ast.AST, one: Part, other: Part) -> bool:
    """Tell whether two parts exclude each other, as the two branches of `a if c else b` do."""
    return isinstance(node, ast.IfExp) and {one.node, other.node} == {node.body, node.orelse}


# -- nodes that aren't evaluated field by field -----------------------------------------------------------------------


def _assignment(node: ast.Assign) -> Iterator[Part]:
    yield Part(node.value)
    yield from map(Part, node.targets)


def _annotated(node: ast.AnnAssign) -> Iterator[Part]:
    if node.value is not None:
        yield Part(node.value)
    yield Part(node.target)
    yield Part(node.annotation, When.MAYBE)


def _assertion(node: ast.Assert) -> Iterator[Part]:
    yield Part(node.test)
    if node.msg is not None:
        yield Part(node.msg, When.MAYBE)


def _walrus(node: ast.NamedExpr) -> Iterator[Part]:
    yield Part(node.value)
    yield Part(node.target)


def _boolean(node: ast.BoolOp) -> Iterator[Part]:
    yield Part(node.values[0])
    yield from (Part(value, When.MAYBE) for value in node.values[1:])


def _choice(node: ast.IfExp) -> Iterator[Part]:
    yield Part(node.test)
    yield Part(node.body, When.MAYBE)
    yield Part(node.orelse, When.MAYBE)


def _comparison(node: ast.Compare) -> Iterator[Part]:
    yield Part(node.left)
    yield Part(node.comparators[0])
    yield from (Part(other, When.MAYBE) for other in node.comparators[1:])


def _dictionary(node: ast.Dict) -> Iterator[Part]:
    for key, value in zip(node.keys, node.values, strict=True):
        yield from map(Part, (key, value) if key is not None else (value,))


def _lambda(node: ast.Lambda) -> Iterator[Part]:
    yield from parts(node.args)
    yield Part(node.body, When.LATER)


def _signature(node: ast.arguments) -> Iterator[Part]:
    yield from map(Part, node.defaults)
    yield from (Part(default) for default in node.kw_defaults if default is not None)


def _comprehension(node: Any) -> Iterator[Part]:
    first, *others = node.generators
    yield Part(first.iter)
    yield Part(first.target, When.OFTEN)
    yield from (Part(condition, When.OFTEN) for condition in first.ifs)
    for generator in others:
        yield from (Part(part, When.OFTEN) for part in (generator.iter, generator.target, *generator.ifs))
    elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    yield from (Part(element, When.OFTEN) for element in elements)


def _loop(node: Any) -> Iterator[Part]:
    yield Part(node.iter)
    yield Part(node.target, When.OFTEN)


def _while(node: ast.While) -> Iterator[Part]:
    yield Part(node.test, When.OFTEN)


def _match(node: ast.Match) -> Iterator[Part]:
    yield Part(node.subject)
    for case in node.cases:
        yield Part(case.pattern, When.MAYBE)
        if case.guard is not None:
            yield Part(case.guard, When.MAYBE)


def _try(node: Any) -> Iterator[Part]:
    yield from (Part(handler.type, When.MAYBE) for handler in node.handlers if handler.type is not None)


def _function(node: Any) -> Iterator[Part]:
    yield from map(Part, node.decorator_list)
    yield from parts(node.args)
    annotations = [argument.annotation for argument in ast.walk(node.args) if isinstance(argument, ast.arg)]
    yield from (Part(part, When.MAYBE) for part in (*annotations, node.returns) if part is not None)


def _class(node: ast.ClassDef) -> Iterator[Part]:
    yield from map(Part, (*node.decorator_list, *node.bases, *node.keywords))


_LEAVES_OUT: dict[type, Callable[[Any], Iterator[Part]]] = {
    ast.Assert: _assertion,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.IfExp: _choice,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
}
_SPECIAL: dict[type, Callable[[Any], Iterator[Part]]] = {
    **_LEAVES_OUT,
    ast.AnnAssign: _annotated,
    ast.Assign: _assignment,
    ast.AsyncFor: _loop,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Dict: _dictionary,
    ast.For: _loop,
    ast.FunctionDef: _function,
    ast.Match: _match,
    ast.NamedExpr: _walrus,
    ast.Try: _try,
    getattr(ast, "TryStar", ast.Try): _try,
    ast.While: _while,
    ast.arguments: _signature,
}
