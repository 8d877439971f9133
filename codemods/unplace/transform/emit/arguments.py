"""Removal of an argument from a call."""

from __future__ import annotations

import libcst as cst

from unplace.transform.emit.snippet import Change


def drop_argument(position: int | None, keyword: str) -> Change:
    """Return the change that removes the argument passed by this keyword, or else at this position."""

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        for index, argument in enumerate(node.args):
            if argument.keyword is not None and argument.keyword.value == keyword:
                return _without(node, index)
        assert position is not None
        return _without(node, position)

    return change


def _without(call: cst.Call, index: int) -> cst.Call:
    """Remove one argument from a call; the comma and blanks after the last argument stay as they were."""
    args = list(call.args)
    removed = args.pop(index)
    if not args:
        return call.with_changes(args=args, whitespace_before_args=cst.SimpleWhitespace(""))
    if index == len(args):
        args[-1] = args[-1].with_changes(comma=removed.comma, whitespace_after_arg=removed.whitespace_after_arg)
    return call.with_changes(args=args)
