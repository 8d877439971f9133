"""What a module offers to those that import it: the names that it binds, and what it binds them to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from unplace.analysis.syntax.imports import imported, module_of

if TYPE_CHECKING:
    from unplace.analysis.project.program import Program


def binds(program: Program, name: str) -> bool:
    """Whether the module itself binds a name, by whatever means."""
    return name in program.scopes.module.bound


def reexported(program: Program, name: str) -> str | None:
    """What the module imports under a name, as written, if that is all it binds the name to."""
    is_assigned = name in program.scopes.module.assigned
    return program.imports.names.get(name) if binds(program, name) and not is_assigned else None


def defines(program: Program, name: str) -> bool:
    """Whether the module binds a name in one place only, which is no import."""
    module = program.scopes.module
    if len(program.bindings(module).sources.get(name, ())) != 1 or name in module.volatile:
        return False
    imports = [node for node, where in program.scopes.imports if where is module]
    return name in module.assigned and not any(bound == name for node in imports for bound, _ in imported(node))


def imports_own(package: Program, name: str) -> bool:
    """Whether a package imports from its own module of that name, which is then there before what it binds itself."""
    place = package.place
    if place is None:
        return False
    own = [*place.package, name]
    modules = [module_of(node) for node, where in package.scopes.imports if where.is_module]
    return any(place.absolute(module)[: len(own)] == own for module in modules)


def starred(program: Program) -> list[str]:
    """The modules from which everything is imported, as written."""
    return [
        module_of(node)
        for node, where in program.scopes.imports
        if where.is_module and isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    ]
