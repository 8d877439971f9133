"""Inference of kinds: solves the constraints of a scope, for what is proved and for what is likely.

The kinds of a variable shrink to those that fit all relations, until nothing changes. A kind that fits no use is no
kind: where none is left, the code isn't understood, and nothing is said. What is likely is worked out afterwards, from
what people write: an object that is used as arrays and tensors are is a tensor where the code has nothing of NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from unplace.analysis.domain.values import ARRAY, LIST, NONE, NUMBER, OTHER, SHAPE, TENSOR, TUPLE, UNKNOWN, Value
from unplace.analysis.project.exports import works_on_tensors
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.constraints import Collector
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.relations import ANYTHING, Relation
from unplace.analysis.types.system import FIXED, Constraint, System, Variable
from unplace.torchapi import modes

_FEW = 4
"""Number of variables of a read above which the definitions that it may see are joined for all reads that see them."""


class Inferred(NamedTuple):
    """The kinds that are possible for an object by proof, and by what is likely; none where that isn't understood."""

    proved: int
    likely: int

    @property
    def evidence(self) -> Evidence:
        """The evidence that the object is a tensor."""
        if self.proved == TENSOR:
            return Evidence.PROOF
        return Evidence.HINT if self.likely == TENSOR else Evidence.NONE

    def refined(self, value: Value) -> Value:
        """Return a value of which little is known, with the kinds that its uses tell."""
        if self.evidence is Evidence.PROOF:
            return value._replace(kinds=TENSOR | (value.kinds & NONE), likely=False)
        if value.likely and value.is_tensor and not self.may_be_tensor:
            return value._replace(kinds=UNKNOWN, likely=False)
        if self.is_size and value.kinds & UNKNOWN and not value.kinds & ~(UNKNOWN | NONE | NUMBER):
            return Value(self.likely | (value.kinds & NONE))
        if value.kinds & ~(UNKNOWN | NONE):
            return value
        if self.evidence is Evidence.HINT:
            return value._replace(kinds=TENSOR | (value.kinds & NONE), likely=True)
        return value

    @property
    def is_size(self) -> bool:
        """Tell whether the object is used as a number or several, as a size of tensors is."""
        return bool(self.likely & NUMBER) and not self.likely & ~(NUMBER | SHAPE | TUPLE | LIST)

    @property
    def is_like_array(self) -> bool:
        """Tell whether the uses are those of a tensor, an array or a number, and of no list, tuple or dictionary."""
        return bool(self.proved & TENSOR) and not self.proved & ~(TENSOR | ARRAY | NUMBER | OTHER)

    @property
    def may_be_tensor(self) -> bool:
        """Tell whether the uses of the object are those of a tensor, as far as they say anything."""
        return bool(self.proved & self.likely & TENSOR)


NOTHING_KNOWN = Inferred(ANYTHING, ANYTHING)


class Inference:
    """The kinds of the expressions, names and parameters of one scope."""

    def __init__(self, system: System, *, keeps_arrays: bool) -> None:
        """Solve the constraints of a scope; arrays are likely where `keeps_arrays`."""
        self._variables = system.of_nodes
        self._untold = _with_definitions(system, system.tested)
        unlikely = OTHER if keeps_arrays else ARRAY | OTHER
        self._proved, self._likely = _solved(system, self._untold, unlikely)
        self._foreign = _with_definitions(system, _with_definitions(system, system.foreign))  # and their other reads
        self._idiomatic = _with_definitions(system, system.idiomatic)
        self._told: dict[ast.AST, Inferred] = {}

    def of(self, node: ast.AST) -> Inferred:
        """Return the kinds of an expression, of a target that is bound, or of a parameter."""
        found = self._told.get(node)
        if found is None:
            found = self._told[node] = self._found(node)
        return found

    def _found(self, node: ast.AST) -> Inferred:
        variable = self._variables.get(node)
        if variable is None or variable in self._untold:
            return NOTHING_KNOWN
        proved, likely = self._proved[variable], self._likely[variable]
        if proved != TENSOR and variable in self._foreign:
            likely &= ~TENSOR
        elif likely == TENSOR and variable in self._idiomatic:
            proved = TENSOR
        return Inferred(proved, likely)


@once
def inferred(module: ModuleIndex, scope: Scope) -> Inference:
    """Return the kinds that the uses in a scope allow."""
    return Inference(Collector(module, scope).found, keeps_arrays=_uses_arrays(module, scope))


def _solved(system: System, untold: set[Variable], unlikely: int) -> tuple[list[int], list[int]]:
    """Return the kinds of each variable that are proved, and those that are likely; some are `unlikely` as such.

    Nothing is concluded from the uses of `untold` variables, each of which fits one of several kinds only.
    """
    masks = [ANYTHING if variable in untold else mask for variable, mask in enumerate(system.masks)]
    solution = _Solution(masks, untold)
    solution.settle(solution.add(system.relations))
    _ground(solution)
    proved = list(solution.masks)
    doubtful = solution.add(system.doubtful)
    changed = {variable for variable, mask in system.likely if solution.restrict(variable, mask)}
    for variable, mask in enumerate(proved):
        if mask & TENSOR and mask & unlikely and mask != ANYTHING and solution.restrict(variable, ~unlikely):
            changed.add(variable)
    todo = {index for variable in changed for index in solution.users.get(variable, ())}
    solution.settle([*todo, *doubtful])
    return proved, solution.masks


