"""Methods of tensors that classes of the run define, too: their name tells nothing about an object of unknown class.

class Group:
    def add_(self, x, other): ...

The names that say most are asked for: those of in-place methods, and the idioms of tensors, such as `detach`. All
methods of a class count whose objects stand where tensors do: torch's functions take them, by `__torch_function__`, or
one can calculate with them, by `__add__` and the like.
"""

from __future__ import annotations

from collections.abc import Collection

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.types.evidence import is_idiom

POSING = ("__torch_function__", "__add__", "__sub__", "__mul__", "__truediv__")
"""The methods by which an object that is no tensor stands where one does: in torch's functions, in calculations."""


@once
def is_of_own_class(module: ModuleIndex, name: str) -> bool:
    """Tell whether a class of the run that is no tensor defines an in-place method or an idiom of this name."""
    if not name.endswith("_") and not is_idiom(name):
        return False
    place = module.place
    return name in own_methods(module) or (place is not None and place.others.is_method_elsewhere(name, place.path))


@once
def own_methods(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the methods that the classes of a module define, except those of tensors."""
    return frozenset(name for cls in module.classes.values() if not cls.is_tensor for name in cls.methods)


def is_of_posing_class(module: ModuleIndex, name: str) -> bool:
    """Tell whether a class of the run that poses as a tensor in torch's functions defines a method of this name."""
    if name in posing_methods(module):
        return True
    place = module.place
    return place is not None and place.others.is_posing_elsewhere(name, place.path)


@once
def posing_methods(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the methods that the posing classes of a module define."""
    others = (cls for cls in module.classes.values() if not cls.is_tensor)
    posing = (cls for cls in others if not set(POSING).isdisjoint(cls.methods))
    return frozenset(name for cls in posing for name in cls.methods)


def tells_nothing(module: ModuleIndex, name: str) -> bool:
    """Tell whether a class of the run that is no tensor defines a method by which tensors are told."""
    return is_of_own_class(module, name) or is_of_posing_class(module, name)


def is_operator_of_object(module: ModuleIndex, names: Collection[str]) -> bool:
    """Tell whether a class of the file whose objects are neither tensors nor modules defines one of some operators."""
    others = (cls for cls in module.classes.values() if not cls.is_tensor and not cls.is_module)
    return any(not set(cls.methods).isdisjoint(names) for cls in others)


def is_of_tensor_class(module: ModuleIndex, names: Collection[str]) -> bool:
    """Tell whether a class of the run whose objects are tensors defines one of these methods of tensors anew."""
    if not tensor_methods(module).isdisjoint(names):
        return True
    place = module.place
    return place is not None and place.others.is_redefined_elsewhere(names, place.path)


@once
def tensor_methods(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the methods that the classes of tensors of a module define."""
    return frozenset(name for cls in module.classes.values() if cls.is_tensor for name in cls.methods)
