"""Masked store: `y[y < 0] = 0` becomes `y = y.masked_fill(y < 0, 0)`.

A store under a mask writes into the tensor's memory. If the mask has the tensor's own shape, the store becomes a
function:

- a number becomes `masked_fill`;
- elements of another tensor of that shape, under the same mask, become `torch.where`;
- an update by a number becomes `torch.where`, too: adding, subtracting, or multiplying and dividing by a literal.

Every other masked store goes to a clone, and its value is computed before. A store into memory that the function has
made and nothing saved stays (see UNP005).

    y[y < 0] = 0
    y[mask] = other[mask]
    y[y < 0] += 360

    y = y.masked_fill(y < 0, 0)
    y = torch.where(mask, other, y)
    y = torch.where(y < 0, y + 360, y)

Where the code asks for the gradient of a leaf, its new values get a name of their own, `new_x = x.masked_fill(x < 0,
0)` (see UNP005).

`masked_fill` raises where a store gives infinity: `y[y < 0] = -1e9` of a tensor that may be of half precision becomes
`torch.where`, or a clone where it may be one of integers. In torch 2.15, that store raises as well.

The mask's shape is proved, not guessed. An index mask is aligned with the first dimensions of a tensor, and
`masked_fill` aligns with the last ones. A mask of fewer dimensions would hit other elements without an error. A mask
made of the same tensors as `y`, such as `y < top[:, [-1]]`, has as many dimensions as `y`. It then has the shape of
`y`, because torch accepts no other. `vmap` accepts no mask with a batch dimension as an index, or in torch 2.15 only
where a number is stored; there, `--unsafe` assumes the shape.
"""

from __future__ import annotations

import ast
import math
import sys
from dataclasses import replace

import libcst as cst

from unplace.analysis.domain.dtypes import is_floating, promoted
from unplace.analysis.domain.values import Value
from unplace.analysis.syntax.bindings import last_name
from unplace.diagnostics.catalogue import Assumption, Forbids
from unplace.diagnostics.forms import Form, WriteKind
from unplace.rules.unp005_subscript import SubscriptStore
from unplace.transform import casts
from unplace.transform.emit import bindings
from unplace.transform.emit.snippet import Snippet, assignment, expression
from unplace.transform.emit.written_out import operation
from unplace.transform.legality import rebind
from unplace.transform.rule import is_number
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Plain, Rebind, Verdict

FORMS = (Form.MASKED_STORE,)

_LARGEST_HALF = 65504
"""The largest finite number of torch.float16, and less than that of torch.bfloat16."""


class MaskedStore(SubscriptStore):
    """The rule UNP004: see the module's docstring."""

    code = "UNP004"

    def decide(self, site: Site) -> Verdict:
        """Choose `masked_fill` or `torch.where` if the mask's shape and the value allow it, else a clone."""
        if self._filled(site) or self._selected(site) is not None or self._shifted(site):
            verdict = rebind(site, site.write.target)
            if isinstance(verdict, Rebind):
                return verdict
        elif self._is_filled_under_vmap(site):
            verdict = rebind(site, site.write.target)
            if isinstance(verdict, Rebind):
                assumption = Assumption.MASK_FITS(mask=ast.unparse(_index(site)), name=site.name)
                return replace(verdict, assumptions=(*verdict.assumptions, assumption))
        return super().decide(site)

    def lines(self, site: Site, recipe: Rebind | Copy | Plain, snippet: Snippet) -> list[str]:
        """Return `y = y.masked_fill(mask, number)`, `y = torch.where(mask, other, y)`, or the clone and the store."""
        if not isinstance(recipe, Rebind):
            return super().lines(site, recipe, snippet)
        statement = snippet.statement()
        if isinstance(statement, cst.AugAssign):
            return [snippet.render(_shift(site, recipe, snippet, statement))]
        assert isinstance(statement, cst.Assign)
        store = statement.targets[0].target
        assert isinstance(store, cst.Subscript)
        index = store.slice[0].slice
        assert isinstance(index, cst.Index)
        selected = self._selected(site)
        if selected is not None:
            assert isinstance(statement.value, cst.Subscript)
            taken: cst.BaseExpression = statement.value.value
            if not _has_dtype(site, site.run.values[selected]):
                taken = casts.cast(taken, cst.Attribute(store.value, cst.Name("dtype")))
            value = _where(site, index.value, taken, store.value)
        elif _may_overflow(site):
            value = _where(site, index.value, statement.value, store.value)
        else:
            fill = cst.Attribute(value=store.value, attr=cst.Name("masked_fill"))
            value = cst.Call(func=fill, args=[cst.Arg(index.value), cst.Arg(statement.value)])
        return [snippet.render(assignment(bindings.targets(snippet.text, recipe), value))]

    def _filled(self, site: Site) -> bool:
        if not self._is_plain(site) or not is_number(site, _value(site)) or not self._covers(site, site.value):
            return False
        return not _may_overflow(site) or (is_floating(site.value.dtype) and _knows_where(site))

    def _is_filled_under_vmap(self, site: Site) -> bool:
        """Tell whether a number is stored under a mask that `vmap` doesn't take for an index, but for `masked_fill`."""
        if not self._is_plain(site) or not is_number(site, _value(site)):
            return False
        forbidden = site.forbidden()
        return forbidden is not None and forbidden.reason.kind is Forbids.BATCHED_MASK

    def _selected(self, site: Site) -> ast.expr | None:
        """Return `full` for `y[m] = full[m]`, if `torch.where` does the same."""
        value = _value(site) if self._is_plain(site) else None
        if not isinstance(value, ast.Subscript) or not self._covers(site, site.value):
            return None
        full = site.run.values.get(value.value)
        same_mask = ast.dump(value.slice) == ast.dump(_index(site)) and isinstance(value.slice, ast.Name | ast.Compare)
        if full is None or not full.is_tensor or not same_mask:
            return None
        same_shape = full.shape is not None and full.shape == site.value.shape
        is_fit = site.options.functional or _has_dtype(site, full)
        return value.value if same_shape and is_fit and _knows_where(site) else None

    def _shifted(self, site: Site) -> bool:
        """Tell whether `y[mask] += 360` can become `torch.where`: the value not taken has a finite gradient, too.

        A number by which elements are multiplied or divided must be written out: `inf` times no gradient is `nan`.
        """
        node = site.statement
        if not isinstance(node, ast.AugAssign) or node is not site.node:
            return False
        if not isinstance(site.write.target, ast.Name | ast.Attribute) or not is_number(site, node.value):
            return False
        is_sum = isinstance(node.op, ast.Add | ast.Sub)
        is_linear = is_sum or (isinstance(node.op, ast.Mult | ast.Div) and _is_written(node.value))
        return is_linear and self._covers(site, site.value) and _knows_where(site)

    def _is_plain(self, site: Site) -> bool:
        """Tell whether the store is a statement `y[mask] = value` of its own, with a name or attribute `y`."""
        statement = site.statement
        return (
            site.write.kind is WriteKind.STORE
            and isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and statement.targets[0] is site.node
            and isinstance(site.write.target, ast.Name | ast.Attribute)
        )

    def _covers(self, site: Site, target: Value) -> bool:
        """Tell whether the mask is a bool tensor of the target's own shape.

        It is where it has as many dimensions: torch takes no mask of another shape. Code that catches the error would
        find none after a rewrite.
        """
        mask = site.run.values.get(_index(site))
        if mask is None or mask.dtype != "bool" or not mask.is_tensor or mask.shape is None:
            return False
        if mask.shape == target.shape:
            return True
        return site.run.ranks.is_at_least(mask.shape, target.shape) and not site.run.is_guarded(site.statement)


