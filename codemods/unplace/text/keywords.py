"""Adds keyword arguments to calls, and takes them out."""

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


def without_keyword(text: Text, call: ast.Call, name: str) -> Edit | None:
    """Return the edit that takes a keyword argument out of a call; None where it has none."""
    found = next((k for k in call.keywords if k.arg == name), None)
    if found is None:
        return None
    start, end = text.span(found)
    before = text.text[:start].rstrip()
    if before.endswith(","):
        return Edit(len(before) - 1, end, "")
    after = text.text[end:]
    rest = after.lstrip()
    return Edit(start, end + (len(after) - len(rest[1:].lstrip()) if rest.startswith(",") else 0), "")
