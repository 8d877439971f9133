"""Which names of a module may stand for torch modules with `inplace=True`, whatever the flow, and who calls them.

Names and attributes are told apart by their last part only: where one `self.act` is such a module, all are. Each gets
marks: that it is such a module (or holds one), that calling it makes one, that calling what it makes does.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from unplace import torchapi
from unplace.analysis.bindings import last_name
from unplace.analysis.nodes import children, walk
from unplace.analysis.scopes import Scope

if TYPE_CHECKING:
    from unplace.analysis.program import Program

_INSTANCE = 1
_MOST = 7  # an instance, what makes one, what makes that
_OF_INSTANCES = frozenset(["forward", "__call__"])

Flow = tuple[frozenset[str], ast.AST, int]
"""These names get what an expression is, so many calls further away."""

Signatures = dict[str, list[list[str]]]


class Activations:
    """The marks of one file's names, found by following its assignments, loops, returns and calls."""

    def __init__(self, program: Program) -> None:
        """Follow them until nothing changes; there are at most three marks for each name."""
        self._made = {call for call, scope in program.scopes.flagged if _may_make(program, scope, call)}
        self._marks: dict[str, int] = defaultdict(int)
        if not self._made:
            return
        signatures = _signatures(program)
        flows = [flow for scope in program.scopes.by_node.values() for flow in _flows(program, scope, signatures)]
        changed = True
        while changed:
            changed = False
            for names, source, further in flows:
                marks = self._of(source) << further & _MOST
                for name in names if marks else ():
                    if marks & ~self._marks[name]:
                        self._marks[name] |= marks
                        changed = True

    def are_called_in(self, scope: Scope) -> bool:
        """Whether the scope calls something that may be such a module."""
        return bool(self._made) and any(isinstance(n, ast.Call) and self._is_called(n.func) for n in scope.nodes)

    def _is_called(self, callee: ast.expr) -> bool:
        if isinstance(callee, ast.Attribute) and callee.attr in _OF_INSTANCES:
            return bool(self._of(callee.value) & _INSTANCE)
        return bool(self._of(callee) & _INSTANCE)

    def _of(self, node: ast.AST) -> int:
        """The marks of an expression."""
        if isinstance(node, ast.Name):
            return self._marks.get(node.id, 0)
        if isinstance(node, ast.Attribute):
            return self._marks.get(node.attr, 0)
        if isinstance(node, ast.Constant):
            return self._marks.get(node.value, 0) if isinstance(node.value, str) else 0
        if isinstance(node, ast.Compare):
            return 0
        if isinstance(node, ast.Lambda):
            return self._of(node.body) << 1 & _MOST
        if isinstance(node, ast.Call):
            return self._of_call(node)
        marks = 0
        for child in children(node):
            marks |= self._of(child)
        return marks

    def _of_call(self, node: ast.Call) -> int:
        if node in self._made:
            return _INSTANCE
        callee = self._of(node.func)
        marks = callee >> 1
        if not callee & _INSTANCE:  # which would return a tensor, whatever it is given
            for argument in (*node.args, *(k.value for k in node.keywords)):
                marks |= self._of(argument)
        return marks


def _may_make(program: Program, scope: Scope, call: ast.Call) -> bool:
    """Whether a call with a True may make a torch module that works in place."""
    qualified = program.qualified(scope, call.func)
    if qualified is None:
        return True
    module = torchapi.module(qualified)
    return module is not None and module.inplace is not None


def _signatures(program: Program) -> Signatures:
    """The parameters of functions and constructors, by the names of those."""
    found: Signatures = defaultdict(list)
    for scope in program.scopes.by_node.values():
        if scope.parameters:
            names = [parameter.arg for parameter in scope.parameters]
            found[scope.name].append(names)
            if scope.name == "__init__" and scope.enclosing_class is not None:
                found[scope.enclosing_class.name].append(names)
    return found


def _flows(program: Program, scope: Scope, signatures: Signatures) -> Iterator[Flow]:
    """Where values go in a scope."""
    for node in scope.nodes:
        if isinstance(node, ast.Assign):
            yield _stored(node.targets), node.value, 0
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node.value is not None:
                yield _stored([node.target]), node.value, 0
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield _stored([node.target]), node.iter, 0
        elif isinstance(node, ast.withitem):
            if node.optional_vars is not None:
                yield _stored([node.optional_vars]), node.context_expr, 0
        elif isinstance(node, ast.Return | ast.Yield):
            if node.value is not None:
                yield frozenset([scope.name]), node.value, 0 if _is_property(scope.node) else 1
        elif isinstance(node, ast.Call):
            yield from _passed(program, node, signatures)
    for argument, default in _defaults(scope.node):
        yield frozenset([argument]), default, 0


def _passed(program: Program, node: ast.Call, signatures: Signatures) -> Iterator[Flow]:
    """Arguments go to the receiver (`layers.append(act)`), to names given as text, and to parameters."""
    receivers = {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    if isinstance(node.func, ast.Attribute):
        holder = last_name(node.func.value)
        if holder is not None and holder != "self" and holder not in program.imports.names:
            receivers.add(holder)
    parameters = signatures.get(last_name(node.func) or "", ())
    for position, argument in enumerate(node.args):
        taking = {name for names in parameters for name in names[position : position + 2]}  # with or without `self`
        if isinstance(argument, ast.Starred):
            taking = {name for names in parameters for name in names}
        yield frozenset(receivers | taking), argument, 0
    for keyword in node.keywords:
        taking = {name for names in parameters for name in names if keyword.arg in (name, None)}
        yield frozenset(receivers | taking), keyword.value, 0


def _is_property(node: ast.AST) -> bool:
    return any(last_name(d) in ("property", "cached_property") for d in getattr(node, "decorator_list", ()))


def _stored(targets: Iterable[ast.expr]) -> frozenset[str]:
    found: set[str] = set()
    for target in targets:
        for node in walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                name = last_name(node.value)
                found |= {name} if name is not None else set()
    return frozenset(found)


def _defaults(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from zip([a.arg for a in positional[-len(arguments.defaults) :]], arguments.defaults, strict=False)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default
