"""Verdicts about a site: keep, refuse, or one of the recipes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.diagnostics.findings import Elsewhere
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit


@dataclass(frozen=True, slots=True)
class Keep:
    """Verdict that the write stays: being in place is its purpose."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Refuse:
    """Verdict that the write can't be rewritten without risk."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Meant(Refuse):
    """Refusal because the assumptions of a rewrite contradict the intent of the write, which no copy may take away."""


@dataclass(frozen=True, slots=True)
class Rebind:
    """Recipe that binds the written places to a new tensor, `places = expression`, and rematerialises the views.

    `is_unpacked`: each place gets one of several new tensors.
    """

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]
    is_unpacked: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """Recipe that clones the owner of the memory first: the write stays, but goes to memory that nothing else sees.

    `after` are the bindings made after the write.
    """

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]
    after: tuple[Binding, ...] = ()


@dataclass(frozen=True, slots=True)
class Scatter(Copy):
    """Recipe that binds the owner of the memory to a new tensor with other values in the written part."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Recipe that writes a store out, into memory that nobody else needs: `y[1:] = y[1:] * 2` for `y[1:] *= 2`."""

    assumptions: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Recipe that moves the operation to a rebinding before its statement, where the rebound name takes its place."""

    places: tuple[AccessPath, ...]
    views: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Inline:
    """Recipe that makes the operation functional where it stands: nothing reads the written tensor afterwards."""

    assumptions: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CopySaved:
    """Recipe that gives autograd copies of what it saves, while the write stays.

    `copied` are the expressions whose values are copied, and the in-place operations whose results are. `elsewhere` has
    the edits of other files.
    """

    copied: frozenset[ast.AST]
    operations: tuple[Reason, ...]
    edits: tuple[Edit, ...]
    assumptions: tuple[Reason, ...] = ()
    elsewhere: Elsewhere = ()


@dataclass(frozen=True, slots=True)
class Aside:
    """Recipe that keeps the statement and changes code around it, so that the write is allowed."""

    edits: tuple[Edit, ...]
    message: Reason
    assumptions: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Collect:
    """Recipe that turns a tensor filled slot by slot in a loop into a list, which is stacked after the loop."""

    name: str
    list_name: str
    edits: tuple[Edit, ...]
    assumptions: tuple[Reason, ...]


Recipe = Rebind | Copy | Plain | Split | Inline | CopySaved | Aside | Collect
Verdict = Keep | Refuse | Recipe
