"""Places that a rewrite may bind to a new tensor: names, attributes, and elements of lists and dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace import torchapi
from unplace.analysis.domain.heap import Slot
from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.values import CONTAINER, MODULE, OTHER, TENSOR, TUPLE, UNKNOWN, Origin
from unplace.analysis.interpret.stores import is_replayable
from unplace.analysis.interpret.writes import is_tensor_data
from unplace.analysis.project.sharing import attributes_holding, other_attribute
from unplace.analysis.syntax.bindings import last_name
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import modules
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse

_MAKING_PARAMETERS = frozenset(name.rpartition(".")[2] for name in modules.REGISTERED_CLASSES)


def unstorable(site: Site, place: ast.expr) -> Refuse | None:
    """Return why a place can't be bound to a new tensor; None if it can."""
    attribute = _own_attribute(site)
    if attribute is not None:
        return Refuse(Refusal.OWN_ATTRIBUTE(name=site.name, attribute=attribute))
    if isinstance(place, ast.Name):
        scope = site.run.scope
        if place.id in scope.bound or place.id in scope.global_names or place.id in scope.nonlocal_names:
            return None
        if isinstance(scope.node, ast.FunctionDef) and site.write.inside is None:
            return None  # the name can be declared `nonlocal` or `global`
        return Refuse(Refusal.OUTER_NAME(name=place.id))
    if isinstance(place, ast.Attribute | ast.Subscript) and is_moved(site, place):
        return Refuse(Refusal.NOT_TWICE(place=ast.unparse(place)))
    if isinstance(place, ast.Attribute):
        if place is site.write.target and is_tensor_data(place, site.run.values):
            return Refuse(Refusal.THROUGH_DATA())
        if not is_chain(site, place):
            return Refuse(Refusal.NOT_TWICE(place=ast.unparse(place)))
        other = _other_holder(site, place)
        return Refuse(other) if other is not None else _unbindable(site, place)
    if isinstance(place, ast.Subscript):
        holder = site.run.values.get(place.value)
        if holder is not None and holder.may_be(TUPLE):
            return Refuse(Refusal.TUPLE_ELEMENT(place=ast.unparse(place)))
        if (
            holder is None
            or holder.is_tensor
            or not (is_steady(site, place.value) and is_simple_key(site, place.slice))
        ):
            return Refuse(Refusal.NOT_TWICE(place=ast.unparse(place)))
        return None
    return Refuse(Refusal.NO_PLACE())


