"""Evaluates expressions: names, operators, displays, comprehensions, elements."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.training.calls import given_to
from unplace.analysis.training.machine import Machine, computed, tensor
from unplace.analysis.training.values import (
    ANY,
    NONE,
    UNKNOWN,
    Function,
    Graph,
    Items,
    Known,
    Layer,
    Made,
    Named,
    Optimizer,
    Outside,
    Table,
    Tensor,
    Thing,
    Unknown,
    Weights,
    graph_of,
    joined,
)

_SAVING = (ast.Mult, ast.MatMult, ast.Div, ast.Pow)
"""The operators that save what they get."""

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def evaluate(machine: Machine, node: ast.expr) -> Thing:
    """Return what an expression evaluates to."""
    work = _WORK.get(type(node))
    return work(machine, node) if work is not None else _each_child(machine, node)


def _each_child(machine: Machine, node: ast.expr) -> Thing:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            machine.evaluate(child)
    return UNKNOWN


def _constant(machine: Machine, node: ast.Constant) -> Thing:
    return Known(node.value)


# -- names -------------------------------------------------------------------------------------------------------------


def _name(machine: Machine, node: ast.Name) -> Thing:
    frame = machine.world.frames[-1]
    for names in (frame.names, *frame.around):
        if node.id in names:
            _note_read(machine, names, node.id)
            machine.world.note_read(names[node.id], node)
            return names[node.id]
    kept = machine.world.globals.setdefault(frame.module, {})
    _note_read(machine, kept, node.id)
    if node.id not in kept:
        kept[node.id] = global_name(machine, frame.module, node.id)
    machine.world.note_read(kept[node.id], node)
    return kept[node.id]


def _note_read(machine: Machine, owner: object, name: str) -> None:
    if machine.world.trail is not None:
        machine.world.trail.reads(machine.world.time, owner, name)


def global_name(machine: Machine, module: ModuleIndex, name: str) -> Thing:
    """Return what a name of a file stands for, as its definition or its import says."""
    source = module.only_binding(name)
    if isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef):
        return Function(source, module, ())
    if isinstance(source, ast.ClassDef) and source in module.classes:
        return Made(module.classes[source])
    if name in module.imports.names:
        return _imported(machine, module, module.imports.names[name])
    if module.place is not None and source is None:
        starred = module.place.others.find_starred(module, name)
        if starred is not None:
            return _imported(machine, module, starred if isinstance(starred, str) else "", starred)
    if source is None and hasattr(builtins, name):
        return Named(f"builtins.{name}")
    return Outside(name, Weights(is_given=True))


def _imported(machine: Machine, module: ModuleIndex, written: str, target: object = None) -> Thing:
    target = target if target is not None else module.target(written)
    if isinstance(target, str):
        return Named(canonical(target))
    path, name = getattr(target, "path", ""), getattr(target, "name", "")
    other = module.place.others.module_at(path) if module.place is not None else None
    if other is None:
        return UNKNOWN
    machine.world.read.add(path)
    return global_name(machine, other, name) if name else _Module(other)


class _Module(Named):
    """Another file of the run."""

    __slots__ = ("index",)

    def __init__(self, index: ModuleIndex) -> None:
        super().__init__("")
        self.index = index


def _attribute(machine: Machine, node: ast.Attribute) -> Thing:
    owner = machine.evaluate(node.value)
    if isinstance(owner, _Module):
        return global_name(machine, owner.index, node.attr)
    _note_read(machine, owner, node.attr)
    found = machine.attribute(owner, node.attr)
    machine.world.note_read(found, node)
    return found


# -- operators ---------------------------------------------------------------------------------------------------------


def _binary(machine: Machine, node: ast.BinOp) -> Thing:
    parts = [machine.evaluate(node.left), machine.evaluate(node.right)]
    if isinstance(node.op, ast.Add) and all(isinstance(part, Items) for part in parts):
        left, right = parts
        assert isinstance(left, Items)
        assert isinstance(right, Items)
        return Items([*left.items, *right.items], left.is_open or right.is_open)
    if isinstance(node.op, ast.Mult) and isinstance(parts[0], Items) and not graph_of(parts[1]):
        return parts[0]
    if any(isinstance(part, Tensor) or graph_of(part) for part in parts):
        return computed(machine, node, parts, saves=isinstance(node.op, _SAVING))
    return UNKNOWN


def _unary(machine: Machine, node: ast.UnaryOp) -> Thing:
    value = machine.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        truth = truth_of(value)
        return Known(not truth) if truth is not None else UNKNOWN
    if isinstance(value, Known) and isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
        return Known(-value.value)
    return tensor(machine, [value]) if graph_of(value) else value


def _boolean(machine: Machine, node: ast.BoolOp) -> Thing:
    values = [machine.evaluate(value) for value in node.values]
    ends = isinstance(node.op, ast.Or)
    truths = [truth_of(value) for value in values]
    for value, truth in zip(values, truths, strict=True):
        if truth is ends or (truth is None and isinstance(value, Tensor | Items)):
            return value
        if truth is None:
            return UNKNOWN
    return values[-1]


def _comparison(machine: Machine, node: ast.Compare) -> Thing:
    left, *others = [machine.evaluate(value) for value in (node.left, *node.comparators)]
    if len(others) > 1:
        return UNKNOWN
    (right,), (op,) = others, node.ops
    if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) and isinstance(right, Known) and right.value is None:
        is_none = _is_none(left)
        return UNKNOWN if is_none is None else Known(is_none is isinstance(op, ast.Is | ast.Eq))
    if isinstance(left, Known) and isinstance(op, ast.In | ast.NotIn) and isinstance(right, Table):
        return Known((left.value in right.items) is isinstance(op, ast.In)) if ANY not in right.items else UNKNOWN
    compare = _COMPARED.get(type(op))
    if isinstance(left, Known) and isinstance(right, Known) and compare is not None:
        try:
            return Known(bool(compare(left.value, right.value)))
        except TypeError:
            return UNKNOWN
    return UNKNOWN


def _is_none(thing: Thing) -> bool | None:
    if isinstance(thing, Known):
        return thing.value is None
    return None if isinstance(thing, Unknown | Outside) else False


def truth_of(thing: Thing) -> bool | None:
    """Return whether a thing counts as true; None where it can't be told."""
    if isinstance(thing, Known):
        return bool(thing.value)
    if isinstance(thing, Items):
        return bool(thing.items) or (None if thing.is_open else False)
    if isinstance(thing, Layer | Function | Made | Optimizer):
        return True
    return None


