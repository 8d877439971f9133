"""Underscore method of a tensor: `y.add_(k)` becomes `y = y.add(k)`.

Methods whose name ends with an underscore write into their tensor and return it, so `y.add_(k)` is `y` itself. If the
result gets a name and `y` is read later, both names are bound (`z = y = y.add(k)`). If `y` isn't read any more, only
the functional method remains, also inside expressions and chains.

    x.sub_(m).div_(s)
    return y.relu_()

    x = x.sub(m).div(s)
    return y.relu()

`zero_` and `fill_` become `torch.zeros_like` and `torch.full_like` (`torch.fill` where the tensor has a graph, which
then gets zero gradients as before). Comparisons keep the dtype of the tensor. If the base of a view is read later, a
method called on the view stays, after a clone of the base.

`copy_` and random fills (`normal_`) are called on a new tensor (`x = torch.empty_like(x).normal_()`), which draws the
same numbers. A call inside an expression moves to a statement before it, if nothing in between can notice.

Where the code asks for the gradient of a leaf, its new values get a name of their own: `new_x = x.mul(2)` (see UNP005).

Not rewritten:

- methods that write no values (`requires_grad_`) or have no functional counterpart (`resize_`, `set_`);
- a call in the header of a loop or branch, if its tensor is read later;
- fills of memory that the function has made (`torch.empty(3).normal_()`);
- a call whose value may be thrown away (`lambda k: p.mul_(k)`), if others may hold the tensor.
"""

from __future__ import annotations

import ast

import libcst as cst

from unplace import torchapi
from unplace.analysis.domain.values import NUMBER
from unplace.analysis.interpret.writes import stays_in_place
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import results
from unplace.transform import casts
from unplace.transform.emit.snippet import Change, expression
from unplace.transform.functional import fills
from unplace.transform.legality import without_counterpart
from unplace.transform.rule import CallRule, missing
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse

FORMS = (Form.METHOD,)


class Methods(CallRule):
    """The rule UNP002: see the module's docstring."""

    code = "UNP002"

    def must_stay(self, site: Site) -> bool:
        """Tell whether no expression does the same."""
        method = torchapi.inplace_method(site.write.name)
        if site.options.functional and method is not None and method.kind != "diagonal":
            return super().must_stay(site)
        return stays_in_place(site.write.kind, site.write.name, site.value) or super().must_stay(site)

    def missing(self, site: Site) -> Reason | None:
        """Return why the functional method, or the function that fills, can't be used; None if it can."""
        method = torchapi.inplace_method(site.write.name)
        assert method is not None
        if method.kind == "fill":
            return missing(site, _fill_function(site))
        if method.functional is None:
            return None
        functional = f"Tensor.{method.functional}"
        node = site.node
        assert isinstance(node, ast.Call)
        if method.functional == "scatter" and any(keyword.arg == "reduce" for keyword in node.keywords):
            functional = "Tensor.scatter(reduce)"
        return missing(site, functional)

    def functional(self, site: Site) -> Change | Refuse:
        """Return the change to the functional method, or to the function that makes the same new tensor."""
        name = site.write.name
        method = torchapi.inplace_method(name)
        assert method is not None
        if method.kind == "fill":
            return _fill(site)
        if method.kind in ("copy", "random"):
            return fills.filled(site) if site.options.functional else _on_new_memory(site)
        if method.functional is None:
            return Refuse(without_counterpart(name, method.reason))
        return _method(site, method.functional)


def _method(site: Site, counterpart: str) -> Change | Refuse:
    dtype = casts.of_target(site)
    is_cast, accumulates = casts.casts(site), casts.accumulates(site)
    if (is_cast or accumulates) and dtype is None:
        return Refuse(Refusal.RECEIVER_DTYPE(name=site.write.name))

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        call = node.with_changes(func=node.func.with_changes(attr=cst.Name(counterpart)))
        if dtype is None:
            return call
        call = casts.told(call, dtype) if accumulates else call
        return casts.cast(call, dtype) if is_cast else call

    return change


def _fill_function(site: Site) -> str:
    """Return the function that makes the filled tensor, with zero gradients if the old one may have a graph."""
    if site.value.graph or not all(o.must_be(NUMBER) for o in site.write.operands):
        return "torch.fill"
    return results.FILLS[site.write.name][0]


def _fill(site: Site) -> Change | Refuse:
    """Turn `zero_` and `fill_` into a new constant tensor."""
    qualified, constant = _fill_function(site), results.FILLS[site.write.name][1]
    written = site.program.module.name_for(site.run.scope, qualified)
    if written is None:
        return Refuse(Refusal.TORCH_NOT_IMPORTED(name=qualified))
    keyword = "fill_value" if qualified == "torch.full_like" else "value"
    extra = [cst.Arg(expression(constant))] if constant and qualified == "torch.fill" else []

    def renamed(argument: cst.Arg) -> cst.Arg:
        return argument if argument.keyword is None else argument.with_changes(keyword=cst.Name(keyword))

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        return node.with_changes(
            func=expression(written), args=[cst.Arg(node.func.value), *map(renamed, node.args), *extra]
        )

    return change


def _on_new_memory(site: Site) -> Change | Refuse:
    """Call `copy_` or a random fill on a new tensor of the same layout: `torch.empty_like(x).normal_()`.

    This keeps their exact effect: `copy_` converts dtype and device and broadcasts, and a random fill draws as many
    numbers as there are elements.
    """
    written = site.program.module.name_for(site.run.scope, "torch.empty_like")
    if written is None:
        return Refuse(Refusal.TORCH_NOT_IMPORTED(name="torch.empty_like"))

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        fresh = cst.Call(func=expression(written), args=[cst.Arg(node.func.value)])
        return node.with_changes(func=node.func.with_changes(value=fresh))

    return change


RULE = Methods()
