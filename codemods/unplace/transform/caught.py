"""Names the risk of writes whose errors the code handles: out of place, the operands may be broadcast to more elements.

try:
    h *= k
except RuntimeError:            in place, a `k` of more dimensions than `h` gets here
    failed.append(k)
"""

from __future__ import annotations

import ast
import builtins

from unplace.analysis.domain.dtypes import is_floating
from unplace.analysis.domain.values import TENSOR, UNKNOWN
from unplace.analysis.syntax.flow import TRIES
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Line, Reason
from unplace.transform import casts
from unplace.transform.sites import Site

_SUPPRESSING = "contextlib.suppress"


def risk(site: Site) -> tuple[Reason, ...]:
    """Return the assumption that a write doesn't raise; nothing where no error is handled, or the shapes are equal."""
    shape = site.value.shape
    unsure = [o for o in site.write.operands if o.may_be(TENSOR | UNKNOWN) and (shape is None or o.shape != shape)]
    is_open = (bool(unsure) and not casts.is_scalar(site)) or _may_not_cast(site)
    spot = site.run.flow.spot(site.statement) if is_open else None
    if spot is None or not any(_catches(site, guard) for guard in spot.guards):
        return ()
    return (Assumption.BROADCASTS(line=Line(site.statement.lineno), name=site.name),)


def _may_not_cast(site: Site) -> bool:
    """Tell whether integers or truth values may be written that out of place become floats: `counts += 0.5` raises."""
    if is_floating(site.value.dtype):
        return False
    return not all(o.dtype is not None and o.dtype == site.value.dtype for o in site.write.operands)


def _catches(site: Site, guard: ast.stmt) -> bool:
    """Tell whether a statement handles an error of its body and goes on."""
    if isinstance(guard, TRIES):
        handlers: list[ast.ExceptHandler] = getattr(guard, "handlers", [])
        return any(_takes(handler) and not isinstance(handler.body[-1], ast.Raise) for handler in handlers)
    module, scope = site.program.module, site.run.scope
    managers = [item.context_expr for item in guard.items] if isinstance(guard, ast.With | ast.AsyncWith) else []
    return any(isinstance(m, ast.Call) and module.qualified(scope, m.func) == _SUPPRESSING for m in managers)


def _takes(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler may be one for a RuntimeError, which torch raises where shapes don't fit."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = [getattr(builtins, kind.id, None) if isinstance(kind, ast.Name) else None for kind in kinds]
    return any(not isinstance(each, type) or issubclass(RuntimeError, each) for each in known)
