"""Calls that make a new tensor of a given size, and what they tell about its shape, dtype and device."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.interpret.run import Run
from unplace.torchapi import results
from unplace.transform.recipes.sizes import Linear, Sizes, shape_of
from unplace.transform.recipes.slots import LAST


@dataclass(frozen=True, slots=True)
class Constructor:
    """A call that makes a tensor: `torch.zeros(T, B)` has `lengths`, `torch.zeros_like(x)` has the shape of `like`.

    `x.new_zeros(x.shape)` has the shape of `like`, too; `is_alike`: it also has the dtype and device of `like`.
    """

    lengths: tuple[ast.expr, ...]
    like: ast.expr | None
    is_alike: bool

    def extent(self, dim: int, sizes: Sizes) -> Linear | None:
        """Return the size of the new tensor along a dimension, if known."""
        if self.like is not None:
            return sizes.extent(self.like, dim)
        if dim == LAST:
            last = self.lengths[-1] if self.lengths else None
            return sizes.of(last) if last is not None and not isinstance(last, ast.Starred) else None
        if dim >= len(self.lengths) or any(isinstance(e, ast.Starred) for e in self.lengths[: dim + 1]):
            return None
        return sizes.of(self.lengths[dim])

    def rank(self, sizes: Sizes) -> int | None:
        """Return the number of dimensions of the new tensor, if known."""
        if self.like is not None:
            return sizes.rank(self.like)
        return len(self.lengths) if not any(isinstance(e, ast.Starred) for e in self.lengths) else None


def constructor(run: Run, node: ast.expr) -> Constructor | None:
    """Return the constructor that an expression calls, if its result is filled from scratch; else None."""
    if not isinstance(node, ast.Call) or any(k.arg not in results.FILLED_OPTIONS for k in node.keywords):
        return None
    has_options = any(k.arg != "size" for k in node.keywords)
    qualified = run.program.module.qualified(run.scope, node.func) or ""
    name = qualified.removeprefix("torch.")
    receiver: ast.expr | None = None
    if not qualified.startswith("torch."):
        value = run.values.get(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if not isinstance(node.func, ast.Attribute) or value is None or not value.is_tensor:
            return None
        receiver, name = node.func.value, node.func.attr
        if not name.startswith("new_"):
            return None
    kind = name.removeprefix("new_").removesuffix("_like")
    if kind not in results.FILLED:
        return None
    given = [k.value for k in node.keywords if k.arg == "size"] or list(node.args[:1] if kind == "full" else node.args)
    if name.endswith("_like"):
        return Constructor((), given[0], not has_options) if len(given) == 1 else None
    if len(given) == 1:
        like = shape_of(given[0])
        if like is not None:
            same = receiver is not None and ast.dump(receiver) == ast.dump(like)
            return Constructor((), like, same and not has_options)
        if isinstance(given[0], ast.Tuple | ast.List):
            given = given[0].elts
    return Constructor(tuple(given), None, False)
