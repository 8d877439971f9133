"""Where the statements of a scope stand: in which order they run, in which loops, and who may catch what they raise.

One index for each walked scope. Order is the order of the text, statement by statement, so that `b *= 2; put(y)` in one
line are told apart; in a loop each statement may also run before those in front of it, in the round before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unplace.analysis.syntax.nodes import LOOPS

TRIES: tuple[type, ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
"""`try` with `except` or with `except*`."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LETS_PASS = frozenset(
    [
        "builtins.open",
        "contextlib.closing",
        "contextlib.nullcontext",
        "contextlib.redirect_stderr",
        "contextlib.redirect_stdout",
        "io.open",
        "warnings.catch_warnings",
    ]
)
"""Context managers of the standard library that let every exception pass; those of torch all do."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where one statement stands: its block, its position there, and the compound statements around it."""

    order: int
    block: list[ast.stmt]
    position: int
    loops: tuple[ast.stmt, ...]  # outermost first
    guards: tuple[ast.stmt, ...]  # the `try` and `with` statements that see what it raises; outermost first

    @property
    def loop(self) -> ast.stmt | None:
        """The innermost loop around the statement."""
        return self.loops[-1] if self.loops else None


class Flow:
    """The spots of the statements of one scope, those of inner scopes left out."""

    def __init__(self, body: list[ast.stmt]) -> None:
        """Index the statements of `body` and of all blocks in it."""
        self._spots: dict[ast.stmt, Spot] = {}
        self._block(body, (), ())

    def spot(self, statement: ast.stmt) -> Spot | None:
        """Where a statement stands; None for one of another scope."""
        return self._spots.get(statement)

    def may_follow(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Whether `second` may run after `first`: it stands behind it, or a loop runs over both. A guess is True."""
        one, other = self._spots.get(first), self._spots.get(second)
        if one is None or other is None or one.order < other.order:
            return True
        return any(loop in other.loops or loop is second for loop in one.loops)

    def is_between(self, first: ast.stmt, middle: ast.stmt, last: ast.stmt) -> bool:
        """Whether `middle` stands in the block of `first`, behind it, and `last` behind both."""
        one, two, three = (self._spots.get(s) for s in (first, middle, last))
        if one is None or two is None or three is None or one.block is not two.block:
            return False
        return one.order < two.order < three.order

    def _block(self, body: list[ast.stmt], loops: tuple[ast.stmt, ...], guards: tuple[ast.stmt, ...]) -> None:
        for position, statement in enumerate(body):
            self._spots[statement] = Spot(len(self._spots), body, position, loops, guards)
            if isinstance(statement, _SCOPES):
                continue
            inner_loops = (*loops, statement) if isinstance(statement, LOOPS) else loops
            for field, inner in _blocks_of(statement):
                is_caught = field == "body" or (field != "finalbody" and getattr(statement, "finalbody", []))
                is_guarded = is_caught and isinstance(statement, (*TRIES, ast.With, ast.AsyncWith))
                self._block(inner, inner_loops, (*guards, statement) if is_guarded else guards)


def _blocks_of(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The blocks of a compound statement in the order of the text, with the field that each stands in."""
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        part = getattr(statement, field, None) or []
        if field in ("handlers", "cases"):
            yield from ((field, inner.body) for inner in part)
        elif part:
            yield field, part


def may_swallow(guard: ast.stmt, qualified: Callable[[ast.expr], str | None]) -> bool:
    """Whether what the body of a `try` or `with` raises may end there, so that the code behind it runs."""
    if not isinstance(guard, ast.With | ast.AsyncWith):
        return True
    managers = [item.context_expr for item in guard.items]
    names = [qualified(m.func if isinstance(m, ast.Call) else m) for m in managers]
    return any(name is None or not (name.startswith("torch.") or name in _LETS_PASS) for name in names)