def _shift(site: Site, recipe: Rebind, snippet: Snippet, statement: cst.AugAssign) -> cst.Assign:
    """Build `y = torch.where(mask, y + 360, y)` for `y[mask] += 360`."""
    store = statement.target
    assert isinstance(store, cst.Subscript)
    index = store.slice[0].slice
    assert isinstance(index, cst.Index)
    value = _where(site, index.value, operation(site, statement, store.value), store.value)
    return assignment(bindings.targets(snippet.text, recipe), value)


def _is_written(node: ast.expr) -> bool:
    """Tell whether an expression is a finite number that is written out, and not 0: `-0.5`."""
    return 0 < _magnitude(node) < math.inf


def _magnitude(node: ast.expr) -> float:
    """Return the absolute value of a number that is written out; 0 for any other expression."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Attribute) and node.attr in ("max", "min") and _is_limit_of_written_dtype(node.value):
        return sys.float_info.max
    is_written = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return abs(node.value) if is_written else 0  # type: ignore[attr-defined]


def _is_limit_of_written_dtype(node: ast.expr) -> bool:
    """Tell whether an expression is `torch.finfo(torch.float32)`, whose limits other dtypes may not hold."""
    is_limit = isinstance(node, ast.Call) and last_name(node.func) == "finfo" and len(node.args) == 1
    return is_limit and last_name(node.args[0]) != "dtype"  # type: ignore[attr-defined]


def _may_overflow(site: Site) -> bool:
    """Tell whether a number may be out of the range of the tensor's dtype, where that may be of half precision."""
    dtype = site.value.dtype
    is_wide = isinstance(dtype, str) and dtype not in ("float16", "bfloat16")
    return not is_wide and any(_LARGEST_HALF < _magnitude(node) < math.inf for node in _meant(site, _value(site)))


def _meant(site: Site, node: ast.expr) -> list[ast.expr]:
    """Return what a value is or, for a name, what the function or its file assigns to it: `NEGATIVE = -1e9`."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if not isinstance(node, ast.Name):
        return [node]
    module, scope = site.program.module, site.run.scope
    owner = module.scopes.owner(scope, node.id)
    sources = module.bindings(owner).sources.get(node.id, []) if owner is not None else []
    return [source for source in sources if isinstance(source, ast.expr)]


def _has_dtype(site: Site, full: Value) -> bool:
    """Tell whether the values are certainly of the dtype of the target: a store casts, torch.where() promotes."""
    own = site.value.dtype
    return own is not None and promoted(own, full.dtype) == own


def _knows_where(site: Site) -> bool:
    return site.program.module.name_for(site.run.scope, "torch.where") is not None


def _where(site: Site, mask: cst.BaseExpression, taken: cst.BaseExpression, other: cst.BaseExpression) -> cst.Call:
    """Build `torch.where(mask, taken, other)`, as the file calls it."""
    where = site.program.module.name_for(site.run.scope, "torch.where")
    assert where is not None
    return cst.Call(func=expression(where), args=[cst.Arg(mask), cst.Arg(taken), cst.Arg(other)])


def _index(site: Site) -> ast.expr:
    node = site.node.target if isinstance(site.node, ast.AugAssign) else site.node
    assert isinstance(node, ast.Subscript)
    return node.slice


def _value(site: Site) -> ast.expr:
    assert isinstance(site.statement, ast.Assign)
    return site.statement.value


RULE = MaskedStore()
