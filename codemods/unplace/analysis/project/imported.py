"""Tells what the imports of a module bring: torch, arrays, and what other files of the run define."""

from __future__ import annotations

from unplace.analysis.project.module import ModuleIndex, once
from unplace.torchapi import modes


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
