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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from unplace import torchapi
from unplace.analysis.domain.values import Saved
from unplace.analysis.project.depth import has_layers_in_a_row
from unplace.analysis.project.lowering import BACKWARDS, is_element, lowered, shown
from unplace.analysis.project.module import ModuleIndex, once, reaching_in
from unplace.analysis.project.optimizers import Step, steps
from unplace.analysis.project.recording import mode_at
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.flow import Flow
from unplace.analysis.syntax.nodes import COMPREHENSIONS, DISPLAYS, FUNCTIONS, SCOPES, children, walk
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import members, modes, modules


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


@once
def early_steps(module: ModuleIndex) -> list[EarlyStep]:
    """Return the early steps of a file, at most one for each step; those that are certain count more."""
    if not module.calls_named("step") or not any(map(module.calls_named, BACKWARDS)):
        return []
    copy = lowered(module)
    found: dict[ast.AST, EarlyStep] = {}
    traces: dict[Scope, _Trace] = {}
    for step in steps(copy.module):
        if isinstance(step.scope.node, ast.FunctionDef | ast.Module):
            if step.scope not in traces:
                traces[step.scope] = _Trace(copy.module, step.scope)
            early = traces[step.scope].early(step)
            origin = copy.origins[step.call]
            if early is not None and (early.is_certain or origin not in found):
                found[origin] = _in_file(early, copy.origins)
    return list(found.values())


def _in_file(early: EarlyStep, origins: Mapping[ast.AST, ast.AST]) -> EarlyStep:
    """Return an early step of a lowered copy as one of the file itself."""
    call, forward, backward = (origins[node] for node in (early.step.call, early.forward, early.backward))
    assert isinstance(call, ast.Call)
    assert isinstance(forward, ast.Call)
    assert isinstance(backward, ast.Call)
    step = replace(early.step, call=call, optimizer=shown(early.step.optimizer))
    carried = shown(early.carried) if early.carried is not None else None
    return replace(early, step=step, forward=forward, module=shown(early.module), backward=backward, carried=carried)


@dataclass(frozen=True, slots=True)
class _Use:
    """A call of a module that a value is computed from, and the way of its result to the value.

    `loop` is the loop from whose last round the result comes, under the path `carried`.
    """

    call: ast.Call
    statement: ast.stmt
    loop: ast.stmt | None = None
    carried: str | None = None


