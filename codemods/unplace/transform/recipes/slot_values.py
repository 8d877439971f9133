"""Values that a loop stores in the slots of a tensor, and whether they have the shape, dtype and device of a slot.

A store casts, broadcasts and moves the stored value; a list takes it as it is.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.domain.values import DISCRETE, FLOATS, NUMBER, TENSOR, UNKNOWN, Value
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Line, Reason
from unplace.torchapi import results
from unplace.transform.recipes.constructors import Constructor
from unplace.transform.recipes.sizes import Sizes
from unplace.transform.recipes.slots import picked
from unplace.transform.sites import Site

_DEPTH = 8  # how many assignments are followed


@dataclass(frozen=True, slots=True)
class Contents:
    """The value that `site` stores in each slot of the tensor `name`, seen from inside the loop.

    `depth` is the number of dimensions that a slot has less than the tensor.
    """

    site: Site
    value: ast.expr
    how: Constructor
    sizes: Sizes
    dim: int
    name: str
    loop: ast.For
    depth: int = 1

    def are_plausible(self, variable: str) -> bool:
        """Tell whether the value may be a slot: it isn't a number, its rank fits, and it depends on the round."""
        value = self.site.run.values.get(self.value)
        if value is None or not value.must_be(TENSOR | UNKNOWN) or _differ(value, self.site.value):
            return False
        rank, slot = self._rank(self.value, _DEPTH), self._slot_rank()
        if rank is not None and slot is not None and rank != slot:
            return False
        names = {n.id for n in walk(self.value) if isinstance(n, ast.Name)}
        return bool(names & {variable, self.name, *self._bound_in_loop()})

    def assumptions(self) -> tuple[Reason, ...]:
        """Return the assumption that the value is like a slot; nothing where that is proved."""
        if self.how.is_alike and self._is_like_slot(self.value, _DEPTH):
            return ()
        return (Assumption.LIKE_A_SLOT(line=Line(self.site.statement.lineno), name=self.name),)

    # -- proof ----------------------------------------------------------------------------------------------------

    def _is_like_slot(self, node: ast.expr, depth: int) -> bool:
        """Tell whether an expression is computed from slots, pieces of the tensor that ours was made like, and numbers.

        Mixing in a float may change an integer dtype: unless the dtype is known to be floating, only sums, differences
        and products with integers count.
        """
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self._is_slot(node)
        if isinstance(node, ast.Name):
            source = self._source(node)
            if source is None or depth == 0 or not self._is_in_loop(source):
                return False
            return self._is_like_slot(source, depth - 1)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._is_like_slot(node.operand, depth)
        if not self._is_float() and not (isinstance(node, ast.BinOp) and isinstance(node.op, _CLOSED)):
            return False
        operands = self._operands(node)
        tensors = [operand for operand in operands or () if not self._is_number(operand)]
        numbers = [operand for operand in operands or () if self._is_number(operand)]
        if not self._is_float() and not all(isinstance(n, ast.Constant) and type(n.value) is int for n in numbers):
            return False
        return bool(tensors) and all(self._is_like_slot(operand, depth) for operand in tensors)

    def _is_slot(self, node: ast.Subscript) -> bool:
        """Tell whether a subscript is `out[t - 1]`, or `x[t]` where `out` was made by `torch.zeros_like(x)`."""
        assert isinstance(node.value, ast.Name)
        slot = picked(node.slice)
        if slot is None or slot.rest or slot.dim != self.dim or not self._is_number(slot.part):
            return False
        like = self.how.like
        if node.value.id == self.name:
            return True
        return isinstance(like, ast.Name) and node.value.id == like.id and self.sizes.noted(like.id) is not None

    def _operands(self, node: ast.expr) -> list[ast.expr] | None:
        """Return the operands of an element-wise operation; None for any other expression."""
        if isinstance(node, ast.BinOp):
            return None if isinstance(node.op, ast.MatMult) else [node.left, node.right]
        if not isinstance(node, ast.Call) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        receiver = self._value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if isinstance(node.func, ast.Attribute) and receiver is not None and receiver.must_be(TENSOR):
            operator, operands = torchapi.tensor_method(node.func.attr), [node.func.value, *node.args]
        else:
            run = self.site.run
            operator, operands = torchapi.function(run.program.module.qualified(run.scope, node.func) or ""), node.args
        is_numeric = operator is not None and operator.elementwise and not operator.result_bool
        return operands if is_numeric else None

    # -- the number of dimensions ---------------------------------------------------------------------------------

    def _slot_rank(self) -> int | None:
        whole = self.how.rank(self.sizes)
        return whole - self.depth if whole is not None else None

    def _rank(self, node: ast.expr, depth: int) -> int | None:
        if self._is_number(node):
            return 0
        if isinstance(node, ast.Name):
            source, known = self._source(node), self.sizes.rank(node)
            return self._rank(source, depth - 1) if known is None and source is not None and depth > 0 else known
        if isinstance(node, ast.Subscript):
            return self._rank_of_piece(node, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
            if node.func.attr in results.TOTALS and self._is_tensor(node.func.value):
                return 0
        ranks = [self._rank(operand, depth) for operand in self._operands(node) or ()]
        return max((r for r in ranks if r is not None), default=None) if None not in ranks else None

    def _rank_of_piece(self, node: ast.Subscript, depth: int) -> int | None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Name) and node.value.id == self.name:
            whole = self.how.rank(self.sizes)
        else:
            whole = self._rank(node.value, depth) if self._is_tensor(node.value) else None
        for part in parts:
            if whole is not None and not isinstance(part, ast.Slice) and not _is_dots(part):
                is_new = isinstance(part, ast.Constant) and part.value is None
                whole = whole + 1 if is_new else whole - 1 if self._is_number(part) else None
        return whole

    # -- facts ----------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Value | None:
        return self.site.run.values.get(node)

    def _is_tensor(self, node: ast.expr) -> bool:
        value = self._value(node)
        return value is not None and value.must_be(TENSOR)

    def _is_number(self, node: ast.expr) -> bool:
        value = self._value(node)
        return value is not None and value.must_be(NUMBER)

    def _source(self, name: ast.Name) -> ast.expr | None:
        """Return the expression bound to a name that is assigned once in the function."""
        scope = self.site.run.scope
        sources = self.site.program.module.bindings(scope).sources.get(name.id, [])
        if len(sources) != 1 or name.id in scope.volatile or any(a.arg == name.id for a in scope.parameters):
            return None
        return sources[0] if isinstance(sources[0], ast.expr) else None

    def _is_float(self) -> bool:
        """Tell whether the tensor certainly has a floating-point dtype."""
        dtype = self.site.value.dtype
        return dtype in FLOATS or (isinstance(dtype, tuple) and dtype[0] == "float")

    def _is_in_loop(self, node: ast.expr) -> bool:
        return any(n is node for n in walk(self.loop))

    def _bound_in_loop(self) -> set[str]:
        nodes = (n for statement in self.loop.body for n in walk(statement))
        return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


_CLOSED = (ast.Add, ast.Sub, ast.Mult)


def _is_dots(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is ...


def _differ(stored: Value, made: Value) -> bool:
    """Tell whether two dtypes certainly differ."""
    if not isinstance(stored.dtype, str) or not isinstance(made.dtype, str) or stored.dtype == made.dtype:
        return False
    return stored.dtype in DISCRETE or made.dtype in DISCRETE or "default" not in (stored.dtype, made.dtype)
