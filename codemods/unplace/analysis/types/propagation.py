"""Which names of a file may hold what some expressions make, whatever the flow: a syntactic approximation from above.

Names and attributes are told apart by their last part only: where one `self.act` may be such an object, all may. It
answers who may call a module with `inplace=True`, or an object of a class, before anything is walked.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import children, walk
from unplace.analysis.syntax.scopes import Scope

INSTANCE = 1
"""The mark of a name that may be such an object, or a container with one."""

FACTORY = 2
"""The mark of a name whose call may make one, as a class does."""

_MOST = 7  # an instance, what makes one, what makes that
_OF_INSTANCES = frozenset(["forward", "__call__"])

Signatures = dict[str, list[list[str]]]


@dataclass(slots=True, eq=False)
class Flow:
    """These names get what `source` is, so many calls further away: those of a function what it returns."""

    names: frozenset[str]
    source: ast.AST
    further: int = 0


@dataclass(slots=True)
class Flows:
    """Where the values of a file go: its assignments, loops, returns and calls, by the names that they mention."""

    by_mention: dict[str, list[Flow]] = field(default_factory=lambda: defaultdict(list))
    by_call: dict[ast.Call, list[Flow]] = field(default_factory=lambda: defaultdict(list))


class Holders:
    """The marks of names, found by following the flows until nothing changes."""

    def __init__(self, flows: Flows, made: frozenset[ast.Call], marked: Mapping[str, int]) -> None:
        """`made` are calls that make such an object, `marked` the names that are known to be marked."""
        self._made = made
        self._marks = dict(marked)
        todo = [flow for call in made for flow in flows.by_call.get(call, ())]
        todo += [flow for name in marked for flow in flows.by_mention.get(name, ())]
        while todo:
            flow = todo.pop()
            marks = self._of(flow.source)
            marks = marks << flow.further if flow.further >= 0 else marks >> -flow.further
            for name in flow.names if marks & _MOST else ():
                if marks & _MOST & ~self._marks.get(name, 0):
                    self._marks[name] = self._marks.get(name, 0) | (marks & _MOST)
                    todo += flows.by_mention.get(name, ())

    def are_called_in(self, scope: Scope) -> bool:
        """Whether the scope calls something that may be such an object."""
        return any(isinstance(n, ast.Call) and self.is_called(n.func) for n in scope.nodes)

    def is_called(self, callee: ast.expr) -> bool:
        """Whether what is called may be such an object."""
        if isinstance(callee, ast.Attribute) and callee.attr in _OF_INSTANCES:
            return bool(self._of(callee.value) & INSTANCE)
        return bool(self._of(callee) & INSTANCE)

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
            return INSTANCE
        callee = self._of(node.func)
        marks = callee >> 1
        if not callee & INSTANCE:  # which would return a tensor, whatever it is given
            for argument in (*node.args, *(k.value for k in node.keywords)):
                marks |= self._of(argument)
        return marks


def _mentions(source: ast.AST) -> Iterator[str | ast.Call]:
    """What the marks of an expression can come from."""
    for node in walk(source):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node.value
        elif isinstance(node, ast.Call):
            yield node


@once
def flows(module: ModuleIndex) -> Flows:
    """Index where the values of a module go."""
    found = Flows()
    signatures = _signatures(module)
    for scope in module.scopes.by_node.values():
        for flow in _flows(module, scope, signatures):
            for mention in {*_mentions(flow.source)} if flow.names else ():
                if isinstance(mention, ast.Call):
                    found.by_call[mention].append(flow)
                else:
                    found.by_mention[mention].append(flow)
    return found


def _signatures(module: ModuleIndex) -> Signatures:
    """The parameters of functions and constructors, by the names of those."""
    found: Signatures = defaultdict(list)
    for scope in module.scopes.by_node.values():
        if scope.parameters:
            names = [parameter.arg for parameter in scope.parameters]
            found[scope.name].append(names)
            if scope.name == "__init__" and scope.enclosing_class is not None:
                found[scope.enclosing_class.name].append(names)
    return found


def _flows(module: ModuleIndex, scope: Scope, signatures: Signatures) -> Iterator[Flow]:
    """Where values go in a scope."""
    for node in scope.nodes:
        if isinstance(node, ast.Assign):
            yield Flow(_stored(node.targets), node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node.value is not None:
                yield Flow(_stored([node.target]), node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield Flow(_stored([node.target]), node.iter)
        elif isinstance(node, ast.withitem):
            if node.optional_vars is not None:
                yield Flow(_stored([node.optional_vars]), node.context_expr)
        elif isinstance(node, ast.Return | ast.Yield):
            if node.value is not None:
                yield Flow(frozenset([scope.name]), node.value, 0 if _is_property(scope.node) else 1)
        elif isinstance(node, ast.Call):
            yield from _passed(module, node, signatures)
    for argument, default in _defaults(scope.node):
        yield Flow(frozenset([argument]), default)
    for parameter in scope.parameters:
        if parameter.annotation is not None:
            yield Flow(frozenset([parameter.arg]), parameter.annotation, -1)


def _passed(module: ModuleIndex, node: ast.Call, signatures: Signatures) -> Iterator[Flow]:
    """Arguments go to the receiver (`layers.append(act)`), to names given as text, and to parameters."""
    receivers = {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    if isinstance(node.func, ast.Attribute):
        holder = last_name(node.func.value)
        if holder is not None and holder != "self" and holder not in module.imports.names:
            receivers.add(holder)
    parameters = signatures.get(last_name(node.func) or "", ())
    for position, argument in enumerate(node.args):
        taking = {name for names in parameters for name in names[position : position + 2]}  # with or without `self`
        if isinstance(argument, ast.Starred):
            taking = {name for names in parameters for name in names}
        yield Flow(frozenset(receivers | taking), argument)
    for keyword in node.keywords:
        taking = {name for names in parameters for name in names if keyword.arg in (name, None)}
        yield Flow(frozenset(receivers | taking), keyword.value)


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
