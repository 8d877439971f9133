"""Which tensor a call of torch works on: the receiver of a method, the first argument of a function."""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.interpret.run import Run


def operands(run: Run, call: ast.Call) -> list[ast.expr] | None:
    """The tensor that a call works on, and behind it the other positional arguments; None where that can't be told.

    A function of torch is told by its imported name. Whatever is looked up on something else is a method, also where
    nothing is known of what it is looked up on.
    """
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    qualified = run.program.module.qualified(run.scope, call.func)
    if qualified is not None:
        return list(call.args) if call.args and torchapi.function(qualified) is not None else None
    return [call.func.value, *call.args] if isinstance(call.func, ast.Attribute) else None
