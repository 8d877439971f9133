"""Patterns of computed texts: `f"layer{i}"`, `"layer%d" % i` and `"layer" + str(i)` are all `layer*`."""

from __future__ import annotations

import ast
import re

WILD = "*"
"""The part of a pattern that stands for any text."""

_FIELDS = re.compile(r"%[-#0 +]*\d*\.?\d*[diouxXeEfFgGcrsa]|\{[^{}]*\}")


def text_pattern(node: ast.expr) -> str:
    """Return the pattern of the texts that an expression gives; `*` where nothing is known of them."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) and WILD not in node.value else WILD
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else WILD for part in node.values]
        return _joined([part if isinstance(part, str) else WILD for part in parts])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([text_pattern(node.left), text_pattern(node.right)])
    form = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        form = node.func.value
    if isinstance(form, ast.Constant) and isinstance(form.value, str):
        return _joined([_FIELDS.sub(WILD, form.value)])
    return WILD


def _joined(parts: list[str]) -> str:
    return re.sub(r"\*+", WILD, "".join(parts))


def may_match(first: str, second: str) -> bool:
    """Tell whether a text can have both patterns."""
    if WILD not in first:
        return second == first or (WILD in second and may_match(second, first))
    head, tail = first.partition(WILD)[0], first.rpartition(WILD)[2]
    if WILD not in second:
        return len(second) >= len(head) + len(tail) and second.startswith(head) and second.endswith(tail)
    other_head, other_tail = second.partition(WILD)[0], second.rpartition(WILD)[2]
    heads = head.startswith(other_head) or other_head.startswith(head)
    return heads and (tail.endswith(other_tail) or other_tail.endswith(tail))
