"""Works out which values have a batch dimension in a function that runs under `vmap`.

def f(x):                       has the batch dimension of `x`:
    out = torch.zeros(3)        no
    y = torch.zeros_like(x)     yes
    z = out + x[0]              yes
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    MODULE,
    NAMESPACE,
    NONE,
    NUMBER,
    OTHER,
    SHAPE,
    TEXT,
    Obj,
    Origin,
    Value,
)
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.calling import calls_of
from unplace.analysis.project.module import home, is_of
from unplace.analysis.project.program import Program
from unplace.analysis.project.vmapped import (
    NO_LEVELS,
    Levels,
    Mapped,
    Use,
    called_functionally,
    levels_given,
    mapped,
    uses,
)
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import results, transforms

_PLAIN = NUMBER | NONE | TEXT | SHAPE | OTHER | CALLABLE | NAMESPACE | MODULE
_MOST = 8
_DEEPEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One way in which a function runs under `vmap`: the levels of its arguments, the line that asks for it, the call.

    `mapped` is the program and the line with the `vmap`. `caller` has the batch of the function that calls this one.
    """

    program: Program
    scope: Scope
    arguments: Mapping[str, Levels]
    mapped: tuple[Program, int]
    caller: Batch | None = None
    call: ast.Call | None = None

    @property
    def run(self) -> Run | None:
        """The finished run over the function."""
        return self.program.run(self.scope)


@dataclass(slots=True)
class Batches:
    """All batches of the functions that the uses of `vmap` in one module reach."""

    found: dict[Scope, list[Batch]] = field(default_factory=dict)

    def add(self, batch: Batch) -> bool:
        """Add a batch; return False for one that is known already, or one too many."""
        known = self.found.setdefault(batch.scope, [])
        if len(known) == _MOST or any(dict(b.arguments) == dict(batch.arguments) for b in known):
            return False
        known.append(batch)
        return True


def batches_of(program: Program, scope: Scope) -> list[Batch]:
    """Return the ways in which a function runs under `vmap`, as the files of the run show."""
    return _batches(program).found.get(scope, [])


def _batches(program: Program, *, is_alone: bool = False) -> Batches:
    """Return the batches of the functions that run under a `vmap` of a file or, unless `is_alone`, of its importers."""
    known = program.answers.get(("batches", is_alone))
    if not isinstance(known, Batches):
        known = program.answers["batches", is_alone] = Batches()
        found = uses(program)
        for use in found:
            _spread(known, _batch(program, use), found)
        for batch in () if is_alone else _from_elsewhere(program):
            _spread(known, batch, found)
    return known


def _others_mapping(program: Program) -> list[Program]:
    """Return the programs of the other files that use `vmap` and import from this one."""
    module = program.module
    if module.place is None or not module.is_named_elsewhere("vmap"):
        return []
    stem = re.escape(module.place.stem)
    return program.others_with(frozenset(["vmap"]), (rf"(?m:^[ \t]*(?:from|import)\b.*\b{stem}\b)",))


def _from_elsewhere(program: Program) -> Iterator[Batch]:
    """Iterate over the batches of functions of a file that other files run under `vmap`."""
    place, outer = program.module.place, program.module.scopes.module
    own = {scope.name: scope for scope in outer.inner}
    for other in _others_mapping(program):
        for scope, batches in _batches(other, is_alone=True).found.items():
            is_top = scope.parent is not None and scope.parent.is_module
            if is_top and scope.name in own and place is not None and is_of(scope, place.path):
                yield from (replace(batch, program=program, scope=own[scope.name]) for batch in batches)


def _batch(program: Program, use: Use) -> Batch:
    scope = use.function.scope
    return Batch(program.home_of(scope), scope, levels_given(use), (program, use.node.lineno))


def _spread(batches: Batches, batch: Batch, all_uses: Sequence[Use]) -> None:
    """Add a batch, and those of the functions that the function calls."""
    todo = [batch]
    while todo:
        batch = todo.pop()
        run = batch.run
        if run is None or not batches.add(batch):
            continue
        values = Batched(run, batch, batches)
        mapping = {use.node: use for use in all_uses if use.caller is batch.scope}
        for call in batch.scope.of(ast.Call):
            found = _called(batch, values, call, mapping)
            if found is not None:
                todo.append(found)


