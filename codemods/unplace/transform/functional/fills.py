"""Fills that no method does out of place: `copy_`, and random numbers where a function draws the same ones."""

from __future__ import annotations

import ast

import libcst as cst

from unplace.analysis.domain.values import NUMBER
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi.draws import DRAWING, SINCE, Draw
from unplace.torchapi.results import FILLED
from unplace.transform.emit.snippet import Change, expression, parenthesized
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse


def filled(site: Site) -> Change | Refuse:
    """Turn `copy_` or a random fill of a tensor into the tensor that it makes."""
    return _copied() if site.write.name == "copy_" else _drawn(site)


def _drawn(site: Site) -> Change | Refuse:
    draw, call = DRAWING.get(site.write.name), site.node
    assert isinstance(call, ast.Call)
    if draw is None or not _is_drawn_alike(site, draw, call):
        return Refuse(Refusal.DRAWN_OTHERWISE(name=ast.unparse(call)))
    is_short = draw.short is not None and not call.keywords and len(call.args) in draw.given
    qualified = draw.short if is_short and draw.short is not None else draw.function
    target = site.options.target_torch
    if qualified == draw.function and target is not None and target < SINCE:
        return Refuse(Refusal.TOO_NEW(name=qualified, since=str(SINCE), target=str(target)))
    written = site.program.module.name_for(site.run.scope, qualified)
    if written is None:
        return Refuse(Refusal.TORCH_NOT_IMPORTED(name=qualified))

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        return node.with_changes(func=expression(written), args=[cst.Arg(node.func.value), *node.args])

    return change


def _is_drawn_alike(site: Site, draw: Draw, call: ast.Call) -> bool:
    """Tell whether the memory is laid out so that the function draws each element its number."""
    if draw.is_contiguous:
        values = map(site.run.values.get, (*call.args, *(keyword.value for keyword in call.keywords)))
        made = [(obj.operator or "").removeprefix("new_") in FILLED for obj in site.value.objs]
        return (
            all(made) and site.layout() is None and all(value is not None and value.must_be(NUMBER) for value in values)
        )
    return not draw.is_dense or all(obj not in site.state.bases for obj in site.value.objs)


def _copied() -> Change:
    """Turn `y.copy_(v)` into `v.expand_as(y).to(y, copy=True)`: broadcast, converted, and new memory."""

    def change(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        target, source = node.func.value, node.args[0].value
        if not isinstance(source, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
            source = parenthesized(source)
        spread = cst.Call(cst.Attribute(source, cst.Name("expand_as")), [cst.Arg(target)])
        plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        copied = cst.Arg(cst.Name("True"), cst.Name("copy"), plain)
        return cst.Call(cst.Attribute(spread, cst.Name("to")), [cst.Arg(target), copied])

    return change
