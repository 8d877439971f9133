"""Delta debugging on the syntax tree: the smallest program found that is still wrong in the same way."""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator

from generator.oneline import parsed, unparsed

Test = Callable[[str], bool]
KEPT = ("example", "run", "forward")
MODULES = ("torch", "nn", "F", "np")
BODIES = ("body", "orelse", "finalbody", "handlers")


def shrink(text: str, still_wrong: Test, seconds: float = 20.0) -> str:
    """Take away statements, blocks and parts of expressions for as long as `still_wrong` holds."""
    deadline = time.monotonic() + seconds
    tree = parsed(text)
    best = unparsed(tree)
    if not still_wrong(best):
        return text
    tree, progress = parsed(best), True
    while progress and time.monotonic() < deadline:
        progress = False
        for candidates in (_without_statements, _unwrapped, _simpler, _without_names):
            position = 0
            while time.monotonic() < deadline:
                smaller = next(_from(candidates(tree), position, still_wrong, best, deadline), None)
                if smaller is None:
                    break
                position, tree = smaller
                best, progress = unparsed(tree), True
    return best


def _from(
    candidates: Iterator[ast.Module], position: int, still_wrong: Test, best: str, deadline: float
) -> Iterator[tuple[int, ast.Module]]:
    """The candidates from a position on that are smaller and still wrong, each with its position."""
    for number, tree in enumerate(candidates):
        if time.monotonic() > deadline:
            return
        if number < position:
            continue
        try:
            text = unparsed(tree)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "candidate.py", "exec")
        except (SyntaxError, ValueError, RecursionError):
            continue
        if len(text) < len(best) and still_wrong(text):
            yield number, tree


def _lists(tree: ast.AST) -> list[list[ast.stmt]]:
    """All statement lists of a tree, outer ones first."""
    fixed = _example(tree)
    return [
        value
        for node in ast.walk(tree)
        for field in BODIES
        if node not in fixed and isinstance(value := getattr(node, field, None), list) and value
    ]


def _example(tree: ast.AST) -> set[ast.AST]:
    """All nodes of `example()`, which stays as it is."""
    return {node for part in ast.walk(tree) if getattr(part, "name", "") == "example" for node in ast.walk(part)}


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree without one run of statements: long runs first."""
    for length in (8, 4, 2, 1):
        for number, statements in enumerate(_lists(tree)):
            for start in range(len(statements) - length + 1):
                smaller = copy.deepcopy(tree)
                body = _lists(smaller)[number]
                if any(getattr(node, "name", "") in KEPT for node in body[start : start + length]):
                    continue
                del body[start : start + length]
                if not body:
                    body.append(ast.Pass())
                yield smaller


def _unwrapped(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree with one compound statement replaced by what is in it, or with a shorter loop."""
    for number, statements in enumerate(_lists(tree)):
        for index, statement in enumerate(statements):
            for part in range(len(_contents(statement))):
                smaller = copy.deepcopy(tree)
                body = _lists(smaller)[number]
                body[index : index + 1] = _contents(body[index])[part]
                yield smaller


def _contents(statement: ast.stmt) -> list[list[ast.stmt]]:
    """What may stand in the place of a compound statement."""
    match statement:
        case ast.If() | ast.While():
            return [part for part in (statement.body, statement.orelse) if part]
        case ast.With():
            return [statement.body]
        case ast.For():
            once = ast.Assign(
                [statement.target], ast.Call(ast.Name("next"), [ast.Call(ast.Name("iter"), [statement.iter], [])], [])
            )
            return [statement.body, [once, *statement.body]]
        case ast.Try():
            return [statement.body + statement.orelse + statement.finalbody, *([h.body for h in statement.handlers])]
    return []


def _simpler(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree with one expression replaced by a part of it, or without one element."""
    fixed = _example(tree)
    for number, node in enumerate(ast.walk(tree)):
        if node in fixed or isinstance(node, ast.arguments | ast.arg):
            continue
        for field, value in ast.iter_fields(node):
            children = value if isinstance(value, list) else [value]
            for index, child in enumerate(children):
                if isinstance(child, ast.expr):
                    yield from _replaced(tree, number, field, index if isinstance(value, list) else None, child)


def _replaced(tree: ast.Module, number: int, field: str, index: int | None, child: ast.expr) -> Iterator[ast.Module]:
    count = len(_parts(child))
    for part in range(count + (index is not None)):
        smaller = copy.deepcopy(tree)
        node = list(ast.walk(smaller))[number]
        if index is None:
            setattr(node, field, _parts(getattr(node, field))[part])
        elif part < count:
            getattr(node, field)[index] = _parts(getattr(node, field)[index])[part]
        elif isinstance(node, ast.Dict):
            del node.keys[index], node.values[index]
        else:
            del getattr(node, field)[index]
        yield smaller


def _without_names(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree without one `b = a`, and `a` wherever `b` stood."""
    for number, statements in enumerate(_lists(tree)):
        for index, statement in enumerate(statements):
            match statement:
                case ast.Assign(targets=[ast.Name(id=new)], value=ast.Name(id=old)):
                    smaller = copy.deepcopy(tree)
                    body = _lists(smaller)[number]
                    body[index] = ast.Pass()
                    for node in ast.walk(smaller):
                        if isinstance(node, ast.Name) and node.id == new:
                            node.id = old
                    yield smaller


def _parts(node: ast.expr) -> list[ast.expr]:
    """Smaller expressions that may stand in the place of one."""
    return [part for part in _children(node) if not (isinstance(part, ast.Name) and part.id in MODULES)]


def _children(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.Compare(left=left):
            return [left]
        case ast.Call(func=ast.Attribute(value=receiver)):
            return [receiver, *node.args]
        case ast.Call():
            return list(node.args)
        case ast.Subscript() | ast.NamedExpr():
            return [node.value]
        case ast.Tuple(elts=[only]) | ast.List(elts=[only]):
            return [only]
        case ast.Constant(value=int() | float() as number) if number not in (0, 1):
            return [ast.Constant(1)]
    return []