class _Trace:
    """The flow of gradients in one scope, as far as its own statements show it."""

    def __init__(self, module: ModuleIndex, scope: Scope) -> None:
        """Index the statements and the definitions of a function or of the module's own code."""
        assert isinstance(scope.node, ast.FunctionDef | ast.Module)
        self._module, self._scope = module, scope
        self._flow = Flow(scope.node.body)
        self._reaching = reaching_in(module, scope)
        itself = (call.func for call in scope.of(ast.Call))
        self._detached = {path_of(f.value) for f in itself if isinstance(f, ast.Attribute) and f.attr == "detach_"}
        self._detached_in_part = {path_of(s.targets[0]) for s in scope.of(ast.Assign) if self._detaches(s)}
        self._elements: dict[str | None, list[ast.Attribute]] = {}
        for store in scope.of(ast.Attribute):
            if is_element(store) and isinstance(store.ctx, ast.Store):
                self._elements.setdefault(path_of(store.value), []).append(store)
        self._backwards = self._recorded_backwards()
        self._uses = {backward: self._uses_at(backward) for backward in self._backwards}

    def early(self, step: Step) -> EarlyStep | None:
        """Return the backward that needs the weights as they were before a step, if there is one."""
        statement = self._statement(step.call)
        guessed = self._last_before(statement) if not step.owned else []
        for backward in self._backwards:
            for use in self._uses[backward]:
                path = _callee(use.call)
                is_owned = any(_runs(path, root) for root in step.owned) or use.call in guessed
                if is_owned and self._is_between(use, statement, backward) and self._needs_weights(use):
                    return EarlyStep(step, use.call, path, backward, use.carried, bool(step.owned))
        return None

    # -- order ----------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement of the scope that contains a node."""
        parents = self._module.scopes.parents
        while not (isinstance(node, ast.stmt) and self._flow.spot(node) is not None):
            node = parents[node]
        return node

    def _order(self, statement: ast.stmt) -> int:
        spot = self._flow.spot(statement)
        assert spot is not None
        return spot.order

    def _recorded_backwards(self) -> list[ast.Call]:
        """Return the calls that run backward through everything: those with `inputs=` leave weights out."""
        calls = self._scope.of(ast.Call)
        calls = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in BACKWARDS]
        return [c for c in calls if not any(k.arg == "inputs" for k in c.keywords) and self._records(c)]

    def _records(self, node: ast.AST) -> bool:
        return mode_at(self._module, self._scope, node).records

    def _last_before(self, step: ast.stmt) -> list[ast.Call]:
        """Return the calls of modules behind the last backward before a step: its optimizer has one's parameters.

        Only a backward that retains its graph leaves one for another.
        """
        if not any(keyword.arg == "retain_graph" for call in self._backwards for keyword in call.keywords):
            return []
        before = [c for c in self._backwards if self._order(self._statement(c)) < self._order(step)]
        return [use.call for use in self._uses[before[-1]] if self._is_given(use.call)] if before else []

    def _is_given(self, call: ast.Call) -> bool:
        """Tell whether a call may run a module that the scope has from elsewhere: by a name, or from an attribute."""
        root, _, attribute = _callee(call).partition(".")
        owner = self._module.class_of(self._scope)
        if root == "self":
            return owner is not None and attribute in owner.assigned
        return not attribute and self._module.scopes.owner(self._scope, root) is not None

    def _is_between(self, use: _Use, step: ast.stmt, backward: ast.Call) -> bool:
        """Tell whether a step may run after a module saved its weights, and before a backward asks for them."""
        last = self._statement(backward)
        first, middle, end = self._order(use.statement), self._order(step), self._order(last)
        if use.loop is not None:
            return self._flow.is_in(step, use.loop) and (middle > first or middle < end) and self._goes_on(step)
        if first < middle < end:
            return self._leads(step, last) and self._leads(use.statement, step)
        loop = self._shared_loop(step, last)  # the step of one round comes before the backward of the next
        return loop is not None and first < self._order(loop) and self._goes_on(step)

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

    def _detaches(self, statement: ast.Assign) -> bool:
        """Tell whether an assignment detaches what it reads: `h = tuple(part.detach() for part in h)`."""
        path = path_of(statement.targets[0])
        return (
            path is not None
            and any(path_of(node) == path for node in walk(statement.value))
            and all(path_of(part) != path for part in self._flowing(statement.value))
        )

    # -- values ---------------------------------------------------------------------------------------------------

    def _uses_at(self, backward: ast.Call) -> list[_Use]:
        """Return the calls of modules that the value of a `backward` is computed from, the nearest first."""
        assert isinstance(backward.func, ast.Attribute)
        found: list[_Use] = []
        seen: set[tuple[object, bool]] = set()
        statement = self._statement(backward)
        todo: list[tuple[ast.AST, ast.stmt, ast.stmt | None, str | None]] = [
            (node, statement, None, None) for node in (backward.func.value, *backward.args[:1])
        ]
        while todo:
            node, where, loop, carried = todo.pop(0)
            for part in self._flowing(node):
                if isinstance(part, ast.Call):
                    found.append(_Use(part, where, loop, carried))
                    continue
                path = path_of(part)
                for definition in () if path in self._detached else self._definitions(part, where):
                    source = self._source(definition)
                    if source is None or not self._records(source[1]):
                        continue
                    value, origin = source
                    before = self._shared_loop(origin, where) if self._order(origin) >= self._order(where) else None
                    if before is not None and path in self._detached_in_part:
                        continue
                    way = (before, path) if before is not None and loop is None else (loop, carried)
                    if (definition, way[0] is None) not in seen:
                        seen.add((definition, way[0] is None))
                        todo.append((value, origin, *way))
        return found

    def _definitions(self, part: ast.AST, where: ast.stmt) -> Iterator[object]:
        """Iterate over what binds a name or path that is read, and its elements where it is read as a whole."""
        yield from self._reaching.seen_by.get(part, ())
        for element in self._elements.get(path_of(part), ()):
            if self._order(self._statement(element)) < self._order(where):
                yield element

    def _source(self, definition: object) -> tuple[ast.AST, ast.stmt] | None:
        """Return the expression that a definition binds, and its statement; None for loops, imports and the like."""
        if not isinstance(definition, ast.Name | ast.Attribute):
            return None
        statement = self._statement(definition)
        if isinstance(statement, ast.AugAssign):
            return ast.Tuple([definition, statement.value], ast.Load()), statement
        if isinstance(statement, ast.AnnAssign):
            return (statement.value, statement) if statement.value is not None else None
        if not isinstance(statement, ast.Assign) or not any(definition in walk(t) for t in statement.targets):
            return None
        target, value = statement.targets[0], statement.value
        if isinstance(target, DISPLAYS) and isinstance(value, DISPLAYS) and len(target.elts) == len(value.elts):
            value = next((v for t, v in zip(target.elts, value.elts, strict=True) if t is definition), value)
        return value, statement

    def _shared_loop(self, first: ast.stmt, second: ast.stmt) -> ast.stmt | None:
        """Return the innermost loop around two statements."""
        one, other = self._flow.spot(first), self._flow.spot(second)
        assert one is not None
        assert other is not None
        return next((loop for loop in reversed(one.loops) if loop in other.loops), None)

    def _flowing(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over the names, paths and calls of modules in an expression through which a gradient flows to it."""
        if isinstance(node, ast.Call):
            yield from self._through_call(node)
        elif isinstance(node, ast.Attribute):
            if node.attr in members.WITHOUT_GRAPH:
                return
            yield node
            if path_of(node) in self._reaching.seen_by.get(node, {path_of(node)}):
                yield from self._flowing(node.value)
        elif isinstance(node, ast.Name):
            yield node
        elif isinstance(node, COMPREHENSIONS):
            inner = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            parts = [part for element in inner for part in self._flowing(element)]
            yield from parts
            read = {path_of(part) for part in parts}
            for generator in node.generators:
                if not read.isdisjoint(map(path_of, walk(generator.target))):
                    yield from self._flowing(generator.iter)
        elif isinstance(node, ast.IfExp):
            yield from (part for branch in (node.body, node.orelse) for part in self._flowing(branch))
        elif isinstance(node, ast.Subscript | ast.Starred):
            yield from self._flowing(node.value)
        elif type(node) not in SCOPES and not isinstance(node, ast.Compare | ast.JoinedStr):
            yield from (part for child in children(node) for part in self._flowing(child))

    def _through_call(self, node: ast.Call) -> Iterator[ast.AST]:
        """Iterate over the same parts of a call's receiver and arguments, and over the call if it may run a module."""
        name = last_name(node.func) or ""
        qualified = self._module.qualified(self._scope, node.func, with_builtins=True)
        is_torch = qualified is not None and qualified.startswith("torch.")
        if name in members.WITHOUT_GRAPH or name.endswith("_like") or name.startswith("new_"):
            return
        if qualified is not None and not is_torch and qualified not in _TRANSPARENT:
            return
        if isinstance(node.func, ast.Name) and not is_torch and self._may_cut(node.func.id):
            return
        is_method = isinstance(node.func, ast.Attribute) and torchapi.tensor_method(name) is not None
        if not is_torch and not is_method and name not in modules.NOT_RUNNING:
            if self._records(node) and _callee(node):
                yield node
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from self._flowing(argument)
        if is_method:
            yield from self._flowing(node.func.value)  # type: ignore[attr-defined]

    def _may_cut(self, name: str) -> bool:
        """Tell whether a function of the file detaches something or turns autograd off: it may cut the graph."""
        owner = self._module.scopes.owner(self._scope, name)
        for source in self._module.bindings(owner).sources.get(name, []) if owner is not None else ():
            if isinstance(source, FUNCTIONS):
                inside = self._module.scopes.by_node[source]
                named = {a.attr for a in inside.of(ast.Attribute)} | {n.id for n in inside.names}
                return not named.isdisjoint(members.WITHOUT_GRAPH.union(modes.SWITCHING_OFF))
        return False

    # -- weights --------------------------------------------------------------------------------------------------

    def _needs_weights(self, use: _Use) -> bool:
        """Tell whether a module's backward asks for its weights: not if it is one layer whose input has no graph."""
        if has_layers_in_a_row(self._module, self._scope, use.call.func):
            return True
        given = (*use.call.args, *(keyword.value for keyword in use.call.keywords))
        return use.loop is not None or any(self._has_graph(node) for node in given)

    def _has_graph(self, node: ast.AST) -> bool:
        """Tell whether an argument is seen to be computed by a module."""
        todo, seen = [node], set[object]()
        while todo:
            for part in self._flowing(todo.pop()):
                if isinstance(part, ast.Call):
                    return True
                for definition in self._reaching.seen_by.get(part, frozenset()) - seen:
                    seen.add(definition)
                    source = self._source(definition)
                    todo += [source[0]] if source is not None else []
        return False


_TRANSPARENT = frozenset(["builtins.sum", "builtins.list", "builtins.tuple", "builtins.max", "builtins.min"])
"""Built-in functions whose result has the graph of their arguments."""


def _callee(call: ast.Call) -> str:
    """Return the path of a called object: `net` for `net(x)` and `net.forward(x)`; empty for any other callee."""
    path = path_of(call.func) or ""
    return path.removesuffix(".forward")


def _runs(path: str, root: str) -> bool:
    """Tell whether calling one path runs the module of another: it is the module, holds it, or is a part of it."""
    if root == "self" or path == "self":
        return path == root
    return path == root or path.startswith(f"{root}.") or root.startswith(f"{path}.")
