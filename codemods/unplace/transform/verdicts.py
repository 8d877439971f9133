"""What a rule can decide about a site."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit


@dataclass(frozen=True, slots=True)
class Keep:
    """The write stays: being in place is its purpose."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Refuse:
    """The write can't be rewritten without risk."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Meant(Refuse):
    """What a rewrite would have to assume contradicts what the write is there for: nothing else may take it away."""


@dataclass(frozen=True, slots=True)
class Rebind:
    """The written places get a new tensor: `places = expression`, then the views are made again.

    `is_unpacked`: the places get one each of several new tensors.
    """

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]
    is_unpacked: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """The memory's owner is cloned first and the write stays: it then goes to memory that nobody else sees.

    `after` are what is bound behind the write.
    """

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]
    after: tuple[Binding, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """The operation moves to a rebinding before its statement, in which the rebound name takes its place."""

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Inline:
    """The operation becomes its functional form where it stands: nobody reads the written tensor afterwards."""

    assumptions: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CopySaved:
    """Autograd gets copies of what it saves, and the write stays.

    `copied` are the expressions whose values are copied, and the operations in place whose results are.
    """

    copied: frozenset[ast.AST]
    operations: tuple[Reason, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """The statement stays, and something around it changes, so that the write is allowed."""

    edits: tuple[Edit, ...]
    message: Reason
    assumptions: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Collect:
    """A tensor that a loop fills slot by slot becomes a list, which is stacked behind the loop."""

    name: str
    list_name: str
    edits: tuple[Edit, ...]
    assumptions: tuple[Reason, ...]


Recipe = Rebind | Copy | Split | Inline | CopySaved | Aside | Collect
Verdict = Keep | Refuse | Recipe
