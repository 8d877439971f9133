"""Makes a copy of a file in which each function has the statements of those that it calls.

    self.backward_D()               the statements of the method; `loss@1` is its own variable `loss`
    opt = make_optimizer(net)       opt = torch.optim.Adam(net.parameters())
    losses["d"] = loss              losses.'d' = loss: an element is an attribute that no code can have
    losses.append(loss)             losses += loss
    self.add_module("d", net)       self.d = net
    for opt in (opt_g, opt_d):      opt = opt_g, the statements of the loop, opt = opt_d, and these once more

So questions about the order of what happens can be answered one function at a time. A call stays as it is where its
function isn't in sight, returns from several places, or needs more than a copy of its statements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.idioms import (
    BoundNames,
    added,
    child,
    items,
    key_of,
    paired,
    results_without_graph,
    wraps,
)
from unplace.analysis.project.inlinable import Functions, Inlinable, is_fit, is_plain, stored
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.overriding import methods_of
from unplace.analysis.syntax.bindings import last_name, root_name
from unplace.analysis.syntax.nodes import COMPREHENSIONS, DISPLAYS, FUNCTIONS, own_nodes, walk
from unplace.analysis.syntax.reaching import path_of
from unplace.torchapi import modules

A = TypeVar("A", bound=ast.AST)

_Key = tuple[ast.AST | None, str]
"""A path, with the scope in which it has a meaning of its own."""

_DEEPEST = 3
"""The number of calls inside each other that are replaced."""

_MOST = 400
"""Maximum number of calls that are replaced in one file."""

_ROUNDS = 6
"""Maximum number of rounds of a loop that are written out."""

BACKWARDS = ("backward", "manual_backward")
"""The names of what runs backward: of a tensor, of `accelerator.backward(loss)`, of Lightning."""

_CONDITIONAL = (*COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp)
"""Expressions whose parts may run several times or not at all."""

_HOLDING = frozenset(["ModuleDict", "ModuleList", "dict", "list"])


@dataclass(frozen=True, slots=True)
class Lowered:
    """The index of a file's lowered copy, and the node of the file for each node of the copy.

    What the copy has of another file stands for the call that led there.
    """

    module: ModuleIndex
    origins: Mapping[ast.AST, ast.AST]


def is_element(node: ast.Attribute) -> bool:
    """Tell whether an attribute of a lowered copy is an element of a collection: `losses.'d'`."""
    return not node.attr.partition("@")[0].isidentifier()


def shown(path: str) -> str:
    """Return a path of a lowered copy as the file's code may spell it: `losses["d"]` for `losses.'d'`."""
    first, *parts = (part.partition("@")[0] for part in path.split("."))
    return first + "".join(f".{part}" if part.isidentifier() else f"[{_quoted(part)}]" for part in parts)


def _quoted(key: str) -> str:
    return f'"{key[1:-1]}"' if key.startswith("'") else key


