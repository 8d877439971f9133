"""The flow index: the order of statements, their loops, the handlers of their exceptions, and which ends are reached.

There is one index for each walked scope. Statements have the order of the text, one by one, so that the two of `b *= 2;
put(y)` are told apart. In a loop, a statement may also run before those in front of it: in the iteration before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from unplace.analysis.syntax.nodes import LOOPS, TRIES

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
"""Context managers of the standard library that let every exception pass, as all those of torch do."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """The place of one statement: its block, its position there, and the compound statements around it."""

    order: int
    end: int  # the order of the first statement behind it and behind everything in it
    block: list[ast.stmt]
    position: int
    loops: tuple[ast.stmt, ...]  # outermost first
    guards: tuple[ast.stmt, ...]  # the `try` and `with` statements that see its exceptions; outermost first

    @property
    def loop(self) -> ast.stmt | None:
        """The innermost loop around the statement, if there is one."""
        return self.loops[-1] if self.loops else None


class Flow:
    """The places of the statements of one scope, without those of inner scopes."""

    def __init__(self, body: list[ast.stmt]) -> None:
        """Index the statements of `body` and of all blocks in it."""
        self._body = body
        self._spots: dict[ast.stmt, Spot] = {}
        self._statements: list[ast.stmt] = []
        self._cut: set[ast.stmt] = set()  # the loops with a `break` or `continue` of their own
        self._left: set[ast.stmt] = set()  # the loops with a `break` of their own
        self._block(body, (), ())

    def spot(self, statement: ast.stmt) -> Spot | None:
        """Return the place of a statement, or None if it belongs to another scope."""
        return self._spots.get(statement)

    def may_follow(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Tell whether `second` may run after `first`: it stands behind it, or a loop runs over both.

        True if either belongs to another scope.
        """
        one, other = self._spots.get(first), self._spots.get(second)
        if one is None or other is None or one.order < other.order:
            return True
        return any(loop in other.loops or loop is second for loop in one.loops)

    def is_in(self, inner: ast.stmt, outer: ast.stmt) -> bool:
        """Tell whether a statement is another one or stands in it."""
        one, other = self._spots.get(inner), self._spots.get(outer)
        return one is not None and other is not None and other.order <= one.order < other.end

    def is_behind(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Tell whether `second` stands behind `first` in the same block."""
        one, other = self._spots.get(first), self._spots.get(second)
        return one is not None and other is not None and one.block is other.block and one.order < other.order

    def is_led_to(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Tell whether `second` stands behind `first` in the same block, or in a branch there, in the same loops."""
        one, other = self._spots.get(first), self._spots.get(second)
        if one is None or other is None or one.loops != other.loops:
            return False
        return any(self.is_in(second, behind) for behind in one.block[one.position + 1 :])

    def before(self, statement: ast.stmt) -> ast.stmt | None:
        """Return the statement before another one in its block, or None."""
        spot = self._spots.get(statement)
        return spot.block[spot.position - 1] if spot is not None and spot.position else None

    def behind(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements behind another one in its block."""
        spot = self._spots.get(statement)
        return spot.block[spot.position + 1 :] if spot is not None else []

    def between(self, first: ast.stmt, last: ast.stmt) -> list[ast.stmt]:
        """Return the statements between two statements of one block, including those nested in either of the two."""
        one, other = self._spots[first], self._spots[last]
        return [s for s in self._statements[one.order + 1 : other.end] if s is not last]

    def has_cut_rounds(self, loop: ast.stmt) -> bool:
        """Tell whether a `break` or `continue` may end an iteration of a loop early."""
        return loop in self._cut

    def reaches_end(self, swallows: Callable[[ast.stmt], bool]) -> bool:
        """Tell whether the end of the scope may be reached; `swallows` tells which `with` may suppress exceptions."""
        return self._falls_out(self._body, swallows)

    def is_between(self, first: ast.stmt, middle: ast.stmt, last: ast.stmt) -> bool:
        """Tell whether `middle` stands behind `first` in the same block, and `last` behind both."""
        two, three = self._spots.get(middle), self._spots.get(last)
        return self.is_behind(first, middle) and two is not None and three is not None and two.order < three.order

    def _block(self, body: list[ast.stmt], loops: tuple[ast.stmt, ...], guards: tuple[ast.stmt, ...]) -> None:
        for position, statement in enumerate(body):
            order = len(self._statements)
            self._statements.append(statement)
            if loops and isinstance(statement, ast.Break | ast.Continue):
                self._cut.add(loops[-1])
                if isinstance(statement, ast.Break):
                    self._left.add(loops[-1])
            for field, inner in blocks_of(statement) if not isinstance(statement, _SCOPES) else ():
                is_caught = field == "body" or (field != "finalbody" and getattr(statement, "finalbody", []))
                is_guarded = is_caught and isinstance(statement, (*TRIES, ast.With, ast.AsyncWith))
                is_repeated = field == "body" and isinstance(statement, LOOPS)
                self._block(
                    inner,
                    (*loops, statement) if is_repeated else loops,
                    (*guards, statement) if is_guarded else guards,
                )
            self._spots[statement] = Spot(order, len(self._statements), body, position, loops, guards)

    def _falls_out(self, body: list[ast.stmt], swallows: Callable[[ast.stmt], bool]) -> bool:
        """Tell whether the code behind a block may run once the block has begun."""
        return all(self._is_passed(statement, swallows) for statement in body)

    def _is_passed(self, statement: ast.stmt, swallows: Callable[[ast.stmt], bool]) -> bool:
        """Tell whether the code behind a statement may run once the statement has begun."""
        if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue) or fails_always(statement):
            return False
        if isinstance(statement, ast.If):
            return self._falls_out(statement.body, swallows) or self._falls_out(statement.orelse, swallows)
        if isinstance(statement, LOOPS):
            is_endless = isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant)
            ends = not (is_endless and statement.test.value) and self._falls_out(statement.orelse, swallows)  # type: ignore[union-attr]
            return ends or statement in self._left
        if isinstance(statement, ast.With | ast.AsyncWith):
            return self._falls_out(statement.body, swallows) or swallows(statement)
        if isinstance(statement, TRIES):
            return self._is_try_passed(cast("ast.Try", statement), swallows)
        if isinstance(statement, ast.Match):
            is_complete = any(case.guard is None and _takes_all(case.pattern) for case in statement.cases)
            return not is_complete or any(self._falls_out(case.body, swallows) for case in statement.cases)
        return True

    def _is_try_passed(self, statement: ast.Try, swallows: Callable[[ast.stmt], bool]) -> bool:
        if not self._falls_out(statement.finalbody, swallows):
            return False
        ends = [[*statement.body, *statement.orelse], *(handler.body for handler in statement.handlers)]
        return any(self._falls_out(end, swallows) for end in ends)


def blocks_of(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Iterate over the blocks of a compound statement in the order of the text, each with its field."""
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        part = getattr(statement, field, None) or []
        if field in ("handlers", "cases"):
            yield from ((field, inner.body) for inner in part)
        elif part:
            yield field, part


def _takes_all(pattern: ast.pattern) -> bool:
    """Tell whether a pattern matches every subject: `case _:`, `case other:`, `case 1 | other:`."""
    if isinstance(pattern, ast.MatchOr):
        return any(map(_takes_all, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _takes_all(pattern.pattern))


def may_swallow(guard: ast.stmt, qualified: Callable[[ast.expr], str | None]) -> bool:
    """Tell whether an exception in the body of a `try` or `with` may end there, so that the code behind it runs."""
    if not isinstance(guard, ast.With | ast.AsyncWith):
        return True
    managers = [item.context_expr for item in guard.items]
    names = [qualified(m.func if isinstance(m, ast.Call) else m) for m in managers]
    return any(name is None or not (name.startswith("torch.") or name in _LETS_PASS) for name in names)


def fails_always(statement: ast.stmt) -> bool:
    """Tell whether a statement is `assert False`, behind which nothing runs."""
    return isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Constant) and not statement.test.value
