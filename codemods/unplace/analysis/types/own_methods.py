"""In-place methods that classes of the run define, too: their name tells nothing about an object of unknown class.

class Group:
    def add_(self, x, other): ...
"""

from __future__ import annotations

from unplace.analysis.project.module import ModuleIndex, once


@once
def is_of_own_class(module: ModuleIndex, name: str) -> bool:
    """Tell whether a class of the run that is no tensor defines a method of this name, which ends with `_`."""
    if not name.endswith("_"):
        return False
    others = module.others_with(name, (rf"\bdef\s+{name}\b",))
    classes = (cls for one in (module, *others) for cls in one.classes.values())
    return any(cls.defines(name) and not cls.is_tensor for cls in classes)
