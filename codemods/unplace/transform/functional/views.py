"""Inverses of views: what a tensor becomes if a view of it gets other values."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unplace.analysis.domain.values import LIST, NUMBER, SHAPE, TENSOR, TUPLE
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import members
from unplace.transform.functional.code import InexpressibleError, bracketed, method
from unplace.transform.functional.indices import Code
from unplace.transform.sites import Site


def put_back(site: Site, owner: str, view: ast.expr, new: str, code: Code) -> str:
    """Return the code of `owner`, of which an attribute or a call of a method is a view, with new values in the view.

    Raises `InexpressibleError` for views without an inverse.
    """
    if isinstance(view, ast.Attribute) and view.attr in members.SWAPPED:
        return f"{bracketed(new)}.{view.attr}"
    if isinstance(view, ast.Attribute) and view.attr == "data":
        raise InexpressibleError(Refusal.THROUGH_DATA())
    if not isinstance(view, ast.Call) or not isinstance(view.func, ast.Attribute) or view.keywords:
        raise InexpressibleError(Refusal.NO_INVERSE(view=ast.unparse(view)))
    name, arguments = view.func.attr, [code(argument) for argument in view.args]
    if name in members.RESHAPING and all(_is_size(site, argument) for argument in view.args):
        return method(new, "reshape", f"{bracketed(owner)}.shape")
    if name in members.SWAPPING:
        return method(new, name, *arguments)
    if name == "movedim" and len(arguments) == 2:
        return method(new, name, *reversed(arguments))
    if name == "permute" and (order := _order(view.args)) is not None:
        return method(new, name, *(str(order.index(n)) for n in range(len(order))))
    if name in ("select", "diagonal"):
        return method(owner, f"{name}_scatter", new, *arguments)
    if name == "narrow" and len(arguments) == 3 and not arguments[1].startswith("-"):
        dim, start, length = arguments
        end = _sum(view.args[1], view.args[2], start, length)
        return method(owner, "slice_scatter", new, dim, start, end)
    raise InexpressibleError(Refusal.NO_INVERSE(view=ast.unparse(view)))


def _is_size(site: Site, argument: ast.expr) -> bool:
    """Tell whether an argument tells a shape: it isn't the dtype of `z.view(torch.int32)`."""
    value = site.run.values.get(argument)
    return value is not None and value.must_be(NUMBER | SHAPE | TUPLE | LIST | TENSOR)


def _order(arguments: Sequence[ast.expr]) -> list[int] | None:
    """Return the dimensions that `permute` is given, if they are written out; counted from the start."""
    given = arguments[0].elts if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple | ast.List) else arguments
    try:
        dims = [ast.literal_eval(node) for node in given]
    except ValueError:
        return None
    order = [dim % len(dims) for dim in dims if type(dim) is int]
    return order if sorted(order) == [*range(len(dims))] else None


def _sum(first: ast.expr, second: ast.expr, start: str, length: str) -> str:
    if isinstance(first, ast.Constant) and isinstance(second, ast.Constant):
        return str(first.value + second.value)  # type: ignore[operator]
    return f"{bracketed(start)} + {bracketed(length)}"
