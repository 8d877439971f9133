"""What later rounds can leave out: the functions in which nothing can have become possible since the last whole round.

A later round looks at the functions that were edited since, and at those that may see a difference: the functions that
they may call, because these see what they are given, their callers, if a call now has another effect, and all that make
modules with `inplace=True`, because edits of their calls may allow to clear the flag.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from unplace.analysis.domain.refs import Function
from unplace.analysis.project.calling import calls_of_objects
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.text.edits import Edit
from unplace.text.positions import LineRanges, Text
from unplace.transform.flags import flags

_SETTERS = frozenset(["setattr", "__setattr__", "register_buffer", "register_parameter"])


@dataclass(slots=True, eq=False)
class _Unit:
    """A function or method with all that is defined in it: the scope of the function comes first.

    `names` are those of outer scopes that it mentions, and `attributes` are the names of the attributes. `shows` tells
    whether it assigns to attributes or to names outside, or writes through `.data`, so that its edits may show in
    functions that have nothing to do with its calls.
    """

    scopes: list[Scope]
    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    shows: bool = False

    @property
    def scope(self) -> Scope:
        return self.scopes[0]

    @property
    def lines(self) -> tuple[int, int]:
        node = self.scope.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        assert node.end_lineno is not None
        return node.lineno, node.end_lineno

    def note(self, scope: Scope) -> None:
        """Note what a scope of the function mentions and assigns to."""
        attributes = scope.of(ast.Attribute)
        self.names.update(name.id for name in scope.names if name.id not in scope.bound)
        self.attributes.update(node.attr for node in attributes)
        self.shows |= bool(scope.global_names) or any(type(node.ctx) is not ast.Load for node in attributes)
        self.shows |= not _SETTERS.isdisjoint(self.names | self.attributes) or "data" in self.attributes


@dataclass(slots=True)
class Settled:
    """The last whole round over a text, and the functions that were edited since, by their number."""

    _program: Program | None = None
    _edited: set[int] = field(default_factory=set)

    def begin(self, program: Program) -> LineRanges | None:
        """Return the lines of the functions that a round has to look at; None where it has to be a whole one."""
        found = _affected(self._program, program, self._edited) if self._program is not None else None
        if found is None:
            self._program, self._edited = program, set()
            return None
        units = _units(program.module)
        return tuple(units[number].lines for number in sorted(found))

    def end(self, program: Program, text: str, edits: Sequence[Edit]) -> None:
        """Note the edits that the round makes; any outside of functions makes the next round a whole one."""
        if not edits:
            return
        places = Text(text)
        spans = [places.span(unit.scope.node) for unit in _units(program.module)]
        for edit in edits:
            number = next((i for i, (start, end) in enumerate(spans) if start <= edit.start and edit.end <= end), None)
            if number is None:
                self._program = None
            else:
                self._edited.add(number)


def _affected(before: Program, after: Program, edited: Iterable[int]) -> set[int] | None:
    """Return the numbers of the functions that may see the edits of some of them; None where all may."""
    units, now = _units(before.module), _units(after.module)
    if [unit.scope.name for unit in units] != [unit.scope.name for unit in now]:
        return None
    numbers = {unit.scope: number for number, unit in enumerate(units)}
    found: set[int] = set()
    todo = list(edited)
    while todo:
        number = todo.pop()
        unit = units[number]
        if unit.shows or now[number].shows:
            return None
        found.add(number)
        callers = {_outermost(caller) for caller in _told(before, unit.scope, after, now[number].scope)}
        if not callers <= numbers.keys():
            return None
        todo += {numbers[caller] for caller in callers} - found
    flagged = {_outermost(flag.scope) for flag in flags(before)}
    if not flagged <= numbers.keys():
        return None
    return _with_called(before, units, found) | {numbers[scope] for scope in flagged}


def _with_called(program: Program, units: Sequence[_Unit], found: set[int]) -> set[int]:
    """Return the numbers of some functions and of all that they may reach by calls.

    What these are given may be held by others than before. But it is of the same kind: edits keep values as they are.
    """
    reached: set[int] = set()
    todo = list(found)
    while todo:
        number = todo.pop()
        reached.add(number)
        todo += (i for i, unit in enumerate(units) if i not in reached and _may_call(program, units[number], unit))
    return reached


def _told(before: Program, old: Scope, after: Program, new: Scope) -> Collection[Scope]:
    """Return the callers that the last whole round told an effect of a function which its calls no longer have."""
    callers = before.askers(old)
    return callers if callers and before.summary(Function(old)) != after.summary(Function(new)) else ()


def _may_call(program: Program, caller: _Unit, callee: _Unit) -> bool:
    """Tell whether a function may call another one, or hand it to something that does."""
    name, owner = callee.scope.name, program.module.class_of(callee.scope)
    if owner is None:
        return name in caller.names
    if name in caller.attributes:
        return True
    if name in OF_INSTANCES:
        return any(scope in caller.scopes for scope, _ in calls_of_objects(program, owner))
    if name == "__init__":
        return any(cls.node.name in caller.names for cls in (owner, *program.descendants(owner)))
    return name.startswith("__")  # an operator


@once
def _units(module: ModuleIndex) -> Sequence[_Unit]:
    """Return the functions and methods of a module, but for those inside of others, in the order of the source."""
    found: dict[Scope, _Unit] = {}
    for scope in module.scopes.by_node.values():
        top = _outermost(scope)
        if isinstance(top.node, ast.FunctionDef | ast.AsyncFunctionDef):
            unit = found.setdefault(top, _Unit([top]))
            if scope is not top:
                unit.scopes.append(scope)
            unit.note(scope)
    return list(found.values())


def _outermost(scope: Scope) -> Scope:
    """Return the function around a scope that isn't inside another one; the scope itself where there is none."""
    found = scope
    outer: Scope | None = scope
    while outer is not None:
        if not outer.is_class and not outer.is_module:
            found = outer
        outer = outer.parent
    return found
