"""Memory that is made with a layout or in a place of its own: whoever asks for that wants this very memory written."""

from __future__ import annotations

import ast

from unplace.analysis.syntax.bindings import last_name
from unplace.torchapi import modes

STRIDED = "is made with strides of its own"
FORMAT = "is made in a memory format of its own"
PINNED = "is pinned memory"
SHARED = "is memory shared with other processes or a file"

LASTING = frozenset([STRIDED, PINNED, SHARED])
"""What the result of an operation out of place never has."""

_BY_NAME = {
    **dict.fromkeys(modes.OWN_STRIDES, STRIDED),
    "as_strided": FORMAT,
    "pin_memory": PINNED,
    "share_memory_": SHARED,
    "from_file": SHARED,
}


def layout_of(call: ast.Call) -> str | None:
    """What a call asks for besides the values; None where that is nothing."""
    for keyword in call.keywords:
        is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value in (False, None)
        if keyword.arg == "pin_memory" and not is_off:
            return PINNED
        if keyword.arg == "memory_format" and not is_off and last_name(keyword.value) not in modes.USUAL_FORMATS:
            return FORMAT
    return _BY_NAME.get(last_name(call.func) or "")
