"""Writes that are meant: the code asks for them, or nothing else does what they do.

So are writes of parameters and buffers, of code that autograd doesn't record, of initialisers, and of functions that
promise to write.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.gradmode import GradMode
from unplace.analysis.domain.values import PARAMETER_MADE, Link, Origin
from unplace.analysis.interpret.writes import can_be_tracked, is_tensor_data
from unplace.analysis.project.computed_parameters import may_be_computed
from unplace.analysis.project.modes import is_backward
from unplace.analysis.project.module import ModuleIndex, once, uses_by_name
from unplace.analysis.queries.entries import is_kept_from_autograd
from unplace.analysis.queries.layouts import LASTING
from unplace.analysis.queries.leaf_reads import reads_of_gradient
from unplace.analysis.queries.purpose import documented, flag_around
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Fact
from unplace.torchapi import modes
from unplace.transform.sites import Site
from unplace.transform.storable import goes_through_data
from unplace.transform.verdicts import Keep

_FILLS = ("copy", "random", "diagonal")


def meant(site: Site) -> Keep | None:
    """Return why a write is meant as it stands, or a fill of memory that the function has made; None where it isn't."""
    grad = site.write.record.mode
    operator = site.write.operator
    watched = _watched(site)
    if watched is not None:
        return watched
    if operator is not None and operator.kind in ("flag", "initialiser", "gradient"):
        return Keep(Purpose.TORCH(fact=Fact(operator.reason)) if operator.reason else Purpose.NO_VALUES_CHANGE())
    if operator is not None and _is_fill(site, operator.kind) and site.fills_own_memory():
        return Keep(Purpose.NORMAL_FORM(name=site.name))
    layout = site.layout()
    if layout is not None and (layout in LASTING or not (site.options.functional or site.harm()[0] is Harm.HARMFUL)):
        return Keep(Purpose.LAID_OUT(name=site.name, layout=layout()))
    if site.registered() is not None and not is_like_a_parameter(site) and not _may_be_selected(site):
        return Keep(Purpose.REGISTERED(name=site.name))
    if grad is GradMode.FOUND_OFF:
        return Keep(Purpose.GUARDED(name=site.name))
    if _initialises(site):
        return Keep(Purpose.INITIALISED(name=site.name))
    if grad in (GradMode.DISABLED, GradMode.INFERENCE):
        return Keep(Purpose.NOT_RECORDED(mode=Fact(grad.value)))
    if grad in (GradMode.FUNCTION, GradMode.OPTIMIZER) and not _writes_gradient_of_others(site):
        if grad is GradMode.FUNCTION and site.run.scope.name == "forward" and _marks_dirty(site):
            owner = site.program.module.class_of(site.run.scope)
            return Keep(Purpose.MARKED_DIRTY(name=site.name, function=owner.node.name if owner is not None else ""))
        return Keep(Purpose.NOT_RECORDED_INSIDE(mode=Fact(grad.value)))
    if goes_through_data(site) and (
        has_gradient_read(site)
        or (site.is_leaf() and not isinstance(site.node, ast.Attribute))
        or _sets_parameter(site)
    ):
        return Keep(Purpose.DATA_OF_LEAF(name=site.name))
    return _asked_for(site) if site.harm()[0] is not Harm.HARMFUL else None


def _watched(site: Site) -> Keep | None:
    """Return why code of the file would notice any change: it reads what autograd saves, or sees each operation."""
    module = site.program.module
    for owner in module.classes.values():
        if (owner.is_tensor or owner.derives_from(*modes.INTERCEPTING)) and any(map(owner.defines, modes.HOOKS)):
            return Keep(Purpose.OPERATIONS_SEEN(owner=owner.node.name))
    return Keep(Purpose.SAVED_READ(name=site.name)) if site.is_saved() and _reads_saved(module) else None


@once
def _reads_saved(module: ModuleIndex) -> bool:
    """Tell whether a file gets at the tensors that autograd saves: by hooks, or as attributes of a `grad_fn`."""
    return any(name == modes.SAVED_HOOKS or name.startswith("_saved_") for name in uses_by_name(module))


def _is_fill(site: Site, kind: str) -> bool:
    """Tell whether an operator fills a whole tensor, and has no functional form or writes to one without a name."""
    is_named = isinstance(site.write.target, ast.Name | ast.Attribute | ast.Subscript)
    is_whole = not isinstance(site.write.target, ast.Subscript)
    return is_whole and (kind in _FILLS or (kind == "fill" and not is_named))


def _initialises(site: Site) -> bool:
    """Tell whether a constructor changes what code out of sight made for its object, which may be a parameter."""
    if site.run.scope.name != "__init__" or not isinstance(site.write.target, ast.Attribute):
        return False
    return site.harm()[0] is not Harm.HARMFUL and any(obj.origin is Origin.CALL for obj in site.roots())


