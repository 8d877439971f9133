"""Finds writes hidden from autograd, to a tensor that an in-place operation saved: they change its gradient.

    y = F.elu(y, inplace=True)      saves its result
    y.data.clamp_(max=1.0)          changes the saved tensor, without an error

The operation out of place saves its input instead, which gives another gradient.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.module import ModuleIndex, once, uses_by_name
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.forms import WriteKind

_CALLS = (WriteKind.FUNCTION, WriteKind.FLAG, WriteKind.MODULE)


def overwritten_past_autograd(program: Program, write: Write) -> int | None:
    """Return the line of a `.data` write to a tensor that an operation saves in place, but not out of place."""
    if write.kind not in _CALLS or not saves_result_in_place_only(write):
        return None
    label = f"{write.name if write.kind is WriteKind.MODULE else write.name.rsplit('.', 1)[-1]}()"
    return hidden_write_to(program, label)


def hidden_write_to(program: Program, operation: str) -> int | None:
    """Return the line of a `.data` write to a tensor that an operation of this label saved: a copy would not see it."""
    runs = (program.run(scope) for scope in _with_data(program.module))
    hidden = (w for run in runs if run is not None for w in run.writes.values() if _is_hidden(w))
    label = operation.partition(INSIDE)[0]
    return min((w.statement.lineno for w in hidden if label in _saving(w)), default=None)


def saves_result_in_place_only(write: Write) -> bool:
    """Tell whether autograd keeps the result of a write that out of place keeps its input: `F.leaky_relu_(x)`."""
    if not torchapi.saves_result_in_place(write.name):
        return False
    if write.kind is WriteKind.MODULE:
        module = torchapi.module(write.name)
        return module is not None and not module.saves_result
    entry = torchapi.inplace_function(write.name)
    functional = torchapi.function((entry.functional if entry is not None else write.name) or "")
    return functional is not None and not functional.saves & {"*", "result"}


@once
def _with_data(module: ModuleIndex) -> list[Scope]:
    """Return the scopes that have a `.data`: only these can write through it, and have to be walked."""
    return list(
        dict.fromkeys(scope for scope, use in uses_by_name(module).get("data", ()) if isinstance(use, ast.Attribute))
    )


def _is_hidden(write: Write) -> bool:
    """Tell whether a write goes through the `.data` of a tensor; a store to `.data` itself writes no memory."""
    if write.kind is WriteKind.DATA:
        return False
    return write.data is not None or any(o.operator == "data" for o in write.state.roots(write.value.objs))


def _saving(write: Write) -> set[str]:
    """Return the operations that saved the written memory, including those inside called functions."""
    saved = (s for o in write.state.roots(write.value.objs) for s in write.state.saved.get(o, ()))
    return {s.operation.partition(INSIDE)[0] for s in saved}
