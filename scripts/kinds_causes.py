"""Why the analysis doesn't know what an object is: the first thing on its way that nothing is known of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.refs import Bound, Class, Function, Instance, Named
from unplace.analysis.domain.values import CONTAINER, UNKNOWN, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.scopes import Scope

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Cause:
    """Where knowledge ends: `why` in general, `scope` and `node` the place in particular, `name` what is not known."""

    why: str
    scope: Scope | None = None
    node: ast.AST | None = None
    name: str = ""


class Causes:
    """Finds the causes in one module."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of(self, run: Run, node: ast.expr, depth: int = 0) -> Cause:
        """Why the value of an expression isn't known."""
        if depth > _DEEPEST:
            return Cause("a long chain", run.scope, node)
        if isinstance(node, ast.Name):
            return self._of_name(run, node, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(run, node, depth)
        if isinstance(node, ast.Call):
            return self._of_call(run, node, depth)
        if isinstance(node, ast.Subscript):
            return self._of_item(run, node, depth)
        part = next((p for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr) and self._is_open(run, p)), None)
        if part is not None:
            return self.of(run, part, depth + 1)
        return Cause(f"an expression: {type(node).__name__}", run.scope, node)

    def _value(self, run: Run, node: ast.expr) -> Value:
        found = run.values.get(node)
        return found if found is not None else self.program.estimate(run.scope, node)

    def _is_open(self, run: Run, node: ast.expr) -> bool:
        return bool(self._value(run, node).kinds & UNKNOWN)

    # -- names ----------------------------------------------------------------------------------------------------

    def _of_name(self, run: Run, node: ast.Name, depth: int) -> Cause:
        scope = self.program.module.scopes.owner(run.scope, node.id)
        if scope is None:
            return Cause("an unbound name", run.scope, node, node.id)
        sources = self.program.module.bindings(scope).sources.get(node.id, [])
        in_this = scope is run.scope
        for source in sources:
            if isinstance(source, ast.expr):
                if source is not node and self._is_open(run if in_this else Run(self.program, scope), source):
                    return self.of(run if in_this else Run(self.program, scope), source, depth + 1)
            elif isinstance(source, ast.For | ast.AsyncFor | ast.comprehension):
                return self._of_loop(run, source, depth)
            elif isinstance(source, ast.withitem):
                return Cause("`with ... as x`", scope, source, node.id)
            elif not isinstance(source, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                return Cause("unpacking with a star or into attributes", scope, source, node.id)
        for argument in scope.parameters:
            if argument.arg == node.id:
                return self._of_parameter(scope, argument)
        if sources:
            return Cause("a name bound more than once, or changed by a call or an augmented assignment", scope, node)
        return Cause("an imported name", scope, node, node.id)

    def _of_parameter(self, scope: Scope, argument: ast.arg) -> Cause:
        arguments = getattr(scope.node, "args", None)
        if arguments is not None and argument in (arguments.vararg, arguments.kwarg):
            return Cause("a parameter `*args` or `**kwargs`", scope, argument, argument.arg)
        if isinstance(scope.node, ast.Lambda):
            return Cause("a parameter of a lambda", scope, argument, argument.arg)
        if argument.annotation is None:
            return Cause("a parameter without annotation", scope, argument, argument.arg)
        return Cause("a parameter whose annotation says too little", scope, argument, argument.arg)

    def _of_loop(self, run: Run, source: ast.For | ast.AsyncFor | ast.comprehension, depth: int) -> Cause:
        if self._is_open(run, source.iter):
            return self.of(run, source.iter, depth + 1)
        if isinstance(source.iter, ast.Call):
            part = next((a for a in source.iter.args if self._is_open(run, a)), None)
            if part is not None:
                return self.of(run, part, depth + 1)
        return Cause("an item in a loop over a container", run.scope, source.iter)

    # -- attributes and items -------------------------------------------------------------------------------------

    def _of_attribute(self, run: Run, node: ast.Attribute, depth: int) -> Cause:
        base = self._value(run, node.value)
        if isinstance(base.ref, Instance):
            owner = base.ref.of
            if any(isinstance(s, ast.FunctionDef) and s.name == node.attr for s in owner.node.body):
                return Cause("a property of a class of this file", run.scope, node, node.attr)
            for _, (scope, source) in enumerate(owner.assigned.get(node.attr, ())):
                if source is not None and self._is_open(Run(self.program, scope), source):
                    return self.of(Run(self.program, scope), source, depth + 1)
            if node.attr in owner.assigned:
                return Cause("an attribute assigned in parts", run.scope, node, node.attr)
            return Cause("an attribute that another file's base class assigns", owner.scope, node, node.attr)
        if isinstance(node.value, ast.Name) and node.value.id in self.program.module.imports.names:
            return Cause("an imported module's attribute", run.scope, node, ast.unparse(node))
        if base.kinds & UNKNOWN:
            return Cause("an attribute of an object of unknown class", run.scope, node, node.attr)
        return Cause("an attribute of a known object", run.scope, node, node.attr)

    def _of_item(self, run: Run, node: ast.Subscript, depth: int) -> Cause:
        base = self._value(run, node.value)
        if base.must_be(CONTAINER):
            return Cause("an item of a container", run.scope, node, ast.unparse(node.value))
        if base.kinds & UNKNOWN:
            found = self.of(run, node.value, depth + 1)
            return Cause(f"an item of: {found.why}", found.scope, found.node, found.name)
        return Cause("an item of something known", run.scope, node)

    # -- calls ----------------------------------------------------------------------------------------------------

    def _of_call(self, run: Run, node: ast.Call, depth: int) -> Cause:
        func = node.func
        callee = self._value(run, func) if not isinstance(func, ast.Attribute) else run.values.get(func)
        ref = callee.ref if callee is not None else None
        if isinstance(ref, Named):
            if ref.qualified.startswith("builtins."):
                part = next((a for a in node.args if self._is_open(run, a)), None)
                if part is not None:
                    return self.of(run, part, depth + 1)
            return _of_named(run, node, ref.qualified)
        if isinstance(ref, Function | Class | Bound):
            return self._of_function(run, node, ref, depth)
        if not isinstance(func, ast.Attribute):
            return Cause("the result of a callable of unknown kind", run.scope, node, ast.unparse(func))
        base = self._value(run, func.value)
        if isinstance(base.ref, Instance):
            return self._of_method(run, node, func, base.ref)
        if isinstance(base.ref, Named):
            qualified = self.program.module.qualified(run.scope, func)
            return _of_named(run, node, qualified or f"{base.ref.qualified}.{func.attr}")
        if base.kinds & UNKNOWN and isinstance(func.value, ast.expr):
            found = self.of(run, func.value, depth + 1)
            return Cause(f"a method's result of: {found.why}", found.scope, found.node, found.name)
        return Cause("the result of a method of a known object", run.scope, node, ast.unparse(func))

    def _of_function(self, run: Run, node: ast.Call, ref: Function | Class | Bound, depth: int) -> Cause:
        if isinstance(ref, Bound) and isinstance(ref.receiver.ref, Instance):
            method = self.program.methods(ref.receiver.ref.of, ref.name).only
            ref = method if method is not None else ref
        if not isinstance(ref, Function) or ref.scope.node not in self.program.module.scopes.by_node:
            return Cause("the result of a function of another file", run.scope, node, ast.unparse(node.func))
        if (inner := self.program.run(ref.scope)) is not None:
            for returned in ast.walk(ref.scope.node):
                if isinstance(returned, ast.Return) and returned.value in inner.values:
                    assert returned.value is not None
                    if self._is_open(inner, returned.value):
                        return self.of(inner, returned.value, depth + 1)
        return Cause("the result of a function of this file", run.scope, node, ast.unparse(node.func))

    def _of_method(self, run: Run, node: ast.Call, func: ast.Attribute, ref: Instance) -> Cause:
        method = self.program.methods(ref.of, func.attr).only
        if method is not None:
            return self._of_function(run, node, method, 1)
        if func.attr in ref.of.assigned:
            return Cause("the result of `self.attribute(...)`", run.scope, node, func.attr)
        if any(isinstance(s, ast.FunctionDef) and s.name == func.attr for s in ref.of.node.body):
            return Cause("the result of a method that is decorated or overridden", run.scope, node, func.attr)
        return Cause("the result of a method that another file's base class has", ref.of.scope, node, func.attr)


def _of_named(run: Run, node: ast.Call, qualified: str) -> Cause:
    library = qualified.partition(".")[0]
    if qualified.startswith("."):
        return Cause("the result of a function imported from another file", run.scope, node, qualified)
    return Cause(f"the result of a function of {library}", run.scope, node, qualified)
