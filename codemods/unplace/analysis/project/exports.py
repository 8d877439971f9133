"""The names that a module offers to importers, with the origin of each, and what its own imports bring."""

from __future__ import annotations

import ast

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.imports import imported, module_of
from unplace.torchapi import modes


def binds(module: ModuleIndex, name: str) -> bool:
    """Tell whether the module itself binds a name, by whatever means."""
    return name in module.scopes.module.bound


def reexported(module: ModuleIndex, name: str) -> str | None:
    """Return the imported name, as written, that a module binds to a name; None where it binds anything else to it."""
    is_assigned = name in module.scopes.module.assigned
    return module.imports.names.get(name) if binds(module, name) and not is_assigned else None


def defines(module: ModuleIndex, name: str) -> bool:
    """Tell whether the module binds a name in exactly one place, which isn't an import."""
    scope = module.scopes.module
    if len(module.bindings(scope).sources.get(name, ())) != 1 or name in scope.volatile:
        return False
    imports = [node for node, where in module.scopes.imports if where is scope]
    return name in scope.assigned and not any(bound == name for node in imports for bound, _ in imported(node))


def imports_own(package: ModuleIndex, name: str) -> bool:
    """Tell whether a package imports from its own module of that name, which is then bound before anything else."""
    place = package.place
    if place is None:
        return False
    own = [*place.package, name]
    modules = [module_of(node) for node, where in package.scopes.imports if where.is_module]
    return any(place.absolute(module)[: len(own)] == own for module in modules)


@once
def starred(module: ModuleIndex) -> list[str]:
    """Return the modules from which everything is imported, as written."""
    return [
        module_of(node)
        for node, where in module.scopes.imports
        if where.is_module and isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    ]


@once
def imports_torch(module: ModuleIndex) -> bool:
    """Tell whether a module imports torch, or something from it."""
    return any(target.split(".")[0] == "torch" for target in module.imports.names.values())


@once
def works_on_tensors(module: ModuleIndex) -> bool:
    """Tell whether what looks like an array may be a tensor in a module.

    It imports torch, or is imported beside torch and imports no package of arrays itself.
    """
    packages, place = {target.split(".")[0] for target in module.imports.names.values()}, module.place
    if "torch" in packages or not packages.isdisjoint(modes.OF_ARRAYS):
        return "torch" in packages
    return place is not None and place.others.is_imported(place.path, "torch")


@once
def imported_from_run(module: ModuleIndex) -> frozenset[str]:
    """Return the imported names that lead to other files of the run."""
    place, names = module.place, module.imports.names
    return frozenset(n for n in names if place is not None and place.others.locate(module, names[n]) is not None)
