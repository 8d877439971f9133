"""Values fit for a slot: a store broadcasts and converts what it is given, `*_scatter` and `index_put` do less.

`*_scatter` wants the very shape of the slot and converts the dtype, `index_put` broadcasts and wants the very dtype.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.dtypes import keeps_dtype
from unplace.analysis.domain.values import NUMBER, TENSOR, Value
from unplace.diagnostics.forms import WriteKind
from unplace.transform.casts import is_total
from unplace.transform.functional.code import bracketed, method, torch_name
from unplace.transform.functional.indices import Slot
from unplace.transform.functional.shapes import is_like_slot
from unplace.transform.sites import Site

_LARGEST_HALF = 65504
"""The largest number that a tensor of any floating-point dtype holds."""

_LIKE = {"0": "torch.zeros_like", "1": "torch.ones_like"}


@dataclass(frozen=True, slots=True)
class New:
    """What replaces a part: its code, and its expression unless the operation itself makes it from the part.

    `base` is the code of the tensor that is bound anew, which has the dtype of the part.
    """

    code: str
    base: str
    node: ast.expr | None = None

    def fitted(self, site: Site, slot: Slot, *, is_outermost: bool) -> str:
        """Return the code of the value for a slot; at the outermost place, nothing converts or copies it afterwards."""
        if self.node is None:
            return self._made_from_part(site, slot, is_outermost=is_outermost)
        value = self._value(site)
        if isinstance(self.node, ast.Constant) or (value is not None and value.must_be(NUMBER)):
            return self._number(site, slot, self.node, is_outermost=is_outermost)
        is_tensor = value is not None and value.must_be(TENSOR)
        code, base = self.code, bracketed(self.base)
        is_other = value is not None and isinstance(value.dtype, str) and value.dtype != site.value.dtype
        has_dtype = value is not None and value.dtype is not None and value.dtype == site.value.dtype
        if slot.is_picked:
            if is_tensor:
                return code if has_dtype else method(code, "to", f"{base}.dtype")
            convert = torch_name(site, "torch.as_tensor")
            return f"{convert}({code}, dtype={base}.dtype, device={base}.device)"
        if not is_tensor:
            code = f"{torch_name(site, 'torch.as_tensor')}({code})"
        is_like = is_like_slot(site, self.node)
        if is_other and not is_outermost:  # `vmap` doesn't convert
            code = method(code, "to", f"{base}.dtype")
        if is_outermost:
            is_new = isinstance(self.node, ast.BinOp | ast.UnaryOp)
            if is_like and has_dtype and is_new:
                return code
            return method(code if is_like else method(code, "expand_as", slot.code), "to", base, "copy=True")
        if is_like:
            return code
        if slot.is_row and not is_total(
            self.node
        ):  # a store drops leading dimensions of size 1: `y[i] = net(x[i : i + 1])`
            return f"{method(code, 'expand_as', slot.one_more)}[0]"
        return method(code, "expand_as", slot.code)

    def _value(self, site: Site) -> Value | None:
        """Return what is known of the value; one that is unpacked has no expression of its own."""
        found = site.run.values.get(self.node) if self.node is not None else None
        return site.write.operands[0] if found is None and site.write.kind is WriteKind.STORE else found

    def fill(self, site: Site) -> str | None:
        """Return the code of the value if it has no dimensions, so that `masked_fill` takes it."""
        if self.node is None:
            return None
        value = self._value(site)
        is_number = isinstance(self.node, ast.Constant) or (value is not None and value.must_be(NUMBER))
        return self.code if (is_number and not _is_large(self.node)) or is_total(self.node) else None

    def _made_from_part(self, site: Site, slot: Slot, *, is_outermost: bool) -> str:
        """Return a value that has the shape of the slot, because the operation made it from that."""
        is_converted = not slot.is_picked and not is_outermost
        if is_converted or all(keeps_dtype(site.value, operand) is True for operand in site.write.operands):
            return self.code
        return method(self.code, "to", f"{bracketed(self.base)}.dtype")

    def _number(self, site: Site, slot: Slot, node: ast.expr, *, is_outermost: bool) -> str:
        if slot.is_picked:
            return method(self.base, "new_full", "()", self.code)
        if _is_large(node):  # where half precision would overflow, a store gives infinity and a fill raises
            return method(method(self.base, "new_full", "()", self.code), "expand_as", slot.code)
        if is_outermost and site.value.graph:
            return f"{torch_name(site, 'torch.fill')}({slot.code}, {self.code})"
        number = node.value if isinstance(node, ast.Constant) else None
        like = _LIKE.get(f"{number:g}") if isinstance(number, int | float) else None
        if like is not None:
            return f"{torch_name(site, like)}({slot.code})"
        return f"{torch_name(site, 'torch.full_like')}({slot.code}, {self.code})"


def _is_large(node: ast.expr) -> bool:
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) > _LARGEST_HALF
