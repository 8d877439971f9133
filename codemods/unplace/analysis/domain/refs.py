"""References: what callables, classes, modules and their instances stand for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from unplace.analysis.domain.constants import NOTHING, Fixed
from unplace.analysis.domain.values import Value
from unplace.analysis.syntax.nodes import FUNCTIONS
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_OF_ASSIGNING = frozenset(["__delattr__", "__getattribute__", "__setattr__"])
_PLAIN_METACLASSES = frozenset(["ABCMeta", "EnumMeta", "EnumType", "type"])
_WITHOUT_ATTRIBUTES = frozenset(["ABC", "Enum", "Generic", "NamedTuple", "Protocol", "object"])


@dataclass(frozen=True, slots=True)
class Named:
    """An imported or builtin object, by its qualified name: `torch.nn.functional.relu`, `builtins.len`."""

    qualified: str


@dataclass(frozen=True, slots=True)
class ParameterName:
    """A text that names a parameter of a layer of torch."""


@dataclass(frozen=True, slots=True)
class Member:
    """A name that one of the analysed files defines, or, without a name, the module itself."""

    path: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or lambda of the analysed files."""

    scope: Scope
    owner: Class | None = None

    def captured(self, scope: Scope) -> set[str]:
        """Return the names that it may capture from an enclosing scope; none from a scope of another file."""
        return self.scope.free_names() if self.scope.module is scope.module else set()


@dataclass(frozen=True, slots=True)
class Parents:
    """The bases of a class: their names, qualified where known, else as written, and the known classes among them."""

    names: tuple[str, ...] = ()
    classes: tuple[Class, ...] = ()


