"""Works out the attributes of a class's instances, from everything that the class and its relatives assign to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from unplace import torchapi
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, UNSEEN, Graph, derived, parameters_of
from unplace.analysis.domain.refs import Class, Instance
from unplace.analysis.domain.state import weak_join
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    DICT,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    TENSOR,
    TEXT,
    UNKNOWN,
    UNKNOWN_VALUE,
    Names,
    Origin,
    Value,
)
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project import buffers, members
from unplace.analysis.project.module import home
from unplace.analysis.project.replaced import with_replaced
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.patterns import WILD
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import kinds
from unplace.torchapi import modules

_OF_OPTIMIZERS = {**dict.fromkeys(modules.OPTIMIZER_DICTS, DICT), **dict.fromkeys(modules.OPTIMIZER_LISTS, LIST)}


def elements(program: Analysis, owner: Class, name: str) -> Value:
    """Return the join of the elements of an attribute that is a list or dictionary."""
    derived = program.overriding(owner, name)
    if derived is None:
        return UNKNOWN_VALUE
    found = [
        program.elements_of(scope, source) if source is not None else UNKNOWN_VALUE
        for cls in (*owner.linearized(), *derived)
        for scope, source in cls.assigned.get(name, ())
        if source is None or not members.is_empty(source)
    ]
    if all(value.ref is not None and value.must_be(MODULE | CALLABLE) for value in found):
        found += members.added_to(program, owner, name)
        if any(value.ref is None for value in found):
            return UNKNOWN_VALUE
    return reduce(weak_join, found) if found else UNKNOWN_VALUE


def value_of(program: Analysis, owner: Class, name: str) -> Value:
    """Return the value of an attribute: a parameter or buffer, the join of its assignments, or what a base declares.

    The name may be a pattern, `layer*`; without a name, the value is the object itself as a container of modules.
    """
    if not name:
        return members.of_itself(program, owner)
    if WILD in name:
        return members.matching(program, owner, name)
    derived = program.overriding(owner, name)
    family = (*owner.linearized(), *derived) if derived is not None else None
    if owner.lookup("registered", name):
        return _registered(program, owner, name, family)
    if family is None:
        return UNKNOWN_VALUE
    values = _assigned(program, family, name) or members.set_by_pattern(program, owner, name)
    registered = frozenset(o for value in values for o in value.objs if o.origin is Origin.REGISTERED)
    if registered:
        is_leaf = all(value.graph == LEAF for value in values)
        return Value(TENSOR, registered, graph=LEAF if is_leaf else UNSEEN)
    if any(isinstance(value.ref, Instance) and value.ref.of.is_parameter for value in values):
        return reduce(weak_join, values)._replace(objs=_registered_value(name, UNSEEN).objs)
    if not values:
        return _inherited_attribute(program, owner, name)
    result = members.with_added(program, owner, name, reduce(weak_join, values))
    result = with_replaced(program, owner, name, result)
    if result.kinds & NUMBER:  # a number becomes what is added to it
        for scope, operand in _augmented(program, owner, name):
            result = weak_join(result, program.estimate(scope, operand))
    if result.must_be(NONE):  # other code sets what its class leaves empty
        return Value(NONE | UNKNOWN)
    return result._replace(graph=_in_general(result.graph))


def _registered(program: Analysis, owner: Class, name: str, family: Sequence[Class] | None) -> Value:
    """Return a parameter or buffer; a parameter is a leaf if no method assigns anything but leaves to it."""
    if family is None:
        return _registered_value(name, UNSEEN)
    if owner.lookup("buffers", name):
        return _registered_value(name, NO_GRAPH if buffers.is_constant(family, name) else UNSEEN)
    is_leaf = all(value.graph == LEAF for value in _assigned(program, family, name))
    return _registered_value(name, LEAF if is_leaf else UNSEEN)


def _assigned(program: Analysis, family: Iterable[Class], name: str) -> list[Value]:
    """Return the values that a class, its ancestors and descendants assign to an attribute.

    What a constructor wraps is what it assigned before: `self.conv = nn.Sequential(self.conv, nn.GELU())`.
    """
    found: list[Value] = []
    for cls in family:
        sources, earlier = cls.assigned.get(name, ()), list[Value]()
        is_in_order = len(sources) > 1 and _are_in_order(sources)
        for scope, source in sources:
            if source is not None and _is_put_back(program, scope, source, name):
                continue
            if earlier and is_in_order:
                program.earlier[cls, name] = reduce(weak_join, earlier)
            earlier.append(program.estimate(scope, source) if source is not None else UNKNOWN_VALUE)
            program.earlier.pop((cls, name), None)
        found += earlier
    return found


def _are_in_order(sources: Sequence[tuple[Scope, ast.expr | None]]) -> bool:
    """Tell whether one constructor makes several assignments, each of them once at most, as they stand."""
    constructor = sources[0][0]
    if constructor.name != "__init__" or any(scope is not constructor for scope, _ in sources):
        return False
    loops = (node for kind in (ast.For, ast.While, ast.AsyncFor) for node in constructor.of(kind))
    repeated = {part for loop in loops for part in walk(loop)}
    return repeated.isdisjoint(source for _, source in sources if source is not None)


def _is_put_back(program: Analysis, scope: Scope, source: ast.expr, name: str) -> bool:
    """Tell whether an attribute gets back the module that it held: `self.conv = weight_norm(self.conv)`."""
    if not isinstance(source, ast.Call) or not source.args or not program.module.owns(scope):
        return False
    given = source.args[0]
    if not isinstance(given, ast.Attribute) or given.attr != name or not isinstance(given.value, ast.Name):
        return False
    is_own = scope.parameters[:1] and given.value.id == scope.parameters[0].arg
    return bool(is_own) and program.module.qualified(scope, source.func) in modules.REPARAMETRISING


def _augmented(program: Analysis, owner: Class, name: str) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the operands of `self.name += operand` and the like in the class, its ancestors and descendants."""
    for cls in (*owner.linearized(), *program.descendants(owner)):
        yield from cls.augmented.get(name, ())


