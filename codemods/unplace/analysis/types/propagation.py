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
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import children, walk
from unplace.analysis.syntax.scopes import Scope

INSTANCE = 1
"""The mark of a name that may be such an object, or a container with one."""

FACTORY = 2
"""The mark of a name whose call may make such an object, as the call of a class does."""

_MOST = 7  # all marks: an instance, its factory, a factory of its factory
_NO_FLOW = (ast.Attribute, ast.Subscript, ast.BinOp)  # most of the indexed nodes
_UNMARKED = (ast.Constant, ast.Compare)
_CONTAINING = frozenset(["__init__", "add_module", "append", "extend", "insert", "register_module"])

Signatures = dict[str, list[list[str]]]
_Way = tuple[frozenset[str], ast.AST, int]  # the names of a flow, its source, and how much further the names are


@dataclass(slots=True, eq=False)
class Source:
    """The parts of an expression from which its marks can come: names, calls, and the bodies of lambdas.

    `mentions` are all names and calls that decide about the marks, those inside the calls included.
    """

    names: frozenset[str]
    calls: tuple[_Called, ...]
    bodies: tuple[Source, ...]
    mentions: frozenset[str | ast.Call]


@dataclass(slots=True, eq=False)
class _Called:
    """A call as a part of an expression; the marks of all its arguments are joined."""

    node: ast.Call
    callee: Source
    arguments: Source
    mentions: frozenset[str | ast.Call]


@dataclass(slots=True, eq=False)
class Flow:
    """A flow of the value of `source` into names.

    `further` counts the calls between a name and the value: 0 for `a = source`, 1 for a function that returns it, and
    -1 for a parameter annotated with a class, which holds an instance of it. The names are sorted: a call of an object
    ends the flow of its arguments, so that the marks depend on the order in which names get theirs.
    """

    names: tuple[str, ...]
    source: Source
    further: int = 0


class _Sources:
    """A reader of expressions; each name and each call is read once, though they may be parts of several sources."""

    def __init__(self) -> None:
        """Start without names and calls."""
        self.calls_with: dict[str, list[_Called]] = defaultdict(list)  # the calls that mention a name
        self._names: dict[str, Source] = {}
        self._calls: dict[ast.Call, _Called] = {}

    def of(self, node: ast.AST) -> Source:
        """Return the parts of an expression."""
        name = _mentioned(node)
        return self._of_all([node]) if name is None else self._of_name(name)

    def _of_name(self, name: str) -> Source:
        found = self._names.get(name)
        if found is None:
            names = frozenset([name])
            found = self._names[name] = Source(names, (), (), names)
        return found

    def _of_all(self, todo: list[ast.AST]) -> Source:
        """Return the parts of several expressions."""
        names: set[str] = set()
        calls: list[_Called] = []
        bodies: list[Source] = []
        while todo:
            node = todo.pop()
            name = _mentioned(node)
            if name is not None:
                names.add(name)
            elif type(node) is ast.Call:
                calls.append(self._call(node))
            elif type(node) is ast.Lambda:
                bodies.append(self.of(node.body))
            elif type(node) not in _UNMARKED:
                todo += children(node)
        own = frozenset(names)
        mentions = own.union(*(call.mentions for call in calls), *(body.mentions for body in bodies))
        return Source(own, tuple(calls), tuple(bodies), mentions)

    def _call(self, node: ast.Call) -> _Called:
        found = self._calls.get(node)
        if found is None:
            callee, arguments = self.of(node.func), self._of_all([*node.args, *(k.value for k in node.keywords)])
            mentions = callee.mentions | arguments.mentions | {node}
            found = self._calls[node] = _Called(node, callee, arguments, mentions)
            for mention in mentions:
                if type(mention) is str:
                    self.calls_with[mention].append(found)
        return found


@dataclass(slots=True)
class Flows:
    """The flows of a file (assignments, loops, returns and calls), by the names and calls in their sources."""

    by_mention: dict[str, list[Flow]] = field(default_factory=lambda: defaultdict(list))
    by_call: dict[ast.Call, list[Flow]] = field(default_factory=lambda: defaultdict(list))
    sources: _Sources = field(default_factory=_Sources)


