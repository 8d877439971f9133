"""Reads and stores attributes of tensors, objects, modules and unknown values.

The first read of an attribute gives its object a name, so that later reads find the same object:

h = self.h                              the object in `self.h`
t = x.T                                 a view of `x`
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from functools import reduce

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import LEAF, NO_GRAPH, UNSEEN, derived
from unplace.analysis.domain.refs import Bound, Choice, Class, Instance, Named, TensorMethod, alternatives, join_refs
from unplace.analysis.domain.state import State, aged_value, weak_join
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DICT,
    LIST,
    MODULE,
    NAMESPACE,
    NUMBER,
    OTHER,
    PARAMETER_GROUP,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Link,
    Obj,
    Origin,
    Value,
)
from unplace.analysis.effects.clobbering import clobber
from unplace.analysis.interpret import identity
from unplace.analysis.interpret.custom_functions import is_applied
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.slots import DEEP, first_key, is_deep, is_placed
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.project.module import home
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.types import evidence
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.own_methods import is_of_own_class
from unplace.torchapi import Result, View, members, modes, modules

_GROUPS = (
    (ANY, DICT, Origin.ATTRIBUTE, PARAMETER_GROUP),
    ("params", LIST, Origin.ATTRIBUTE, "a list of parameters"),
    (ANY, TENSOR, Origin.REGISTERED, "a parameter of an optimizer"),
)
"""The slots that lead from `param_groups` to a parameter, each with what it holds."""


def attribute_of(evaluation: Evaluation, node: ast.Attribute, base: Value, state: State) -> Value:
    """Return the value of `base.attr`, with `base` evaluated already."""
    run, name = evaluation.run, node.attr
    if name == "grad" and base.kinds & (TENSOR | UNKNOWN):
        return run.foreign((node, "grad"), Origin.REGISTERED, "a gradient", node.lineno, TENSOR)
    if name in modules.DICTIONARIES and base.objs:
        return _of_namespace(run, node, base, state)
    if base.must_be(NAMESPACE) and isinstance(base.ref, Named):
        return run.program.named(run, canonical(f"{base.ref.qualified}.{name}"), node)
    if base.is_tensor:
        return _of_tensor(run, node, base, state)
    if base.kinds & UNKNOWN and name in members.TRANSPOSED:
        return _of_tensor(run, node, base, state)._replace(likely=True)
    if isinstance(base.ref, Class) and base.must_be(CALLABLE) and is_applied(base.ref, name):
        return Value(CALLABLE, ref=Bound(base, name))
    if isinstance(base.ref, Class | Named) and base.must_be(CALLABLE):
        return _of_class(run, node, base.ref)
    if base.must_be(OTHER) and isinstance(base.ref, Named) and base.ref.qualified in modes.LIMITS:
        return Value(NUMBER if name != "dtype" else TEXT)
    if isinstance(base.ref, Instance) and base.objs:
        return _of_instance(evaluation, node, base, base.ref, state)
    if isinstance(base.ref, Choice) and base.objs:
        found = _of_one_of(run, node, base, base.ref, state)
        if found is not None:
            return found
    if _proves_tensor(run, name, base):
        return _of_tensor(run, node, state.narrow_to_tensor(base), state)
    if base.must_be(MODULE) and torchapi.is_registered_name(name):
        graph = UNSEEN if torchapi.is_buffer_name(name) else LEAF
        return _remember(run, node, base, state, Value(TENSOR, graph=graph), Origin.REGISTERED)
    if base.must_be(SHAPE | NUMBER | TEXT):
        return Value(NUMBER | TEXT | CALLABLE)
    if base.must_be(ARRAY):
        return Value(NUMBER | SHAPE if name in ("shape", "size", "ndim") else ARRAY)
    if name in ("shape",):
        return Value(SHAPE)
    if name in modules.OPTIMIZER_LISTS and not base.is_tensor:
        return _param_groups(run, node, base, state)
    if base.may_be(TENSOR) and torchapi.tensor_attribute(name) is not None:
        return _of_tensor(run, node, base, state)._replace(likely=True)
    return _foreign(run, node, base, state, UNKNOWN)


def field_of(evaluation: Evaluation, node: ast.expr, base: Value, state: State, name: str) -> Value:
    """Return the value of an attribute that an expression reads without naming it: `h` in `h, c = state`."""
    key = field_of, node, name
    read = evaluation.run.answers.get(key)
    if read is None:
        read = evaluation.run.answers[key] = ast.copy_location(ast.Attribute(node, name, ast.Load()), node)
    return attribute_of(evaluation, read, base, state)


def _of_namespace(run: Run, node: ast.Attribute, base: Value, state: State) -> Value:
    """Return the dictionary by which other code may take what an object has, and give it something else.

    other.__dict__.update(net.__dict__)
    """
    reachable = state.reachable(base.objs)
    run.keep_all(state, reachable, f"`{code_of(node)}`", node.lineno, certain=True)
    clobber(run, node, reachable, state)
    return _foreign(run, node, base, state, UNKNOWN)


def _of_class(run: Run, node: ast.Attribute, of: Class | Named) -> Value:
    """Return a method, or the object in an attribute of a class or another named object: whoever names that has it."""
    ref = Named(f"{of.qualified if isinstance(of, Named) else of.node.name}.{node.attr}")
    if isinstance(of, Named) or any(cls.defines(node.attr) for cls in of.linearized()):
        return Value(UNKNOWN | CALLABLE, ref=ref)
    held = run.program.attribute(of, node.attr)
    kinds = held.kinds if held.must_be(CONTAINER | TEXT) else UNKNOWN | CALLABLE
    return run.foreign(ref, Origin.ATTRIBUTE, code_of(node), node.lineno, kinds, ref=ref)


def _of_tensor(run: Run, node: ast.Attribute, base: Value, state: State) -> Value:
    operator = torchapi.tensor_attribute(node.attr)
    own = members.own_name(node.attr)
    if operator is None and (torchapi.tensor_method(own) or torchapi.inplace_method(own)):
        return _bound_method(node, base)
    if operator is None:
        return _foreign(run, node, base, state, UNKNOWN)
    if operator.result is Result.TENSOR:
        if operator.view is View.NEVER:
            graph, made_by = derived(base.graph), node.attr
            return run.fresh(node, state, f".{made_by}", dtype=base.dtype, graph=graph, operator=made_by)
        link = Link.VIEW if operator.view is View.ALWAYS else Link.EITHER
        same = node.attr == "data"
        cut = NO_GRAPH if node.attr == "data" else None
        label, made_by = f".{node.attr}", node.attr
        return run.view(node, state, base, label, link, same_shape=same, graph=cut, operator=made_by)
    return Value(_result_kinds(operator.result))


def _bound_method(node: ast.Attribute, base: Value) -> Value:
    """Return a method of a tensor: it holds the tensor, and tells of it what a call has to know."""
    ref = TensorMethod(node) if torchapi.inplace_method(members.own_name(node.attr)) is not None else None
    return Value(CALLABLE, base.objs, dtype=base.dtype, graph=base.graph, ref=ref, likely=base.likely)


def _proves_tensor(run: Run, name: str, base: Value) -> bool:
    """Tell whether only a tensor has an in-place method of this name, among all that an object may be."""
    if torchapi.inplace_method(name) is None or not base.kinds & UNKNOWN:
        return False
    return evidence.of_name(name) is Evidence.PROOF and not is_of_own_class(home(run.scope), name)


def _of_instance(evaluation: Evaluation, node: ast.Attribute, base: Value, ref: Instance, state: State) -> Value:
    run, owner = evaluation.run, ref.of
    known = _known(run, base, node.attr, state)
    if known is not None:
        return known
    if owner.has_property(node.attr):
        is_overridden = any(c.defines(node.attr) for c in run.program.descendants(owner))
        behind = owner.behind(node.attr) if not is_overridden else None
        return attribute_of(evaluation, behind, base, state) if behind else evaluation.inside(node, base, state)
    if run.program.methods(owner, node.attr, is_exact=ref.is_exact).functions:
        return Value(CALLABLE, ref=Bound(base, node.attr))
    if any(cls.defines(node.attr) for cls in owner.linearized()):
        return _foreign(run, node, base, state, UNKNOWN)
    facts = run.program.attribute(owner, node.attr)
    origin = Origin.REGISTERED if _is_registered(facts) else Origin.ATTRIBUTE
    if node.attr in modules.OPTIMIZER_LISTS and owner.derives_from(*modules.OPTIMIZERS):
        return _param_groups(run, node, base, state)
    value = _remember(run, node, base, state, facts, origin)
    if value.must_be(LIST | DICT) and len(base.objs) == 1:
        (holder,) = base.objs
        elements = run.program.attribute_elements(owner, node.attr)
        run.fill(state, value, elements, (holder.index, "elements", node.attr), f"an element of `{node.attr}`")
    return value


def _is_registered(held: Value) -> bool:
    """Tell whether an attribute may hold a parameter or buffer of its module."""
    return any(obj.origin is Origin.REGISTERED for obj in held.objs)


def _of_one_of(run: Run, node: ast.Attribute, base: Value, choice: Choice, state: State) -> Value | None:
    """Return an attribute of one of several objects; None where it may be a method, or an object isn't seen.

    The objects that callers out of sight pass most likely have the same, and as parameters or buffers for certain.
    """
    owners = [ref.of for ref in alternatives(choice) if isinstance(ref, Instance)]
    if (
        not owners
        or len(owners) < len(choice.refs)
        or any(cls.defines(node.attr) for of in owners for cls in of.linearized())
    ):
        return None
    known = _known(run, base, node.attr, state)
    if known is not None:
        return known
    found = [run.program.attribute(owner, node.attr) for owner in owners]
    facts = reduce(weak_join, found)
    is_registered = all(map(_is_registered, found))
    if choice.is_open:
        facts = facts._replace(ref=join_refs(facts.ref, None, is_open=True), likely=facts.likely or not is_registered)
    return _remember(run, node, base, state, facts, Origin.REGISTERED if is_registered else Origin.ATTRIBUTE)


def _param_groups(run: Run, node: ast.Attribute, base: Value, state: State) -> Value:
    """Return the groups of an optimizer, which hold parameters: `for p in group["params"]`."""
    groups = _remember(run, node, base, state, Value(LIST))
    for holder in groups.objs:
        if not any(True for _ in state.fields_of(holder)):
            for slot, kinds, origin, label in _GROUPS:
                key = (holder.index, "held", slot)
                held = run.foreign(key, origin, label, node.lineno, kinds, graph=LEAF)
                state.heap[(holder, slot)] = held
                (holder,) = held.objs
    return groups


def _foreign(run: Run, node: ast.Attribute, base: Value, state: State, kinds: int) -> Value:
    known = _known(run, base, node.attr, state)
    graph = UNSEEN if base.must_be(MODULE) else derived(base.graph) or UNSEEN
    return known if known is not None else _remember(run, node, base, state, Value(kinds, graph=graph))


def _known(run: Run, base: Value, name: str, state: State) -> Value | None:
    """Return what an attribute holds in any of the objects that a value may be; None where that isn't known of all."""
    if any(_may_be_first(run, holder, name, state) for holder in base.objs):
        return None
    found = [state.heap.get((holder, name)) for holder in base.objs]
    known = [value for value in found if value is not None]
    return reduce(weak_join, known) if known and len(known) == len(found) else None


