"""Type propagation: which names of a file may hold what some expressions make, whatever the control flow.

This is a syntactic over-approximation. Names and attributes are told apart by their last part only: if one `self.act`
may be such an object, all may. It tells who may call a module with `inplace=True`, or an object of a class, before
anything is walked.
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
"""The mark of a name whose call may make such an object, as the call of a class does."""

_MOST = 7  # all marks: an instance, its factory, a factory of its factory
_NO_FLOW = (ast.Attribute, ast.Subscript, ast.BinOp)  # most of the indexed nodes
_OF_INSTANCES = frozenset(["forward", "__call__"])
_CONTAINING = frozenset(["__init__", "add_module", "append", "extend", "insert", "register_module"])

Signatures = dict[str, list[list[str]]]


@dataclass(slots=True, eq=False)
class Flow:
    """A flow of the value of `source` into names.

    `further` counts the calls between a name and the value: 0 for `a = source`, 1 for a function that returns it, and
    -1 for a parameter annotated with a class, which holds an instance of it.
    """

    names: frozenset[str]
    source: ast.AST
    further: int = 0


@dataclass(slots=True)
class Flows:
    """The flows of a file (assignments, loops, returns and calls), by the names and calls in their sources."""

    by_mention: dict[str, list[Flow]] = field(default_factory=lambda: defaultdict(list))
    by_call: dict[ast.Call, list[Flow]] = field(default_factory=lambda: defaultdict(list))


class Holders:
    """The marks of names, propagated along the flows to a fixpoint."""

    def __init__(self, flows: Flows, made: frozenset[ast.Call], marked: Mapping[str, int]) -> None:
        """Propagate marks from the calls `made`, which make such an object, and from the names already `marked`."""
        self._made = made
        self._marks = dict(marked)
        self._known: dict[ast.AST, int] = {}  # the marks of expressions as they are now
        self._around: dict[ast.AST, ast.AST] = {}  # for each expression, the one that its marks went into
        self._users: dict[str, list[ast.AST]] = defaultdict(list)  # the expressions that mention a name
        todo = [flow for call in made for flow in flows.by_call.get(call, ())]
        todo += [flow for name in marked for flow in flows.by_mention.get(name, ())]
        while todo:
            flow = todo.pop()
            marks = self._of(flow.source)
            marks = marks << flow.further if flow.further >= 0 else marks >> -flow.further
            for name in flow.names if marks & _MOST else ():
                if marks & _MOST & ~self._marks.get(name, 0):
                    self._mark(name, marks & _MOST)
                    todo += flows.by_mention.get(name, ())

    def are_called_in(self, scope: Scope) -> bool:
        """Tell whether a scope calls something that may be such an object."""
        return any(isinstance(n, ast.Call) and self.is_called(n.func) for n in scope.nodes)

    def is_called(self, callee: ast.expr) -> bool:
        """Tell whether a callee may be such an object."""
        if isinstance(callee, ast.Attribute) and callee.attr in _OF_INSTANCES:
            return bool(self._of(callee.value) & INSTANCE)
        return bool(self._of(callee) & INSTANCE)

    def _mark(self, name: str, marks: int) -> None:
        """Add marks to a name, and forget the marks of the expressions that mention it."""
        self._marks[name] = self._marks.get(name, 0) | marks
        for user in self._users.pop(name, ()):
            node: ast.AST | None = user
            while node is not None and self._known.pop(node, None) is not None:
                node = self._around.get(node)

    def _of(self, node: ast.AST, around: ast.AST | None = None) -> int:
        """Return the marks of an expression, needed for those of the expression `around` it."""
        name = _mentioned(node)
        if name is not None:
            if around is not None:
                self._users[name].append(around)
            return self._marks.get(name, 0)
        if around is not None:
            self._around[node] = around
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._worked_out(node)
        return known

    def _worked_out(self, node: ast.AST) -> int:
        if isinstance(node, ast.Constant | ast.Compare):
            return 0
        if isinstance(node, ast.Lambda):
            return self._of(node.body, node) << 1 & _MOST
        if isinstance(node, ast.Call):
            return self._of_call(node)
        marks = 0
        for child in children(node):
            marks |= self._of(child, node)
        return marks

    def _of_call(self, node: ast.Call) -> int:
        if node in self._made:
            return INSTANCE
        callee = self._of(node.func, node)
        marks = callee >> 1
        if not callee & INSTANCE:  # an instance would return a tensor, whatever its arguments
            for argument in (*node.args, *(k.value for k in node.keywords)):
                marks |= self._of(argument, node)
        return marks


def _mentioned(node: ast.AST) -> str | None:
    """Return the name by which an expression is marked: its own, that of an attribute, or the text itself."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        return node.attr
    return node.value if type(node) is ast.Constant and type(node.value) is str else None


def _mentions(source: ast.AST) -> Iterator[str | ast.Call]:
    """Iterate over the names and calls from which the marks of an expression can come."""
    for node in walk(source):
        name = _mentioned(node)
        if name is not None:
            yield name
        elif isinstance(node, ast.Call):
            yield node


@once
def flows(module: ModuleIndex) -> Flows:
    """Return the index of the flows of a module."""
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
    """Return the parameter names of functions and constructors, by the name of the function or class."""
    found: Signatures = defaultdict(list)
    for scope in module.scopes.by_node.values():
        if scope.parameters:
            names = [parameter.arg for parameter in scope.parameters]
            found[scope.name].append(names)
            if scope.name == "__init__" and scope.enclosing_class is not None:
                found[scope.enclosing_class.name].append(names)
    return found


def _flows(module: ModuleIndex, scope: Scope, signatures: Signatures) -> Iterator[Flow]:
    """Iterate over the flows in a scope."""
    for node in scope.nodes:
        if type(node) is ast.Call:
            yield from _passed(module, node, signatures)
            yield from _contained(scope, node)
        elif type(node) in _NO_FLOW:
            continue
        elif isinstance(node, ast.Assign):
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
    for argument, default in _defaults(scope.node):
        yield Flow(frozenset([argument]), default)
    for parameter in scope.parameters:
        if parameter.annotation is not None:
            yield Flow(frozenset([parameter.arg]), parameter.annotation, -1)


def _passed(module: ModuleIndex, node: ast.Call, signatures: Signatures) -> Iterator[Flow]:
    """Iterate over the flows of arguments: to the receiver (`layers.append(act)`), names given as text, parameters."""
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


def _contained(scope: Scope, node: ast.Call) -> Iterator[Flow]:
    """Iterate over the flows into the objects of a class that is a container itself: `self.add_module("act", act)`."""
    owner, function = scope.enclosing_class, node.func
    if owner is None or not isinstance(function, ast.Attribute) or function.attr not in _CONTAINING:
        return
    holder = function.value
    is_super = isinstance(holder, ast.Call) and last_name(holder.func) == "super"
    if is_super or (isinstance(holder, ast.Name) and holder.id == "self"):
        yield from (Flow(frozenset([owner.name]), argument, 1) for argument in node.args)


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
