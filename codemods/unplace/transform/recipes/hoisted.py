"""Values computed before a clone that stands there already, for a store that would overwrite what computing them saves.

    x = x.clone()                       new_x = conv(x[:, :n])
    x[:, :n] = conv(x[:, :n])           x = x.clone()
                                        x[:, :n] = new_x

Nothing is copied that wasn't before. The value must not tell the tensor from its clone: torch's own operations and
layers alone read it, none of them by its strides, and nothing writes the tensor in this function.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.refs import TorchModule
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import WriteKind
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.emit.layout import put_before, standing_alone
from unplace.transform.emit.naming import name_for
from unplace.transform.emit.wrapping import wrapped
from unplace.transform.normal_form import makes_clone
from unplace.transform.rule import is_computed_before
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Copy


def before_clone(site: Site, copy: Copy, text: Text) -> Aside | None:
    """Return the edits that compute the stored value before the clone; None where that isn't the same."""
    statement, clone = site.statement, site.run.flow.before(site.statement)
    if not isinstance(statement, ast.Assign | ast.AugAssign) or clone is None or site.harm()[0] is not Harm.HARMFUL:
        return None
    is_sum = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add | ast.Sub)
    if copy.views or copy.after or copy.assumptions or not (site.write.kind is WriteKind.STORE or is_sum):
        return None
    if not makes_clone(clone, copy.places[0]) or text.indentation(text.span(clone)[0]) is None:
        return None
    value = statement.value
    if not is_computed_before(site, value) or not _is_blind(site, value) or _is_touched(site, clone):
        return None
    name = name_for(site.run.taken_names(), site.node, site.write.target, value)
    start, end = text.span(value)
    indent = text.indentation(text.span(clone)[0]) or ""
    line = wrapped(text, f"{name} = {standing_alone(text.text[start:end])}", indent)
    return Aside((put_before(text, clone, [line]), Edit(start, end, name)), Rewrite.COMPUTED_BEFORE(name=site.name))


def _is_touched(site: Site, clone: ast.stmt) -> bool:
    """Tell whether the function writes the tensor that is cloned, or computing the value writes or keeps the clone."""
    assert isinstance(clone, ast.Assign)
    assert isinstance(clone.value, ast.Call)
    assert isinstance(clone.value.func, ast.Attribute)
    run, state = site.run, site.state
    source = run.values.get(clone.value.func.value)
    if source is None or run.kept_in.get(site.statement, set()) & site.roots():
        return True
    original = state.roots(source.objs)
    return any(
        w.statement is site.statement or state.roots(w.value.objs) & original
        for w in run.all_writes()
        if w is not site.write
    )


def _is_blind(site: Site, value: ast.expr) -> bool:
    """Tell whether computing a value gives the same for a tensor and its clone, and has no other effect."""
    for node in ast.walk(value):
        if isinstance(node, ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Lambda | ast.comprehension):
            return False
        if isinstance(node, ast.Attribute) and node.attr in members.RESTRIDING | members.OF_ONE_OBJECT:
            return False
        if isinstance(node, ast.Call) and not _is_of_torch(site, node):
            return False
    return True


def _is_of_torch(site: Site, call: ast.Call) -> bool:
    """Tell whether a call runs an operator or a layer of torch out of place."""
    callee = site.run.values.get(call.func)
    if callee is not None and isinstance(callee.ref, TorchModule):
        return not callee.ref.inplace
    if call in site.run.followed or call in site.run.unfollowed or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr.endswith("_"):
        return False
    qualified = site.program.module.qualified(site.run.scope, call.func)
    if qualified is not None:
        return torchapi.function(qualified) is not None
    holder = site.run.values.get(call.func.value)
    return holder is not None and holder.is_tensor and torchapi.tensor_method(call.func.attr) is not None
