"""Finds the calls that pass a tensor for a written parameter, and tells whether all callers are known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace.analysis.domain.refs import GENERAL, Class, Function, Variant
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Given, Write
from unplace.analysis.project.calling import holders_of, may_call
from unplace.analysis.project.module import ModuleIndex, from_folder, home, once, uses_by_name
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import name_of
from unplace.analysis.project.users import users_of
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Line

Callee = str | Class | Scope
"""What calls of a function reach: a function of a name, an object of a class, or a method."""


@dataclass(frozen=True, slots=True)
class Handed:
    """A call that passes a tensor to a function which writes it; `program` is that of the caller's file."""

    program: Program
    run: Run
    write: Write

    def line(self, reader: Program) -> Line:
        """Return the line of the call, with its file where that isn't the reader's."""
        return line_in(reader, self.program, self.write.statement.lineno)


def line_in(reader: Program, other: Program, line: int) -> Line:
    """Return a line of a file, with the name of the file where it isn't the reader's."""
    return Line(line, file=from_folder(reader.module, other.module))


def calls_that_hand(program: Program, scope: Scope, parameter: str) -> Iterator[Handed]:
    """Iterate over the calls in the run that pass a tensor for a parameter that the function writes.

    Those in the function's own file come first.
    """
    yield from calls_in_file(program, scope, parameter)
    yield from calls_elsewhere(program, scope, parameter)


def calls_in_file(program: Program, scope: Scope, parameter: str) -> list[Handed]:
    """Return the calls in a function's own file that pass a tensor for a parameter that it writes."""
    program = program.home_of(scope)
    return _handed_in(program, scope, parameter) if _writes(program, scope, parameter) else []


def calls_elsewhere(program: Program, scope: Scope, parameter: str) -> Iterator[Handed]:
    """Iterate over the calls in other files that pass a tensor for a parameter that the function writes."""
    program = program.home_of(scope)
    for user in users_of(program, scope) if _writes(program, scope, parameter) else ():
        yield from _handed_in(user.program, user.scope, parameter, user.names)


def calls_that_reach(program: Program, scope: Scope, name: str) -> Iterator[Handed]:
    """Iterate over the calls in a function's file that let it reach a tensor by a captured name, `*args` or `map`."""
    program = program.home_of(scope)
    callers = _callers_of(program, _callee(scope), frozenset()) if scope.name != "<lambda>" else set()
    callers |= {scope.parent} if scope.parent is not None and not scope.parent.is_class else set()
    for caller in sorted(callers, key=lambda s: getattr(s.node, "lineno", 0)):
        run = program.run(caller)
        if run is not None:
            for (_, to, _), (callee, write) in run.handed_loosely.items():
                if callee is scope and to == name:
                    yield Handed(program, run, write)


@dataclass(frozen=True, slots=True)
class Caller:
    """A function that calls another one, which the caller's file knows as `callee`."""

    program: Program
    scope: Scope
    callee: Scope

    def given(self, variant: Variant = GENERAL) -> list[Given]:
        """Return what the calls give the callee, in a variant of the caller."""
        run = self.program.run(self.scope, variant)
        return [given for (_, called), given in run.given.items() if called is self.callee] if run is not None else []


def callers_in_sight(program: Program, scope: Scope) -> Iterator[Caller]:
    """Iterate over the functions of the run whose calls of a function are followed."""
    program = program.home_of(scope)
    users = [(program, scope, frozenset[str]()), *((u.program, u.scope, u.names) for u in users_of(program, scope))]
    for user, callee, names in users:
        found = _callers_of(user, _callee(scope), names)
        callers = (Caller(user, caller, callee) for caller in sorted(found, key=lambda s: getattr(s.node, "lineno", 0)))
        yield from (caller for caller in callers if caller.given())


def _writes(program: Program, scope: Scope, parameter: str) -> bool:
    summary = program.summary(Function(scope))
    return summary is not None and parameter in summary.writes | summary.may_write | summary.writes_held


def _handed_in(program: Program, scope: Scope, parameter: str, names: frozenset[str] = frozenset()) -> list[Handed]:
    """Return the calls in one file that pass a tensor for a parameter; `names` are those of the function there."""
    callee = _callee(scope)
    question, none = ("handed", callee, names), dict[tuple[Scope, str], list[tuple[Run, Write]]]()
    found = program.answer_for_now(question, lambda: _handed(program, _callers_of(program, callee, names)), none)
    return [Handed(program, run, write) for run, write in found.get((scope, parameter), ())]


def _callee(scope: Scope) -> Callee:
    """Return what calls of a function reach: its name or, of a method, it itself or an object of the class."""
    owner = home(scope).class_of(scope)
    if owner is None:
        return scope.name
    return owner if scope.name in OF_INSTANCES else scope


def _callers_of(program: Program, callee: Callee, names: frozenset[str]) -> set[Scope]:
    """Return the functions that may call functions of a name, a method, or objects of a class."""
    if callee == "<lambda>":
        return _callers_of_lambdas(program.module)
    if not isinstance(callee, Class):
        own = names | {callee if isinstance(callee, str) else callee.name}
        is_out_of_a_table = bool(names) and not any(map(program.module.reads_of, own))
        if isinstance(callee, str) and (is_out_of_a_table or is_value(program.module, own)):
            return set(program.module.scopes.by_node.values())
        calls = [each for name in own for each in program.module.calls_named(name)]
        return {
            caller for caller, call in calls if isinstance(callee, str) or _may_reach(program, callee, caller, call)
        }
    classes = {callee, *program.descendants(callee)}
    holders = holders_of(program, classes, names)
    return {
        scope
        for scope in program.module.scopes.by_node.values()
        if (program.module.class_of(scope) in classes and _may_call_itself(program.module, scope))
        or holders.are_called_in(scope)
    }


