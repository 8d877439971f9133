"""What later rounds can leave out: the functions in which nothing can have become possible since the last whole round.

A later round looks at the functions that were edited since, and at those that may see a difference: the functions that
they may call, because these see what they are given, their callers, if a call now has another effect, those that read
an attribute which an edited statement stores, and all that make modules with `inplace=True`, because edits of their
calls may allow to clear the flag.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unplace.analysis.domain.refs import Function
from unplace.analysis.project.calling import calls_of_objects
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.bindings import SETTERS
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.text.edits import Edit
from unplace.text.positions import LineRanges, Text
from unplace.torchapi.modules import NAMING_CHILDREN, REGISTERING_TENSORS
from unplace.transform.flags import flags

_SETTERS = REGISTERING_TENSORS.union(SETTERS)
_READS_ANY = frozenset(["vars", "__dict__", "_modules", "modules", "children"]) | NAMING_CHILDREN
"""Names by which a function may read attributes that it doesn't name."""


@dataclass(slots=True, eq=False)
class _Unit:
    """A function or method with all that is defined in it: the scope of the function comes first.

    `names` are those of outer scopes that it mentions, `attributes` are the names of the attributes, `stored` those of
    the attributes that it assigns to, and `loaded` of those that it reads; with `reads_any`, it may read others, too.
    `shows` tells whether it assigns to names outside, to attributes that it doesn't name, or through `.data`, so that
    its edits may show in any function.
    """

    scopes: list[Scope]
    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)
    reads_any: bool = False
    shows: bool = False

    @property
    def scope(self) -> Scope:
        return self.scopes[0]

    @property
    def lines(self) -> tuple[int, int]:
        return _lines_of(self.scope.node)

    def note(self, scope: Scope) -> None:
        """Note what a scope of the function mentions and assigns to."""
        attributes = scope.of(ast.Attribute)
        self.names.update(name.id for name in scope.names if name.id not in scope.bound)
        self.attributes.update(node.attr for node in attributes)
        self.stored.update(node.attr for node in attributes if type(node.ctx) is not ast.Load)
        self.loaded.update(node.attr for node in attributes if type(node.ctx) is not ast.Store)
        augmented = (node.target for node in scope.of(ast.AugAssign))
        self.loaded.update(target.attr for target in augmented if isinstance(target, ast.Attribute))
        for call in scope.of(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "getattr":
                name = call.args[1] if len(call.args) > 1 else None
                self.reads_any |= not isinstance(name, ast.Constant)
                self.loaded.update([str(name.value)] if isinstance(name, ast.Constant) else ())
        self.reads_any |= not _READS_ANY.isdisjoint(self.names | self.loaded)
        self.shows |= bool(scope.global_names)
        self.shows |= not _SETTERS.isdisjoint(self.names | self.attributes) or "data" in self.attributes

    def reads(self, attributes: Collection[str]) -> bool:
        """Tell whether the function may read one of some attributes, on whatever object."""
        return not self.loaded.isdisjoint(attributes) or (self.reads_any and bool(attributes))

    def stores(self, edit: Edit, text: Text) -> set[str]:
        """Return the attributes in which an edit may show: all that the function stores, or the one that gets a result.

        self.act = nn.ReLU(inplace=True)            the edit is among the arguments
        """
        line = text.place(edit.start)[0]
        for node in (node for scope in self.scopes for node in scope.of(ast.Assign)):
            if not node.lineno <= line <= (node.end_lineno or line):
                continue
            if isinstance(node.value, ast.Call) and _keeps_callee(edit, node.value, text):
                targets = [target.attr for target in node.targets if isinstance(target, ast.Attribute)]
                return set(targets) if len(targets) == len(node.targets) else self.stored
        return self.stored


def _keeps_callee(edit: Edit, call: ast.Call, text: Text) -> bool:
    """Tell whether an edit changes nothing but the arguments of a call."""
    (start, end), (_, behind) = text.span(call), text.span(call.func)
    is_whole = edit.start == start and edit.replacement.startswith(f"{text.text[start:behind]}(")
    return edit.end <= end and (is_whole or edit.start >= behind)


@dataclass(slots=True)
class Settled:
    """The last whole round over a text, and the functions that were edited since, by their number.

    Each goes with the attributes in which its edits may show.
    """

    _program: Program | None = None
    _edited: dict[int, set[str]] = field(default_factory=dict)

    def begin(self, program: Program) -> LineRanges | None:
        """Return the lines of the functions that a round has to look at; None where it has to be a whole one."""
        found = _affected(self._program, program, self._edited) if self._program is not None else None
        if found is None:
            self._program, self._edited = program, {}
            return None
        units = _units(program.module)
        known = {unit.scope for unit in units}
        outside = [flag.node for flag in flags(program) if _outermost(flag.scope) not in known]
        return *(units[number].lines for number in sorted(found)), *map(_lines_of, outside)

    def end(self, program: Program, text: str, edits: Sequence[Edit]) -> None:
        """Note the edits that the round makes; any outside of functions makes the next round a whole one."""
        if not edits:
            return
        places, units = Text(text), _units(program.module)
        spans = [places.span(unit.scope.node) for unit in units]
        for edit in edits:
            number = next((i for i, (start, end) in enumerate(spans) if start <= edit.start and edit.end <= end), None)
            if number is None:
                self._program = None
            else:
                self._edited.setdefault(number, set()).update(units[number].stores(edit, places))


def _affected(before: Program, after: Program, edited: Mapping[int, set[str]]) -> set[int] | None:
    """Return the numbers of the functions that may see the edits of some of them; None where all may."""
    units, now = _units(before.module), _units(after.module)
    if [unit.scope.name for unit in units] != [unit.scope.name for unit in now]:
        return None
    numbers = {unit.scope: number for number, unit in enumerate(units)}
    found: set[int] = set()
    todo = list(edited)
    while todo:
        number = todo.pop()
        unit, later = units[number], now[number]
        if number in found:
            continue
        if unit.shows or later.shows:
            return None
        found.add(number)
        stored = edited.get(number, unit.stored) | (later.stored - unit.stored)
        todo += (i for i, reader in enumerate(now) if i not in found and reader.reads(stored))
        callers = {_outermost(caller) for caller in _told(before, unit.scope, after, later.scope)}
        if not callers <= numbers.keys():
            return None
        todo += {numbers[caller] for caller in callers} - found
    flagged = {_outermost(flag.scope) for flag in flags(before)}
    return _with_called(before, units, found) | {numbers[scope] for scope in flagged if scope in numbers}


def _with_called(program: Program, units: Sequence[_Unit], found: set[int]) -> set[int]:
    """Return the numbers of some functions and of all that they may reach by calls.

    What these are given may be held by others than before. But it is of the same kind: edits keep values as they are.
    """
    reached: set[int] = set()
    todo, callers = list(found), [_callers(program, unit) for unit in units]
    while todo:
        number = todo.pop()
        reached.add(number)
        todo += (i for i in range(len(units)) if i not in reached and callers[i](units[number]))
    return reached


def _told(before: Program, old: Scope, after: Program, new: Scope) -> Collection[Scope]:
    """Return the callers that the last whole round told an effect of a function which its calls no longer have."""
    callers = before.askers(old)
    return callers if callers and before.summary(Function(old)) != after.summary(Function(new)) else ()


def _callers(program: Program, callee: _Unit) -> Callable[[_Unit], bool]:
    """Return what tells whether a function may call a given one, or hand it to something that does."""
    name, owner = callee.scope.name, program.module.class_of(callee.scope)
    if owner is None:
        return lambda caller: name in caller.names
    if name in OF_INSTANCES:
        calling = {_outermost(scope) for scope, _ in calls_of_objects(program, owner)}
        return lambda caller: name in caller.attributes or caller.scope in calling
    if name == "__init__":
        classes = {cls.node.name for cls in (owner, *program.descendants(owner))}
        return lambda caller: name in caller.attributes or not classes.isdisjoint(caller.names)
    is_operator = name.startswith("__")
    return lambda caller: is_operator or name in caller.attributes


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


def _lines_of(node: Any) -> tuple[int, int]:
    return node.lineno, node.end_lineno


def _outermost(scope: Scope) -> Scope:
    """Return the function around a scope that isn't inside another one; the scope itself where there is none."""
    found = scope
    outer: Scope | None = scope
    while outer is not None:
        if not outer.is_class and not outer.is_module:
            found = outer
        outer = outer.parent
    return found
