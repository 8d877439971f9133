"""Takes modules out of the containers of torch: `self.blocks[0]`, `for layer in self.net`, `self.heads.items()`."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Instance, ModuleList, TorchModule, alternatives
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import CALLABLE, LIST, MODULE, TEXT_VALUE, TUPLE, UNKNOWN, Origin, Value
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.members import shorter
from unplace.analysis.syntax.nodes import code_of, whole_number
from unplace.analysis.syntax.patterns import text_pattern
from unplace.torchapi import modules


def listed(run: Run, value: Value) -> ModuleList | None:
    """Return the modules in a container; None where the value is no container or nothing is known of them."""
    ref = value.ref
    if isinstance(ref, Instance):
        ref = run.program.attribute(ref.of, "").ref if ref.of.is_module else None
    if isinstance(ref, TorchModule) and ref.parts:
        return ModuleList(ref.parts, is_exact=True, is_filled=True)
    if isinstance(ref, TorchModule) and ref.each is not None:
        return ModuleList((ref.each,), is_filled=ref.is_filled)
    return ref if isinstance(ref, ModuleList) and ref.members else None


def member(run: Run, node: ast.expr, found: ModuleList, index: int | None = None) -> Value:
    """Return the module at an index of a container; where either isn't known, the join of all its modules."""
    if found.is_exact and index is not None and -len(found.members) <= index < len(found.members):
        chosen = found.members[index]
    else:
        chosen = reduce(weak_join, found.members)
    if any(isinstance(ref, Instance) for ref in alternatives(chosen.ref)):
        return run.foreign((node, "member"), Origin.ATTRIBUTE, code_of(node), node.lineno, chosen.kinds, ref=chosen.ref)
    kinds = MODULE if chosen.kinds & UNKNOWN else chosen.kinds  # whatever made it: a container holds modules alone
    return Value(kinds, ref=chosen.ref, graph=NO_GRAPH)


def taken(run: Run, node: ast.Subscript, base: Value, found: ModuleList) -> Value:
    """Return the value of `blocks[index]`: a module or, for a slice, another container."""
    if isinstance(node.slice, ast.Slice):
        part = _range(node.slice) if found.is_exact else None
        if isinstance(base.ref, TorchModule):
            return shorter(base) if part is None else base._replace(ref=replace(base.ref, parts=found.members[part]))
        return base._replace(ref=ModuleList(found.members, is_dict=found.is_dict))
    return member(run, node, found, whole_number(node.slice))


def _range(node: ast.Slice) -> slice | None:
    """Return the range of a slice whose bounds are spelled out; None for any other."""
    bounds = (node.lower, node.upper, node.step)
    numbers = [None if bound is None else whole_number(bound) for bound in bounds]
    is_known = all(bound is None or number is not None for bound, number in zip(bounds, numbers, strict=True))
    return slice(*numbers) if is_known else None


def of_method(run: Run, node: ast.Call, name: str, found: ModuleList, state: State) -> Value | None:
    """Return the result of `heads.values()`, `heads.items()` and the like; None for any other method."""
    if name not in modules.ITERATING:
        return None
    each: Value = member(run, node, found)
    if name in modules.ITERATING_PAIRS:
        each = run.container(node.func, state, TUPLE, {0: TEXT_VALUE, 1: each})
    return run.container(node, state, LIST, {ANY: each})


def looked_up(run: Run, node: ast.Call, arguments: Arguments) -> Value | None:
    """Return the module that `getattr(self, f"layer{i}")` gives; None where it isn't known to be one."""
    if not arguments.exact or len(arguments.nodes) != 2 or not isinstance(arguments.positional[0].ref, Instance):
        return None
    held = run.program.attribute(arguments.positional[0].ref.of, text_pattern(arguments.nodes[1]))
    is_called = held.ref is not None and held.must_be(MODULE | CALLABLE)
    return member(run, node, ModuleList((held,))) if is_called else None