class _Solution:
    """The kinds possible for each variable, narrowed to a fixpoint."""

    def __init__(self, masks: list[int], fixed: set[Variable]) -> None:
        """Start from the masks given; `fixed` variables keep theirs."""
        self.masks = masks
        self.relations: list[Constraint] = []
        self.users: dict[Variable, list[int]] = {}
        self._fixed = fixed
        self._seen: dict[tuple[Variable, ...], Variable] = {}

    def add(self, relations: Iterable[Constraint]) -> range:
        """Add relations, and return their indices, which the next `settle` is to name."""
        start = len(self.relations)
        for relation, variables in relations:
            if relation is None and len(variables) > _FEW:
                variables = variables[0], self._any_of(variables[1:])
            self._add(relation, variables)
        return range(start, len(self.relations))

    def _add(self, relation: Relation | None, variables: tuple[Variable, ...]) -> None:
        for variable in variables:
            self.users.setdefault(variable, []).append(len(self.relations))
        self.relations.append((relation, variables))

    def _any_of(self, definitions: tuple[Variable, ...]) -> Variable:
        """Return the variable that stands for whichever of several definitions is seen, one for all that see them."""
        found = self._seen.get(definitions)
        if found is None:
            found = self._seen[definitions] = len(self.masks)
            self.masks.append(ANYTHING)
            self._add(None, (found, *definitions))
        return found

    def restrict(self, variable: Variable, mask: int) -> bool:
        """Restrict a variable, unless nothing would be left of it, and tell whether that changes it."""
        before = self.masks[variable]
        if self._is_fixed(variable) or not before & mask:
            return False
        self.masks[variable] = before & mask
        return before & mask != before

    def settle(self, indices: Iterable[int]) -> None:
        """Narrow the variables until all relations hold, if those that aren't among `indices` do so already."""
        masks, todo = self.masks, dict.fromkeys(indices)
        while todo:
            index, _ = todo.popitem()
            relation, variables = self.relations[index]
            before = tuple([masks[v] for v in variables])
            after = relation.narrowed(before) if relation is not None else _of_read(before)
            if after == before or not all(before):
                continue
            for variable, old, new in zip(variables, before, after, strict=True):
                if old != new and not self._is_fixed(variable):
                    masks[variable] = new
                    todo.update(dict.fromkeys(self.users[variable]))

    def _is_fixed(self, variable: Variable) -> bool:
        """Tell whether nothing restricts a variable."""
        return variable < len(FIXED) or variable in self._fixed


def _ground(solution: _Solution) -> None:
    """Narrow the variables of loops to the kinds that come in from outside the loop.

    The number in `n = 0; for x in xs: n += 1` could be any kind to which a number can be added, as far as the relations
    tell. The least kinds are those that can be derived from variables that no relation defines.
    """
    masks = solution.masks
    places = [0 if relation is None else relation.result for relation, _ in solution.relations]
    results = [v[p] if p is not None else None for p, (_, v) in zip(places, solution.relations, strict=True)]
    derived = {result for result in results if result is not None}
    least = [0 if variable in derived else mask for variable, mask in enumerate(masks)]
    todo = dict.fromkeys(reversed(range(len(results))))
    while todo:
        index, _ = todo.popitem()
        (relation, variables), place, result = solution.relations[index], places[index], results[index]
        if place is None or result is None:
            continue
        before = tuple([masks[v] if v == result else least[v] for v in variables])
        found = relation.narrowed(before) if relation is not None else _of_read(before)
        if found[place] & ~least[result]:
            least[result] |= found[place]
            todo.update(dict.fromkeys(solution.users[result]))
    changed = [v for v in derived if least[v] and solution.restrict(v, least[v])]
    solution.settle(index for v in changed for index in solution.users[v])


def _of_read(masks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the kinds of a read, which sees one of several definitions, and those of the definitions."""
    seen, *definitions = masks
    possible = 0
    for mask in definitions:
        possible |= mask
    seen &= possible
    return (seen, *(mask & seen for mask in definitions))


def _with_definitions(system: System, variables: set[Variable]) -> set[Variable]:
    """Return variables, with those of the definitions that they may stand for, and the reads that may see them."""
    found = set(variables)
    for relation, seen in (*system.relations, *system.doubtful) if variables else ():
        if relation is None and not variables.isdisjoint(seen):
            found.update(seen)
    return found


def _uses_arrays(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether arrays are as likely in a scope as tensors: the file imports their package, the scope uses it."""
    names = {name: target.split(".")[0] for name, target in module.imports.names.items()}
    if not works_on_tensors(module):
        return True
    if not any(package in modes.OF_ARRAYS for package in names.values()):
        return False
    found = {names.get(name) for name in scope.all_names()}
    return "torch" not in found or not found.isdisjoint(modes.OF_ARRAYS)