def is_chain(site: Site, node: ast.expr) -> bool:
    """Tell whether a node is made of a name, attributes and elements, and calls nothing: `self.nets[i].head.h`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not is_simple_key(site, node.slice):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def found_again(place: ast.expr) -> tuple[Reason, ...]:
    """Return the assumption that what holds an attribute is the same object when the new code asks for it again."""
    if not isinstance(place, ast.Attribute) or isinstance(place.value, ast.Name):
        return ()
    return (Assumption.SAME_OBJECT(place=ast.unparse(place.value)),)


def slot_of(site: Site, place: ast.expr) -> Slot | None:
    """Return the slot that an attribute is, where its object is found by more than a name; see `found_again`."""
    holder = site.run.values.get(place.value) if isinstance(place, ast.Attribute) and found_again(place) else None
    if not isinstance(place, ast.Attribute) or holder is None or len(holder.objs) != 1:
        return None
    (owner,) = holder.objs
    return owner, place.attr


def _other_holder(site: Site, place: ast.Attribute) -> Reason | None:
    """Return the reason why the object of an attribute is in another attribute, too: `self.twin = self.cell`."""
    slot = slot_of(site, place)
    held = attributes_holding(site.state, slot[0]) if slot is not None else ()
    return next(
        (other for owner, name in held if (other := other_attribute(site.program, owner, name)) is not None), None
    )


def _own_attribute(site: Site) -> str | None:
    """Return an attribute that the program gave the written tensor, or asks it for by name: `loss.parts = parts`."""
    names = [*_given_attributes(site), *_asked_attributes(site)]
    foreign = (name for name in names if not (torchapi.tensor_attribute(name) or torchapi.tensor_method(name)))
    return min(foreign, default=None)


def _given_attributes(site: Site) -> Iterator[str]:
    for obj in site.value.objs:
        yield from (key for key, _ in site.state.fields_of(obj) if isinstance(key, str) and key.isidentifier())


def _asked_attributes(site: Site) -> Iterator[str]:
    """Iterate over what `getattr(h, "_scale", 1.0)` asks the tensor for, in the function that writes it."""
    if not site.program.module.reads_of("getattr"):
        return
    for call in site.run.scope.of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1:
            holder, name = site.run.values.get(call.args[0]), call.args[1]
            is_of_it = holder is not None and bool(holder.objs & site.value.objs)
            if is_of_it and isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value


def is_moved(site: Site, place: ast.expr) -> bool:
    """Tell whether the statement may bind a name of a place anew after Python has found the object to write.

    levels[i] += advance()              where `advance` has `nonlocal i`
    levels[i] += (i := i + 1)
    """
    nodes = list(ast.walk(site.statement))
    names = {n.id for n in ast.walk(place) if isinstance(n, ast.Name)}
    bound = {n.target.id for n in nodes if isinstance(n, ast.NamedExpr)}
    if any(isinstance(n, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) for n in nodes if n is not site.node):
        owners = {name: site.program.module.scopes.owner(site.run.scope, name) for name in names}
        bound |= {name for name, owner in owners.items() if owner is not None and name in owner.volatile}
    return bool(names & bound)


def _unbindable(site: Site, place: ast.Attribute) -> Refuse | None:
    """Return why an attribute can't be bound to any tensor: it is, or may be, a parameter, a property or the like."""
    written, name = ast.unparse(place), place.attr
    holder = site.run.values.get(place.value)
    owner = getattr(holder.ref, "of", None) if holder is not None else None
    if owner is None:
        may_be_tensor = holder is None or holder.may_be(TENSOR | UNKNOWN)
        may_be_object = holder is None or holder.may_be(MODULE | OTHER | UNKNOWN)
        if may_be_tensor and torchapi.tensor_attribute(name) is not None:
            return Refuse(Refusal.TENSORS_OWN(place=written, name=name))
        other = next(
            (c for c in site.program.module.classes.values() if may_be_object and _refuses_binding(c, name)), None
        )
        if other is not None:
            return Refuse(Refusal.UNBINDABLE(place=written, owner=other.node.name))
        is_parameter = torchapi.is_registered_name(name) or goes_through_data(site)
        return Refuse(Refusal.MAYBE_PARAMETER(place=written)) if is_parameter else None
    if owner.is_immutable:
        return Refuse(Refusal.IMMUTABLE(owner=owner.node.name, place=written))
    if any(c.intercepts(name) for c in (owner, *site.program.descendants(owner))):
        return Refuse(Refusal.INTERCEPTED(owner=owner.node.name, place=written))
    if owner.lookup("special", name):
        return Refuse(Refusal.NO_PLAIN_ATTRIBUTE(place=written))
    if owner.may_inherit(name):
        return Refuse(Refusal.MAYBE_INHERITED(owner=owner.node.name, place=written))
    if owner.is_module and goes_through_data(site) and not _is_made_by(owner, name, site):
        return Refuse(Refusal.MAYBE_PARAMETER(place=written))
    return None


def _refuses_binding(owner: Class, name: str) -> bool:
    """Tell whether a class prevents an attribute from being bound to an arbitrary tensor."""
    is_field = any(name in (*cls.assigned, *cls.declared) for cls in owner.linearized())
    sources = (source for cls in owner.linearized() for _, source in cls.assigned.get(name, ()))
    is_parameter = any(isinstance(s, ast.Call) and last_name(s.func) in _MAKING_PARAMETERS for s in sources)
    return owner.intercepts(name) or owner.has_property(name) or is_parameter or (owner.is_immutable and is_field)


def _is_made_by(owner: Class, name: str, site: Site) -> bool:
    """Tell whether the tensor in an attribute of a module is computed by its methods, and so is no parameter."""
    if all(o.origin is Origin.FRESH for o in site.value.objs):
        return True
    sources = [source for c in owner.linearized() for _, source in c.assigned.get(name, ())]
    is_computed = all(isinstance(source, ast.BinOp | ast.Call | ast.Constant) for source in sources)
    return is_computed and site.value.is_tensor and not site.value.likely


def _is_simple(node: ast.expr) -> bool:
    """Tell whether a node is a name or an attribute of one, which can be evaluated twice without side effects."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def is_steady(site: Site, node: ast.expr) -> bool:
    """Tell whether a node can be evaluated twice, as an element of a list or dictionary can: `cache[i]["k"]`."""
    if not isinstance(node, ast.Subscript):
        return _is_simple(node)
    holder = site.run.values.get(node.value)
    is_container = holder is not None and holder.must_be(CONTAINER) and bool(holder.objs)
    return is_container and is_steady(site, node.value) and is_simple_key(site, node.slice)


def is_simple_key(site: Site, node: ast.expr) -> bool:
    """Tell whether the key of an element can be evaluated twice: `levels[i]`, `levels[0]`, `levels[i - 1]`."""
    return isinstance(node, ast.Name | ast.Constant) or (
        isinstance(node, ast.BinOp | ast.UnaryOp) and is_replayable(site.run, node)
    )


def goes_through_data(site: Site) -> bool:
    """Tell whether a write goes through `.data`, past autograd."""
    if site.write.kind is WriteKind.DATA or site.write.data is not None:
        return True
    return any(is_tensor_data(n, site.run.values) for n in ast.walk(site.write.target))
