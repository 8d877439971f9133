"""Type propagation: which names of a file may hold what some expressions make, whatever the control flow.

This is a syntactic over-approximation. Names and attributes are told apart by their last part only: if one `self.act`
may be such an object, all may. It tells who may call a module with `inplace=True`, or an object of a class, before
anything is walked.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.flows import Called, Flow, Flows, Source, mentioned

INSTANCE = 1
"""The mark of a name that may be such an object, or a container with one."""

FACTORY = 2
"""The mark of a name whose call may make such an object, as the call of a class does."""

_MOST = 7  # all marks: an instance, its factory, a factory of its factory


class Holders:
    """The marks of names, propagated along the flows to a fixpoint.

    A flow, or what a call makes, is worked out again only when a name in it has got another mark: one table may hold
    thousands of calls.
    """

    def __init__(self, flows: Flows, made: Mapping[ast.Call, int], marked: Mapping[str, int]) -> None:
        """Propagate marks from what the calls `made` make, and from the names already `marked`."""
        self._sources = flows.sources
        self._made = made
        self._marks = dict(marked)
        self._known: dict[Called, int] = {}  # the marks of calls, by the names' marks as they are
        calls = sorted(made, key=lambda call: (call.lineno, call.col_offset))
        todo = [flow for call in calls for flow in flows.mentioning(call)]
        todo += [flow for name in marked for flow in flows.mentioning(name)]
        done: set[Flow] = set()
        while todo:
            flow = todo.pop()
            if flow in done:
                continue
            done.add(flow)
            open_names = [name for name in flow.names if self._marks.get(name, 0) != _MOST]
            marks = self._of(flow.source(self._sources)) if open_names else 0
            marks = marks << flow.further if flow.further >= 0 else marks >> -flow.further
            for name in open_names if marks & _MOST else ():
                known = self._marks.get(name, 0)
                if marks & _MOST & ~known:
                    self._marks[name] = known | marks & _MOST
                    for call in flows.sources.calls_with.get(name, ()):
                        self._known.pop(call, None)
                    onward = flows.mentioning(name)
                    done.difference_update(onward)
                    todo += onward

    @property
    def marks(self) -> Mapping[str, int]:
        """The marks of all names."""
        return self._marks

    def may_be(self, node: ast.expr) -> bool:
        """Tell whether an expression may be such an object, or a container with one."""
        return bool(self._of(self._sources.of(node)) & INSTANCE)

    def are_called_in(self, scope: Scope) -> bool:
        """Tell whether a scope calls something that may be such an object."""
        return any(self.is_called(call.func) for call in scope.of(ast.Call))

    def is_called(self, callee: ast.expr) -> bool:
        """Tell whether a callee may be such an object."""
        if isinstance(callee, ast.Attribute) and callee.attr in OF_INSTANCES:
            callee = callee.value
        name = mentioned(callee)
        marks = self._marks.get(name, 0) if name is not None else self._of(self._sources.of(callee))
        return bool(marks & INSTANCE)

    def _of(self, source: Source) -> int:
        """Return the marks of an expression."""
        marks = 0
        for name in source.names:
            marks |= self._marks.get(name, 0)
        for call in source.calls:
            marks |= self._of_call(call)
        for body in source.bodies:
            marks |= self._of(body) << 1 & _MOST
        return marks

    def _of_call(self, call: Called) -> int:
        found = self._known.get(call)
        if found is None:
            found = self._known[call] = self._made_by(call)
        return found

    def _made_by(self, call: Called) -> int:
        if (mark := self._made.get(call.node)) is not None:
            return mark
        callee = self._of(call.callee)
        marks = callee >> 1
        if not callee & INSTANCE:  # an instance would return a tensor, whatever its arguments
            marks |= self._of(call.arguments)
        return marks
