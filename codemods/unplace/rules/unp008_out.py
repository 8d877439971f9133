"""`out=`: `torch.add(a, b, out=c)` becomes `c = torch.add(a, b)`.

With `out=`, a function writes its result into a tensor that exists already. Autograd refuses that for inputs that
require grad.

    product = torch.empty(3)
    torch.mul(x, w, out=product)

    product = torch.empty(3)
    product = torch.mul(x, w)

Rewritten: `out` is a plain name or a tuple of names. Nobody else may see the tensor, and it must have the dtype of the
result, because `out` decides the dtype.

Not rewritten: rows and other views given as `out`, and tensors that come from a caller, an attribute or a global.
Others read the result there.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.diagnostics.forms import Form
from unplace.diagnostics.refusals import Refusal
from unplace.transform.casts import is_passed_with_wider, result_dtype
from unplace.transform.emit.arguments import drop_argument
from unplace.transform.emit.snippet import Change
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse

FORMS = (Form.OUT_ARGUMENT,)


class OutArgument(CallRule):
    """The rule UNP008: see the module's docstring."""

    code = "UNP008"

    def functional(self, site: Site) -> Change | Refuse:
        """Return the change that drops `out` from the call."""
        target = site.write.target
        is_put_back = site.options.functional and isinstance(site.statement, ast.Expr)
        if not isinstance(target, ast.Name | ast.Tuple) and not is_put_back:
            return Refuse(Refusal.NOT_A_PLAIN_NAME(name=site.name))
        if site.options.preserve_dtype and (site.value.dtype is None or site.value.dtype != result_dtype(site)):
            return Refuse(Refusal.OUT_DTYPE_UNKNOWN(name=site.name))
        if isinstance(target, ast.Name) and self._changes_dtype(site):
            return Refuse(Refusal.OUT_DTYPE(name=site.name))
        if is_passed_with_wider(site):
            return Refuse(Refusal.OUT_DTYPES(name=site.name))
        return drop_argument(None, "out")

    def _changes_dtype(self, site: Site) -> bool:
        """Tell whether the result is known to have another dtype than the tensor it is written into."""
        operator = torchapi.function(site.write.name)
        dtype = "bool" if operator is not None and operator.result_bool else result_dtype(site)
        own = site.value.dtype
        if own in (None, "default") or not isinstance(own, str):
            return isinstance(dtype, str) and isinstance(own, str) and dtype != own
        return dtype != own  # made with a dtype of its own


RULE = OutArgument()
