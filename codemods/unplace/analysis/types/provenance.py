"""Provenance: why a value has its kind, found after the fact by a walk back over the bindings of an expression's names.

Only explanations ask for it; the analysis itself keeps no record.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from unplace import torchapi
from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Class, Function, Instance, Named, TorchModule
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    MODULE,
    NAMESPACE,
    NONE,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
)
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.calling import calls_of
from unplace.analysis.syntax.nodes import own_nodes
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import kinds, parameters
from unplace.analysis.types.evidence import Evidence as Likelihood
from unplace.analysis.types.evidence import of_call, of_name
from unplace.diagnostics.catalogue import Clue
from unplace.diagnostics.reasons import Line, Reason

_WORDS = {
    TENSOR: "a tensor",
    NUMBER: "a number",
    NONE: "None",
    TEXT: "text",
    LIST: "a list",
    TUPLE: "a tuple",
    DICT: "a dict",
    SHAPE: "a shape",
    ARRAY: "a NumPy array",
    MODULE: "an nn.Module",
    CALLABLE: "a function or class",
    NAMESPACE: "an imported module",
    OTHER: "an object that is no tensor",
    UNKNOWN: "something unknown",
}
_MOST = 8
_LONGEST = 72


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step of an explanation: a piece of code, its line, and what it says."""

    line: int
    code: str
    says: Reason


def kind_in_words(value: Value) -> str:
    """Return the kind of a value in words: `a tensor`, `a list or None`, `something unknown`."""
    words = [word for kind, word in _WORDS.items() if value.kinds & kind]
    text = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"
    return f"{text}, in all likelihood" if value.likely and value.kinds & TENSOR else text


def evidence(run: Run, node: ast.expr, state: Facts, operation: ast.AST) -> list[Evidence]:
    """Return the code that tells the kind of an expression that `operation` writes, the nearest piece first."""
    walk = _Walk(run, state, operation)
    walk.expression(node)
    return list(dict.fromkeys(walk.found))[:_MOST]


