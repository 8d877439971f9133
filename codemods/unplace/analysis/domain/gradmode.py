"""Grad mode: whether autograd records operations at a point of the program."""

from __future__ import annotations

import ast
from enum import Enum

from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import Value
from unplace.torchapi import modes


class GradMode(Enum):
    """The grad mode that the code itself sets; `CALLER` where it sets none and a caller may have set any."""

    CALLER = "as the caller has it"
    ENABLED = modes.ENABLE_GRAD
    DISABLED = modes.NO_GRAD
    INFERENCE = modes.INFERENCE_MODE
    FUNCTION = "an autograd.Function"
    OPTIMIZER = "an optimizer"

    @property
    def records(self) -> bool:
        """Tell whether autograd may record operations."""
        return self is GradMode.CALLER or self is GradMode.ENABLED


def entered(value: Value, node: ast.expr, before: GradMode) -> GradMode:
    """Return the mode inside `with node:`, or under the decorator `@node`, whose callee evaluates to `value`."""
    ref = value.ref
    if not isinstance(ref, Named):
        return before
    name = ref.qualified
    argument = _argument(node)
    constant = constant_flag(node)
    if name == modes.NO_GRAD:
        return GradMode.DISABLED
    if name == modes.ENABLE_GRAD:
        return GradMode.ENABLED
    if name == modes.INFERENCE_MODE:
        return GradMode.ENABLED if constant is False else GradMode.INFERENCE
    if name == modes.SET_GRAD_ENABLED:
        if constant is None:
            return before if argument is None else GradMode.CALLER
        return GradMode.ENABLED if constant else GradMode.DISABLED
    return before


def constant_flag(node: ast.expr) -> object:
    """Return what a mode is called with, where that is written out: False for `torch.set_grad_enabled(False)`."""
    argument = _argument(node)
    return argument.value if isinstance(argument, ast.Constant) else None


def _argument(node: ast.expr) -> ast.expr | None:
    given = [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []
    return given[0] if given else None
