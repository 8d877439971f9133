"""Liveness: which names may be read after a statement before they are bound again.

A backward data flow analysis over the statements of one scope, with sets of names as bits of an integer. Loops run to a
fixpoint. An exception may leave any statement of a `try` body for its handlers. Names that inner functions capture are
always live. The cost is linear in the number of statements for code without deep loop nests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import cast

from unplace.analysis.syntax.evaluation import When, leaves_out, parts
from unplace.analysis.syntax.nodes import LOOPS, TRIES, children, walk
from unplace.analysis.syntax.scopes import Scope

SEES_LOCALS = frozenset(["locals", "vars", "eval", "exec"])
"""Functions that get at everything that a function names."""

SEES_ALL = SEES_LOCALS | {"globals", "get_ipython"}
"""Those, and functions that get at everything that a module names."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Liveness:
    """The live names of one scope: `after[statement]` has them as bits, which `names_of` turns into names."""

    def __init__(self, scope: Scope, body: list[ast.stmt]) -> None:
        """Analyse `body`, at whose end every name that outlives the scope is live."""
        self._bits: dict[str, int] = {}
        self._names: list[str] = []
        self._sets: dict[int, frozenset[str]] = {}
        self._facts: dict[ast.AST, tuple[int, int]] = {}
        self.after: dict[ast.stmt, int] = {}
        self.behind_header: dict[ast.stmt, int] = {}
        self._loops: dict[ast.stmt, int] = {}
        always = set(scope.captured) | scope.global_names | scope.nonlocal_names
        always |= scope.bound if scope.is_class or scope.read & SEES_ALL else set()
        self._own = self._mask(always)
        self._always = self._mask(always | scope.bound if scope.is_module else always)
        self._block(body, 0, 0, 0, 0)

    def live_after(self, statement: ast.stmt, *, in_header: bool = False, is_own: bool = False) -> set[str]:
        """Return the names that may be read after the statement or, in its header, in its body or behind it.

        With `is_own`, what importers of a module read doesn't count.
        """
        bits = self.after.get(statement, 0) | (self.behind_header.get(statement, 0) if in_header else 0)
        return self.names_of(bits | (self._own if is_own else self._always))

    def read_after(self, statement: ast.stmt) -> set[str]:
        """Return the names that the file itself may read after the statement, whatever importers of the module read."""
        return self.live_after(statement, is_own=True)

    def names_of(self, bits: int) -> set[str]:
        """Return the names in a bit set."""
        if bits not in self._sets:
            self._sets[bits] = frozenset(name for index, name in enumerate(self._names) if bits >> index & 1)
        return set(self._sets[bits])

    def _bit(self, name: str) -> int:
        bit = self._bits.get(name)
        if bit is None:
            bit = self._bits[name] = 1 << len(self._names)
            self._names.append(name)
        return bit

    def _mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in sorted(names):
            mask |= self._bit(name)
        return mask

    def _reads_and_binds(self, node: ast.AST) -> tuple[int, int]:
        """Return the names that evaluating a node reads and certainly binds, without the blocks of a statement."""
        known = self._facts.get(node)
        if known is not None:
            return known
        reads = binds = 0
        todo: list[ast.AST] = [node]
        while todo:
            current = todo.pop()
            if isinstance(current, ast.Name):
                if isinstance(current.ctx, ast.Load):
                    reads |= self._bit(current.id)
                else:
                    binds |= self._bit(current.id)
                continue
            if isinstance(current, ast.AugAssign) and isinstance(current.target, ast.Name):
                reads |= self._bit(current.target.id)
            if not leaves_out(current):
                todo.extend(children(current))
                continue
            for part in parts(current):
                if part.when is When.ONCE:
                    todo.append(part.node)
                else:  # a walrus in the part may not run
                    reads |= self._reads_and_binds(part.node)[0]
        self._facts[node] = (reads, binds)
        return reads, binds

    def _block(self, body: list[ast.stmt], live: int, on_break: int, on_continue: int, on_raise: int) -> int:
        for statement in reversed(body):
            kind = type(statement)
            if kind is ast.Return or kind is ast.Raise:
                self.after[statement] = on_raise
            elif kind is ast.Break or kind is ast.Continue:
                self.after[statement] = (on_break if kind is ast.Break else on_continue) | on_raise
            else:
                self.after[statement] = live | on_raise
            live = self._statement(statement, live, on_break, on_continue, on_raise)
        return live

    def _expressions(self, live: int, *nodes: ast.AST | None) -> int:
        for node in reversed(nodes):
            if node is not None:
                reads, binds = self._reads_and_binds(node)
                live = live & ~binds | reads
        return live

    def _statement(self, s: ast.stmt, live: int, on_break: int, on_continue: int, on_raise: int) -> int:
        if isinstance(s, _FUNCTIONS):
            reads = 0
            for child in children(s):
                if not isinstance(child, ast.stmt):
                    reads |= self._reads_and_binds(child)[0]
            if isinstance(s, ast.ClassDef):
                for child in walk(s):
                    if isinstance(child, ast.Name):
                        reads |= self._bit(child.id)
            return live & ~self._bit(s.name) | reads
        if isinstance(s, ast.Return):
            return self._expressions(on_raise, s.value)
        if isinstance(s, ast.Raise):
            return self._expressions(on_raise, s.exc, s.cause)
        if isinstance(s, ast.Break):
            return on_break
        if isinstance(s, ast.Continue):
            return on_continue
        if isinstance(s, ast.If):
            then = self._block(s.body, live, on_break, on_continue, on_raise)
            other = self._block(s.orelse, live, on_break, on_continue, on_raise)
            self.behind_header[s] = then | other
            return self._expressions(then | other, s.test)
        if isinstance(s, LOOPS):
            return self._loop(s, live, on_break, on_continue, on_raise)
        if isinstance(s, TRIES):
            return self._try(cast("ast.Try", s), live, on_break, on_continue, on_raise)
        if isinstance(s, ast.With | ast.AsyncWith):
            after = live  # a context manager may swallow an exception that leaves its body early
            live = self._block(s.body, live, on_break, on_continue, on_raise | live) | after
            reads = live
            for item in reversed(s.items):
                live = self._expressions(live, item.context_expr, item.optional_vars)
                reads |= live
            self.behind_header[s] = reads
            return live
        if isinstance(s, ast.Match):
            result = live
            for case in s.cases:
                inner = self._block(case.body, live, on_break, on_continue, on_raise)
                result |= self._expressions(inner, case.guard) | inner
            self.behind_header[s] = result
            return self._expressions(result, s.subject)
        if isinstance(s, ast.Assign):
            return self._expressions(live, s.value, *s.targets)
        if isinstance(s, ast.AnnAssign):
            return self._expressions(live, s.value, s.target if s.value is not None else None)
        reads, binds = self._reads_and_binds(s)
        return live & ~binds | reads | on_raise

    def _loop(self, s: ast.stmt, live: int, on_break: int, on_continue: int, on_raise: int) -> int:
        assert isinstance(s, LOOPS)
        after = self._block(s.orelse, live, on_break, on_continue, on_raise)
        head = self._loops.get(s, 0) | after
        while True:
            inner = self._block(s.body, head, live, head, on_raise)
            if isinstance(s, ast.While):
                new = self._expressions(inner | after, s.test)
            else:
                new = self._expressions(inner, s.target) | after
            if new | head == head:
                break
            head |= new
        self._loops[s] = head
        self.behind_header[s] = head | inner | after
        return head if isinstance(s, ast.While) else self._expressions(head, s.iter)

    def _try(self, s: ast.Try, live: int, on_break: int, on_continue: int, on_raise: int) -> int:
        returned = 0  # a value that is being returned while the final block runs
        for node in walk(s) if s.finalbody else ():
            if isinstance(node, ast.Return) and node.value is not None:
                returned |= self._reads_and_binds(node.value)[0]
        final = (
            self._block(s.finalbody, live | on_raise | returned, on_break, on_continue, on_raise)
            if s.finalbody
            else live
        )
        out = final if s.finalbody else on_raise
        leave_break = final | on_break if s.finalbody else on_break
        leave_continue = final | on_continue if s.finalbody else on_continue
        handlers = 0
        for handler in s.handlers:
            inner = self._block(handler.body, final, leave_break, leave_continue, out)
            handlers |= self._expressions(inner, handler.type)
        after_body = self._block(s.orelse, final, leave_break, leave_continue, out)
        return self._block(s.body, after_body, leave_break, leave_continue, out | handlers) | handlers | out
