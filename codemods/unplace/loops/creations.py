"""Reads what an optimizer was given where it was made."""

from __future__ import annotations

import ast
import linecache

from unplace.loops.code import Code


def parameters_given(path: str, span: tuple[int, int, int, int]) -> str:
    """Return the text of the parameters in the call at a place that makes an optimizer; empty where there is none."""
    code = Code.of("".join(linecache.getlines(path)))
    call = code.call_at(span) if code is not None else None
    if call is None:
        return ""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "params")]
    return ast.unparse(given[0]) if given and not isinstance(given[0], ast.Starred) else ""
