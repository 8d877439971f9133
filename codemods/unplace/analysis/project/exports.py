"""What a module offers to those that import it: the names that it binds, and what it binds them to."""

from __future__ import annotations

import ast

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.imports import imported, module_of


def binds(module: ModuleIndex, name: str) -> bool:
    """Whether the module itself binds a name, by whatever means."""
    return name in module.scopes.module.bound


def reexported(module: ModuleIndex, name: str) -> str | None:
    """What the module imports under a name, as written, if that is all it binds the name to."""
    is_assigned = name in module.scopes.module.assigned
    return module.imports.names.get(name) if binds(module, name) and not is_assigned else None


def defines(module: ModuleIndex, name: str) -> bool:
    """Whether the module binds a name in one place only, which is no import."""
    scope = module.scopes.module
    if len(module.bindings(scope).sources.get(name, ())) != 1 or name in scope.volatile:
        return False
    imports = [node for node, where in module.scopes.imports if where is scope]
    return name in scope.assigned and not any(bound == name for node in imports for bound, _ in imported(node))


def imports_own(package: ModuleIndex, name: str) -> bool:
    """Whether a package imports from its own module of that name, which is then there before what it binds itself."""
    place = package.place
    if place is None:
        return False
    own = [*place.package, name]
    modules = [module_of(node) for node, where in package.scopes.imports if where.is_module]
    return any(place.absolute(module)[: len(own)] == own for module in modules)


@once
def starred(module: ModuleIndex) -> list[str]:
    """The modules from which everything is imported, as written."""
    return [
        module_of(node)
        for node, where in module.scopes.imports
        if where.is_module and isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    ]
