"""Finds writes of the same tensor by other functions of the file, which receive it in one of these ways:

    _put(v)                     an argument
    self.h = v                  an attribute
    def put(): v[0] = 1         a captured name
    return v                    a result

Subscript stores whose target may also be a list count, because the tensor that reaches them is certainly one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Class, Function, Instance, alternatives
from unplace.analysis.domain.values import Obj, Objs, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.calling import function_of
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import calls_that_may_hand
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for

Parameter = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class _Store:
    """A write of another function that stays in place, or a statement that may be one."""

    run: Run
    line: int
    roots: Objs


def written_elsewhere(program: Program, run: Run, write: Write, stays: Callable[[ast.AST], bool]) -> int | None:
    """Return the line of a later write to the same tensor in another function; None where there is none.

    `stays` tells whether an in-place operation isn't rewritten. If another file defines the function, the line is that
    of the call.
    """
    return _Search(program, run, write, stays).line()


@dataclass(slots=True)
class _Search:
    program: Program
    run: Run
    write: Write
    stays: Callable[[ast.AST], bool]

    def line(self) -> int | None:
        """Return the first line found that may write the tensor."""
        for scope, passed in self.run.handed.values():
            if not self.program.module.owns(scope) and self._is_it(passed.value) and self._may_follow(passed.statement):
                return passed.statement.lineno
        stores = [*self._stores()]
        if not stores:
            return None
        handed, names, slots, givers = self._handed(), self._names(), self._slots(), self._givers()
        for store in stores:
            scope = store.run.scope
            for root in store.roots:
                last = root.label.strip("`").rpartition(".")[2]
                is_passed = (scope, last) in handed or self._may_be_handed(scope, last) or self._is_given_with(scope)
                if root.origin is Origin.PARAMETER and is_passed:
                    return store.line
                if root.origin in (Origin.CLOSURE, Origin.GLOBAL) and last in names and self._is_shared(scope, last):
                    return store.line
                if root.origin is Origin.ATTRIBUTE and any(self._may_be_slot(scope, last, *slot) for slot in slots):
                    return store.line
                if self._is_given(store.run, root, givers):
                    return store.line
        return None

    def _stores(self) -> Iterator[_Store]:
        """Iterate over the certain and possible writes in other functions that stay in place."""
        for run in self.program.all_runs():
            if run is self.run:
                continue
            for write in run.writes.values():
                if self.stays(write.node):
                    yield _Store(run, write.statement.lineno, write.state.roots(write.value.objs))
            yield from (_Store(run, node.lineno, roots) for node, roots in run.possible.items())

    def _states(self) -> list[Facts]:
        return [self.write.state, *(state for _, state in self.program.exits(self.run.scope))]

    def _is_it(self, value: Value | None) -> bool:
        """Tell whether a value may be the tensor, or share memory with it."""
        objs = self.write.value.objs
        return value is not None and any(s.may_share(s.reachable(value.objs), objs) for s in self._states())

    def _names(self) -> set[str]:
        """Return the names of the function that may hold the tensor."""
        return {name for state in self._states() for name, value in state.env.items() if self._is_it(value)}

    def _is_shared(self, scope: Scope, name: str) -> bool:
        """Tell whether a name means the same variable in another function."""
        owner = self.program.module.scopes.owner
        return owner(scope, name) is owner(self.run.scope, name)

    def _slots(self) -> set[tuple[Class | None, object]]:
        """Return the attributes that may hold the tensor, as pairs of class and name.

        The class is None where it isn't known; the name is None where the tensor is passed to a constructor, which may
        store it in any attribute.
        """
        found: set[tuple[Class | None, object]] = set()
        for state in self._states():
            owners = {o: v.ref.of for v in state.env.values() if isinstance(v.ref, Instance) for o in v.objs}
            found |= {(owners.get(holder), key) for (holder, key), held in state.heap.items() if self._is_it(held)}
        for call, unfollowed in self.run.unfollowed.items():
            callee = self.run.values.get(call.func)
            if (
                callee is not None
                and isinstance(callee.ref, Class)
                and any(map(self._is_it, unfollowed.values.values()))
            ):
                found.add((callee.ref, None))
        return found

    def _may_be_slot(self, scope: Scope, name: str, owner: Class | None, key: object) -> bool:
        """Tell whether an attribute written by another function may be one of these."""
        own = self.program.module.class_of(scope)
        are_related = own is None or owner is None or own in owner.linearized() or owner in own.linearized()
        return are_related and key in (name, None)

    # -- arguments ------------------------------------------------------------------------------------------------

    def _handed(self) -> set[Parameter]:
        """Return the parameters that receive the tensor after the write, directly or through another function."""
        found: set[Parameter] = set()
        todo = [*self._passed(self.run, self._is_it)]
        while todo:
            scope, name = parameter = todo.pop()
            run = self.program.run(scope)
            if parameter not in found and run is not None:
                todo += self._passed(run, lambda value, name=name: _is_argument(value, name))  # type: ignore[misc]
            found.add(parameter)
        return found

    def _may_follow(self, statement: ast.stmt) -> bool:
        return self.run.flow.may_follow(self.write.statement, statement)

    def _passed(self, run: Run, is_it: Callable[[Value | None], bool]) -> Iterator[Parameter]:
        """Iterate over the parameters of the file's functions that receive such a value from a call in `run`."""
        for call in run.scope.of(ast.Call):
            if run is self.run and not self._may_follow(run.statement_of(call)):
                continue
            for called in self._called(run, call):
                for parameter in called.parameters:
                    argument = argument_for(called, call, parameter.arg)
                    if argument is not None and is_it(run.values.get(argument)):
                        yield called, parameter.arg

    def _called(self, run: Run, call: ast.Call) -> Iterator[Scope]:
        """Iterate over the functions of the file that a call is known to run."""
        callee = run.values.get(call.func)
        for ref in alternatives(callee.ref) if callee is not None else ():
            function = function_of(self.program, ref)
            if function is not None and function.scope in self._own():
                yield function.scope

    def _own(self) -> set[Scope]:
        return {*self.program.module.scopes.by_node.values()}

    def _may_be_handed(self, scope: Scope, parameter: str) -> bool:
        """Tell whether a call that can't be resolved may pass the tensor to a parameter."""
        passing = calls_that_may_hand(self.program, scope, parameter)
        return any(p.run is self.run and any(map(self._is_it, p.values)) for p in passing)

    def _is_given_with(self, scope: Scope) -> bool:
        """Tell whether some call gets both the function and the tensor: `map(lambda v: v.mul_(2), [h])`."""
        for call in self.run.scope.of(ast.Call):
            if self._may_follow(self.run.statement_of(call)):
                arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
                refs = [value.ref for a in arguments if (value := self.run.values.get(a)) is not None]
                functions = [one for ref in refs for one in alternatives(ref)]
                if any(isinstance(one, Function) and one.scope is scope for one in functions):
                    if any(self._is_it(self.run.values.get(argument)) for argument in arguments):
                        return True
        return False

    # -- results --------------------------------------------------------------------------------------------------

    def _givers(self) -> set[Scope]:
        """Return the functions that return the tensor: this one, and those that pass its result on."""
        if not any(self._is_it(value) for value, _ in self.program.exits(self.run.scope)):
            return set()
        found, todo = {self.run.scope}, True
        while todo:
            more = {
                scope
                for scope in self._own() - found
                if (run := self.program.run(scope)) is not None
                for value, state in self.program.exits(scope)
                if any(self._is_given(run, obj, found) for obj in state.reachable(value.objs))
            }
            todo = bool(more)
            found |= more
        return found

    def _is_given(self, run: Run, obj: Obj, givers: set[Scope]) -> bool:
        """Tell whether an object is, or is part of, the result of a call of one of these functions."""
        key = run.names.key_of(obj) if givers else None
        node = key[0] if isinstance(key, tuple) else None
        return isinstance(node, ast.Call) and not givers.isdisjoint(self._called(run, node))


def _is_argument(value: Value | None, name: str) -> bool:
    return value is not None and any(o.parameter == name for o in value.objs)
