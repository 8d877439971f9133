"""Respects those who handle the error of a write: out of place there is none.

In place the target keeps its shape and dtype, and a leaf may not be written. So an operand of more dimensions, a
fraction for an integer, or a leaf makes the write raise, where its functional form returns something.

try:
    h *= k
except RuntimeError:            in place, a `k` of more dimensions than `h` gets here
    failed.append(k)
"""

from __future__ import annotations

from dataclasses import replace

from unplace import torchapi
from unplace.analysis.domain.dtypes import is_complex, is_floating
from unplace.analysis.domain.values import DISCRETE, TENSOR, UNKNOWN, Origin
from unplace.analysis.project.handling import handler_of
from unplace.analysis.queries.forbidden import looked_into
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Line
from unplace.diagnostics.refusals import Refusal
from unplace.transform import casts
from unplace.transform.sites import Site
from unplace.transform.verdicts import Collect, CopySaved, Inline, Keep, Plain, Rebind, Refuse, Split, Verdict

_OUT_OF_PLACE = (Rebind, Inline, Split)


def respected(chain: tuple[Site, ...], verdict: Verdict) -> Verdict:
    """Return a recipe with the assumption that no write of a chain raises, where the run handles such an error.

    Refuse it where a handler stands around the write or names the error of torch, or the write raises for certain.
    Recipes that keep the write keep its error, too, unless torch forbids the write.
    """
    if isinstance(verdict, Keep | Refuse):
        return verdict
    is_moved = isinstance(verdict, _OUT_OF_PLACE)
    is_certain = any(site.forbidden() is not None or (is_moved and _raises(site)) for site in chain)
    is_risky = is_moved and any(map(_may_raise, chain))
    is_allowed = not isinstance(verdict, CopySaved | Collect | Plain) and any(map(_may_be_forbidden, chain))
    is_open = is_certain or is_risky or is_allowed
    spot = chain[0].run.flow.spot(chain[0].statement) if is_open else None
    handler = handler_of(chain[0].run.scope, spot.guards) if spot is not None else None
    if handler is not None and (handler.is_meant or is_certain):
        return Refuse(Refusal.HANDLED(line=handler.line, name=chain[0].name))
    if handler is None or not is_risky:
        return verdict
    fits = Assumption.BROADCASTS(line=Line(chain[0].statement.lineno), name=chain[0].name)
    return replace(verdict, assumptions=(*verdict.assumptions, fits))


def _may_be_forbidden(site: Site) -> bool:
    """Tell whether torch may forbid the write: nobody sees what the tensor is, or it is a view of another one."""
    objs = looked_into(site.state, site.value.objs)
    return objs != site.value.objs or any(obj.origin is not Origin.FRESH for obj in objs)


def _raises(site: Site) -> bool:
    """Tell whether the write stores numbers in truth values, fractions in integers, or complex numbers in others."""
    dtype, operands = site.value.dtype, site.write.operands
    if (is_floating(dtype) or dtype in DISCRETE) and casts.is_imaginary(site):
        return True
    if dtype == "bool":
        return any(o.dtype != "bool" for o in operands)
    is_fraction = casts.is_division(site) or any(is_floating(o.dtype) for o in operands)
    return dtype in DISCRETE and (is_fraction or casts.is_fraction(site))


def _may_raise(site: Site) -> bool:
    """Tell whether an operand may have more dimensions than the target, or a dtype that isn't cast to the target's."""
    if site.write.kind is WriteKind.OUT:
        return True
    shape, dtype = site.value.shape, site.value.dtype
    operands = [o for o in site.write.operands if o.may_be(TENSOR | UNKNOWN)]
    is_wide = not casts.is_scalar(site) and any(shape is None or o.shape != shape for o in operands)
    if is_wide and _broadcasts(site):
        return True
    if not casts.promotes(site):
        return not operands and not is_floating(dtype) and _broadcasts(site)
    if is_floating(dtype):
        return casts.is_imaginary(site) or any(is_complex(o.dtype) for o in operands)
    is_divided = casts.is_division(site)
    return is_divided or any(o.dtype is None or o.dtype != dtype for o in operands) or not casts.is_integral(site)


def _broadcasts(site: Site) -> bool:
    """Tell whether the functional form has the shape to which its operands are broadcast."""
    operator = torchapi.tensor_method(site.write.short_name)
    return operator is None or operator.elementwise