def _may_be_first(run: Run, holder: Obj, name: str, state: State) -> bool:
    """Tell whether an attribute may still hold its first value, which its slot hasn't."""
    known = state.heap.get((holder, name))
    if known is None or (holder, name) not in state.heap.partly:
        return False
    return first_key(holder.index, name) not in map(run.names.key_of, known.objs)


def _remember(
    run: Run, node: ast.Attribute, base: Value, state: State, facts: Value, origin: Origin = Origin.ATTRIBUTE
) -> Value:
    """Return the object in an attribute that is read for the first time, and store it for later reads."""
    if facts.kinds & (TENSOR | UNKNOWN | CONTAINER | ARRAY | OTHER | MODULE) == 0:
        return facts
    parts = [_of_holder(run, node, holder, state, facts, origin) for holder in sorted(base.objs, key=_by_index)]
    if len(parts) == 1 and not any(holder.old for holder in base.objs):
        return parts[0]
    value = reduce(weak_join, parts) if parts else _unnamed(run, node, node, facts, origin)
    return value._replace(identity=(node, "read"))


def _by_index(obj: Obj) -> int:
    return obj.index


def _of_holder(run: Run, node: ast.Attribute, holder: Obj, state: State, facts: Value, origin: Origin) -> Value:
    """Return the object in an attribute of one object, and store it for later reads."""
    known = state.heap.get((holder, node.attr))
    if known is not None and not _may_be_first(run, holder, node.attr, state):
        return known
    if is_deep(run, holder, node.attr):
        many = _unnamed(run, node, DEEP, facts, origin)
        return aged_value(many, run.names, set(many.objs))
    value = _unnamed(run, node, holder.index, facts, origin)
    value = weak_join(known, value) if known is not None else identity.join_stored(run, holder, node.attr, value, state)
    if not holder.old:
        state.store(holder, node.attr, value, is_only=True)
    return value


