"""Finds what the methods of a class put into the containers that its objects hold, and set under computed names.

self.blocks.append(Block())                 an element of `self.blocks`
self.heads[name] = Head()                   the same
setattr(self, f"stage{i}", Stage())         an attribute `stage*`, read by `getattr(self, f"stage{i}")`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Class, Instance, ModuleList, TorchModule
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import CALLABLE, MODULE, UNKNOWN_VALUE, Value
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.calling import calls_of_base
from unplace.analysis.project.growth import growing, is_display
from unplace.analysis.project.module import ModuleIndex, home, once, parents_in
from unplace.analysis.project.shortened import shortened_in
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import children
from unplace.analysis.syntax.patterns import may_match
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modules, transforms

_MAKING = ("OrderedDict", "dict", "list", "tuple")
_COPYING = frozenset(
    [
        *("ModuleDict", "ModuleList", "OrderedDict", "Sequential", "append", "dict", "enumerate", "extend", "getattr"),
        *("isinstance", "len", "list", "print", "reversed", "setattr", "tuple", "update", "zip"),
    ]
)
"""The last names of callees that take a list without changing it."""

_CONTAINERS = frozenset([modules.SEQUENTIAL, *modules.MODULE_CONTAINERS])


def listed(program: Analysis, scope: Scope, name: str) -> Value | None:
    """Return the join of the modules and functions in a list or dictionary of a scope; None where it holds others.

    layers = []
    layers.append(Block())
    """
    bindings = home(scope).bindings(scope)
    if _is_handed_on(scope, name) or _loses_elements(scope, name):
        return None
    found: list[Value] = []
    for source in (*bindings.sources.get(name, ()), *bindings.extended.get(name, ())):
        if not isinstance(source, ast.expr):
            return None
        if not is_empty(source):
            found.append(program.elements_of(scope, source))
    found += [program.estimate(scope, source) for source in bindings.added.get(name, ())]
    is_called = bool(found) and all(value.ref is not None and value.must_be(MODULE | CALLABLE) for value in found)
    return reduce(weak_join, found) if is_called else None


def display(program: Analysis, scope: Scope, read: ast.Name, *, is_own: bool) -> tuple[list[Value], bool]:
    """Return what a list of modules or functions in a name holds first where it is read, and whether that is all.

    The name is only bound to a display. `is_own` tells whether its own scope reads it, and not one that runs later.
    """
    name = read.id
    sources = home(scope).bindings(scope).sources.get(name, [])
    source = sources[0] if len(sources) == 1 else None
    if not isinstance(source, ast.List | ast.Tuple) or not is_display(source):
        return [], False
    grown = growing(scope, name, source)
    if grown is None or (grown and not is_own) or _is_handed_on(scope, name) or _loses_elements(scope, name):
        return [], False
    elements = [*source.elts]
    for each in grown:
        if each.elements is None or not each.is_over(read):
            break
        elements += each.elements
    found = [program.estimate(scope, element) for element in elements]
    is_known = all(value.ref is not None and value.must_be(MODULE | CALLABLE) for value in found)
    is_whole = not any(each.elements is None and each.has_begun(read) for each in grown)
    return (found, is_whole) if is_known else ([], False)


@once
def spread_keys(module: ModuleIndex, scope: Scope, name: str) -> frozenset[str] | None:
    """Return the keys of a dictionary in a name that is bound to one display and only spread: `make(3, **options)`."""
    sources, parents = module.bindings(scope).sources.get(name, []), parents_in(module, scope)
    source = sources[0] if len(sources) == 1 else None
    reads = [parents.get(node) for node in scope.names if node.id == name and isinstance(node.ctx, ast.Load)]
    if name in scope.volatile or not all(isinstance(outer, ast.keyword) and outer.arg is None for outer in reads):
        return None
    if isinstance(source, ast.Call) and module.qualified(scope, source.func, with_builtins=True) == "builtins.dict":
        keys = [keyword.arg for keyword in source.keywords] if not source.args else [None]
    else:
        keys = [getattr(key, "value", None) for key in source.keys] if isinstance(source, ast.Dict) else [None]
    found = frozenset(key for key in keys if isinstance(key, str))
    return found if len(found) == len(keys) else None


def added_to(program: Analysis, owner: Class, name: str) -> list[Value]:
    """Return the values that methods of a class and its relatives add to the container in an attribute.

    The empty name stands for the object itself, which then is a container: `self.append(layer)`.
    """
    found: list[Value] = []
    for cls in _family(program, owner):
        found += [program.estimate(scope, source) for scope, source in cls.added.get(name, ())]
        found += [program.elements_of(scope, source) for scope, source in cls.extended.get(name, ())]
    return found


def with_added(program: Analysis, owner: Class, name: str, held: Value) -> Value:
    """Return a container of modules with what methods add to it; any other value stays as it is."""
    if not is_container(held):
        return held
    if _is_attribute_handed_on(program, owner, name):
        return held._replace(ref=None)
    held = _with_elements(held, added_to(program, owner, name))
    return shorter(held) if _is_shortened_by_methods(program, owner, name) else held


def with_replaced(container: Value, put: Sequence[Value]) -> Value:
    """Return a container of modules with what other code may put into it; nothing is known of one that is empty."""
    ref = container.ref
    is_known = not isinstance(ref, TorchModule) or ref.parts is not None or ref.each is not None
    return _with_elements(container, put) if is_known else container


def _with_elements(container: Value, added: Sequence[Value]) -> Value:
    """Return a container of modules with more that it may hold, in whatever place."""
    ref = container.ref
    if not added:
        return container
    if isinstance(ref, ModuleList):
        return Value(
            MODULE,
            ref=ModuleList((*ref.members, *added), is_dict=ref.is_dict, is_filled=ref.is_filled),
            graph=NO_GRAPH,
        )
    assert isinstance(ref, TorchModule)
    each = reduce(weak_join, [*(ref.parts or ()), *([ref.each] if ref.each is not None else []), *added])
    return container._replace(ref=replace(ref, parts=None, last=None, each=each if each.ref is not None else None))


def shorter(container: Value) -> Value:
    """Return a container of modules from which some may be taken out: those in it are known, not their places."""
    ref = container.ref
    if isinstance(ref, ModuleList):
        return container._replace(ref=replace(ref, is_exact=False, is_filled=False))
    assert isinstance(ref, TorchModule)
    each = reduce(weak_join, ref.parts) if ref.parts else ref.each
    is_known = each is not None and each.ref is not None
    short = replace(ref, parts=None, last=None, each=each if is_known else None, is_filled=False)
    return container._replace(ref=short)


def is_container(held: Value) -> bool:
    """Tell whether a value is a container of modules."""
    ref = held.ref
    return isinstance(ref, ModuleList) or (isinstance(ref, TorchModule) and ref.qualified == modules.SEQUENTIAL)


def shorter_object(program: Analysis, held: Value) -> Value:
    """Return an object of a class that derives from a container of torch, short of some of its modules."""
    assert isinstance(held.ref, Instance)
    whole = of_itself(program, held.ref.of)
    is_plain = is_container(whole) and not any(cls.defines("forward") for cls in held.ref.of.linearized())
    return shorter(whole) if is_plain else held._replace(ref=None)


def is_own_container(held: Value) -> bool:
    """Tell whether a value is an object of a class of the run that derives from a container of torch."""
    return isinstance(held.ref, Instance) and _container_among(held.ref.of) is not None


def _container_among(owner: Class) -> Class | None:
    return next((cls for cls in owner.linearized() if _CONTAINERS.intersection(cls.bases)), None)


def set_by_pattern(program: Analysis, owner: Class, pattern: str) -> list[Value]:
    """Return the values of the attributes that methods set under computed names which a pattern may match."""
    return [
        program.estimate(scope, source)
        for cls in _family(program, owner)
        for own, sources in cls.patterns.items()
        if may_match(own, pattern)
        for scope, source in sources
    ]


def matching(program: Analysis, owner: Class, pattern: str) -> Value:
    """Return the join of the modules in the attributes whose names a pattern may match; else an unknown value."""
    names = {name for cls in _family(program, owner) for name in cls.assigned if may_match(name, pattern)}
    found = [*set_by_pattern(program, owner, pattern), *(program.attribute(owner, name) for name in sorted(names))]
    called = [value for value in found if value.must_be(MODULE | CALLABLE)]
    return reduce(weak_join, called) if called else UNKNOWN_VALUE


def of_itself(program: Analysis, owner: Class) -> Value:
    """Return an object as the container of torch that its class derives from; unknown where it is none."""
    cls = _container_among(owner)
    if cls is None:
        return UNKNOWN_VALUE
    made = _as_container(program, owner, cls)
    return shorter(made) if is_container(made) and _is_shortened_by_methods(program, owner, "self") else made


def _as_container(program: Analysis, owner: Class, cls: Class) -> Value:
    base = next(name for name in cls.bases if name in _CONTAINERS)
    given = [(scope, argument) for scope, call in calls_of_base(cls) for argument in call.args]
    added = added_to(program, owner, "")
    if base != modules.SEQUENTIAL:
        members = [*(program.elements_of(*source) for source in given), *added]
        return Value(MODULE, ref=ModuleList(tuple(members), is_dict=base == modules.MODULE_DICT), graph=NO_GRAPH)
    names = {name for c in _family(program, owner) for name in c.assigned}
    held = [value for name in sorted(names) if (value := program.attribute(owner, name)).must_be(MODULE)]
    sources = [source for _, source in given]
    is_plain = not added and not held and not any(isinstance(source, ast.Starred) for source in sources)
    parts = [
        program.elements_of(scope, source.value) if isinstance(source, ast.Starred) else program.estimate(scope, source)
        for scope, source in given
    ]
    every = [*parts, *held, *added]
    if not every or not all(value.must_be(MODULE) for value in every):
        return UNKNOWN_VALUE
    if is_plain:
        return Value(MODULE, ref=TorchModule(base, None, parts=tuple(parts)), graph=NO_GRAPH)
    each = reduce(weak_join, every)
    known = TorchModule(base, None, each=each) if each.ref is not None else None
    return Value(MODULE, ref=known, graph=NO_GRAPH)


def _is_handed_on(scope: Scope, name: str) -> bool:
    """Tell whether a list in a name is an argument of a call that may add to it."""
    return any(isinstance(argument, ast.Name) and argument.id == name for argument in _handed(scope))


def _is_attribute_handed_on(program: Analysis, owner: Class, name: str) -> bool:
    """Tell whether methods hand the container in an attribute to a call that may add to it: `build(self.layers)`."""
    return any(
        isinstance(argument, ast.Attribute) and argument.attr == name
        for cls in _family(program, owner)
        for method in cls.scope.inner
        for argument in _handed(method)
    )


def _loses_elements(scope: Scope, name: str) -> bool:
    """Tell whether a scope takes elements out of the container in a name or an attribute, which may then be empty.

    layers.pop()            del self.layers[-1]             layers[1:] = []
    """
    return any(last_name(holder) == name for holder in shortened_in(scope))


def _is_shortened_by_methods(program: Analysis, owner: Class, name: str) -> bool:
    """Tell whether methods take elements out of the container in an attribute; under `self`, out of the object."""
    return any(_loses_elements(method, name) for cls in _family(program, owner) for method in cls.scope.inner)


def _handed(scope: Scope) -> Iterator[ast.expr]:
    """Iterate over the arguments of the calls in a scope that may change a list that they get."""
    for call in scope.of(ast.Call):
        is_copying = last_name(call.func) in _COPYING
        if not is_copying and home(scope).qualified(scope, call.func) not in transforms.CHECKPOINTS:
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)


def is_empty(source: ast.expr) -> bool:
    """Tell whether an expression makes an empty list, tuple or dictionary."""
    if isinstance(source, ast.Call):
        return isinstance(source.func, ast.Name) and source.func.id in _MAKING and not (source.args or source.keywords)
    return isinstance(source, ast.List | ast.Tuple | ast.Dict) and not children(source)


def _family(program: Analysis, owner: Class) -> Iterator[Class]:
    yield from owner.linearized()
    yield from program.descendants(owner)
