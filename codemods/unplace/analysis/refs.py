"""What a callable value stands for."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace.analysis.scopes import Scope
from unplace.analysis.values import Value


@dataclass(frozen=True, slots=True)
class Named:
    """Something imported or builtin, by its qualified name: `torch.nn.functional.relu`, `builtins.len`."""

    qualified: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function, method or lambda of this file."""

    scope: Scope
    owner: Class | None = None


@dataclass(slots=True, eq=False)
class Class:
    """A class of this file and what its methods say about its instances' attributes."""

    node: ast.ClassDef
    scope: Scope
    bases: tuple[str, ...]  # qualified where known, else as written
    ancestors: tuple[Class, ...]  # those in this file
    assigned: dict[str, list[tuple[Scope, ast.expr | None]]] = field(default_factory=dict)
    augmented: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)  # `self.x += value`
    declared: dict[str, ast.expr] = field(default_factory=dict)  # `x: Tensor` in the body of the class
    registered: set[str] = field(default_factory=set)  # parameters and buffers
    buffers: set[str] = field(default_factory=set)  # those of them made by `register_buffer`
    special: set[str] = field(default_factory=set)  # properties, slots and class-level names: not plain attributes

    def derives_from(self, *qualified: str) -> bool:
        """Whether the class has one of these among its (known) bases."""
        return any(b in qualified for b in self.bases) or any(a.derives_from(*qualified) for a in self.ancestors)

    @property
    def is_module(self) -> bool:
        """Whether instances are nn.Modules as far as this file shows."""
        return self.derives_from("torch.nn.Module") or any(
            base.startswith("torch.nn.") or base.endswith("Module") for base in self.all_bases()
        )

    @property
    def is_immutable(self) -> bool:
        """Whether instances refuse that an attribute is assigned: named tuples and frozen dataclasses."""
        frozen = any(
            isinstance(d, ast.Call) and any(k.arg == "frozen" and ast.unparse(k.value) == "True" for k in d.keywords)
            for d in self.node.decorator_list
        )
        return frozen or any(base.rsplit(".", 1)[-1] == "NamedTuple" for base in self.all_bases())

    def all_bases(self) -> set[str]:
        """The names of all known bases."""
        return set(self.bases).union(*(a.all_bases() for a in self.ancestors))

    def lookup(self, table: str, name: str) -> bool:
        """Whether a name is in `registered` / `buffers` / `special` of the class or an ancestor."""
        return name in getattr(self, table) or any(a.lookup(table, name) for a in self.ancestors)


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of this file."""

    of: Class


@dataclass(frozen=True, slots=True)
class TorchModule:
    """An instance of a module class of torch: where it was made, with which parts if it is a Sequential."""

    qualified: str
    call: ast.Call
    inplace: bool | None = False  # None: a variable decides
    parts: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class ModuleList:
    """An nn.ModuleList or nn.ModuleDict, with the modules that it is made of."""

    members: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A method looked up on a value."""

    receiver: Value
    name: str