@dataclass(slots=True)
class _Walk:
    run: Run
    state: Facts
    operation: ast.AST
    found: list[Evidence] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)

    def _add(self, node: ast.AST, says: Reason) -> None:
        code = ast.unparse(node).split("\n")[0]
        code = code if len(code) <= _LONGEST else f"{code[: _LONGEST - 4]} ..."
        self.found.append(Evidence(getattr(node, "lineno", 0), code, says))

    # -- expressions ----------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr, around: ast.AST | None = None) -> None:
        """Record the evidence for an expression; a statement `around` it, which assigns it, is shown in its place."""
        if node in self._seen or len(self.found) >= _MOST:
            return
        self._seen.add(node)
        shown = around if around is not None else node
        if isinstance(node, ast.Name):
            if around is not None:
                self._add(around, Clue.SAME(name=node.id))
            self._name(node.id, self.run.scope)
        elif isinstance(node, ast.Call):
            self._call(node, shown)
        elif isinstance(node, ast.Attribute):
            self._attribute(node, shown)
        elif isinstance(node, ast.Subscript):
            self._subscript(node, shown)
        elif isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
            self._operator(node, shown)
        elif isinstance(node, ast.IfExp | ast.BoolOp):
            for part in [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values:
                self.expression(part, shown)
        elif isinstance(node, ast.NamedExpr):
            self.expression(node.value, shown)
        else:
            self._add(shown, Clue.IS(kind=self._kind(node)))

    def _kind(self, node: ast.expr) -> str:
        value = self.run.values.get(node)
        return kind_in_words(value) if value is not None else "something that isn't evaluated here"

    def _call(self, node: ast.Call, shown: ast.AST) -> None:
        called = ast.unparse(node.func)
        callee = self.run.values.get(node.func)
        ref = callee.ref if callee is not None else None
        kind = self._kind(node)
        if isinstance(ref, Named) and ref.qualified.startswith("builtins."):
            self._add(shown, Clue.CALL(callee=called, kind=kind))
        elif isinstance(ref, Named) and ref.qualified.split(".")[0] in ("torch", "numpy", "math"):
            self._add(shown, Clue.CALL(callee=ref.qualified, kind=kind))
        elif isinstance(ref, Function):
            line = Line(getattr(ref.scope.node, "lineno", 0))
            self._add(shown, Clue.FUNCTION(name=ref.scope.name, line=line, kind=kind))
        elif isinstance(ref, Class):
            self._add(shown, Clue.OBJECT(name=ref.node.name, line=Line(ref.node.lineno)))
        elif isinstance(ref, TorchModule):
            line = Line(ref.call.lineno if ref.call is not None else node.lineno)
            self._add(shown, Clue.LAYER(name=called, layer=ref.qualified, line=line, kind=kind))
        elif isinstance(node.func, ast.Attribute) and self._is_tensor(node.func.value):
            self._add(shown, Clue.METHOD(name=node.func.attr, kind=kind))
            self.expression(node.func.value)
        elif (value := self.run.values.get(node)) is not None and value.is_tensor and self._is_like_a_tensors(node):
            self._add(shown, Clue.LIKE_A_METHOD(name=called, kind=kind))
        elif value is not None and value.is_tensor:
            self._add(shown, Clue.LIKE_A_LAYER(name=called))
        else:
            self._add(shown, Clue.OUT_OF_SIGHT(name=called))

    def _is_tensor(self, node: ast.expr) -> bool:
        value = self.run.values.get(node)
        return value is not None and value.may_be(TENSOR)

    def _is_like_a_tensors(self, node: ast.Call) -> bool:
        """Tell whether a method of an unknown object is called as methods of tensors are."""
        holder = self.run.values.get(node.func.value) if isinstance(node.func, ast.Attribute) else None
        return holder is not None and holder.may_be(UNKNOWN) and of_call(node) is not Likelihood.NONE

    def _operator(self, node: ast.BinOp | ast.UnaryOp | ast.Compare, shown: ast.AST) -> None:
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            operands = [node.operand]
        else:
            operands = [node.left, *node.comparators]
        tensor = next((operand for operand in operands if self._is_tensor(operand)), None)
        if tensor is None:
            self._add(shown, Clue.COMPUTED(kind=self._kind(node)))
            for operand in operands:
                self.expression(operand)
        else:
            self._add(shown, Clue.COMPUTED_WITH(name=ast.unparse(tensor), kind=self._kind(tensor)))
            self.expression(tensor)

    def _subscript(self, node: ast.Subscript, shown: ast.AST) -> None:
        clue = Clue.PART if self._is_tensor(node.value) else Clue.ELEMENT
        self._add(shown, clue(kind=self._kind(node), holder=ast.unparse(node.value), of=self._kind(node.value)))
        self.expression(node.value)

    def _attribute(self, node: ast.Attribute, shown: ast.AST) -> None:
        if self._is_tensor(node.value) and torchapi.tensor_attribute(node.attr) is not None:
            self._add(shown, Clue.TENSOR_ATTRIBUTE(name=node.attr, kind=self._kind(node)))
            self.expression(node.value)
            return
        written = ast.unparse(node)
        before = len(self.found)
        for statement in own_nodes(self.run.scope.node):
            if isinstance(statement, ast.Assign) and written in [ast.unparse(target) for target in statement.targets]:
                self.expression(statement.value, statement)
        holder = self.run.values.get(node.value)
        if holder is not None and isinstance(holder.ref, Instance):
            self._class_attribute(holder.ref.of, node.attr)
        if len(self.found) == before:
            self._add(shown, Clue.NEVER_ASSIGNED(name=written))

    def _class_attribute(self, owner: Class, name: str) -> None:
        if owner.lookup("registered", name):
            self._add(owner.node, Clue.REGISTERED(name=name))
        for cls in (*owner.linearized(), *self.run.program.descendants(owner)):
            for scope, source in cls.assigned.get(name, ()):
                if source is not None and scope is not self.run.scope:
                    kind = kind_in_words(self.run.program.estimate(scope, source))
                    method = f"{cls.node.name}.{scope.name}"
                    self._add(source, Clue.ASSIGNED_BY(method=method, name=name, kind=kind))

    # -- names ----------------------------------------------------------------------------------------------------

    def _name(self, name: str, scope: Scope) -> None:
        if (scope, name) in self._seen:
            return
        self._seen.add((scope, name))
        before = len(self.found)
        token = self.state.binds.get(name) if scope is self.run.scope else None
        sources = list(self._binders(scope, name))
        bound_here = [binder for binder in sources if binder[0] is token]
        argument = next((a for a in scope.parameters if a.arg == name), None)
        if argument is not None and (token is argument or not bound_here):
            self._parameter(scope, argument)
        for _, statement, value in bound_here or sources:
            if statement is self.operation:
                continue
            if isinstance(statement, ast.AugAssign):
                self._augmented(statement, sources)
            elif value is not None and scope is self.run.scope:
                self.expression(value, statement)
            elif value is not None:
                kind = kind_in_words(self.run.program.estimate(scope, value))
                self._add(statement, Clue.ASSIGNED_IN(scope=_scope_in_words(scope), kind=kind))
            else:
                self._unplain(name, statement)
        if len(self.found) == before:
            self._free(name, scope)
        use = _telling_use(self.run, scope, name)
        if use is not None and not self._is_told(name):
            self._add(use, Clue.USED_SO(name=name))

    def _is_told(self, name: str) -> bool:
        """Tell whether the steps found so far say that the name is a tensor."""
        return any("tensor" in str(step.says) for step in self.found)

    def _augmented(self, statement: ast.AugAssign, sources: list[_Binder]) -> None:
        self._add(statement, Clue.AUGMENTED())
        for _, earlier, value in sources:
            if value is not None and not isinstance(earlier, ast.AugAssign):
                self.expression(value, earlier)

    def _unplain(self, name: str, statement: ast.AST) -> None:
        """Record a binding by something other than a plain assignment."""
        if isinstance(statement, ast.For | ast.AsyncFor):
            iterable = ast.unparse(statement.iter)
            self._add(statement, Clue.RUNS_OVER(name=name, iterable=iterable, kind=self._kind(statement.iter)))
            self.expression(statement.iter)
        elif isinstance(statement, ast.Assign):
            self._add(statement, Clue.UNPACKED(name=name, kind=self._kind(statement.value)))
            self.expression(statement.value)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._add(statement, Clue.DEFINED())
        else:
            self._add(statement, Clue.BOUND(name=name))

    def _free(self, name: str, scope: Scope) -> None:
        program = self.run.program
        owner = program.module.scopes.owner(scope, name)
        if owner is not None and owner is not scope:
            self._name(name, owner)

    # -- parameters -----------------------------------------------------------------------------------------------

    def _parameter(self, scope: Scope, argument: ast.arg) -> None:
        program, name = self.run.program, argument.arg
        where = f"parameter of {_scope_in_words(scope)}"
        owner = program.module.class_of(scope)
        if owner is not None and scope.parameters[:1] == [argument]:
            self._add(argument, Clue.PARAMETER_OBJECT(where=where, name=owner.node.name))
            return
        annotation = argument.annotation
        if annotation is not None and not kinds.of_annotation(annotation) & UNKNOWN:
            self._add(argument, Clue.PARAMETER_ANNOTATED(where=where))
            return
        if annotation is not None:
            where += f", whose annotation `{ast.unparse(annotation)}` says nothing of tensors"
        default = parameters.default_of(scope.node.args, argument)  # type: ignore[union-attr]
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            where += f" with the default `{ast.unparse(default)}`"
        if parameters.value_of(program, scope, argument).kinds & TENSOR:
            self._tensor_parameter(scope, argument, where, owner)
            return
        clue = Clue.PARAMETER if annotation is not None else Clue.PARAMETER_BARE
        self._add(argument, clue(where=where))
        self._callers(scope, name)

    def _tensor_parameter(self, scope: Scope, argument: ast.arg, where: str, owner: Class | None) -> None:
        use = _telling_use(self.run, scope, argument.arg)
        if use is not None:
            self._add(argument, Clue.PARAMETER(where=where))
            self._add(use, Clue.USED_SO(name=argument.arg))
        elif not self._callers(scope, argument.arg) and owner is not None:
            self._add(argument, Clue.INPUT(where=where))

    def _callers(self, scope: Scope, name: str) -> bool:
        """Record the arguments that calls in this file pass, and tell whether there are any."""
        found = False
        for caller, call in calls_of(self.run.program, scope):
            passed = parameters.argument_for(scope, call, name)
            if passed is not None:
                kind = kind_in_words(self.run.program.estimate(caller, passed))
                self._add(call, Clue.PASSED(passed=ast.unparse(passed), name=name, kind=kind))
                found = True
        return found

    # -- bindings of names ----------------------------------------------------------------------------------------

    def _binders(self, scope: Scope, name: str) -> Iterator[_Binder]:
        """Iterate over the bindings of a name in a scope, in the order of the source."""
        found = [binder for node in own_nodes(scope.node) for binder in _bound_by(node, name)]
        yield from sorted(found, key=lambda binder: (binder[1].lineno, binder[1].col_offset))  # type: ignore[attr-defined]


_Binder = tuple[ast.AST, ast.AST, ast.expr | None]
"""The token of a binding, its statement, and the bound value where the name gets exactly that."""


def _bound_by(node: ast.AST, name: str) -> Iterator[_Binder]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _in_target(target, node, node.value, name)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
        if node.target.id == name and node.value is not None:
            yield (node if isinstance(node, ast.NamedExpr) else node.target), node, node.value
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        if node.target.id == name:
            yield node, node, None
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield from _in_target(node.target, node, None, name)
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _in_target(item.optional_vars, node, None, name)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        if node.name == name:
            yield node, node, None


def _in_target(target: ast.expr, statement: ast.AST, value: ast.expr | None, name: str) -> Iterator[_Binder]:
    if isinstance(target, ast.Name):
        if target.id == name:
            yield target, statement, value
    elif isinstance(target, ast.Tuple | ast.List):
        parts: list[ast.expr | None] = [None] * len(target.elts)
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            parts = list(value.elts)
        for element, part in zip(target.elts, parts, strict=True):
            yield from _in_target(element, statement, part, name)
    elif isinstance(target, ast.Starred):
        yield from _in_target(target.value, statement, None, name)


def _telling_use(run: Run, scope: Scope, name: str) -> ast.AST | None:
    """Return the first use of a name in a scope that only a tensor allows, or None."""
    uses = [node for node in own_nodes(scope.node) if isinstance(node, ast.Attribute | ast.Call)]
    for node in sorted(uses, key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == name and of_name(node.attr):
                return node
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            asks = node.func.attr == "size" or any(keyword.arg in ("dim", "keepdim") for keyword in node.keywords)
            if node.func.value.id == name and asks:
                return node
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            qualified = run.program.module.qualified(scope, node.func)
            if node.args[0].id == name and qualified is not None and torchapi.takes_tensor(qualified):
                return node
    return None


def _scope_in_words(scope: Scope) -> str:
    return "the module" if scope.is_module else f"`{scope.name}`"