def _choice(machine: Machine, node: ast.IfExp) -> Thing:
    truth = truth_of(machine.evaluate(node.test))
    if truth is not None:
        return machine.evaluate(node.body if truth else node.orelse)
    machine.world.blur()
    first, second = machine.evaluate(node.body), machine.evaluate(node.orelse)
    if graph_of(first) and graph_of(second):
        return tensor(machine, [first, second])
    return second if isinstance(first, Known | Unknown) else first


def _named(machine: Machine, node: ast.NamedExpr) -> Thing:
    value = machine.evaluate(node.value)
    machine.bind(node.target, value)
    return value


# -- containers --------------------------------------------------------------------------------------------------------


def _display(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Thing:
    items: list[Thing] = []
    is_open = False
    for element in node.elts:
        if isinstance(element, ast.Starred):
            value = machine.evaluate(element.value)
            items += machine.elements(value)
            is_open |= not isinstance(value, Items) or value.is_open
        else:
            items.append(machine.evaluate(element))
    return Items(items, is_open)


def _dictionary(machine: Machine, node: ast.Dict) -> Thing:
    made = Table()
    for key, value in zip(node.keys, node.values, strict=True):
        thing = machine.evaluate(value)
        if key is not None:
            made.items[key_of(machine.evaluate(key))] = thing
        elif isinstance(thing, Table):
            made.items.update(thing.items)
    return made


def key_of(thing: Thing) -> object:
    """Return what a thing is as a key or as an index: its constant, the number of a round, or any."""
    if isinstance(thing, Known) and isinstance(thing.value, str | int):
        return thing.value
    return thing.round if isinstance(thing, Unknown) and thing.round is not None else ANY


def _comprehension(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Thing:
    made = Items()
    for is_open in _rounds(machine, node.generators):
        made.items.append(machine.evaluate(node.elt))
        made.is_open |= is_open
    return made


def _dictionary_of(machine: Machine, node: ast.DictComp) -> Thing:
    made = Table()
    for _ in _rounds(machine, node.generators):
        key = key_of(machine.evaluate(node.key))
        made.items[key] = machine.evaluate(node.value)
    return made


def _rounds(machine: Machine, generators: list[ast.comprehension]) -> Iterator[bool]:
    """Iterate over the rounds of a comprehension, and tell whether there may be more of them."""
    first, *others = generators
    drawn = machine.evaluate(first.iter)
    is_open = not isinstance(drawn, Items) or drawn.is_open or bool(first.ifs)
    for element in machine.elements(drawn):
        machine.bind(first.target, element)
        tests = [truth_of(machine.evaluate(test)) for test in first.ifs]
        if False in tests:
            continue
        if not others:
            yield is_open
        else:
            yield from (is_open or inner for inner in _rounds(machine, others))


def _element(machine: Machine, node: ast.Subscript) -> Thing:
    owner = machine.evaluate(node.value)
    if isinstance(node.slice, ast.Slice):
        for bound in (node.slice.lower, node.slice.upper, node.slice.step):
            if bound is not None:
                machine.evaluate(bound)
        return Items(_slice(machine, owner, node.slice), owner.is_open) if isinstance(owner, Items) else owner
    found = element_of(machine, owner, machine.evaluate(node.slice))
    machine.world.note_read(found, node)
    return found


def _slice(machine: Machine, owner: Items, node: ast.Slice) -> list[Thing]:
    bounds = [machine.evaluate(b) if b is not None else NONE for b in (node.lower, node.upper, node.step)]
    values = [b.value if isinstance(b, Known) else None for b in bounds]
    return owner.items[slice(*(v if isinstance(v, int) else None for v in values))]


def element_of(machine: Machine, owner: Thing, index: Thing) -> Thing:
    """Return the element of a thing at an index or under a key."""
    key = key_of(index)
    if isinstance(owner, Items) and owner.items:
        if isinstance(key, int) and -len(owner.items) <= key < len(owner.items):
            return owner.items[key]
        return _any_of(machine, owner.items)
    if isinstance(owner, Table):
        if key in owner.items:
            return owner.items[key]
        return _any_of(machine, list(owner.items.values())) if ANY in (key, *owner.items) and owner.items else UNKNOWN
    if isinstance(owner, Tensor):
        return Tensor(owner.graph, owner.leaf, owner.rounds)
    if isinstance(owner, Outside):
        path = f"{owner.path}[{key!r}]" if key is not ANY else f"{owner.path}[...]"
        made = Outside(path, owner.weights.part())
        return owner.fields.setdefault(f"[{key!r}]" if key is not ANY else "[]", made)
    return UNKNOWN


def _any_of(machine: Machine, things: list[Thing]) -> Thing:
    """Return what any of some things may be: for tensors, one with the graphs of all."""
    if all(isinstance(thing, Tensor) for thing in things):
        graph: Graph = joined(map(graph_of, things))
        rounds = min(thing.rounds for thing in things if isinstance(thing, Tensor))
        return Tensor(graph, None, rounds)
    return things[0]


# -- the rest ----------------------------------------------------------------------------------------------------------


def _lambda(machine: Machine, node: ast.Lambda) -> Thing:
    frame = machine.world.frames[-1]
    return Function(node, frame.module, (frame.names, *frame.around), frame.owner)


def _call(machine: Machine, node: ast.Call) -> Thing:
    callee = machine.evaluate(node.func)
    return machine.call(node, callee, given_to(machine, node))


def _starred(machine: Machine, node: ast.Starred) -> Thing:
    return machine.evaluate(node.value)


def _awaited(machine: Machine, node: ast.Await) -> Thing:
    machine.world.blur()
    return machine.evaluate(node.value)


def _yielded(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Thing:
    value = machine.evaluate(node.value) if node.value is not None else NONE
    machine.world.blur()
    machine.world.frames[-1].given += machine.elements(value) if isinstance(node, ast.YieldFrom) else [value]
    return UNKNOWN


_WORK: dict[type, Callable[..., Thing]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
    ast.NamedExpr: _named,
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _display,
    ast.Dict: _dictionary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dictionary_of,
    ast.Subscript: _element,
    ast.Lambda: _lambda,
    ast.Call: _call,
    ast.Starred: _starred,
    ast.Await: _awaited,
    ast.Yield: _yielded,
    ast.YieldFrom: _yielded,
}
