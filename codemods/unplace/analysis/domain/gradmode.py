"""Whether autograd records operations at a point of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from unplace.analysis.domain.refs import Named, alternatives
from unplace.analysis.domain.values import Value
from unplace.analysis.syntax.nodes import code_of
from unplace.torchapi import modes


class GradMode(Enum):
    """The grad mode that the code itself sets, or asks for; `CALLER` where a caller may have set any."""

    CALLER = "as the caller has it"
    EITHER = "on or off"
    ENABLED = modes.ENABLE_GRAD
    DISABLED = modes.NO_GRAD
    INFERENCE = modes.INFERENCE_MODE
    FUNCTION = "an autograd.Function"
    OPTIMIZER = "an optimizer"
    FOUND_OFF = "off, by a test"
    WITHOUT_GRAPH = "as the caller has it; a test shows tensors without a graph"
    EVALUATING = "as the caller has it, while the module isn't trained"

    @property
    def is_of_caller(self) -> bool:
        """Tell whether the code sets no mode, so that it is the caller's."""
        return self in _OF_CALLER


_OF_CALLER = frozenset([GradMode.CALLER, GradMode.WITHOUT_GRAPH, GradMode.EVALUATING])
_RECORDING = _OF_CALLER | {GradMode.ENABLED, GradMode.EITHER}
_BY_TEST = _OF_CALLER | {GradMode.ENABLED, GradMode.FOUND_OFF}


class Record(NamedTuple):
    """The grad mode at a point, and what set it where nothing tells whether it is on or off."""

    mode: GradMode = GradMode.CALLER
    switch: ast.AST | None = None

    @property
    def records(self) -> bool:
        """Tell whether autograd may record operations."""
        return self.mode in _RECORDING

    @property
    def is_trained(self) -> bool:
        """Tell whether autograd may record operations that a gradient will be asked of."""
        return self.records and self.mode is not GradMode.EVALUATING


AS_CALLED = Record()


def joined(records: Iterable[Record]) -> Record:
    """Return what is known of the grad mode where ways meet: a test that both its outcomes lead past tells nothing."""
    first, *others = dict.fromkeys(records)
    if not others:
        return first
    every = (first, *others)
    if all(record.mode in _BY_TEST for record in every):
        return AS_CALLED
    switch = next((record.switch for record in every if record.switch is not None), None)
    return Record(GradMode.EITHER, switch)


def entered(value: Value, node: ast.expr, before: Record) -> Record:
    """Return what holds inside `with node:`, or under the decorator `@node`, whose callee evaluates to `value`."""
    refs = alternatives(value.ref)
    found = [_mode(ref.qualified, node) if isinstance(ref, Named) else None for ref in refs]
    if not any(found):
        return before
    mode = found[0] if len(refs) == 1 else None
    return Record(GradMode.EITHER, node) if mode in (None, GradMode.EITHER) else Record(mode)


def turns_autocast_on(context: ast.expr) -> bool:
    """Tell whether `with context:` may turn autocast on, as it does unless it has `enabled=False`."""
    flags = (k.value for k in context.keywords if k.arg == "enabled") if isinstance(context, ast.Call) else ()
    is_off = any(isinstance(flag, ast.Constant) and not flag.value for flag in flags)
    return "autocast" in code_of(context) and not is_off


def _mode(name: str, node: ast.expr) -> GradMode | None:
    """Return the mode that a context manager of torch sets; None where it sets none."""
    constant = constant_flag(node)
    if name == modes.NO_GRAD:
        return GradMode.DISABLED
    if name == modes.ENABLE_GRAD:
        return GradMode.ENABLED
    if name == modes.INFERENCE_MODE:
        return GradMode.ENABLED if constant is False else GradMode.INFERENCE
    if name == modes.SET_GRAD_ENABLED:
        if constant is None:
            return GradMode.EITHER
        return GradMode.ENABLED if constant else GradMode.DISABLED
    return None


def constant_flag(node: ast.expr) -> object:
    """Return what a mode is called with, where that is written out: False for `torch.set_grad_enabled(False)`."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []
    return given[0].value if given and isinstance(given[0], ast.Constant) else None