class Holders:
    """The marks of names, propagated along the flows to a fixpoint.

    A flow, or what a call makes, is worked out again only when a name in it has got another mark: one table may hold
    thousands of calls.
    """

    def __init__(self, flows: Flows, made: frozenset[ast.Call], marked: Mapping[str, int]) -> None:
        """Propagate marks from the calls `made`, which make such an object, and from the names already `marked`."""
        self._sources = flows.sources
        self._made = made
        self._marks = dict(marked)
        self._known: dict[_Called, int] = {}  # the marks of calls, by the names' marks as they are
        calls = sorted(made, key=lambda call: (call.lineno, call.col_offset))
        todo = [flow for call in calls for flow in flows.by_call.get(call, ())]
        todo += [flow for name in marked for flow in flows.by_mention.get(name, ())]
        done: set[Flow] = set()
        while todo:
            flow = todo.pop()
            if flow in done:
                continue
            done.add(flow)
            marks = self._of(flow.source)
            marks = marks << flow.further if flow.further >= 0 else marks >> -flow.further
            for name in flow.names if marks & _MOST else ():
                known = self._marks.get(name, 0)
                if marks & _MOST & ~known:
                    self._marks[name] = known | marks & _MOST
                    for call in flows.sources.calls_with.get(name, ()):
                        self._known.pop(call, None)
                    onward = flows.by_mention.get(name, ())
                    done.difference_update(onward)
                    todo += onward

    @property
    def marks(self) -> Mapping[str, int]:
        """The marks of all names."""
        return self._marks

    def may_be(self, node: ast.expr) -> bool:
        """Tell whether an expression may be such an object, or a container with one."""
        return bool(self._of(self._sources.of(node)) & INSTANCE)

    def are_called_in(self, scope: Scope) -> bool:
        """Tell whether a scope calls something that may be such an object."""
        return any(isinstance(n, ast.Call) and self.is_called(n.func) for n in scope.nodes)

    def is_called(self, callee: ast.expr) -> bool:
        """Tell whether a callee may be such an object."""
        if isinstance(callee, ast.Attribute) and callee.attr in OF_INSTANCES:
            callee = callee.value
        name = _mentioned(callee)
        marks = self._marks.get(name, 0) if name is not None else self._of(self._sources.of(callee))
        return bool(marks & INSTANCE)

    def _of(self, source: Source) -> int:
        """Return the marks of an expression."""
        marks = 0
        for name in source.names:
            marks |= self._marks.get(name, 0)
        for call in source.calls:
            marks |= self._of_call(call)
        for body in source.bodies:
            marks |= self._of(body) << 1 & _MOST
        return marks

    def _of_call(self, call: _Called) -> int:
        found = self._known.get(call)
        if found is None:
            found = self._known[call] = self._made_by(call)
        return found

    def _made_by(self, call: _Called) -> int:
        if call.node in self._made:
            return INSTANCE
        callee = self._of(call.callee)
        marks = callee >> 1
        if not callee & INSTANCE:  # an instance would return a tensor, whatever its arguments
            marks |= self._of(call.arguments)
        return marks


def _mentioned(node: ast.AST) -> str | None:
    """Return the name by which an expression is marked: its own, that of an attribute, or the text itself."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        return node.attr
    return node.value if type(node) is ast.Constant and type(node.value) is str else None


@once
def flows(module: ModuleIndex) -> Flows:
    """Return the index of the flows of a module."""
    found = Flows()
    signatures = _signatures(module)
    for scope in module.scopes.by_node.values():
        for names, expression, further in _flows(module, scope, signatures):
            if not names:
                continue
            source = found.sources.of(expression)
            flow = Flow(tuple(sorted(names)), source, further)
            for mention in source.mentions:
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


def _flows(module: ModuleIndex, scope: Scope, signatures: Signatures) -> Iterator[_Way]:
    """Iterate over the flows in a scope."""
    for node in scope.nodes:
        if type(node) is ast.Call:
            yield from _passed(module, node, signatures)
            yield from _contained(scope, node)
        elif type(node) in _NO_FLOW:
            continue
        elif isinstance(node, ast.Assign):
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
    for argument, default in _defaults(scope.node):
        yield frozenset([argument]), default, 0
    for parameter in scope.parameters:
        if parameter.annotation is not None:
            yield frozenset([parameter.arg]), parameter.annotation, -1


def _passed(module: ModuleIndex, node: ast.Call, signatures: Signatures) -> Iterator[_Way]:
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
        if receivers or taking:
            yield frozenset(receivers | taking), argument, 0
    for keyword in node.keywords:
        taking = {name for names in parameters for name in names if keyword.arg in (name, None)}
        if receivers or taking:
            yield frozenset(receivers | taking), keyword.value, 0


def _contained(scope: Scope, node: ast.Call) -> Iterator[tuple[frozenset[str], ast.AST, int]]:
    """Iterate over the flows into the objects of a class that is a container itself: `self.add_module("act", act)`."""
    owner, function = scope.enclosing_class, node.func
    if owner is None or not isinstance(function, ast.Attribute) or function.attr not in _CONTAINING:
        return
    holder = function.value
    is_super = isinstance(holder, ast.Call) and last_name(holder.func) == "super"
    if is_super or (isinstance(holder, ast.Name) and holder.id == "self"):
        yield from ((frozenset([owner.name]), argument, 1) for argument in node.args)


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