def _called(batch: Batch, values: Batched, call: ast.Call, mapping: dict[ast.expr, Use]) -> Batch | None:
    """Return the batch of a function that a call runs, if an argument has a batch dimension or it is nested here."""
    use = mapping.get(call.func)
    functional = called_functionally(batch.program, batch.scope, call)
    callee = use.function if use is not None else functional[0] if functional is not None else None
    callee = callee or mapped(batch.program, batch.scope, call.func)
    if callee is None or callee.scope is batch.scope:
        return None
    given, held = (
        (functional[1], values.of(functional[2])) if functional is not None else (callee.given(call), NO_LEVELS)
    )
    levels = {name: values.of(node) for name, node in given.items()}
    if use is not None:
        levels = {name: added.joined(levels.get(name, NO_LEVELS)) for name, added in levels_given(use).items()}
    if functional is None and isinstance(call.func, ast.Attribute):  # a part of a module has its parameters
        held = batch.arguments.get(root_name(call.func) or "", NO_LEVELS)
    if callee.receiver is not None:
        levels[callee.receiver] = held
    if callee.scope.parent is not batch.scope and not any(found.possible for found in levels.values()):
        return None
    line = (batch.program, use.node.lineno) if use is not None else batch.mapped
    return Batch(batch.program.home_of(callee.scope), callee.scope, levels, line, batch, call)


def runs_batched_only(program: Program, scope: Scope) -> bool:
    """Tell whether every use of a function in the run has it run under `vmap`, so that no call passes a number."""
    if isinstance(scope.node, ast.Lambda):
        return True
    module, node = program.module, scope.node
    mapping = [use for use in uses(program) if use.function.scope is scope]
    if any(use.node in getattr(node, "decorator_list", ()) for use in mapping):
        return True
    calls = [*calls_of(program, scope)]
    if scope.name in OF_INSTANCES or module.is_named_elsewhere(scope.name):
        return False
    if module.reads_of(scope.name) > len(mapping) + len(calls):
        return False
    return all(batches_of(program, caller) for caller, _ in calls)


def values_of(program: Program, batch: Batch) -> Batched:
    """Return the levels of the values of a function that runs under `vmap`, in one of its batches."""
    known = program.answers.get(batch)
    if not isinstance(known, Batched):
        run = batch.run
        assert run is not None
        known = program.answers[batch] = Batched(run, batch, _batches(program))
    return known