def _constructed(program: Analysis, owner: Class, name: str) -> Value:
    """Return the join of what the calls in the file store in a field of new objects: `State(h, c)`."""
    found: list[Value] = []
    position = (owner.fields or ()).index(name)
    for scope, call in program.module.calls_named(owner.node.name):
        named = [keyword.value for keyword in call.keywords if keyword.arg == name]
        given = named or call.args[position : position + 1]
        found += [program.estimate(scope, source) for source in given if not isinstance(source, ast.Starred)]
    found = [value for value in found if value.kinds != UNKNOWN]
    result = reduce(weak_join, found) if found else UNKNOWN_VALUE
    return Value(result.kinds, ref=result.ref, likely=result.likely)


def _inherited_attribute(program: Analysis, owner: Class, name: str) -> Value:
    """Return the value of an attribute that no method assigns, by its declaration or by torch's own classes."""
    if name == "training":
        return Value(NUMBER)
    declared = [cls.declared[name] for cls in owner.linearized() if name in cls.declared]
    if declared:
        return Value(kinds.of_annotation(declared[0]))
    if name in (owner.fields or ()):
        return _constructed(program, owner, name)
    if name in _OF_OPTIMIZERS and owner.derives_from(*modules.OPTIMIZERS):
        return Value(_OF_OPTIMIZERS[name])
    if torchapi.is_registered_name(name) and any(map(_is_layer, owner.all_bases())):
        return _registered_value(name, UNSEEN if torchapi.is_buffer_name(name) else LEAF)
    return _in_body(program, owner, name)


def _in_body(program: Analysis, owner: Class, name: str) -> Value:
    """Return the value of an attribute that the body of a class makes a collection or a text, if nothing replaces it.

    class Registry:
        FACTORIES = {}
    """
    if not all(store.of_element for store in program.module.stores_of(name)):
        return UNKNOWN_VALUE
    for cls in owner.linearized():
        sources = home(cls.scope).bindings(cls.scope).sources.get(name, [])
        made = [program.estimate(cls.scope, source) for source in sources if isinstance(source, ast.expr)]
        if sources and len(made) == len(sources):
            result = reduce(weak_join, made)
            return Value(result.kinds) if result.must_be(CONTAINER | TEXT) else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def _registered_value(name: str, graph: Graph) -> Value:
    """Return the value of a parameter or buffer."""
    objs = frozenset((Names().obj(name, Origin.REGISTERED, f"`{name}`", 0),))
    return Value(TENSOR, objs, graph=graph)


def _is_layer(base: str) -> bool:
    """Tell whether a base is a module class of torch that may have parameters and buffers of its own."""
    return base.startswith("torch.nn.") and base.rsplit(".", 1)[-1] != "Module"


def _in_general(graph: Graph) -> Graph:
    """Return the graph of an attribute anywhere: arguments of the methods that assign it are out of sight there."""
    return derived(graph - parameters_of(graph)) | UNSEEN if graph else NO_GRAPH
