"""Keeps the last few parsed modules: the rounds over a file and the check of the result parse the same texts."""

from __future__ import annotations

import ast
from functools import lru_cache

_KEPT = 4
"""The number of trees kept: a file before, after most rounds, and after the last but one."""


@lru_cache(_KEPT)
def parsed(text: str) -> ast.Module:
    """Return the tree of a module, which must not be changed; raise `SyntaxError` where CPython can't parse it."""
    return ast.parse(text)
