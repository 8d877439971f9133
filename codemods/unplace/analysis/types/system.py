"""Systems of constraints: variables with the kinds possible for them, and the relations between them."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field

from unplace.analysis.domain.values import NUMBER, OTHER, TEXT
from unplace.analysis.types.relations import ANYTHING, Relation

Variable = int
Constraint = tuple[Relation | None, tuple[Variable, ...]]
"""A relation between variables; None stands for a read that sees several definitions, all but the first variable."""

UNTOLD, A_NUMBER, A_TEXT, AN_OBJECT = range(4)
"""The variables that nothing restricts: literals, and expressions of which nothing is known."""

FIXED = (ANYTHING, NUMBER, TEXT, OTHER)
"""The kinds of these."""


@dataclass(slots=True)
class System:
    """The variables of a scope with the kinds possible for them, and the relations between them.

    `likely` restricts variables where the code that people write leaves no other sense, and `doubtful` are relations
    that hold unless an exception is caught. The objects of `tested` variables are tested for their kind, and may be of
    any; `idiomatic` ones are used as people use tensors, `foreign` ones have an attribute that no tensor has, or an
    element with one: `df[name].to_numpy()`. `taken_from` has the source of each element. While
    `is_certain` is False, all that is added is likely or doubtful.
    """

    masks: list[int] = field(default_factory=lambda: [*FIXED])
    likely: list[tuple[Variable, int]] = field(default_factory=list)
    relations: list[Constraint] = field(default_factory=list)
    doubtful: list[Constraint] = field(default_factory=list)
    tested: set[Variable] = field(default_factory=set)
    idiomatic: set[Variable] = field(default_factory=set)
    foreign: set[Variable] = field(default_factory=set)
    taken_from: dict[Variable, Variable] = field(default_factory=dict)
    of_nodes: dict[ast.AST, Variable] = field(default_factory=dict)
    entries: dict[Hashable, Variable] = field(default_factory=dict)
    is_certain: bool = True

    def new(self, mask: int = ANYTHING) -> Variable:
        """Return a new variable."""
        self.masks.append(mask)
        return len(self.masks) - 1

    def restrict(self, variable: Variable, mask: int, *, likely: bool = False) -> None:
        """Restrict a variable to some kinds."""
        if variable < len(FIXED) or mask == ANYTHING:
            return
        if likely or not self.is_certain:
            self.likely.append((variable, mask))
        else:
            self.masks[variable] &= mask

    def relate(self, relation: Relation | None, *variables: Variable) -> None:
        """Relate variables."""
        (self.relations if self.is_certain else self.doubtful).append((relation, variables))

    def definition(self, node: ast.AST) -> Variable:
        """Return the variable of a definition."""
        known = self.of_nodes.get(node)
        if known is None:
            known = self.of_nodes[node] = self.new()
        return known

    def entry(self, key: Hashable) -> Variable:
        """Return the variable of what a name, or an attribute of an object, is when the scope is entered."""
        known = self.entries.get(key)
        if known is None:
            known = self.entries[key] = self.new()
        return known
