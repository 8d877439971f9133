"""Parsed modules, the last few kept: the rounds over a file and the check of what they made parse the same texts."""

from __future__ import annotations

import ast
from functools import lru_cache

_KEPT = 4
"""A file before, after most rounds, and after the last but one."""


@lru_cache(_KEPT)
def parsed(text: str) -> ast.Module:
    """The tree of a module, which nobody may change; raises `SyntaxError` where CPython's parser does."""
    return ast.parse(text)
