"""Recognises in-place operations that are wanted: a function documents that it writes an argument, or has a flag."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import default_for
from unplace.diagnostics.catalogue import Refusal
from unplace.diagnostics.reasons import Reason

_IN_PLACE = re.compile(r"\bin[- ]?place\b", re.IGNORECASE)
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
    if not is_called and node.name.endswith("_") and node.name.strip("_") and not node.name.endswith("__"):
        return Refusal.NAMED_SO(function=node.name)
    text = ast.get_docstring(node, clean=False)
    if text is None or not _IN_PLACE.search(text) or any(_FLAG.fullmatch(a.arg) for a in scope.parameters):
        return None
    return Refusal.DOCUMENTED_SO(function=node.name)


def _is_left_out(scope: Scope, parameter: str) -> bool:
    """Tell whether a parameter defaults to None."""
    default = default_for(scope, parameter)
    return isinstance(default, ast.Constant) and default.value is None


def flag_around(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> str | None:
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
