"""Pieces of source that are put together to new expressions."""

from __future__ import annotations

import ast

from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.transform.sites import Site

_PRIMARY = (ast.Attribute, ast.Call, ast.Constant, ast.List, ast.Name, ast.Subscript, ast.Tuple)


class InexpressibleError(Exception):
    """Raised where no functional expression does what a store does; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason."""
        super().__init__(str(reason))
        self.reason = reason


def method(receiver: str, name: str, *arguments: str) -> str:
    """Return the call of a method, with parentheses around the receiver where it needs them."""
    return f"{bracketed(receiver)}.{name}({', '.join(arguments)})"


def bracketed(code: str) -> str:
    """Return an expression fit to stand before a dot or a bracket."""
    try:
        node = ast.parse(code, mode="eval").body
    except SyntaxError:  # several lines without brackets of their own
        return f"({code})"
    is_number = isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes)
    is_open = not isinstance(node, _PRIMARY) or (isinstance(node, ast.Tuple) and not code.startswith("("))
    return f"({code})" if is_open or is_number else code


def torch_name(site: Site, qualified: str) -> str:
    """Return a function of torch as the file calls it; raise `InexpressibleError` where it doesn't import torch."""
    written = site.program.module.name_for(site.run.scope, qualified)
    if written is None:
        raise InexpressibleError(Refusal.TORCH_NOT_IMPORTED(name=qualified))
    return written
