"""Calls of a custom `autograd.Function`, whose forward says what it saves for backward.

class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

y = Exponential.apply(x)            saves `y`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import TENSOR, UNKNOWN, Value
from unplace.analysis.effects.effect import RESULT
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes


def is_applied(of: Class, name: str) -> bool:
    """Tell whether `of.name(...)` runs a custom function."""
    return name == "apply" and of.derives_from(modes.FUNCTION)


def note_saved(run: Run, node: ast.Call, of: Class, arguments: Arguments, made: Value, state: State) -> None:
    """Record what a custom function saves of its arguments and of the value `made` of them."""
    forward = next((scope for scope in of.scope.inner if scope.name == "forward"), None)
    if forward is None or not arguments.exact:
        return
    called = f"{of.node.name}.apply()"
    parameters = [p.arg for p in forward.parameters][1:]
    given = dict(zip(parameters, arguments.positional, strict=False))
    saved = set(_saved(forward))
    for name in sorted(saved & given.keys()):
        if given[name].may_be(TENSOR | UNKNOWN):
            run.save(state, given[name], called, node)
    returns = [n.value for n in forward.nodes if isinstance(n, ast.Return)]
    if returns and all(isinstance(value, ast.Name) and value.id in saved - given.keys() for value in returns):
        run.save(state, made, called, node, RESULT)


def _saved(forward: Scope) -> Iterator[str]:
    """Iterate over the names that a forward gives to `ctx.save_for_backward`."""
    for node in forward.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "save_for_backward":
                yield from (argument.id for argument in node.args if isinstance(argument, ast.Name))
