"""Finds steps of optimizers between a forward pass and a backward that still goes through it.

    value = self.critic(state)
    self.optimizer.step()              writes the weights that `self.critic(state)` saved
    loss = -value.mean()
    loss.backward()                    needs them as they were

The same happens from round to round of a loop, where a hidden state keeps the graph of the last round:

    for x in batches:
        out, h = net(x, h)             goes on from the `h` of the last round
        out.mean().backward(retain_graph=True)
        optimizer.step()

Values are followed backwards from the `backward` to the calls of modules that they are computed from, as far as a
gradient flows: not through `detach()`, comparisons, code under `no_grad`, or functions that can't be looked into.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from unplace.analysis.domain.values import Saved
from unplace.analysis.project.depth import has_layers_in_a_row
from unplace.analysis.project.inlinable import Functions
from unplace.analysis.project.lowering import BACKWARDS, lowered, shown
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.optimizers import Step, steps
from unplace.analysis.queries.gradient_flow import GradientFlow, callee_of
from unplace.analysis.queries.kept_states import is_kept_between_calls, is_renewed, kept_by
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules


@dataclass(frozen=True, slots=True, eq=False)
class EarlyStep:
    """A step that changes weights while a backward still needs the old ones.

    `forward` is the call of the module that saved them, and `module` its path. `carried` is the path that takes the
    graph from one round of a loop to the next; None where all happens in one round. `is_certain` is False where the
    code in sight doesn't show that the optimizer has the parameters of the module.
    """

    step: Step
    forward: ast.Call
    module: str
    backward: ast.Call
    carried: str | None
    is_certain: bool

    @property
    def saved(self) -> Saved:
        """The record that the module saved its weights."""
        return Saved(f"{self.module}()", self.forward.lineno)


def early_steps(module: ModuleIndex) -> list[EarlyStep]:
    """Return the early steps of a file, at most one for each step; those that are certain count more.

    A step in a function of another file stands at the call that leads there.
    """
    found, read = _early_steps(module)
    for path in read:
        assert module.place is not None
        module.place.others.module_at(path)  # tells the run once more that the result depends on the file
    return found


@once
def _early_steps(module: ModuleIndex) -> tuple[list[EarlyStep], frozenset[str]]:
    """Return the early steps of a file, and the paths of the other files that were read for them."""
    if not any(map(module.calls_named, ("step", *BACKWARDS, *modules.GIVING_PARAMETERS))):
        return [], frozenset()
    functions = Functions(module)
    if not functions.call(("step",)) or not functions.call(BACKWARDS):
        return [], frozenset(functions.read)
    copy = lowered(module, functions)
    found: dict[ast.AST, EarlyStep] = {}
    traces: dict[Scope, _Trace] = {}
    for step in steps(copy.module):
        if isinstance(step.scope.node, ast.FunctionDef | ast.Module):
            if step.scope not in traces:
                traces[step.scope] = _Trace(copy.module, step.scope)
            early = traces[step.scope].early(step)
            origin = copy.origins[step.call]
            assert isinstance(origin, ast.Call)
            if early is not None and (early.is_certain or origin not in found):
                found[origin] = _in_file(early, copy.origins, _scope_of(module, origin))
    return list(found.values()), frozenset(functions.read)


def _scope_of(module: ModuleIndex, call: ast.Call) -> Scope:
    """Return the scope that contains a call of a file."""
    return next(scope for scope, each in module.calls_named(last_name(call.func) or "") if each is call)


def _in_file(early: EarlyStep, origins: Mapping[ast.AST, ast.AST], scope: Scope) -> EarlyStep:
    """Return an early step of a lowered copy as one of the file itself, whose scope has the step."""
    call, forward, backward = (origins[node] for node in (early.step.call, early.forward, early.backward))
    assert isinstance(call, ast.Call)
    assert isinstance(forward, ast.Call)
    assert isinstance(backward, ast.Call)
    step = replace(early.step, scope=scope, call=call, optimizer=shown(early.step.optimizer))
    carried = shown(early.carried) if early.carried is not None else None
    return replace(early, step=step, forward=forward, module=shown(early.module), backward=backward, carried=carried)


@dataclass(frozen=True, slots=True)
class _Use:
    """A call of a module that a value is computed from, and the way of its result to the value.

    `loop` is the loop from whose last round the result comes, under the path `carried`. `is_renewed` tells that each
    round of a loop behind the call replaces what came of it, so that only the first round sees it.
    """

    call: ast.Call
    statement: ast.stmt
    loop: ast.stmt | None = None
    carried: str | None = None
    is_renewed: bool = False


class _Trace:
    """The flow of gradients in one scope, as far as its own statements show it."""

    def __init__(self, module: ModuleIndex, scope: Scope) -> None:
        """Index the statements and the definitions of a function or of the module's own code."""
        assert isinstance(scope.node, ast.FunctionDef | ast.Module)
        self._module, self._scope = module, scope
        self._gradients = GradientFlow(module, scope)
        self._flow, self._order = self._gradients.statements, self._gradients.order
        self._backwards = self._recorded_backwards()
        self._uses = {backward: self._uses_at(backward) for backward in self._backwards}

    def early(self, step: Step) -> EarlyStep | None:
        """Return the backward that needs the weights as they were before a step, if there is one."""
        statement = self._gradients.statement(step.call)
        guessed = self._last_before(statement) if not step.owned else []
        for backward in self._backwards:
            for use in self._uses[backward]:
                path = callee_of(use.call)
                is_owned = any(_runs(path, root) for root in step.owned) or use.call in guessed
                if is_owned and self._is_between(use, statement, backward) and self._needs_weights(use):
                    return EarlyStep(step, use.call, path, backward, use.carried, bool(step.owned))
        return None

    # -- order ----------------------------------------------------------------------------------------------------

    def _recorded_backwards(self) -> list[ast.Call]:
        """Return the calls that run backward through everything: those with `inputs=` leave weights out."""
        calls = self._scope.of(ast.Call)
        calls = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in BACKWARDS]
        return [c for c in calls if not any(k.arg == "inputs" for k in c.keywords) and self._gradients.records(c)]

    def _last_before(self, step: ast.stmt) -> list[ast.Call]:
        """Return the calls of modules behind the last backward before a step: its optimizer has one's parameters.

        Only a backward that retains its graph leaves one for another.
        """
        if not any(keyword.arg == "retain_graph" for call in self._backwards for keyword in call.keywords):
            return []
        before = [c for c in self._backwards if self._order(c) < self._order(step)]
        return [use.call for use in self._uses[before[-1]] if self._is_given(use.call)] if before else []

    def _is_given(self, call: ast.Call) -> bool:
        """Tell whether a call may run a module that the scope has from elsewhere: by a name, or from an attribute."""
        root, _, attribute = callee_of(call).partition(".")
        if any(known.name == root for known in self._module.classes):  # it makes one
            return False
        owner = self._module.class_of(self._scope)
        if root == "self":
            return owner is not None and attribute in owner.assigned
        return not attribute and self._module.scopes.owner(self._scope, root) is not None

    def _is_between(self, use: _Use, step: ast.stmt, backward: ast.Call) -> bool:
        """Tell whether a step may run after a module saved its weights, and before a backward asks for them."""
        last = self._gradients.statement(backward)
        first, middle, end = map(self._order, (use.statement, step, last))
        if use.loop is not None:
            is_repeated = use.loop is self._scope.node or self._flow.is_in(step, use.loop)
            if self._ends_behind(step, use.carried):
                return False
            return is_repeated and (middle > first or middle < end) and self._goes_on(step)
        if first < middle < end:
            return self._leads(step, last) and self._leads(use.statement, step)
        loop = self._shared_loop(step, last)  # the step of one round comes before the backward of the next
        is_seen_again = loop is not None and first < self._order(loop) and not use.is_renewed
        return is_seen_again and self._goes_on(step)

    def _ends_behind(self, step: ast.stmt, path: str | None) -> bool:
        """Tell whether a carried path is given a value without a graph behind a step, in the same block."""
        stores = self._gradients.stores(path) if path is not None else []
        behind = self._flow.behind(step)
        return any(s in behind and (self._gradients.detaches(s) or not self._has_parts(s.value)) for s in stores)

    def _has_parts(self, node: ast.AST) -> bool:
        return next(iter(self._gradients.parts(node)), None) is not None

    def _goes_on(self, step: ast.stmt) -> bool:
        """Tell whether a loop may have another round after a step: no `break` and no `return` stands behind it."""
        return not any(isinstance(s, ast.Return | ast.Raise | ast.Break) for s in self._flow.behind(step))

    def _leads(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Tell whether a later statement may run in the same round as an earlier one: no other branch, no way out."""
        statement: ast.stmt | None = first
        while statement is not None:
            behind = self._flow.behind(statement)
            if any(self._flow.is_in(second, other) for other in behind):
                return True
            if any(self._ends(other, second) for other in behind):
                return False
            statement = self._around(statement)
            if statement is not None and self._flow.is_in(second, statement):
                return not isinstance(statement, ast.If | ast.Match)
        return False

    def _ends(self, statement: ast.stmt, later: ast.stmt) -> bool:
        """Tell whether a statement ends the function, or a round that another one belongs to."""
        if not isinstance(statement, ast.Break | ast.Continue):
            return isinstance(statement, ast.Return | ast.Raise)
        spot = self._flow.spot(statement)
        return spot is not None and spot.loop is not None and self._flow.is_in(later, spot.loop)

    def _around(self, statement: ast.stmt) -> ast.stmt | None:
        """Return the compound statement around a statement; None at the top of the scope."""
        outer = self._module.scopes.parents.get(statement)
        while outer is not None and outer is not self._scope.node:
            if isinstance(outer, ast.stmt):
                return outer
            outer = self._module.scopes.parents.get(outer)
        return None

    # -- values ---------------------------------------------------------------------------------------------------

    def _uses_at(self, backward: ast.Call) -> list[_Use]:
        """Return the calls of modules that the value of a `backward` is computed from, the nearest first."""
        assert isinstance(backward.func, ast.Attribute)
        found: list[_Use] = []
        seen: set[tuple[object, ...]] = set()
        statement = self._gradients.statement(backward)
        todo: list[tuple[ast.AST, ast.stmt, ast.stmt | None, str | None, bool]] = [
            (node, statement, None, None, False) for node in (backward.func.value, *backward.args[:1])
        ]
        while todo:
            node, where, loop, carried, is_renewed = todo.pop(0)
            for part in self._gradients.parts(node):
                if isinstance(part, ast.Call):
                    found.append(_Use(part, where, loop, carried, is_renewed))
                    continue
                path = path_of(part)
                if path is not None and loop is None and self._is_kept(part, path) and (path, False) not in seen:
                    seen.add((path, False))
                    assert isinstance(self._scope.node, ast.FunctionDef)
                    todo += [(s.value, s, self._scope.node, path, False) for s in self._gradients.stores(path)]
                definitions = [] if path in self._gradients.detached else [*self._gradients.definitions(part, where)]
                for definition in definitions:
                    source = self._gradients.source(definition)
                    if source is None or not self._gradients.records(source[1]):
                        continue
                    value, origin = source
                    before = self._shared_loop(origin, where) if self._order(origin) >= self._order(where) else None
                    if before is not None and path in self._gradients.detached_in_part:
                        continue
                    way = (before, path) if before is not None and loop is None else (loop, carried)
                    renewed = is_renewed or self._is_renewed(definitions, origin, where)
                    if (definition, *way, renewed) not in seen:
                        seen.add((definition, *way, renewed))
                        todo.append((value, origin, *way, renewed))
        return [*found, *(inside for use in found if use.loop is None for inside in self._carried_inside(use))]

    def _is_renewed(self, definitions: Iterable[object], origin: ast.stmt, where: ast.stmt) -> bool:
        """Tell whether each round of a loop around a statement replaces a value that comes from before the loop."""
        spot = self._flow.spot(where)
        loops = [loop for loop in (spot.loops if spot is not None else ()) if not self._flow.is_in(origin, loop)]
        sources = (self._gradients.source(definition) for definition in definitions)
        renewing = [source[1] for source in sources if source is not None]
        return any(
            isinstance(loop, ast.For | ast.While) and statement in loop.body and not self._flow.has_cut_rounds(loop)
            for loop in loops
            for statement in renewing
        )

    def _is_kept(self, part: ast.AST, path: str) -> bool:
        """Tell whether a read attribute may have the value that the last call of the method left in it."""
        if self._gradients.is_detached(path) or not self._gradients.is_from_outside(part):
            return False
        return is_kept_between_calls(self._module, self._scope, path)

    def _carried_inside(self, use: _Use) -> Iterator[_Use]:
        """Iterate over the ways from the last round of a loop through states that the called module keeps itself."""
        spot = self._flow.spot(use.statement)
        path = callee_of(use.call)
        for loop in spot.loops[-1:] if spot is not None else ():
            for state in kept_by(self._module, self._scope, use.call.func):
                if not is_renewed(self._module, self._scope, loop, path, state):
                    yield replace(use, loop=loop, carried=f"{path}.{state}")

    def _shared_loop(self, first: ast.stmt, second: ast.stmt) -> ast.stmt | None:
        """Return the innermost loop around two statements."""
        one, other = self._flow.spot(first), self._flow.spot(second)
        assert one is not None
        assert other is not None
        return next((loop for loop in reversed(one.loops) if loop in other.loops), None)

    # -- weights --------------------------------------------------------------------------------------------------

    def _needs_weights(self, use: _Use) -> bool:
        """Tell whether a module's backward asks for its weights: not if it is one layer whose input has no graph."""
        if has_layers_in_a_row(self._module, self._scope, use.call.func):
            return True
        given = (*use.call.args, *(keyword.value for keyword in use.call.keywords))
        behind = (part for node in given for part in self._gradients.behind(node))
        return use.loop is not None or any(isinstance(part, ast.Call) for part in behind)


def _runs(path: str, root: str) -> bool:
    """Tell whether calling one path runs the module of another: it is the module, holds it, or is a part of it."""
    if path == "self":
        return path == root
    return path == root or path.startswith(f"{root}.") or root.startswith(f"{path}.")
