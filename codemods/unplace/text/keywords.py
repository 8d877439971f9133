"""Adds keyword arguments to calls."""

from __future__ import annotations

import ast

from unplace.text.edits import Edit
from unplace.text.positions import Text


def with_keyword(text: Text, call: ast.Call, keyword: str) -> Edit:
    """Return the edit that adds a keyword argument to a call."""
    last = max((text.span(node)[1] for node in (*call.args, *(k.value for k in call.keywords))), default=None)
    if last is None:
        end = text.span(call)[1] - 1
        return Edit(end, end, keyword)
    return Edit(last, last, f", {keyword}")
