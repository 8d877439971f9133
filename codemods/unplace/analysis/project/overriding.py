"""Finds the methods that a call of an object may run: that of its class, and those of the classes derived from it.

class Model:                            class Small(Model):                 perhaps in another file
    def norm(self, x): ...                  def norm(self, x): ...

    def forward(self, x):
        return self.norm(x)             `norm` of `Model`, or that of `Small`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from unplace.analysis.domain.refs import Class, Function
from unplace.analysis.project.mentions import replacing
from unplace.analysis.project.module import ModuleIndex, home
from unplace.analysis.syntax.scopes import Scope

_MOST = 4
"""Maximum number of methods that are told apart: a method that many classes override is one of unknown effect."""


class Methods(NamedTuple):
    """The methods that a call may run; none if one of them isn't known.

    `is_open`: the class itself leaves the method to derived ones, of which others may exist.
    """

    functions: tuple[Function, ...] = ()
    is_open: bool = False

    @property
    def only(self) -> Function | None:
        """The only method that the call may run; None where there are several, or where it isn't known."""
        return self.functions[0] if len(self.functions) == 1 and not self.is_open else None


def is_derived(cls: Class, owner: Class) -> bool:
    """Tell whether a class derives from another one, of which another index of the same file may be at hand."""
    place = home(owner.scope).place
    bases = [base for base in cls.linearized() if base is not cls and base.node.name == owner.node.name]
    places = (home(base.scope).place for base in bases)
    return place is not None and any(at is not None and at.path == place.path for at in places)


def methods_of(owner: Class, name: str, derived: Iterable[Class]) -> Methods:
    """Return the methods of a class and of those of the derived classes that have their own."""
    found: dict[Scope, Function] = {}
    for cls in (owner, *derived):
        method = _method(cls, name)
        if method is None:
            return Methods()
        found[method.scope] = method
        if len(found) > _MOST:
            return Methods()
    own, *overriding = found.values()
    is_open = bool(overriding) and _only_raises(own.scope.node)
    return Methods((*overriding,) if is_open else (own, *overriding), is_open)


def is_replaced(owner: Class, derived: Iterable[Class], name: str, reader: ModuleIndex) -> bool:
    """Tell whether code puts something else in the place of a method: `Model.norm = quick`.

    In the file that calls it and in that of the class, any object may be meant (`model.norm = quick`); in other files
    it is the class, or one derived from it.
    """
    own = home(owner.scope)
    replaced = [form for cls in (owner, *derived) for form in replacing(cls.node.name, name)]
    return any(module.stores_in_others(name) for module in (own, reader, *own.others_with(name, replaced)))


def _method(owner: Class, name: str) -> Function | None:
    """Return the method that Python finds first; None where a decorator wraps it, or where it isn't a plain `def`."""
    for cls in owner.linearized():
        if name in cls.assigned:  # `self.norm = nn.Identity()`
            return None
        if name in cls.methods:
            is_wrapped = name in cls.special
            return None if is_wrapped else Function(home(cls.scope).scopes.by_node[cls.methods[name]], cls)
        if name in cls.scope.bound:  # under an `if`, or by an assignment
            return None
    return None


def _only_raises(node: ast.AST) -> bool:
    """Tell whether a method only says that derived classes have to define it: `raise NotImplementedError`."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return len(body) == 1 and isinstance(body[0], ast.Raise)
