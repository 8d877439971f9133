"""Tells whether code only runs where autograd records nothing, as far as the code in sight calls it.

    if not torch.is_grad_enabled():                 if x.requires_grad:
        y.mul_(2)                                       return x * 2
                                                    return x.mul_(2)

    in_place = not x.requires_grad                  def scaled(x, inplace=False):       and nobody passes True
    y = x.mul_(2) if in_place else x * 2                return x.mul_(2) if inplace else x * 2

Guards are followed through names, attributes of `self`, arguments and functions that return them, and to the callers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.calling import calls_elsewhere, calls_of, importing, names_of
from unplace.analysis.project.module import ModuleIndex, home, once, parents_in
from unplace.analysis.project.recording import mode_at
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for, default_for
from unplace.torchapi import modes

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_MOST_STEPS = 200


def is_unrecorded(program: Analysis, scope: Scope, node: ast.AST) -> bool:
    """Tell whether a guard, or a guard of all calls in sight, keeps autograd from recording where a node runs."""
    return _Search(program).is_off(scope, node)


def is_guarded(program: Analysis, scope: Scope, node: ast.AST) -> bool:
    """Tell whether such a guard asks autograd itself; one about training, or a flag that nobody sets, doesn't count.

    Callers are only asked where no other file names the function.
    """
    return _Search(program, asks_autograd=True).is_off(scope, node)


@dataclass(slots=True)
class _Search:
    program: Analysis
    asks_autograd: bool = False
    _answers: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def is_off(self, scope: Scope, node: ast.AST) -> bool:
        """Tell whether a node only runs where nothing is recorded."""
        return self._once((scope, node), lambda: self._is_off(scope, node))

    def _is_off(self, scope: Scope, node: ast.AST) -> bool:
        if not mode_at(home(scope), scope, node).records:
            return True
        if any(self._implies(scope, test, outcome) for test, outcome in _conditions(scope, node)):
            return True
        if scope.parent is None or scope.is_class:
            return False
        if not (scope.parent.is_module or scope.parent.is_class) and self.is_off(scope.parent, scope.node):
            return True
        if self._is_far(scope):
            return False
        is_called = False
        for caller, call in self._calls(scope):  # those of the file first: the others have to be looked for
            if not self.is_off(caller, call):
                return False
            is_called = True
        return is_called

    def _is_far(self, scope: Scope) -> bool:
        """Tell whether callers in other files would have to be looked for, which takes long."""
        return self.asks_autograd and home(scope).is_named_elsewhere(scope.name)

    def _once(self, key: tuple[object, ...], work_out: Callable[[], bool]) -> bool:
        """Return the answer to a question, which is False where the question leads to itself, or too far."""
        if key not in self._answers:
            self._answers[key] = False
            self._answers[key] = len(self._answers) < _MOST_STEPS and work_out()
        return self._answers[key]

    def _calls(self, scope: Scope) -> Iterator[tuple[Scope, ast.Call]]:
        """Iterate over the calls that may reach a function, with their scopes."""
        if not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        yield from calls_of(self.program, scope)
        yield from calls_elsewhere(self.program, scope)
        module = home(scope)
        owner = module.class_of(scope)
        if owner is not None and scope.name == "__init__" and module.place is not None:
            name = owner.node.name
            for other in module.others_with(name, importing(module, name)):
                for alias in sorted(names_of(other, name)):
                    yield from other.calls_named(alias)

    def _implies(self, scope: Scope, test: ast.expr, outcome: bool) -> bool:
        """Tell whether nothing is recorded where a test has an outcome, or no code in sight gives it that outcome."""
        return self._once((scope, test, outcome), lambda: self._does_imply(scope, test, outcome))

    def _does_imply(self, scope: Scope, test: ast.expr, outcome: bool) -> bool:
        if isinstance(test, ast.Constant):
            return bool(test.value) is not outcome
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._implies(scope, test.operand, not outcome)
        if isinstance(test, ast.BoolOp):
            found = (self._implies(scope, value, outcome) for value in test.values)
            return any(found) if isinstance(test.op, ast.And) is outcome else all(found)
        if isinstance(test, ast.Name):
            return self._name(scope, test.id, outcome)
        if isinstance(test, ast.Attribute):
            return self._attribute(scope, test, outcome)
        return isinstance(test, ast.Call) and self._call(scope, test, outcome)

    def _name(self, scope: Scope, name: str, outcome: bool) -> bool:
        owner = home(scope).scopes.owner(scope, name)
        if owner is None or owner.is_module or owner.is_class:
            return False
        values = _assigned(home(owner), owner, name)
        if values is None or not all(self._implies(owner, value, outcome) for value in values):
            return False
        if name not in [p.arg for p in owner.parameters]:
            return bool(values)
        return self._parameter(owner, name, outcome)

    def _parameter(self, scope: Scope, name: str, outcome: bool) -> bool:
        """Tell the same of a parameter, by what the calls in sight pass for it, or else by its default."""
        if self._is_far(scope):
            return False
        default = default_for(scope, name)
        is_by_default = not self.asks_autograd and default is not None and self._implies(scope, default, outcome)
        calls = list(self._calls(scope))
        if not calls:
            return is_by_default
        for caller, call in calls:
            if any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
                continue  # what is passed on isn't seen
            given = argument_for(scope, call, name)
            if given is None:
                if not is_by_default:
                    return False
            elif not self._implies(caller, given, outcome) and not self.is_off(caller, call):
                return False
        return True

    def _attribute(self, scope: Scope, node: ast.Attribute, outcome: bool) -> bool:
        if node.attr == "requires_grad":
            return not outcome
        if not isinstance(node.value, ast.Name) or node.value.id != "self":
            return False
        if node.attr == "training":
            return not outcome and not self.asks_autograd
        owner = home(scope).class_of(scope)
        found = [pair for cls in owner.linearized() for pair in cls.assigned.get(node.attr, ())] if owner else []
        return bool(found) and all(
            source is not None and self._implies(where, source, outcome) for where, source in found
        )

    def _call(self, scope: Scope, node: ast.Call, outcome: bool) -> bool:
        module = home(scope)
        qualified = module.qualified(scope, node.func) or ""
        if qualified in modes.RECORDING:
            return modes.RECORDING[qualified] is not outcome
        if isinstance(node.func, ast.Name) and node.func.id in ("any", "all", "bool") and len(node.args) == 1:
            (given,) = node.args
            elements = given.elt if isinstance(given, ast.GeneratorExp | ast.ListComp) else given
            return self._implies(scope, elements, outcome)
        return any(self._function(module, function, outcome) for function in _called(module, scope, node))

    def _function(self, module: ModuleIndex, function: Scope, outcome: bool) -> bool:
        """Tell the same of a call of a function, by what it returns."""
        returns = [n for n in function.of(ast.Return) if n.value is not None]
        return bool(returns) and all(
            self._implies(function, node.value, outcome)
            or any(self._implies(function, test, held) for test, held in _conditions(function, node))
            for node in returns
            if node.value is not None
        )


def _called(module: ModuleIndex, scope: Scope, node: ast.Call) -> Iterator[Scope]:
    """Iterate over the functions of the file that a call by name means."""
    if isinstance(node.func, ast.Name):
        owner = module.scopes.owner(scope, node.func.id)
        yield from (inner for inner in (owner.inner if owner is not None else ()) if inner.name == node.func.id)


@once
def _assigned(_: ModuleIndex, scope: Scope, name: str) -> list[ast.expr] | None:
    """Return what is assigned to a name; None where it is also bound by something else."""
    stores = [n for n in scope.names if n.id == name and not isinstance(n.ctx, ast.Load)]
    found: list[ast.expr] = []
    for node in scope.of(ast.Assign):
        found += [node.value for t in node.targets if isinstance(t, ast.Name) and t.id == name]
    for declared in scope.of(ast.AnnAssign):
        if isinstance(declared.target, ast.Name) and declared.target.id == name:
            found += [declared.value] if declared.value is not None else []
    return found if len(found) == len(stores) and name not in scope.volatile else None


def _conditions(scope: Scope, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Iterate over the tests that decide whether a node of a scope runs, with the outcomes that they then have."""
    parents = parents_in(home(scope), scope)
    while (outer := parents.get(node)) is not None:
        if isinstance(outer, ast.If | ast.IfExp | ast.While) and node is not outer.test:
            body = outer.body if isinstance(outer.body, list) else [outer.body]
            yield outer.test, node in body
        elif isinstance(outer, ast.BoolOp):
            is_and = isinstance(outer.op, ast.And)
            yield from ((value, is_and) for value in outer.values[: outer.values.index(node)])  # type: ignore[arg-type]
        if isinstance(node, ast.stmt):
            yield from _left_before(outer, node)
        node = outer


def _left_before(outer: ast.AST, node: ast.stmt) -> Iterator[tuple[ast.expr, bool]]:
    """Iterate over the tests in front of a statement, in its block, that end the block with one outcome."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(outer, name, ())
        for before in block[: block.index(node)] if isinstance(block, list) and node in block else ():
            if isinstance(before, ast.Assert):
                yield before.test, True
            elif isinstance(before, ast.If):
                if isinstance(before.body[-1], _LEAVING):
                    yield before.test, False
                if before.orelse and isinstance(before.orelse[-1], _LEAVING):
                    yield before.test, True