def is_value(module: ModuleIndex, names: frozenset[str]) -> bool:
    """Tell whether a function or class goes by other names, too: it stands in a dictionary, or is an argument."""
    outermost = module.scopes.module
    return any(
        isinstance(node, ast.Name) and module.scopes.owner(scope, name) is outermost and _is_handed_on(module, node)
        for name in names
        for scope, node in uses_by_name(module).get(name, ())
    )


def _is_handed_on(module: ModuleIndex, node: ast.Name) -> bool:
    """Tell whether a use of a function or class is neither a call nor what only names it: a base, an annotation."""
    outer = module.scopes.parents[node]
    if isinstance(outer, ast.Call):
        return outer.func is not node and last_name(outer.func) not in ("super", "isinstance", "issubclass")
    is_named = isinstance(outer, ast.Attribute | ast.ClassDef | ast.arg | ast.FunctionDef | ast.AsyncFunctionDef)
    return not is_named and not (isinstance(outer, ast.AnnAssign) and outer.annotation is node)


def _may_reach(program: Program, method: Scope, caller: Scope, call: ast.Call) -> bool:
    """Tell whether a call under a method's name may reach it: `super().__init__()` reaches those of bases alone."""
    is_known = isinstance(call.func, ast.Attribute) and program.module.owns(method)
    return not is_known or may_call(program, method, caller, call, is_exact=False)


def _may_call_itself(module: ModuleIndex, method: Scope) -> bool:
    """Tell whether a method may call its own object: `self(x)`, `super().forward(x)`, or by handing it on."""
    if any(node.attr in OF_INSTANCES for node in method.of(ast.Attribute)):
        return True
    own = method.parameters[0].arg if method.parameters else None
    parents = module.scopes.parents
    return any(name.id == own and not isinstance(parents[name], ast.Attribute) for name in method.names)


@once
def _callers_of_lambdas(module: ModuleIndex) -> set[Scope]:
    """Return the functions that may call a lambda: those that pass it on or call what they got, or all if it is kept.

    net._apply(lambda t: t.half_())             self.act = lambda t: t.mul_(2)
    """
    scopes = set(module.scopes.by_node.values())
    lambdas = [scope for scope in scopes if isinstance(scope.node, ast.Lambda)]
    if not all(_is_passed_on(module, scope.node) for scope in lambdas):
        return scopes
    passing = {scope.parent for scope in lambdas if scope.parent is not None}
    return passing | {scope for scope in scopes if any(_is_of_local(module, scope, c) for c in scope.of(ast.Call))}


def _is_passed_on(module: ModuleIndex, node: ast.AST) -> bool:
    """Tell whether a lambda is an argument of a call that makes no object of the module, which might keep it."""
    outer = module.scopes.parents[node]
    call = module.scopes.parents[outer] if isinstance(outer, ast.keyword) else outer
    made = {cls.name for cls in module.classes}
    return isinstance(call, ast.Call) and last_name(call.func) not in {*made, "__init__"}


def _is_of_local(module: ModuleIndex, scope: Scope, call: ast.Call) -> bool:
    """Tell whether a call calls what a name of a function stands for, such as a parameter."""
    owner = module.scopes.owner(scope, call.func.id) if isinstance(call.func, ast.Name) else None
    return owner is not None and not owner.is_module


def _handed(program: Program, callers: set[Scope]) -> dict[tuple[Scope, str], list[tuple[Run, Write]]]:
    """Return the tensors that some functions pass to written parameters, by callee and parameter."""
    found: dict[tuple[Scope, str], list[tuple[Run, Write]]] = {}
    for caller in sorted(callers, key=lambda s: getattr(s.node, "lineno", 0)):
        run = program.run(caller)
        if run is None:
            continue
        handed = (*run.handed.items(), *run.handed_unclear.items(), *run.handed_held.items())
        for (_, parameter, _), (callee, write) in handed:
            found.setdefault((callee, parameter), []).append((run, write))
    return found


def is_private(program: Program, scope: Scope, calls: int) -> bool:
    """Tell whether the given number of calls in the file is all there are.

    That holds for a nested function and for one whose name begins with an underscore, if the name is only ever called
    and no other file of the run contains it.
    """
    name = scope.name
    if not is_nested(scope) and (not name.startswith("_") or name.startswith("__")):
        return False
    is_called = calls > 0 and uses_of(program, scope) == calls and not is_value(program.module, frozenset([name]))
    return is_called and not is_named_elsewhere(program, scope)


def is_nested(scope: Scope) -> bool:
    """Tell whether a function is defined inside another one."""
    return scope.parent is not None and not scope.parent.is_module and not scope.parent.is_class


def is_named_elsewhere(program: Program, scope: Scope) -> bool:
    """Tell whether another file of the run may use a function, because it contains its name."""
    return not is_nested(scope) and program.module.is_named_elsewhere(scope.name)


def uses_of(program: Program, scope: Scope) -> int:
    """Return how often the file uses the name of a function or method, on whatever receiver."""
    return program.module.reads_of(name_of(program, scope))