@dataclass(slots=True, eq=False)
class Class:
    """A class of the analysed files, and what its methods tell about the attributes of its instances."""

    node: ast.ClassDef
    scope: Scope
    find_parents: Callable[[], Parents]
    assigned: dict[str, list[tuple[Scope, ast.expr | None]]] = field(default_factory=dict)
    augmented: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)  # `self.x += value`
    added: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)  # `self.xs.append(value)`
    extended: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)  # `self.xs.extend(values)`
    patterns: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)  # `setattr(self, f"x{i}", value)`
    declared: dict[str, ast.expr] = field(default_factory=dict)  # `x: Tensor` in the body of the class
    registered: set[str] = field(default_factory=set)  # parameters and buffers
    buffers: set[str] = field(default_factory=set)  # the registered names that are buffers
    special: set[str] = field(default_factory=set)  # properties, slots and class-level names: not plain attributes
    fields: tuple[str, ...] | None = None  # what the constructor of a dataclass or named tuple stores, in order
    _parents: Parents | None = None
    _methods: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] | None = None

    @property
    def bases(self) -> tuple[str, ...]:
        """The names of the bases, qualified where known, else as written."""
        return self._known_parents().names

    @property
    def ancestors(self) -> tuple[Class, ...]:
        """The bases that are classes of the analysed files."""
        return self._known_parents().classes

    def _known_parents(self) -> Parents:
        if self._parents is None:
            self._parents = Parents()  # ends the recursion where classes of two files derive from each other
            found = self.find_parents()
            self._parents = Parents(found.names, tuple(c for c in found.classes if self not in c.linearized()))
        return self._parents

    def linearized(self) -> list[Class]:
        """Return the class and its ancestors, each once, in the order in which Python looks a method up."""
        if not self.ancestors:
            return [self]
        found: list[Class] = []
        self._add_to(found, set())
        return found[::-1]

    def _add_to(self, found: list[Class], seen: set[Class]) -> None:
        """Append the class after all its ancestors, those of its last base first."""
        seen.add(self)
        for ancestor in reversed(self.ancestors):
            if ancestor not in seen:
                ancestor._add_to(found, seen)
        found.append(self)

    def derives_from(self, *qualified: str) -> bool:
        """Tell whether one of these names is a (known) base of the class or of an ancestor."""
        for cls in self.linearized():
            for base in cls.bases:
                if base in qualified:
                    return True
        return False

    @property
    def is_module(self) -> bool:
        """Tell whether instances are nn.Modules, as far as the files show."""
        if self.derives_from("torch.nn.Module"):
            return True
        bases = self.all_bases()
        return not self.is_tensor and any(b.startswith("torch.nn.") or b.endswith("Module") for b in bases)

    @property
    def is_tensor(self) -> bool:
        """Tell whether instances are tensors that may redefine torch's operations, as far as the files show."""
        return self.derives_from("torch.Tensor", modules.PARAMETER)

    @property
    def is_parameter(self) -> bool:
        """Tell whether a module that has an instance as an attribute registers it, as far as the files show."""
        return self.derives_from(modules.PARAMETER)

    @property
    def is_immutable(self) -> bool:
        """Tell whether instances reject the assignment of attributes, as named tuples and frozen dataclasses do."""
        frozen = any(
            isinstance(d, ast.Call) and any(k.arg == "frozen" and ast.unparse(k.value) == "True" for k in d.keywords)
            for d in self.node.decorator_list
        )
        return frozen or self.is_named_tuple

    @property
    def is_named_tuple(self) -> bool:
        """Tell whether instances are named tuples."""
        return any(base.rsplit(".", 1)[-1] == "NamedTuple" for base in self.all_bases())

    @property
    def constructs_plainly(self) -> bool:
        """Tell whether Python alone makes the instances, and each has attributes of its own, as far as the files show.

        class Borg:
            def __init__(self):
                self.__dict__ = self.shared         no `__new__`, no metaclass, but one object for all
        """
        given = [k for c in self.linearized() for k in c.node.keywords if k.arg in (None, "metaclass")]
        plain = all(ast.unparse(k.value).rsplit(".", 1)[-1] in _PLAIN_METACLASSES for k in given)
        return plain and not any(c.defines("__new__") or "__dict__" in c.assigned for c in self.linearized())

    def may_inherit(self, name: str) -> bool:
        """Tell whether an attribute may come from an unseen base, where it may be a parameter or a property."""
        family = [*self.linearized()]
        if any(name in table for c in family for table in (c.assigned, c.declared, c.fields or ())):
            return False
        return self.is_module or any(c.has_unknown_base for c in family)

    @property
    def has_unknown_base(self) -> bool:
        """Tell whether a base isn't seen, apart from those that give instances no attributes, such as `Generic`."""
        plain = [base for base in self.bases if base.split("[")[0].rsplit(".", 1)[-1] not in _WITHOUT_ATTRIBUTES]
        return len(plain) > len(self.ancestors)

    def intercepts(self, name: str) -> bool:
        """Tell whether assigning an attribute, or reading it back, runs arbitrary code of the class."""
        methods = {method for cls in self.linearized() for method in cls.methods}
        is_assigned = any(name in cls.assigned for cls in self.linearized())
        return bool(methods & _OF_ASSIGNING) or ("__getattr__" in methods and not is_assigned)

    @property
    def methods(self) -> Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        """The first definition of each method in the body of the class itself, by name."""
        if self._methods is None:
            self._methods = {s.name: s for s in reversed(self.node.body) if isinstance(s, FUNCTIONS)}
        return self._methods

    def defines(self, name: str) -> bool:
        """Tell whether the body of the class itself defines a method."""
        return name in self.methods

    def has_property(self, name: str) -> bool:
        """Tell whether an attribute is a property or a decorated method."""
        return any(name in cls.special and name in cls.methods for cls in self.linearized())

    def behind(self, name: str) -> ast.Attribute | None:
        """Return the attribute that a property does nothing but return: `self._h` in `return self._h`."""
        method = next((cls.methods[name] for cls in self.linearized() if name in cls.methods), None)
        if not isinstance(method, ast.FunctionDef) or [ast.unparse(d) for d in method.decorator_list] != ["property"]:
            return None
        body = [s for s in method.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        found = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
        if not isinstance(found, ast.Attribute) or ast.unparse(found.value) != method.args.args[0].arg:
            return None
        return found if not self.lookup("special", found.attr) else None

    def all_bases(self) -> set[str]:
        """Return the names of all known bases, including those of ancestors."""
        return {base for cls in self.linearized() for base in cls.bases}

    def lookup(self, table: str, name: str) -> bool:
        """Tell whether a name is in `registered`, `buffers` or `special` of the class or an ancestor."""
        return any(name in getattr(cls, table) for cls in self.linearized())


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class of the analysed files; if `is_exact`, not of one that derives from it.

    `given` are the constants that its constructor got, by parameter, each with its value.
    """

    of: Class
    is_exact: bool = False
    given: Fixed = NOTHING


@dataclass(frozen=True, slots=True)
class TorchModule:
    """An instance of a module class of torch: where it was made and, for a Sequential, its layers.

    `last` is the last layer of a Sequential, where only that one is known, and `each` stands for all its layers, where
    their number isn't known: `nn.Sequential(*layers)`. It returns its input where it has no layer: `is_filled` tells
    that it certainly has one.
    """

    qualified: str
    call: ast.Call | None
    inplace: bool | None = False  # None: a variable decides
    parts: tuple[Value, ...] | None = None
    last: Value | None = None
    each: Value | None = None
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class LibraryLayer:
    """An object of a layer that a file of models describes, with the call that made it."""

    qualified: str
    call: ast.Call | None


@dataclass(frozen=True, slots=True)
class ModuleList:
    """An nn.ModuleList or nn.ModuleDict, with the modules in it; if `is_exact`, in this order.

    `is_filled`: it certainly has one.
    """

    members: tuple[Value, ...]
    is_exact: bool = False
    is_dict: bool = False
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """A method looked up on a value."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class TensorMethod:
    """A method looked up on a tensor, `x.mul_`, which the value that has this reference holds."""

    node: ast.Attribute


@dataclass(frozen=True, slots=True)
class Partial:
    """A function or class with some of its arguments given by `functools.partial`."""

    of: Hashable
    call: ast.Call
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Several functions, classes, modules or objects of which a value is one; if `is_open`, or something unseen."""

    refs: frozenset[Hashable]
    is_open: bool = False


_CALLED = (Class, Function, Instance, LibraryLayer, Named, Partial, TensorMethod, TorchModule)
ANYTHING = Choice(frozenset(), is_open=True)
_MOST_ALTERNATIVES = 6


def alternatives(ref: Hashable) -> tuple[Hashable, ...]:
    """Return what a reference may stand for, in a fixed order: the alternatives of a choice, or itself."""
    if isinstance(ref, Choice):
        return tuple(sorted(ref.refs, key=_order))
    return () if ref is None else (ref,)


def join_refs(first: Hashable, second: Hashable, *, is_open: bool = False) -> Hashable:
    """Return the join of two references; `ANYTHING` where they are too many, or where one can't be called."""
    found: dict[Hashable, Hashable] = {}
    for ref in (*alternatives(first), *alternatives(second)):
        if not isinstance(ref, _CALLED):
            return ANYTHING
        known = found.setdefault(_likeness(ref), ref)
        if isinstance(known, Instance) and isinstance(ref, Instance):
            found[_likeness(ref)] = Instance(ref.of, known.is_exact and ref.is_exact, known.given & ref.given)
        elif _order(ref) < _order(known):
            found[_likeness(ref)] = ref
    is_open = is_open or any(isinstance(ref, Choice) and ref.is_open for ref in (first, second))
    if ANYTHING in (first, second) or len(found) > _MOST_ALTERNATIVES:
        return ANYTHING
    if len(found) == 1 and not is_open:
        return next(iter(found.values()))
    return Choice(frozenset(found.values()), is_open) if found else None


def _likeness(ref: Hashable) -> Hashable:
    """Return what references have in common that act alike when called: layers that don't work in place, objects."""
    if isinstance(ref, LibraryLayer) or (isinstance(ref, TorchModule) and ref.inplace is False):
        return replace(ref, call=None)
    return ref.of if isinstance(ref, Instance) else ref


def _order(ref: Hashable) -> tuple[str, str, int, int]:
    """Return a key that sorts references by their place in the source."""
    if isinstance(ref, Named):
        return "", ref.qualified, 0, 0
    of = ref.of if isinstance(ref, Instance) else ref
    node: ast.AST | None = of.node if isinstance(of, Class | TensorMethod) else None
    if isinstance(of, Partial | TorchModule | LibraryLayer | Function):
        node = of.scope.node if isinstance(of, Function) else of.call
    name = (
        of.qualified if isinstance(of, TorchModule | LibraryLayer) else getattr(node, "name", getattr(node, "attr", ""))
    )
    return type(of).__name__, name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def first_layer(module: TorchModule) -> TorchModule:
    """Return the module itself or, for a Sequential whose layers are known, its first layer if it is one of torch's."""
    while module.parts and isinstance(module.parts[0].ref, TorchModule):
        module = module.parts[0].ref
    return module


class Variant(NamedTuple):
    """A function with what a call fixes of it: the constants that its tests ask for, and the receiver."""

    fixed: Fixed = NOTHING
    receiver: Instance | None = None


GENERAL = Variant()
"""A function of which nothing is fixed."""