def _asked_for(site: Site) -> Keep | None:
    """Return why the code asks for a write that isn't harmful: by a flag, a name, or where autograd is off."""
    flag, scope = flag_around(site.node, site.run.parents), site.run.scope
    if flag is not None:
        return Keep(Purpose.FLAG_ASKS(flag=flag))
    for root in sorted(site.roots()):
        purpose = documented(scope, root.parameter, is_called=False) if root.parameter is not None else None
        if purpose is not None:
            return Keep(purpose)
    return Keep(Purpose.GUARDED(name=site.name)) if _is_guarded(site) else None


def _is_guarded(site: Site) -> bool:
    """Tell whether a test, or the mode in which all callers call the function, keeps autograd from recording."""
    mode, module, scope = site.write.record.mode, site.program.module, site.run.scope
    if not mode.is_of_caller or is_backward(module, scope):
        return False
    is_tested = mode is GradMode.WITHOUT_GRAPH and site.is_untracked()
    return is_tested or (not module.is_named_elsewhere(scope.name) and is_kept_from_autograd(site.program, scope))


def _may_be_selected(site: Site) -> bool:
    """Tell whether the written tensor is a copy unless its index has no dimensions: `y = self.weight[i]; y *= k`."""
    bases = [site.state.bases.get(o) for o in site.value.objs]
    is_new = all(base is not None and base.link is Link.MAYBE for base in bases)
    return is_new and isinstance(site.write.target, ast.Name)


def is_like_a_parameter(site: Site) -> bool:
    """Tell whether the write goes to `layer.weight` or `layer.bias` of an object of which nothing is known.

    The code itself may replace that by another parameter, in some rounds of a loop or on some paths only.
    """
    if not site.write.record.records or site.write.data is not None or site.write.kind is WriteKind.DATA:
        return False
    roots = site.roots()
    read = [o for o in roots if o.origin is Origin.ATTRIBUTE and o not in site.state.bases]
    made = [o for o in roots if o.origin is Origin.REGISTERED]
    if not all(torchapi.is_registered_name(o.label.rsplit(".", 1)[-1]) for o in read):
        return False
    others = (o for o in roots if o not in site.state.bases and o not in (*read, *made))
    return bool(read) and all(o.label == PARAMETER_MADE for o in made) and not any(others)


def _marks_dirty(site: Site) -> bool:
    """Tell whether a custom function says of what it writes that it does: `ctx.mark_dirty(x)`."""
    calls = site.run.scope.of(ast.Call)
    marked = [a for call in calls if getattr(call.func, "attr", "") == "mark_dirty" for a in call.args]
    roots = site.roots()
    values = (site.run.values.get(node) for node in marked)
    return any(value is not None and value.objs & roots for value in values)


def _writes_gradient_of_others(site: Site) -> bool:
    """Tell whether the backward of a custom function writes a gradient that it was given."""
    is_given = any(root.parameter is not None for root in site.roots())
    return is_given and is_backward(site.program.module, site.run.scope)


def _sets_parameter(site: Site) -> bool:
    """Tell whether the write puts values without a graph into what is named like a parameter: `m.weight.data = w`."""
    kind, node = site.write.kind, site.write.target
    if any(map(can_be_tracked, site.write.operands)):
        return False
    while kind is WriteKind.STORE and isinstance(node, ast.Subscript):
        node = node.value
    if kind is not WriteKind.DATA:
        is_new = kind is WriteKind.STORE or (kind is WriteKind.METHOD and site.replaces_all())
        if not is_new or not is_tensor_data(node, site.run.values):
            return False
        node = node.value
    if not isinstance(node, ast.Attribute) or not torchapi.is_registered_name(node.attr):
        return False
    return not may_be_computed(site.program.module, node.attr) and site.harm()[0] is not Harm.HARMFUL


def is_optimised(site: Site) -> bool:
    """Tell whether the scope asks for the gradient of the written leaf, or hands the leaf to an optimizer."""
    return has_gradient_read(site) or has_optimizer(site)


def has_optimizer(site: Site) -> bool:
    """Tell whether the scope hands the written tensor to an optimizer: `torch.optim.SGD([x], lr=0.1)`."""
    calls = site.run.scope.of(ast.Call)
    given = (n for call in calls if _makes_optimizer(site, call) for a in call.args for n in ast.walk(a))
    values = (site.run.values.get(node) for node in given if isinstance(node, ast.Name))
    return any(value is not None and value.objs & site.roots() for value in values)


def _makes_optimizer(site: Site, call: ast.Call) -> bool:
    return (site.program.module.qualified(site.run.scope, call.func) or "").startswith("torch.optim.")


def has_gradient_read(site: Site) -> bool:
    """Tell whether the function asks for the gradient of the written tensor, which is then a leaf being optimised."""
    return any(reads_of_gradient(site.run, site.owners()))
