"""Finds the tensor that a call of torch works on: the receiver of a method, the first argument of a function."""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.interpret.run import Run


def operands(run: Run, call: ast.Call) -> list[ast.expr] | None:
    """Return the tensor that a call works on, followed by the other positional arguments; None where it isn't known.

    A function of torch is recognised by its imported name. An attribute of anything else is taken for a method, even
    where nothing is known of its receiver.
    """
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    qualified = run.program.module.qualified(run.scope, call.func)
    if qualified is not None:
        return list(call.args) if call.args and torchapi.function(qualified) is not None else None
    return [call.func.value, *call.args] if isinstance(call.func, ast.Attribute) else None
