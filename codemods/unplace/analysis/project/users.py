"""Finds the other files of a run that may use a function, and the names that it has there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from unplace.analysis.domain.refs import Class, Member
from unplace.analysis.project.calling import importing, names_of
from unplace.analysis.project.exports import starred
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import Passing, hooks, passings
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope


@dataclass(frozen=True, slots=True)
class User:
    """Another file that contains the name of a function: its program, and the function as that file imports it."""

    program: Program
    scope: Scope

    @property
    def names(self) -> frozenset[str]:
        """The names by which the file may call the function or, for a `forward`, its class."""
        owner = home(self.scope).class_of(self.scope)
        is_object = owner is not None and self.scope.name in OF_INSTANCES
        return names_of(self.program.module, owner.node.name if owner is not None and is_object else self.scope.name)


def users_of(program: Program, scope: Scope) -> list[User]:
    """Return the other files of the run that may use a function of a module or a method of its classes."""
    none: list[tuple[Program, Scope]] = []
    return [User(*user) for user in program.answer_for_now(("users", scope), lambda: _users(program, scope), none)]


def _users(program: Program, scope: Scope) -> list[tuple[Program, Scope]]:
    disk = program.on_disk()
    if disk is None or not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    there = named_in(disk.module).get(full_name(scope))
    if there is None:
        return []
    if scope.parent is None or not scope.parent.is_class:
        found: dict[ModuleIndex, Program] = {}
        for name in _names_with(disk.module, scope.name) if scope.parent is None or scope.parent.is_module else ():
            others = program.others_with(frozenset([name]), importing(disk.module, name))
            found.update((other.module, other) for other in others if may_mean(other.module, name, disk.module))
        return [(other, there) for other in found.values()]
    owner = disk.module.class_of(there)
    if owner is None:
        return []
    return [(other, there) for other in _with_objects(disk, owner, scope.name)]


def _with_objects(disk: Program, owner: Class, method: str) -> list[Program]:
    """Return the other files that contain the name of a method, and that of its class or a class derived from it."""
    own = frozenset([method]) if method not in (*OF_INSTANCES, "__init__") else frozenset()
    found: dict[ModuleIndex, Program] = {}
    seen: set[str] = set()
    todo = [owner, *disk.descendants(owner)]
    while todo:
        cls = todo.pop()
        name, module = cls.node.name, home(cls.scope)
        if name in seen:
            continue
        seen.add(name)
        for other in disk.others_with(own | {name}, importing(module, name)):
            if may_mean(other.module, name, module):
                found[other.module] = other
                todo += other.descendants(owner)
    return list(found.values())


def _names_with(module: ModuleIndex, name: str) -> Iterator[str]:
    """Iterate over the names by which other files get a function: its own, and those of tables that hold it."""
    yield name
    for table, sources in module.bindings(module.scopes.module).sources.items():
        nodes = (
            node for source in sources if isinstance(source, ast.Dict | ast.List | ast.Tuple) for node in walk(source)
        )
        if any(isinstance(node, ast.Name) and node.id == name for node in nodes):
            yield table


def may_mean(module: ModuleIndex, name: str, defining: ModuleIndex) -> bool:
    """Tell whether a file that contains a name may mean what another one defines: by an import or an attribute."""
    place = defining.place
    if place is None or starred(module):
        return True
    imports = (module.imports.names.get(own) for own in names_of(module, name))
    if any(written is not None and module.target(written) == Member(place.path, name) for written in imports):
        return True
    scopes = module.scopes.by_node.values()
    return any(node.attr == name for scope in scopes for node in scope.of(ast.Attribute))


def full_name(scope: Scope) -> str:
    """Return the name of a function with those of the scopes around it: `Net.forward`."""
    parts: list[str] = []
    outer: Scope | None = scope
    while outer is not None and not outer.is_module:
        parts.append(outer.name)
        outer = outer.parent
    return ".".join(reversed(parts))


@once
def named_in(module: ModuleIndex) -> Mapping[str, Scope]:
    """Return the functions of a module by their full names; one that is defined several times is left out."""
    found: dict[str, Scope | None] = {}
    for scope in module.scopes.by_node.values():
        name = full_name(scope)
        found[name] = scope if name not in found else None
    return {name: scope for name, scope in found.items() if scope is not None}


def values_elsewhere(program: Program, scope: Scope) -> Iterator[tuple[Program, int]]:
    """Iterate over the lines in which other files use a function as a value rather than calling it."""
    for user in users_of(program, scope):
        called = {call.func for _, call in _calls(user)} | hooks(user.program.module)
        yield from ((user.program, node.lineno) for node in _uses(user) if node not in called)


def unfollowed_elsewhere(program: Program, scope: Scope, parameter: str) -> Iterator[tuple[Program, Passing]]:
    """Iterate over the calls of a function in other files that weren't followed, with what they may pass."""
    for user in users_of(program, scope):
        uses = set(_uses(user))
        for caller, call in _calls(user) if uses else ():
            if call.func in uses:
                found = passings(user.program, user.scope, parameter, caller, call)
                yield from ((user.program, passing) for passing in found)


def _calls(user: User) -> Iterator[tuple[Scope, ast.Call]]:
    for name in sorted(user.names):
        yield from user.program.module.calls_named(name)


def _uses(user: User) -> Iterator[ast.expr]:
    """Iterate over the reads of a module's function in another file."""
    module, place = user.program.module, home(user.scope).place
    if place is None or user.scope.parent is None or not user.scope.parent.is_module:
        return
    wanted = Member(place.path, user.scope.name)
    for name in sorted(user.names):
        if not module.reads_of(name):
            continue
        for scope in module.scopes.by_node.values():
            nodes: list[ast.expr] = [n for n in scope.names if n.id == name and isinstance(n.ctx, ast.Load)]
            nodes += [n for n in scope.of(ast.Attribute) if n.attr == name]
            yield from (node for node in nodes if module.member(scope, node) == wanted)