@dataclass(slots=True)
class Batched:
    """The levels of the values of one run, in one batch."""

    run: Run
    batch: Batch
    batches: Batches
    known: dict[object, Levels] = field(default_factory=dict)
    depth: int = 0

    def of(self, node: ast.expr) -> Levels:
        """Return the levels of an expression."""
        if node not in self.known:
            self.known[node] = NO_LEVELS  # ends the recursion in loops
            self.known[node] = self._of(node)
        return self.known[node]

    def of_value(self, value: Value, state: Snapshot | None = None) -> Levels:
        """Return the levels of a value: all that it may have on one of the paths to it."""
        if value.must_be(_PLAIN):
            return NO_LEVELS
        objs = value.objs
        if state is not None and value.may_be(CONTAINER):
            objs = state.reachable(objs)
        return self._joined(map(self.of_obj, objs))

    def of_obj(self, obj: Obj) -> Levels:
        """Return the levels of an object."""
        if obj not in self.known:
            self.known[obj] = NO_LEVELS
            self.known[obj] = self._of_obj(obj)
        return self.known[obj]

    def _joined(self, found: Iterator[Levels]) -> Levels:
        return reduce(Levels.joined, found, NO_LEVELS)

    def _of_obj(self, obj: Obj) -> Levels:
        if obj.parameter is not None:
            return self.batch.arguments.get(obj.parameter, NO_LEVELS)
        key = self.run.names.key_of(obj)
        if obj.origin is Origin.CLOSURE:
            return self.captured(obj.label.strip("`"))
        node = key[0] if isinstance(key, tuple) else None
        if obj.origin is Origin.ATTRIBUTE:  # of an argument: `state.h`
            return self.batch.arguments.get(obj.label.strip("`").partition(".")[0], NO_LEVELS)
        if not isinstance(node, ast.AST):
            return NO_LEVELS
        if isinstance(node, ast.For | ast.comprehension):
            return self.of(node.iter)
        return self.of(node) if isinstance(node, ast.expr) else NO_LEVELS

    def captured(self, name: str) -> Levels:
        """Return the levels of a name of an enclosing function."""
        scope = self.run.scope
        owner = home(scope).scopes.owner(scope, name)
        found = NO_LEVELS
        for outer in self.batches.found.get(owner, ()) if owner is not None else ():
            run = outer.run
            if run is None or outer is self.batch:
                continue
            there = Batched(run, outer, self.batches)
            stored = [value for node, value in run.values.items() if isinstance(node, ast.Name) and node.id == name]
            is_parameter = any(a.arg == name for a in run.scope.parameters)
            found = found.joined(outer.arguments.get(name, NO_LEVELS) if is_parameter else NO_LEVELS)
            sources = home(scope).bindings(run.scope).sources.get(name, ())
            given = [there.of(source) for source in sources if isinstance(source, ast.expr)]
            found = reduce(Levels.joined, [*given, *map(there.of_value, stored)], found)
        return found

    # -- expressions ------------------------------------------------------------------------------------------------

    def _of(self, node: ast.expr) -> Levels:
        value = self.run.values.get(node)
        if value is not None and value.must_be(_PLAIN):
            return NO_LEVELS
        if isinstance(node, ast.Name):
            return self.of_value(value) if value is not None else NO_LEVELS
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Attribute):
            if value is not None and value.graph == LEAF:  # a parameter of a module: `self.fc.weight`
                return self.of_value(value).joined(self.batch.arguments.get(root_name(node) or "", NO_LEVELS))
            return NO_LEVELS if node.attr in transforms.OF_SHAPE else self.of(node.value)
        if isinstance(node, ast.Lambda):
            return NO_LEVELS
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self._joined(map(self.of, (node.elt, *(g.iter for g in node.generators))))
        return self._joined(self.of(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _of_call(self, node: ast.Call) -> Levels:
        module, function = home(self.run.scope), node.func
        qualified = module.qualified(self.run.scope, function) or ""
        name = qualified.rpartition(".")[2] or getattr(function, "attr", "")
        arguments = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
        every = [*arguments, *(k.value for k in node.keywords)]
        receiver = (
            function.value if isinstance(function, ast.Attribute) and not qualified.startswith("torch.") else None
        )
        is_tensors = receiver is not None and not self._is_plain(receiver)
        if name in transforms.OF_SHAPE or (name in transforms.UNBATCHED and (is_tensors or qualified)):
            return NO_LEVELS
        if results.is_constructor(name) and (qualified.startswith("torch.") or name.startswith("new_")):
            like = (
                receiver if name.startswith("new_") else arguments[0] if name.endswith("_like") and arguments else None
            )
            return self.of(like) if like is not None else NO_LEVELS
        if name in transforms.OF_RECEIVER and receiver is not None:
            return self.of(receiver)
        own = self._of_own_call(node)
        if own is not None:
            return own
        if receiver is not None and is_tensors:
            every.append(receiver)
        found = self._joined(map(self.of, every))
        callee = self.run.values.get(function)
        is_known = qualified.startswith(("torch.", "builtins.", "math.")) or is_tensors or self._is_builtin(function)
        is_layer = callee is not None and callee.must_be(MODULE)
        if is_layer:
            found = found.joined(self.batch.arguments.get(root_name(function) or "", NO_LEVELS))
        return found if is_known or is_layer else Levels(frozenset(), found.possible)

    def _is_plain(self, node: ast.expr) -> bool:
        """Tell whether a receiver is no tensor: a module, a namespace, or `self`."""
        value = self.run.values.get(node)
        return value is not None and (value.must_be(_PLAIN) or isinstance(value.ref, Named))

    def _is_builtin(self, function: ast.expr) -> bool:
        return isinstance(function, ast.Name) and function.id in (
            "zip",
            "enumerate",
            "sum",
            "list",
            "tuple",
            "reversed",
        )

    def _of_own_call(self, node: ast.Call) -> Levels | None:
        """Return the levels of what a function of the run returns; None for other functions."""
        callee: Mapped | None = mapped(self.batch.program, self.run.scope, node.func)
        if callee is None or self.depth == _DEEPEST:
            return None
        arguments = {name: self.of(given) for name, given in callee.given(node).items()}
        inner = Batch(
            self.batch.program.home_of(callee.scope), callee.scope, arguments, self.batch.mapped, self.batch, node
        )
        run = inner.run
        if run is None or not run.returns:
            return None
        there = Batched(run, inner, self.batches, depth=self.depth + 1)
        found = [there.of_value(value, state) for value, state in run.returns]
        certain = frozenset.intersection(*(levels.certain for levels in found))
        return Levels(certain, frozenset().union(*(levels.possible for levels in found)))
