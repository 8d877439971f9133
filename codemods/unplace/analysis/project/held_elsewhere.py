"""Finds what other files of the run hold of a tensor that an attribute or a global name of this file holds.

from tools import STATE
buffer = net.buffer[0]
net = Net(buffer)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from unplace.analysis.domain.refs import Class, Member
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.calling import importing, is_object_of, names_of
from unplace.analysis.project.module import ModuleIndex, from_folder, home
from unplace.analysis.project.sharing import given_too, is_read_elsewhere
from unplace.analysis.syntax.imports import imported
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal


def holder_of_global(module: ModuleIndex, name: str) -> Reason | None:
    """Return the reason why a global name of a module isn't the only holder of its tensor, as other files show."""
    place = module.place
    if place is None:
        return None
    wanted = Member(place.path, name)
    for other in module.others_with(name, importing(module, name)):
        for node, _ in other.scopes.imports:
            if isinstance(node, ast.ImportFrom) and _imports(other, node, wanted):
                return Refusal.IMPORTED_TOO(line=Line(node.lineno, file=from_folder(module, other)), name=name)
        taken = next(_taken(other, lambda scope, node, other=other: other.member(scope, node) == wanted), None)  # type: ignore[misc]
        if taken is not None:
            line = Line(taken.lineno, file=from_folder(module, other))
            return Refusal.TAKEN_TOO(other=taken.id, line=line, name=name)
    return None


def _imports(module: ModuleIndex, node: ast.ImportFrom, wanted: Member) -> bool:
    """Tell whether a statement imports a member of another file by its name, or with all names."""
    assert module.place is not None
    if node.names[0].name == "*":
        return module.place.others.find_starred(module, wanted.name) == wanted
    targets = (target for _, target in imported(node) if target.rpartition(".")[2] == wanted.name)
    return any(module.target(target) == wanted for target in targets)


def holder_of_attribute(program: Analysis, owner: Class, name: str) -> Reason | None:
    """Return the reason why an attribute isn't the only holder of its tensor, as other files than this one show."""
    module, defining = program.module, home(owner.scope)
    if module.place is None or defining.place is None:
        return None
    for other in (*([defining] if defining is not module else []), *defining.others_with(owner.node.name, ())):
        if other is not module:
            given = next(_given(program, other, owner, name), None)
            if given is not None:
                line = Line(given.lineno, file=from_folder(module, other))
                return Refusal.GIVEN_TOO(other=code_of(given), line=line, name=name)
    for other in module.others_with(name, (rf"\.\s*{name}\b",)):
        taken = next(_taken(other, lambda scope, node: _is_attribute(program, scope, node, owner, name)), None)
        if taken is not None:
            line = Line(taken.lineno, file=from_folder(module, other))
            return Refusal.TAKEN_TOO(other=taken.id, line=line, name=name)
    return None


def _given(program: Analysis, module: ModuleIndex, owner: Class, name: str) -> Iterator[ast.Name | ast.Attribute]:
    """Iterate over what shares memory with what a call of a class puts into an attribute of its object."""
    for own in sorted(names_of(module, owner.node.name)):
        for scope, call in module.calls_named(own):
            if is_object_of(program, scope, call.func, owner):
                yield from given_too(owner, name, scope, call)


def _taken(module: ModuleIndex, is_it: Callable[[Scope, ast.expr], bool]) -> Iterator[ast.Name]:
    """Iterate over the names that a file binds to an expression, or to what may be a view of it, and reads again."""
    for scope in module.scopes.by_node.values():
        for node in scope.nodes:
            if isinstance(node, ast.Assign) and any(is_it(scope, part) for part in _chain(node.value)):
                yield from (t for t in node.targets if isinstance(t, ast.Name) and is_read_elsewhere(scope, t))


def _chain(source: ast.expr) -> Iterator[ast.expr]:
    """Iterate over an expression and those that it may be a view of: `net.h[0]`, `net.h` and `net`."""
    while isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
        yield source
        if isinstance(source, ast.Name):
            return
        source = source.value


def _is_attribute(program: Analysis, scope: Scope, node: ast.expr, owner: Class, name: str) -> bool:
    """Tell whether an expression is an attribute of what is known to be an object of a class."""
    return isinstance(node, ast.Attribute) and node.attr == name and is_object_of(program, scope, node.value, owner)