def lowered(module: ModuleIndex, functions: Functions) -> Lowered:
    """Return the lowered copy of a file, with the statements of functions that its calls may run."""
    work = _Lowering(module, functions)
    tree = ast.Module(work.block(module.tree.body, _Frame(module.tree)), type_ignores=[])
    return Lowered(ModuleIndex(tree, module.place, module.text, module.standing), work.origins)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The function whose statements are copied: its class, the meaning of its names, and the calls that led to it.

    `root` is the function that the copies become part of, or the module. `bound` are the names that are the function's
    own, which get a `mark`. `at` is the call that led into another file.
    """

    root: ast.AST
    owner: Class | None = None
    given: Mapping[str, ast.expr] = field(default_factory=dict)
    bound: frozenset[str] = frozenset()
    mark: str = ""
    stack: tuple[ast.AST, ...] = ()
    at: ast.AST | None = None


class _Lowering:
    """One copy of a file's tree."""

    def __init__(self, module: ModuleIndex, functions: Functions) -> None:
        """Start with nothing copied."""
        self._module = module
        self._replaced = 0
        self._names: dict[ast.AST, frozenset[str]] = {}
        self._objects: dict[_Key, Class] = {}  # the classes of what paths hold, by scope
        self._at: ast.AST | None = None
        self._functions = functions
        self._known: dict[str, dict[Any, None]] = {}  # the keys of the elements that a path has got
        self._wrapped: set[_Key] = set()  # the paths of objects that were bound to themselves, fit for a machine
        self._other_names: dict[_Key, ast.expr] = {}  # the paths that names stand for
        self._bindings: dict[ast.AST, BoundNames] = {}
        self._ahead: list[ast.stmt] | None = None  # what runs before the statement at hand; None inside expressions
        self.origins: dict[ast.AST, ast.AST] = {}

    # -- statements -----------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], frame: _Frame) -> list[ast.stmt]:
        """Return the lowered statements of a block; where none is left, one that does nothing."""
        made = [each for statement in statements for each in self._statement(statement, frame)]
        return made or [self._located(ast.Pass(), statement) for statement in statements[:1]]

    def _statement(self, node: ast.stmt, frame: _Frame) -> list[ast.stmt]:
        if isinstance(node, ast.ClassDef) and not frame.stack:
            return [self._with_blocks(node, _Frame(node, self._module.classes.get(node)))]
        if isinstance(node, FUNCTIONS) and not frame.stack:
            own = frozenset(self._module.scopes.by_node[node].bound)
            return [self._with_blocks(node, _Frame(node, frame.owner, bound=own, stack=(node,)))]
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return [self._copied(node, frame)]
        if isinstance(node, ast.For) and (rounds := self._rounds(node, frame)):
            return [each for element in rounds for each in self._round(node, element, frame)]
        if hasattr(node, "body") or isinstance(node, ast.Match):
            return [self._with_blocks(node, frame)]
        outer, self._ahead = self._ahead, []
        made = [*self._simple(node, frame)]
        ahead, self._ahead = self._ahead, outer
        return [*ahead, *made]

    def _with_blocks(self, node: A, frame: _Frame) -> A:
        """Return a copy of a compound statement whose blocks are lowered."""
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            first = value[0] if isinstance(value, list) and value else None
            if isinstance(first, ast.stmt):
                fields[name] = self.block(value, frame)
            elif isinstance(first, ast.ExceptHandler | ast.match_case):
                fields[name] = [self._with_blocks(part, frame) for part in value]
            else:
                fields[name] = self._in_place(value, frame)
        return self._made(node, fields)

    def _simple(self, node: ast.stmt, frame: _Frame) -> Iterator[ast.stmt]:
        """Iterate over the lowered forms of a statement without blocks."""
        if wraps(node):
            target = node.targets[0]
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            self._wrapped |= {self._key(path_of(self._expression(part, frame)) or "", frame) for part in parts}
            return
        self._rename(node, frame)
        element = added(node)
        if element is not None:
            holder, value = (self._copied(part, frame) for part in element)
            yield self._located(ast.AugAssign(_target(holder), ast.Add(), value), node)
            return
        part = child(node)
        if part is not None:
            holder, value = (self._copied(each, frame) for each in part[1:])
            yield self._located(ast.Assign([ast.Attribute(holder, part[0], ast.Store())], value), node)
            return
        made = self._copied(node, frame)
        if isinstance(made, ast.Expr) and isinstance(made.value, ast.Constant):
            return  # the call of a function without a result
        yield made
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and frame.at is None:
            yield from self._constructed(node.value, made.targets[0], frame)
        if isinstance(made, ast.Assign) and isinstance(made.value, ast.Call):
            yield from self._detached(made, frame)
        if isinstance(made, ast.Assign) and path_of(made.targets[0]) is not None:
            for key, value in self._elements(made.value):
                target = ast.Attribute(self._again(made.targets[0]), repr(key), ast.Store())
                self._known.setdefault(path_of(target.value) or "", {})[key] = None
                yield self._located(ast.Assign([_target(target)], value), made)

    def _detached(self, made: ast.Assign, frame: _Frame) -> Iterator[ast.stmt]:
        """Iterate over statements that detach what a call gives without a graph: of `net`, in `loss, h = net(x, h)`."""
        assert isinstance(made.value, ast.Call)
        cls, target = self._object_at(path_of(made.value.func) or "", frame), made.targets[0]
        forward = methods_of(cls, "forward", ()).only if cls is not None else None
        if forward is None or not isinstance(forward.scope.node, ast.FunctionDef) or not isinstance(target, ast.Tuple):
            return
        for place in results_without_graph(forward.scope.node):
            part = target.elts[place] if place < len(target.elts) else None
            if part is not None and path_of(part) is not None:
                detach = ast.Attribute(self._read(part), "detach", ast.Load())
                yield self._located(ast.Assign([self._again(part)], ast.Call(detach, [], [])), made)

    def _rename(self, node: ast.stmt, frame: _Frame) -> None:
        """Let names stand for the paths of objects that a statement binds them to: `net, opt = self.net, self.opt`.

        They don't where a name or path is bound to something else anywhere else.
        """
        function = frame.stack[-1] if frame.stack else frame.root
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return
        for target, value in paired(node.targets[0], node.value):
            every = self._bound_in(function).paths.get(target.id, []) if isinstance(target, ast.Name) else []
            copies = [self._expression(each, frame) for each in every]
            if value not in every or len({path_of(copy) for copy in copies}) > 1:
                continue
            roots = ((function, root_name(value)), (frame.root, root_name(copies[0])))
            is_bound_once = all(self._bound_in(where).counts.get(root or "", 0) <= 1 for where, root in roots)
            if is_bound_once and self._is_of_object(copies[0], function, frame):
                self._other_names[self._key(path_of(self._expression(target, frame)) or "", frame)] = copies[0]

    def _bound_in(self, function: ast.AST) -> BoundNames:
        if function not in self._bindings:
            self._bindings[function] = BoundNames.of(function)
        return self._bindings[function]

    def _is_of_object(self, path: ast.expr, function: ast.AST, frame: _Frame) -> bool:
        """Tell whether a path holds the same object all the time that a function runs."""
        while isinstance(path, ast.Attribute):
            stores = [store.scope for store in self._module.stores_of(path.attr) if not store.of_element]
            is_made_once = len(stores) == 1 or all(scope.name == "__init__" for scope in stores)
            if not stores or not is_made_once or any(scope.node is function for scope in stores):
                return self._object_at(path_of(path) or "", frame) is not None
            path = path.value
        return True

    def _elements(self, value: ast.expr) -> Iterator[tuple[Any, ast.expr]]:
        """Iterate over the keys of a collection, with copies of the elements, where its code shows them."""
        if isinstance(value, ast.Call) and len(value.args) == 1 and last_name(value.func) in _HOLDING:
            value = value.args[0]
        if isinstance(value, ast.Dict):
            pairs = zip(value.keys, value.values, strict=True)
            yield from ((key.value, self._again(each)) for key, each in pairs if isinstance(key, ast.Constant))
        elif isinstance(value, DISPLAYS):
            yield from enumerate(map(self._again, value.elts))
        elif isinstance(value, ast.DictComp) and (over := items(value)) is not None:
            held, key, each = over
            for known in [*self._known.get(path_of(held) or "", ())]:
                element = self._located(ast.Attribute(held, repr(known), ast.Load()), held)
                yield known, self._again(value.value, {key: ast.Constant(known), each: element})

    # -- loops over a few objects ---------------------------------------------------------------------------------

    def _rounds(self, node: ast.For, frame: _Frame) -> list[ast.expr]:
        """Return the elements that a loop which trains goes through, if the code shows a few; nothing if it may end."""
        leaves = any(isinstance(part, ast.Break | ast.Continue) for part in walk(node))
        if leaves or node.orelse or self._named_below(node).isdisjoint(("step", *BACKWARDS)):
            return []
        found = self._drawn(node.iter, frame) or []
        if len(found) > _ROUNDS or self._replaced + len(found) >= _MOST:
            return []
        self._replaced += len(found)
        return found

    def _round(self, node: ast.For, element: ast.expr, frame: _Frame) -> list[ast.stmt]:
        """Return the statements of a loop for one element; a name that it binds to a path stands for that."""
        bound_inside = stored(node.body)
        meanings, bound = dict[str, ast.expr](), list[ast.stmt]()
        for target, value in paired(node.target, element):
            if isinstance(target, ast.Name) and target.id not in bound_inside and is_plain(value):
                meanings[target.id] = value
            else:
                bound.append(self._located(ast.Assign([self._expression(target, frame)], value), node))
        return [*bound, *self.block(node.body, replace(frame, given={**frame.given, **meanings}))]

    def _drawn(self, node: ast.expr, frame: _Frame) -> list[ast.expr] | None:
        """Return copies of the elements that an iterable yields; None where the code doesn't show them.

        (opt_g, opt_d)      zip(opts, losses)      enumerate(opts)      opts, opts.values(), opts.items() of known keys
        """
        if isinstance(node, DISPLAYS):
            return [self._copied(element, frame) for element in node.elts]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            columns = [self._drawn(argument, frame) for argument in node.args]
            if node.func.id == "enumerate" and len(columns) == 1:
                columns.insert(0, [ast.Constant(index) for index, _ in enumerate(columns[0] or ())])
            known = [column for column in columns if column is not None]
            if node.func.id not in ("zip", "enumerate") or len(known) < len(columns):
                return None
            return [self._located(ast.Tuple([*row], ast.Load()), node) for row in zip(*known, strict=False)]
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
        path = (
            self._in_place(holder, frame) if path_of(holder) is not None and method in ("", "items", "values") else None
        )
        if not isinstance(path, ast.expr):
            return None
        keys = [*self._known.get(path_of(path) or "", ())]
        held = [self._located(ast.Attribute(self._again(path), repr(key), ast.Load()), node) for key in keys]
        if method != "items":
            return [*held]
        return [ast.Tuple([ast.Constant(key), each], ast.Load()) for key, each in zip(keys, held, strict=True)]

    # -- calls ----------------------------------------------------------------------------------------------------

    def _inlined(self, call: ast.Call, frame: _Frame) -> ast.expr | None:
        """Put the statements of a called function before the statement at hand; return the result, or None."""
        callee = self._callee(call, frame)
        if callee is None or not (self._trains(frame.root) or self._matters(callee.function)):
            return None
        assert self._ahead is not None
        return self._replaced_by(callee, call, frame, self._ahead)

    def _constructed(self, call: ast.Call, target: ast.expr, frame: _Frame) -> list[ast.stmt]:
        """Return the statements by which a call makes the object that it stores under a path."""
        path, found = path_of(target), self._functions.made_by(call)
        if path is None or found is None:
            return []
        cls, made_by = found
        self._objects[self._key(path, frame)] = cls
        constructor = methods_of(cls, "__init__", ()).only
        node = constructor.scope.node if constructor is not None else None
        made: list[ast.stmt] = []
        if constructor is not None and isinstance(node, ast.FunctionDef) and self._matters(node):
            self._replaced_by(Inlinable(constructor.scope, cls, self._read(target)), made_by, frame, made)
        return made

    def _replaced_by(self, callee: Inlinable, call: ast.Call, frame: _Frame, made: list[ast.stmt]) -> ast.expr | None:
        """Add the statements of a function to those made, and return its result; None where a call stays a call."""
        function, given = callee.function, callee.given(call)
        if function in frame.stack or len(frame.stack) > _DEEPEST or self._replaced >= _MOST:
            return None
        if given is None or not is_fit(function):
            return None
        self._replaced += 1
        inner = self._entered(callee, given, call, frame)
        *body, last = function.body
        outer, self._at = self._at, inner.at
        made += self.block(body if isinstance(last, ast.Return) else function.body, inner)
        result = last.value if isinstance(last, ast.Return) else None
        if function.name == modules.MAKING_OPTIMIZERS and isinstance(result, ast.Tuple):
            result = result.elts[0] if isinstance(result.elts[0], ast.List) else result
        found = self._copied(result, inner) if result is not None else self._located(ast.Constant(None), call)
        self._at = outer
        return found

    def _trains(self, node: ast.AST) -> bool:
        """Tell whether a function, or the module's own code, leads to a backward and to a step of an optimizer."""
        names = self._named_below(node)
        return "step" in names and not names.isdisjoint(BACKWARDS)

    def _matters(self, function: ast.FunctionDef) -> bool:
        """Tell whether a function leads to a backward or a step, or takes the parameters of a module."""
        return not self._named_below(function).isdisjoint(("step", *BACKWARDS, *modules.GIVING_PARAMETERS))

    def _named_below(self, node: ast.AST) -> frozenset[str]:
        """Return the last names of what a function calls, and of what the functions of such names in the file call."""
        found = self._names.get(node)
        if found is None:
            names: set[str] = set()
            waiting = [own_nodes(node) if isinstance(node, ast.Module) else walk(node)]
            while waiting:
                for call in waiting.pop():
                    name = last_name(call.func) if isinstance(call, ast.Call) else None
                    if name is not None and name not in names:
                        names.add(name)
                        waiting += map(walk, self._functions.by_name.get(name, ()))
            found = self._names[node] = frozenset(names)
        return found

    def _entered(self, callee: Inlinable, given: Mapping[str, ast.expr], call: ast.Call, frame: _Frame) -> _Frame:
        """Bind the parameters of a function: a path stands for itself, any other argument gets a name."""
        assert self._ahead is not None
        function = callee.function
        mark, meanings = f"@{self._replaced}", dict[str, ast.expr]()
        inside = stored([function])
        for name, argument in given.items():
            is_default = argument in (*function.args.defaults, *function.args.kw_defaults)
            value = self._copied(argument, _Frame(frame.root) if is_default else frame)
            if name not in inside and is_plain(value):
                meanings[name] = value
            else:
                target = ast.Name(f"{name}{mark}", ast.Store())
                self._ahead.append(self._located(ast.Assign([target], value), call))
        bound = frozenset(inside | {argument.arg for argument in walk(function) if isinstance(argument, ast.arg)})
        at = frame.at if frame.at is not None or self._module.owns(callee.scope) else call
        return _Frame(frame.root, callee.owner, meanings, bound, mark, (*frame.stack, function), at)

    def _callee(self, call: ast.Call, frame: _Frame) -> Inlinable | None:
        """Return the function of the run that a call runs."""
        callee = call.func
        if isinstance(callee, ast.Name) and callee.id in frame.bound:
            return None
        found = self._functions.named(callee) if frame.at is None else None
        if found is not None or not isinstance(callee, ast.Attribute) or path_of(callee.value) is None:
            return found
        path = path_of(self._expression(callee.value, frame))
        owner = frame.owner if path == "self" else self._object_at(path or "", frame)
        return self._functions.method(owner, call) if owner is not None else None

    def _object_at(self, path: str, frame: _Frame) -> Class | None:
        """Return the class of the object that a path holds, as far as the file makes it."""
        return self._objects.get(self._key(path, frame)) or self._objects.get((self._module.tree, path))

    def _key(self, path: str, frame: _Frame) -> _Key:
        """Return the scope in which a path has a meaning of its own, with the path: the class, for one of `self`."""
        scope = self._module.scopes.by_node.get(frame.root)
        is_own = path.startswith("self.") and scope is not None
        return (scope.enclosing_class if is_own and scope is not None else frame.root), path

    # -- copies ---------------------------------------------------------------------------------------------------

    def _copied(self, node: A, frame: _Frame) -> Any:
        """Return the lowered copy of a node; calls put statements ahead of it unless it is in a place of its own."""
        if isinstance(node, ast.Name) and node.id in frame.given:
            return self._again(frame.given[node.id])
        if isinstance(node, ast.Name):
            name = f"{node.id}{frame.mark}" if node.id in frame.bound else node.id
            other = self._other_names.get((frame.root, name)) if isinstance(node.ctx, ast.Load) else None
            return self._again(other) if other is not None else self._made(node, {"id": name, "ctx": node.ctx})
        if isinstance(node, ast.Attribute) and node.attr == "module":
            value = self._copied(node.value, frame)
            is_wrapped = self._key(path_of(value) or "", frame) in self._wrapped
            return value if is_wrapped else self._made(node, {"value": value, "attr": node.attr, "ctx": node.ctx})
        if isinstance(node, ast.arg) and node.arg in frame.bound:
            return self._made(node, {"arg": f"{node.arg}{frame.mark}", "annotation": None})
        if (
            isinstance(node, ast.Subscript)
            and path_of(node.value) is not None
            and (key := key_of(node, frame.given)) is not None
        ):
            value = self._copied(node.value, frame)
            return self._located(ast.Attribute(value, repr(key), node.ctx), node)
        if isinstance(node, ast.Call) and self._ahead is not None:
            result = self._inlined(node, frame)
            if result is not None:
                return result
        copy = self._in_place if isinstance(node, _CONDITIONAL) else self._field
        return self._made(node, {name: copy(value, frame) for name, value in ast.iter_fields(node)})

    def _read(self, target: ast.expr) -> ast.expr:
        """Return what reads the path that a lowered target stores under."""
        assert isinstance(target, ast.Name | ast.Attribute)
        made = self._again(target)
        made.ctx = ast.Load()  # type: ignore[attr-defined]
        return made

    def _again(self, node: ast.expr, given: Mapping[str, ast.expr] | None = None) -> ast.expr:
        """Return another copy of a lowered expression, in which some names have another meaning."""
        return self._expression(node, _Frame(node, given=given or {}))

    def _expression(self, node: ast.expr, frame: _Frame) -> ast.expr:
        """Return the lowered copy of an expression from which no statement is put ahead."""
        made = self._in_place(node, frame)
        assert isinstance(made, ast.expr)
        return made

    def _in_place(self, value: object, frame: _Frame) -> object:
        """Return a copy of a field from which no statement is put ahead."""
        outer, self._ahead = self._ahead, None
        made = self._field(value, frame)
        self._ahead = outer
        return made

    def _field(self, value: object, frame: _Frame) -> object:
        if isinstance(value, list):
            return [self._field(each, frame) for each in value]
        return self._copied(value, frame) if isinstance(value, ast.AST) else value

    def _made(self, node: A, fields: Mapping[str, object]) -> A:
        """Return a node of the type of another one, at its place."""
        return self._located(type(node)(**fields), node)

    def _located(self, made: A, node: ast.AST) -> A:
        """Give a new node the place of another one, which it stands for; in another file, that of the call there."""
        place = self._at or node
        self.origins[made] = self.origins.get(place, place)
        return ast.copy_location(made, place)


def _target(node: ast.expr) -> ast.Name | ast.Attribute:
    """Make a copied path the target of an assignment."""
    assert isinstance(node, ast.Name | ast.Attribute)
    node.ctx = ast.Store()
    return node
