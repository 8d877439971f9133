"""Finds the layers that other code puts in the place of those that a class or a container was made with.

net.fc = nn.Identity()                      in an attribute
setattr(net, name, nn.Identity())           in one whose name is computed
net.layers[0] = nn.Identity()               in a container that an attribute holds
layers[0] = nn.Identity()                   in any container
del net.layers[-1]                          nothing in its place, so that the container may be empty
net.fc.forward = quick                      the same layer, which does something else
net.add_module("fc", nn.Identity())         by its name: `net._modules["fc"] = ...`, `net.set_submodule("fc", ...)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from unplace import torchapi
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Class, Function, Instance, Named, TorchModule, alternatives
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import CALLABLE, MODULE, Value
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project import members
from unplace.analysis.project.mentions import Form, storing
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.project.patched import ACTING, patched
from unplace.analysis.project.shortened import REMOVING, shortened
from unplace.analysis.syntax.bindings import last_name, named_store
from unplace.analysis.syntax.patterns import WILD, may_match, text_pattern
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules

_UNSEEN = Value(MODULE, graph=NO_GRAPH)
"""A layer of which nothing is known: what takes the place of a layer is one."""

_IDENTITY = Value(MODULE, ref=TorchModule(torchapi.IDENTITY, None), graph=NO_GRAPH)
"""A layer that hands on its input, as any may that is made to do something else."""

_PUTTING = modules.ADDING | modules.REGISTERING
_NAMED = r"_(?:sub)?modules?[(\[]\s*[\"'](?:[\w.]*\.)?(\w+)[\"']"
_ACTING = rf"\.(\w+)(?=(?:\.|,\s*[\"'])(?:{'|'.join(ACTING)})\b)"
_CHANGED = rf"(?<!\bself)\.(\w+)(?=\[|\.(?:{'|'.join(sorted(_PUTTING | REMOVING))})\()"
"""Forms of code about the name of an attribute: a layer by its name, one that acts otherwise, a changed container."""

_DISPLAYS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp)
_HOLDING = frozenset(["Sequential", "ModuleList", "ModuleDict"])


class _Store(NamedTuple):
    """A value that is put into something else than the object of a method; None where it isn't known.

    `is_layer`: it is one, whatever makes it.
    """

    scope: Scope
    holder: ast.expr
    value: ast.expr | None
    is_layer: bool = False


@dataclass(slots=True)
class _Stores:
    """The stores of a file: in attributes by their names or patterns, in elements by the attribute that holds them.

    The empty name stands for the elements of what isn't an attribute: `layers[0] = layer`.
    """

    attributes: dict[str, list[_Store]] = field(default_factory=dict)
    elements: dict[str, list[_Store]] = field(default_factory=dict)

    def add(self, scope: Scope, target: ast.expr, value: ast.expr | None) -> None:
        """Record the store of a value in a target."""
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self.add(scope, element, None)
        elif isinstance(target, ast.Attribute) and not _is_self(target.value):
            self.attributes.setdefault(target.attr, []).append(_Store(scope, target.value, value))
        elif isinstance(target, ast.Subscript) and value is not None:
            self.add_element(scope, target.value, value)
            if isinstance(target.value, ast.Attribute) and target.value.attr == "_modules":
                self._add_named(target.slice, _Store(scope, target.value.value, value, is_layer=True))

    def add_element(self, scope: Scope, holder: ast.expr, value: ast.expr) -> None:
        """Record a value that becomes an element; what a method adds to attributes of its object is no news."""
        if isinstance(holder, ast.Attribute) and _is_self(holder.value):
            return
        name = holder.attr if isinstance(holder, ast.Attribute) else ""
        self.elements.setdefault(name, []).append(_Store(scope, holder, value))

    def add_call(self, scope: Scope, call: ast.Call) -> None:
        """Record what a call stores by a name, or adds to a container."""
        stored, function = named_store(call), call.func
        if stored is not None:
            if not _is_self(stored.holder):
                is_layer = _is_name_of_child(scope, stored.name)
                self._add_named(stored.name, _Store(scope, stored.holder, stored.value, is_layer))
        elif isinstance(function, ast.Attribute) and function.attr in _PUTTING and call.args:
            is_list = function.attr in modules.ADDING and not isinstance(function.value, ast.Attribute)
            if not is_list and not _is_self(function.value):
                self.add_element(scope, function.value, call.args[-1])
            if function.attr in modules.REGISTERING and len(call.args) == 2 and not _is_self(function.value):
                self._add_named(call.args[0], _Store(scope, function.value, call.args[1]))
        elif isinstance(function, ast.Attribute) and function.attr == modules.SETTING and len(call.args) > 1:
            self._add_named(call.args[0], _Store(scope, function, call.args[1], is_layer=True))

    def _add_named(self, name: ast.expr, store: _Store) -> None:
        """Record the store of a layer under a name that is text: that of the attribute, behind those of its holders."""
        pattern = text_pattern(name).rpartition(".")[2]
        self.attributes.setdefault(pattern, []).append(store)
        if WILD in pattern or pattern.isdigit():
            self.elements.setdefault("", []).append(store)


def with_replaced(program: Analysis, owner: Class, name: str, held: Value) -> Value:
    """Return the layer in an attribute, joined with those that other code of the run puts in its place."""
    if not held.may_be(MODULE | CALLABLE) or held.ref is None:
        return held
    is_container = members.is_container(held)
    own = home(owner.scope)
    may_shorten = is_container or members.is_own_container(held)
    shown = [*storing(name), Form(_NAMED, name), Form(_ACTING, name)]
    shown += [Form(_CHANGED, name)] if may_shorten else []
    others = own.few_others_with(name, shown)
    if others is None:
        return weak_join(held, _UNSEEN)
    readers = [] if program.module is own else [program.module]
    files = dict.fromkeys([own, *readers, *others])
    found = [value for module in files for value in _put_in(program, module, owner, name)]
    if is_container:
        held = members.with_replaced(held, [value for module in files for value in _elements(program, module, name)])
    if any(_is_patched(program, module, owner, name) for module in files):
        found += [_IDENTITY, _UNSEEN]
    places = (place for module in files for place in shortened(module).held.get(name, ()))
    if may_shorten and any(_may_hold(program, *place, owner) for place in places):
        held = members.shorter(held) if is_container else members.shorter_object(program, held)
    return reduce(weak_join, found, held)


def _is_patched(program: Analysis, module: ModuleIndex, owner: Class, name: str) -> bool:
    """Tell whether a file makes the layer in an attribute do something else: `net.fc.forward = quick`."""
    places = patched(module)
    return places.is_any or any(_may_hold(program, *place, owner) for place in places.held.get(name, ()))


def changed_later(program: Analysis, made: ast.Call, container: Value) -> Value:
    """Return a container that a call makes, with what its file may put into it, and short of what it takes out."""
    container = members.with_replaced(container, _elements(program, program.module, ""))
    return members.shorter(container) if made in shortened(program.module).made else container


def _put_in(program: Analysis, module: ModuleIndex, owner: Class, name: str) -> Iterator[Value]:
    """Iterate over what a file puts in an attribute; under a name of which nothing is known, only what is a layer."""
    for pattern, stores in _stores(module).attributes.items():
        for store in stores if may_match(pattern, name) else ():
            if _is_put_back(store, name) or not _may_hold(program, store.scope, store.holder, owner):
                continue
            value = _layer(program, store.scope, store.value)
            if value is not None:
                yield value
            elif pattern != WILD or store.is_layer:
                yield _UNSEEN


def _elements(program: Analysis, module: ModuleIndex, name: str) -> list[Value]:
    """Return the layers that a file puts into what an attribute holds, or into what may be any container."""
    stores = [s for s in _stores(module).elements.get(name, ()) if not _is_plain_list(s)]
    found = [_layer(program, store.scope, store.value) for store in stores]
    return [value for value in found if value is not None]


def _layer(program: Analysis, scope: Scope, node: ast.expr | None) -> Value | None:
    """Return the layer that an expression makes, by the names in it alone; None where it may be anything else.

    Nothing else is evaluated: the layers to be replaced are still being looked for.
    """
    place = _itself(node)
    if not isinstance(place, ast.Name) or place.id not in scope.bound:
        return _made(program, scope, place)
    sources = [_itself(source) for source in home(scope).bindings(scope).sources.get(place.id, [])]
    others = [source for source in sources if not isinstance(source, ast.Name) or source.id != place.id]
    made = [_made(program, scope, source) if isinstance(source, ast.Call) else None for source in others]
    known = [value for value in made if value is not None]
    return reduce(weak_join, known) if known and len(known) == len(made) else None


def _itself(node: ast.AST | None) -> ast.AST | None:
    """Return the module on which an expression calls methods that return it: `net` for `net.to(device).eval()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in modules.RETURNING_ITSELF:
            break
        node = node.func.value
    return node


def _made(program: Analysis, scope: Scope, node: ast.AST | None) -> Value | None:
    """Return the layer that a call makes, or the function that a name stands for; None for anything else."""
    if not isinstance(node, ast.expr):
        return None
    if isinstance(node, ast.Call):
        return _new(_defined(program, scope, node.func), node)
    value = _defined(program, scope, node)
    is_function = value is not None and value.must_be(CALLABLE) and isinstance(value.ref, Function | Named)
    return value if is_function else None


def _new(callee: Value | None, call: ast.Call) -> Value | None:
    """Return the layer that a call of a class makes; None where the callee is no class of layers."""
    ref = callee.ref if callee is not None else None
    if isinstance(ref, Class) and ref.is_module:
        return Value(MODULE, ref=Instance(ref, is_exact=True), graph=NO_GRAPH)
    module = torchapi.module(ref.qualified) if isinstance(ref, Named) else None
    if not isinstance(ref, Named) or module is None:
        return None
    if module.name in _HOLDING:
        return _UNSEEN
    may_be_in_place = module.inplace is not None and bool(call.args or call.keywords)
    inplace = None if may_be_in_place else False
    return Value(MODULE, ref=TorchModule(ref.qualified, call, inplace), graph=NO_GRAPH)


def _defined(program: Analysis, scope: Scope, node: ast.expr) -> Value | None:
    """Return the value of a name that an import or a module defines; None for other expressions."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    owner = home(scope).scopes.owner(scope, root.id)
    is_local = owner is not None and not owner.is_module and root.id not in home(scope).imports.names
    return program.estimate(scope, node) if not is_local else None


def _is_plain_list(store: _Store) -> bool:
    """Tell whether an element is stored in a list or dictionary that the function has made: `found["a"] = layer`."""
    if not isinstance(store.holder, ast.Name):
        return False
    sources = home(store.scope).bindings(store.scope).sources.get(store.holder.id, [])
    return bool(sources) and all(isinstance(source, _DISPLAYS) or _makes_list(source) for source in sources)


def _makes_list(source: ast.AST) -> bool:
    return isinstance(source, ast.Call) and last_name(source.func) in ("list", "dict", "OrderedDict", "defaultdict")


def _may_hold(program: Analysis, scope: Scope, holder: ast.expr, owner: Class) -> bool:
    """Tell whether a holder may be an object of a class: not if the function has made one of another class."""
    if not isinstance(holder, ast.Name):
        return True
    found, own = _layer(program, scope, holder), home(scope).class_of(scope)
    refs = alternatives(found.ref) if found is not None else ()
    family = {cls.node.name for cls in (*owner.linearized(), *program.descendants(owner))}
    if _is_self(holder) and own is not None:
        return own.node.name in family
    known = [ref.of.node.name for ref in refs if isinstance(ref, Instance)]
    return not known or len(known) < len(refs) or not family.isdisjoint(known)


def _is_put_back(store: _Store, name: str) -> bool:
    """Tell whether an attribute gets what it or that of another object held: `a.fc = copy.deepcopy(b.fc).cuda()`."""
    value = store.value
    while isinstance(value, ast.Call):
        function = value.func
        if isinstance(function, ast.Attribute) and function.attr in modules.RETURNING_ITSELF:
            value = function.value
        elif last_name(function) in modules.RETURNING_ALIKE and value.args:
            value = value.args[0]
        else:
            return False
    return isinstance(value, ast.Attribute) and value.attr == name


def _is_name_of_child(scope: Scope, name: ast.expr) -> bool:
    """Tell whether a loop draws a name from those of a module's layers: `for name, child in net.named_children()`."""
    if not isinstance(name, ast.Name):
        return False
    for loop in scope.nodes:
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and isinstance(loop.target, ast.Tuple):
            drawn, callee = loop.target.elts[0], loop.iter.func
            is_of_modules = isinstance(callee, ast.Attribute) and last_name(callee.value) == "_modules"
            if isinstance(drawn, ast.Name) and drawn.id == name.id:
                if is_of_modules or last_name(callee) in modules.NAMING_CHILDREN:
                    return True
    return False


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


@once
def _stores(module: ModuleIndex) -> _Stores:
    found = _Stores()
    for scope in module.scopes.by_node.values():
        for statement in scope.of(ast.Assign):
            for target in statement.targets:
                found.add(scope, target, statement.value)
        for annotated in scope.of(ast.AnnAssign):
            found.add(scope, annotated.target, annotated.value)
        for call in scope.of(ast.Call):
            found.add_call(scope, call)
    return found
