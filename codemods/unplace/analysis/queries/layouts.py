"""Recognises calls that ask for a particular memory layout (pinned, strided); writes to that memory are wanted."""

from __future__ import annotations

import ast

from unplace.analysis.syntax.bindings import last_name
from unplace.diagnostics.catalogue import Layout
from unplace.torchapi import modes

LASTING = frozenset([Layout.STRIDED, Layout.PINNED, Layout.SHARED])
"""The layouts that the result of an out-of-place operation never has."""

_BY_NAME = {
    **dict.fromkeys(modes.OWN_STRIDES, Layout.STRIDED),
    **dict.fromkeys(modes.FORMATTED, Layout.FORMAT),
    **dict.fromkeys(modes.PINNING, Layout.PINNED),
    **dict.fromkeys(modes.SHARING, Layout.SHARED),
}


def layout_of(call: ast.Call) -> Layout | None:
    """Return the memory layout that a call asks for; None where it is the usual one."""
    for keyword in call.keywords:
        is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value in (False, None)
        if keyword.arg == "pin_memory" and not is_off:
            return Layout.PINNED
        if keyword.arg == "memory_format" and not is_off and last_name(keyword.value) not in modes.USUAL_FORMATS:
            return Layout.FORMAT
    return _BY_NAME.get(last_name(call.func) or "")
