"""The flows of values between the names of a file: assignments, loops, returns and calls, whatever the control flow.

They are found from the names and calls in their sources: a question costs as much as the names that it leads to.

    act = nn.ReLU(inplace=True)         from the call into `act`
    self.layers.append(act)             from `act` into `layers`
    return self.layers                  from `layers` into what the function returns
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from unplace.analysis.project.module import ModuleIndex, once, uses_by_name
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import children, walk

_CONTAINING = frozenset(["__init__", "add_module", "append", "extend", "insert", "register_module"])
_ENDS = (ast.Attribute, ast.Compare, ast.stmt, ast.arguments, ast.arg)  # no mark comes out of what is inside
_TAKING = frozenset(
    [
        *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension),
        *(ast.withitem, ast.Return, ast.Yield, ast.Call, ast.keyword, ast.arguments, ast.arg),
    ]
)

Signatures = dict[str, list[list[str]]]
_Way = tuple[frozenset[str], int]  # the names of a flow, and how much further than the source they are


@dataclass(slots=True, eq=False)
class Source:
    """The parts of an expression from which its marks can come: names, calls, and the bodies of lambdas.

    `mentions` are all names and calls that decide about the marks, those inside the calls included.
    """

    names: frozenset[str]
    calls: tuple[Called, ...]
    bodies: tuple[Source, ...]
    mentions: frozenset[str | ast.Call]


@dataclass(slots=True, eq=False)
class Called:
    """A call as a part of an expression; the marks of all its arguments are joined."""

    node: ast.Call
    callee: Source
    arguments: Source
    mentions: frozenset[str | ast.Call]


@dataclass(slots=True, eq=False)
class Flow:
    """A flow of the value of an expression into names.

    `further` counts the calls between a name and the value: 0 for `a = value`, 1 for a function that returns it, and
    -1 for a parameter annotated with a class, which holds an instance of it. The names are sorted: a call of an object
    ends the flow of its arguments, so that the marks depend on the order in which names get theirs.
    """

    names: tuple[str, ...]
    value: ast.AST
    place: tuple[int, int]  # line and column of the value
    further: int = 0
    _source: Source | None = None

    def source(self, sources: Sources) -> Source:
        """Return the parts of the value, which are read when somebody asks for them: a table may be long."""
        if self._source is None:
            self._source = sources.of(self.value)
        return self._source


class Sources:
    """A reader of expressions; each name and each call is read once, though they may be parts of several sources."""

    def __init__(self) -> None:
        """Start without names and calls."""
        self.calls_with: dict[str, list[Called]] = defaultdict(list)  # the calls that mention a name
        self._names: dict[str, Source] = {}
        self._calls: dict[ast.Call, Called] = {}

    def of(self, node: ast.AST) -> Source:
        """Return the parts of an expression."""
        name = mentioned(node)
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
        calls: list[Called] = []
        bodies: list[Source] = []
        while todo:
            node: Any = todo.pop()
            kind = type(node)
            if kind is ast.Name:
                names.add(node.id)
            elif kind is ast.Attribute:
                names.add(node.attr)
            elif kind is ast.Constant:
                if type(node.value) is str:
                    names.add(node.value)
            elif kind is ast.Call:
                calls.append(self._call(node))
            elif kind is ast.Lambda:
                bodies.append(self.of(node.body))
            elif kind is not ast.Compare:
                todo += children(node)
        own = frozenset(names)
        if not calls and not bodies:
            return Source(own, (), (), own)
        mentions = own.union(*[call.mentions for call in calls], *[body.mentions for body in bodies])
        return Source(own, tuple(calls), tuple(bodies), mentions)

    def _call(self, node: ast.Call) -> Called:
        found = self._calls.get(node)
        if found is None:
            given: list[ast.expr] = node.args
            if node.keywords:
                given = [*given, *[keyword.value for keyword in node.keywords]]
            callee = self.of(node.func)
            arguments = self.of(given[0]) if len(given) == 1 else self._of_all([*given])
            mentions = callee.mentions | arguments.mentions | {node}
            found = self._calls[node] = Called(node, callee, arguments, mentions)
            for mention in mentions:
                if type(mention) is str:
                    self.calls_with[mention].append(found)
        return found


class Flows:
    """The flows of a file, found when somebody asks for them."""

    def __init__(self, module: ModuleIndex) -> None:
        """Start without flows."""
        self.sources = Sources()
        self._module = module
        self._from: dict[ast.AST, tuple[Flow, ...]] = {}
        self._mentioning: dict[str | ast.Call, list[Flow]] = {}

    def mentioning(self, mention: str | ast.Call) -> list[Flow]:
        """Return the flows whose marks depend on a name or on a call, in the order of the source."""
        found = self._mentioning.get(mention)
        if found is None:
            flows = dict.fromkeys(flow for node in self._places(mention) for flow in self._out_of(node))
            found = self._mentioning[mention] = sorted(flows, key=lambda flow: (flow.place, flow.names, flow.further))
        return found

    def _places(self, mention: str | ast.Call) -> Iterator[ast.expr]:
        """Iterate over the nodes that are a call, or that mention a name."""
        if isinstance(mention, ast.Call):
            yield mention
            return
        yield from (node for _, node in uses_by_name(self._module).get(mention, ()))
        yield from self._module.scopes.texts.get(mention, ())

    def _out_of(self, node: ast.AST) -> Iterator[Flow]:
        """Iterate over the flows whose value contains a node."""
        parents = self._module.scopes.parents
        while (outer := parents.get(node)) is not None:
            if type(outer) in _TAKING and not isinstance(node, ast.keyword):
                flows = self._from.get(node)
                if flows is None:
                    flows = self._from[node] = tuple(self._made(outer, node))
                yield from flows
            if isinstance(outer, _ENDS):
                return
            node = outer

    def _made(self, outer: ast.AST, node: Any) -> Iterator[Flow]:
        """Iterate over the flows of the value of a node, whose parent is `outer`."""
        for names, further in self._ways(outer, node):
            if names:
                place = (node.lineno, node.col_offset)
                yield Flow(tuple(sorted(names)), node, place, further)

    def _ways(self, outer: Any, node: ast.AST) -> Iterator[_Way]:
        """Iterate over the names into which the value of a node flows."""
        if isinstance(outer, ast.keyword):
            call = self._module.scopes.parents.get(outer)
            if isinstance(call, ast.Call):
                yield self._passed(call, outer)
        elif isinstance(outer, ast.Call):
            if node is not outer.func:
                yield self._passed(outer, node)
                yield from self._contained(outer)
        elif isinstance(outer, ast.Assign):
            if node is outer.value:
                yield _stored(outer.targets), 0
        elif isinstance(outer, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node is outer.value:
                yield _stored([outer.target]), 0
        elif isinstance(outer, ast.For | ast.AsyncFor | ast.comprehension):
            if node is outer.iter:
                yield _stored([outer.target]), 0
        elif isinstance(outer, ast.withitem):
            if node is outer.context_expr and outer.optional_vars is not None:
                yield _stored([outer.optional_vars]), 0
        elif isinstance(outer, ast.Return | ast.Yield):
            scope = self._module.scopes.around(outer)
            yield frozenset([scope.name]), 0 if _is_property(scope.node) else 1
        elif isinstance(outer, ast.arguments):
            yield frozenset(name for name, default in _defaults(outer) if default is node), 0
        elif isinstance(outer, ast.arg):
            yield frozenset([outer.arg]), -1

    def _passed(self, call: ast.Call, given: ast.AST) -> _Way:
        """Return the flow of an argument: to the receiver (`layers.append(act)`), names given as text, parameters."""
        into = {a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
        if isinstance(call.func, ast.Attribute):
            holder = last_name(call.func.value)
            if holder is not None and holder != "self" and holder not in self._module.imports.names:
                into.add(holder)
        for names in _signatures(self._module).get(last_name(call.func) or "", ()):
            if isinstance(given, ast.keyword):
                into.update(name for name in names if given.arg in (name, None))
            elif isinstance(given, ast.Starred):
                into.update(names)
            else:
                position = next(i for i, argument in enumerate(call.args) if argument is given)
                into.update(names[position : position + 2])  # with or without `self`
        return frozenset(into), 0

    def _contained(self, call: ast.Call) -> Iterator[_Way]:
        """Iterate over the flows into the objects of a class that is a container: `self.add_module("act", act)`."""
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _CONTAINING:
            return
        holder, owner = function.value, self._module.scopes.around(call).enclosing_class
        is_super = isinstance(holder, ast.Call) and last_name(holder.func) == "super"
        if owner is not None and (is_super or (isinstance(holder, ast.Name) and holder.id == "self")):
            yield frozenset([owner.name]), 1


@once
def flows(module: ModuleIndex) -> Flows:
    """Return the flows of a module."""
    return Flows(module)


def mentioned(node: ast.AST) -> str | None:
    """Return the name by which an expression is marked: its own, that of an attribute, or the text itself."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        return node.attr
    return node.value if type(node) is ast.Constant and type(node.value) is str else None


@once
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


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """Iterate over the parameters that have a default, each with it."""
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from zip([a.arg for a in positional[-len(arguments.defaults) :]], arguments.defaults, strict=False)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default
