"""Underscore function: `torch.relu_(x)` becomes `x = torch.relu(x)`.

`torch.relu_`, `torch.sigmoid_`, `F.leaky_relu_` and the like write into their first argument and return it, as the
methods do (UNP002).

    torch.relu_(x)
    y = F.leaky_relu_(x, 0.1)

    x = torch.relu(x)
    y = x = F.leaky_relu(x, 0.1)

Kept: `nn.init.*_` and `clip_grad_norm_`, whose purpose is to write.

Not rewritten: names imported with `from torch import relu_`, because the functional name isn't imported.
"""

from __future__ import annotations

import ast

import libcst as cst

from unplace import torchapi
from unplace.analysis.syntax.bindings import last_name
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.transform import casts
from unplace.transform.emit.snippet import Change
from unplace.transform.legality import without_counterpart
from unplace.transform.rule import CallRule, missing
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse

FORMS = (Form.FUNCTION,)


class Functions(CallRule):
    """The rule UNP007: see the module's docstring."""

    code = "UNP007"

    def missing(self, site: Site) -> Reason | None:
        """Return why the function without its underscore can't be used; None if it can."""
        function = torchapi.inplace_function(site.write.name)
        return None if function is None or function.functional is None else missing(site, function.functional)

    def functional(self, site: Site) -> Change | Refuse:
        """Return the change to the function without its underscore."""
        function = torchapi.inplace_function(site.write.name)
        assert function is not None
        if function.functional is None:
            return Refuse(without_counterpart(site.write.name, function.reason))
        counterpart = function.functional.rsplit(".", 1)[-1]
        node = site.node
        assert isinstance(node, ast.Call)
        own_name = site.write.name.rsplit(".", 1)[-1]
        if last_name(node.func) != own_name:
            return Refuse(Refusal.CALLED_OTHERWISE(called=own_name))
        if not isinstance(node.func, ast.Attribute):
            return Refuse(Refusal.NOT_IMPORTED(name=function.functional))

        is_cast, dtype = casts.casts(site), casts.of_target(site)
        if is_cast and dtype is None:
            return Refuse(Refusal.ARGUMENT_DTYPE(name=site.write.name))

        def change(updated: cst.CSTNode) -> cst.CSTNode:
            assert isinstance(updated, cst.Call)
            assert isinstance(updated.func, cst.Attribute)
            call = updated.with_changes(func=updated.func.with_changes(attr=cst.Name(counterpart)))
            return casts.cast(call, dtype) if is_cast and dtype is not None else call

        return change


RULE = Functions()
