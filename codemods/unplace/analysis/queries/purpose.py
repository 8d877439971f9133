"""Recognises in-place operations that are wanted: a function documents that it writes an argument, or has a flag."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from unplace.analysis.syntax.bindings import last_name, root_name
from unplace.analysis.syntax.nodes import Parents, code_of, own_nodes
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import default_for
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import modules

_IN_PLACE = re.compile(r"\bin[- ]?place\b", re.IGNORECASE)
_TELLING = frozenset(["debug", "error", "info", "log", "print", "warn", "warning", "write"])
"""The last names of functions that tell people something."""

_FLAG = re.compile(r"_?(?:do_|is_)?in_?place_?")


def documented(scope: Scope, parameter: str, *, is_called: bool) -> Reason | None:
    """Return the reason why callers want an argument written: its parameter's name, the function's name or docstring.

    The docstring of a function with a parameter such as `inplace` doesn't count, because it describes that flag. Nor
    does the function's name count if calls are seen, none of which reads the argument afterwards (`is_called`).
    """
    node = scope.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if parameter == "out" and _is_left_out(scope, parameter):
        return Refusal.OUT_IS_READ(parameter=parameter)
    if not is_called and is_named_in_place(node.name):
        return Refusal.NAMED_SO(function=node.name)
    text = ast.get_docstring(node, clean=False)
    if text is None or not _IN_PLACE.search(text) or any(_FLAG.fullmatch(a.arg) for a in scope.parameters):
        return None
    return Refusal.DOCUMENTED_SO(function=node.name)


def is_named_in_place(name: str) -> bool:
    """Tell whether a function is named like a function of torch that writes its argument: `normalize_`."""
    return name.endswith("_") and bool(name.strip("_")) and not name.endswith("__")


def acts_elsewhere(scope: Scope, written: Collection[str], *, is_called: bool) -> bool:
    """Tell whether a function acts on something other than the arguments that it writes: a metric, a logger.

    self.history.append(scores.mean().item())       METRICS[name] = value       print(scores.sum())

    What only prints counts if calls of the function are seen, none of which reads the argument afterwards.
    """
    others = {argument.arg for argument in scope.parameters if argument.arg not in written}
    outer = scope.free_names()
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and root_name(node) in others | outer:
            return True
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call):
            continue
        root, name = root_name(call.func), last_name(call.func)
        passes_on = any(isinstance(a, ast.Name) and a.id in written for a in call.args)
        if isinstance(call.func, ast.Attribute) and root in others and (not passes_on or name in modules.ADDING):
            return True
        if root in outer and (name in modules.ADDING or (is_called and name in _TELLING)):
            return True
    return False


def _is_left_out(scope: Scope, parameter: str) -> bool:
    """Tell whether a parameter defaults to None."""
    default = default_for(scope, parameter)
    return isinstance(default, ast.Constant) and default.value is None


def flag_around(node: ast.AST, parents: Parents) -> str | None:
    """Return the flag, as written, that asks for an operation: `inplace` in `if inplace: x.add_(1)`."""
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, ast.If | ast.IfExp) and node is not parent.test:
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            test, holds = parent.test, any(n is node for n in body)
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, holds = test.operand, not holds
            name = getattr(test, "attr", None) or getattr(test, "id", None)
            if holds and isinstance(name, str) and _FLAG.fullmatch(name):
                return code_of(test)
        node = parent
    return None