def _unnamed(run: Run, node: ast.Attribute, holder: Hashable, facts: Value, origin: Origin) -> Value:
    """Return the object that is in an attribute of a holder for all that can be seen."""
    return run.foreign(
        first_key(holder, node.attr),
        origin,
        code_of(node),
        node.lineno,
        facts.kinds,
        ref=facts.ref,
        graph=facts.graph,
        likely=facts.likely,
    )


def store_plain_attribute(run: Run, target: ast.Attribute, holder: Value, value: Value, state: State) -> None:
    """Store `holder.attr = value` for an ordinary attribute, or a property."""
    if set_property(run, target, holder, value, state):
        return
    for obj in holder.objs:
        state.definitions.pop(obj, None)  # `v.requires_grad = True`: made again, it would lack that
    identity.store(run, holder, target.attr, value, state)
    if not holder.objs:
        run.keep(state, value.objs, f"`{code_of(target)}`", target.lineno)
    if not is_placed(run, holder):
        run.changes_any = True
        for obj in [obj for obj, fields in state.heap.holders.items() if target.attr in fields]:
            state.store(obj, target.attr, value, is_only=False)


def set_property(run: Run, target: ast.Attribute, holder: Value, value: Value, state: State) -> bool:
    """Apply the setter of a property, which may do anything with its object and the value; False for other attributes.

    self.h = y                       @h.setter
                                     def h(self, value): self._h = value * 2
    """
    of = [ref.of for ref in alternatives(holder.ref) if isinstance(ref, Instance)]
    if not any(owner.has_property(target.attr) for owner in of):
        return False
    run.keep(state, value.objs, f"the setter of `{code_of(target)}`", target.lineno)
    clobber(run, target, state.reachable(holder.objs), state)
    return True


def _result_kinds(result: Result) -> int:
    return {
        Result.TENSOR: TENSOR,
        Result.TENSORS: TUPLE,
        Result.NUMBER: NUMBER,
        Result.BOOL: NUMBER,
        Result.SHAPE: SHAPE,
        Result.OTHER: OTHER,
        Result.UNKNOWN: UNKNOWN,
    }[result]
