"""Stores through an index: `y[i, 1:] = v` becomes `y.select_scatter(y[i].slice_scatter(v, start=1), 0, i)`.

Numbers, slices and None are taken off from the left, one scatter for each. Tensors, masks and lists that are left go to
`index_put` together, which aligns and broadcasts as a store does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from unplace.analysis.domain.values import ARRAY, INTEGERS, LIST, NUMBER, TENSOR, TUPLE, Value
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.diagnostics.refusals import Refusal
from unplace.transform.functional.code import InexpressibleError, bracketed, method, torch_name
from unplace.transform.functional.shapes import covers
from unplace.transform.sites import Site


@dataclass(frozen=True, slots=True)
class Slot:
    """The part of a tensor that a store replaces: its code, and that of the tensor of which it is a part.

    `is_picked` tells that tensors index it, `is_row` that a number does, `is_of_first` that nothing
    else does and the number takes a row of the first dimension, and `is_whole` that the slot is all of the tensor.
    """

    code: str
    owner: str
    is_picked: bool = False
    is_row: bool = False
    is_whole: bool = False
    is_of_first: bool = False

    @property
    def one_more(self) -> str:
        """Return the code of what has the shape of the slot with a dimension of size 1 before it."""
        return f"{bracketed(self.owner)}[:1]" if self.is_of_first else f"{bracketed(self.code)}[None]"


Code = Callable[[ast.expr], str]
"""Returns the source of an expression."""

Fitted = Callable[[Slot], str]
"""Returns the code of the value that replaces a slot."""


def stored(site: Site, owner: str, index: ast.expr, code: Code, value: Fitted, fill: str | None = None) -> str:
    """Return the code of a tensor like `owner`, with a value in the place of what the index takes of it.

    `fill` is the code of the value if `masked_fill` takes it for a mask of the shape of the tensor.
    """
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    parts = [_part(site, node, code, is_alone=not isinstance(index, ast.Tuple)) for node in nodes]
    if sum(part.kind is _Kind.REST for part in parts) > 1:
        raise InexpressibleError(Refusal.UNKNOWN_INDEX(index=code(index)))
    if all(part.kind in (_Kind.FULL, _Kind.REST) for part in parts):
        return value(Slot(owner, owner, is_whole=True))
    taken = f"{bracketed(owner)}[{', '.join(part.code for part in parts)}]"
    rows = [part.kind is _Kind.NUMBER for part in parts]
    slot = Slot(taken, owner, is_row=any(rows), is_of_first=rows == [True])
    if fill is not None and covers(site, index):
        return method(owner, "masked_fill", parts[0].code, fill)
    return _Store(site, owner, _with_numbers_picked(site, parts), slot, value).nested(owner, 0)


class _Kind(Enum):
    """What a part of an index does with the dimensions of a tensor."""

    FULL = "takes all of one"
    SLICE = "takes a range of one"
    NUMBER = "takes one away"
    NEW = "adds one"
    REST = "takes all of as many as there are"
    PICKED = "picks elements by tensors"


_BASIC = (_Kind.NUMBER, _Kind.SLICE, _Kind.NEW)


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of an index; `is_single` tells that it is about one dimension, as a mask needn't be."""

    kind: _Kind
    code: str
    bounds: tuple[tuple[str, str], ...] = ()
    is_single: bool = True


@dataclass(frozen=True, slots=True)
class _Store:
    site: Site
    owner: str
    parts: Sequence[_Part]
    slot: Slot
    value: Fitted

    def nested(self, whole: str, start: int) -> str:
        """Return the code of `whole` with the value in its part, where the parts before `start` are taken already."""
        at = next((n for n in range(start, len(self.parts)) if self.parts[n].kind in _BASIC), None)
        if at is None:
            is_picked = any(part.kind is _Kind.PICKED for part in self.parts)
            return self._picked(whole) if is_picked else self.value(self.slot)
        part, dim = self.parts[at], self._dimension(at)
        inner = self.nested(self._up_to(at + 1), at + 1)
        if part.kind is _Kind.NUMBER:
            return method(whole, "select_scatter", inner, str(dim), part.code)
        if part.kind is _Kind.NEW:
            return method(inner, "squeeze", str(dim))
        size = f"{bracketed(whole)}.shape[{dim}]"
        bounds = (f"{name}={_counted(bound, size)}" for name, bound in part.bounds)
        return method(whole, "slice_scatter", inner, *([f"dim={dim}"] if dim else []), *bounds)

    def _up_to(self, end: int) -> str:
        """Return the code of what the basic parts before `end` take of the owner."""
        kept = [":" if part.kind is _Kind.PICKED else part.code for part in self.parts[:end]]
        if any(part.kind is _Kind.REST for part in self.parts[:end]):  # what is left counts from the end
            kept += [":" for part in self.parts[end:] if part.kind is not _Kind.NEW]
        return f"{bracketed(self.owner)}[{', '.join(kept)}]"

    def _dimension(self, at: int) -> int:
        """Return the dimension of a basic part, once all before it are taken; behind `...`, counted from the end."""
        before, behind = self.parts[:at], self.parts[at:]
        if any(part.kind is _Kind.REST for part in before):
            _require_single(behind)
            return -sum(part.kind is not _Kind.NEW for part in behind) - (self.parts[at].kind is _Kind.NEW)
        _require_single(before)
        return sum(part.kind is not _Kind.NUMBER for part in before)

    def _picked(self, whole: str) -> str:
        """Return the code that stores at what tensors pick, the basic parts of the index taken already."""
        left = [part for part in self.parts if part.kind is not _Kind.NUMBER]
        picking = [n for n, part in enumerate(left) if part.kind is _Kind.PICKED]
        rest = next((n for n, part in enumerate(left) if part.kind is _Kind.REST), None)
        taken = [part.code if part.kind is _Kind.PICKED else "None" for part in left[: picking[-1] + 1]]
        if rest is not None and rest < picking[-1]:
            if rest > picking[0]:
                raise InexpressibleError(Refusal.UNKNOWN_INDEX(index="..."))
            _require_single(left[rest:])
            skipped = f"*[None] * ({bracketed(whole)}.dim() - {len(left) - rest - 1})"
            taken = [skipped, *taken[rest + 1 :]]
        value = self.value(replace(self.slot, is_picked=True))
        if len(picking) == len(taken):
            several = f"({', '.join(taken)}{',' if len(taken) == 1 else ''})"
            is_tuple = len(taken) == 1 and taken[0].startswith("*")
            return method(whole, "index_put", taken[0][1:] if is_tuple else several, value)
        put = torch_name(self.site, "torch.ops.aten.index_put")  # the method takes no None
        return f"{put}({whole}, [{', '.join(taken)}], {value})"


def _require_single(parts: Sequence[_Part]) -> None:
    """Raise `InexpressibleError` where a part may be a mask of several dimensions."""
    for part in parts:
        if not part.is_single:
            raise InexpressibleError(Refusal.MASK_AMONG_INDICES(mask=part.code))


def _with_numbers_picked(site: Site, parts: Sequence[_Part]) -> Sequence[_Part]:
    """Return the parts with tensors instead of the numbers behind a mask, which may take several dimensions."""
    known = next((n for n, part in enumerate(parts) if not part.is_single), len(parts))
    behind = parts[known:]
    if not any(part.kind is _Kind.NUMBER for part in behind) or parts[:known]:
        return parts
    if not all(part.kind in (_Kind.NUMBER, _Kind.PICKED) for part in behind):
        return parts
    make = torch_name(site, "torch.tensor")
    return [_Part(_Kind.PICKED, f"{make}({part.code})") if part.kind is _Kind.NUMBER else part for part in parts]


def _part(site: Site, node: ast.expr, code: Code, *, is_alone: bool) -> _Part:
    """Return what a part of an index is; raise `InexpressibleError` where that isn't known.

    Where it `is_alone`, a tuple has the parts of the index, and so may a list of lists.
    """
    if isinstance(node, ast.Starred):
        raise InexpressibleError(Refusal.UNKNOWN_INDEX(index=code(node)))
    if isinstance(node, ast.Slice):
        named = zip(("start", "end", "step"), (node.lower, node.upper, node.step), strict=True)
        told = ((name, code(bound)) for name, bound in named if bound is not None)
        bounds = tuple(bound for bound in told if bound != ("start", "0"))
        return _Part(_Kind.SLICE if bounds else _Kind.FULL, code(node), bounds)
    if isinstance(node, ast.Constant) and (node.value is None or node.value is ...):
        return _Part(_Kind.NEW if node.value is None else _Kind.REST, code(node))
    value, is_basic = site.run.values.get(node), is_basic_index(site.run, node)
    is_number = value is not None and value.must_be(NUMBER) and value.dtype != "bool"
    if is_basic and (isinstance(node, ast.Constant) or is_number):
        return _Part(_Kind.NUMBER, code(node))
    if value is None:
        raise InexpressibleError(Refusal.UNKNOWN_INDEX(index=code(node)))
    if is_alone and value.must_be(TUPLE) and _holds(site, value, TENSOR):
        return _Part(_Kind.PICKED, f"*{code(node)}", is_single=False)
    if value.must_be(LIST | TUPLE) and not (is_alone and (value.may_be(TUPLE) or not _holds(site, value, NUMBER))):
        is_single = isinstance(node, ast.List | ast.Tuple) and _is_of_integers(node)
        make = torch_name(site, "torch.tensor")
        return _Part(_Kind.PICKED, f"{make}({code(node)})", is_single=is_single)
    if value.must_be(ARRAY):
        return _Part(_Kind.PICKED, f"{torch_name(site, 'torch.as_tensor')}({code(node)})", is_single=False)
    if value.is_tensor and not value.may_be(NUMBER):
        return _Part(_Kind.PICKED, code(node), is_single=value.dtype in INTEGERS)
    raise InexpressibleError(Refusal.UNKNOWN_INDEX(index=code(node)))


def _counted(bound: str, size: str) -> str:
    """Return a bound counted from the start, where it is written as one from the end: `vmap` knows no others."""
    if not bound.startswith("-") or not bound[1:].isdecimal():
        return bound
    return f"{size} - {bound[1:]}" if int(bound[1:]) <= _SURE else f"max({size} - {bound[1:]}, 0)"


_SURE = 2
"""A bound this near to the end is right even where there are fewer elements."""


def _holds(site: Site, value: Value, kinds: int) -> bool:
    """Tell whether all elements of a list or tuple are known to be of some kinds."""
    held = [element for obj in value.objs for _, element in site.state.fields_of(obj)]
    return bool(held) and all(element.must_be(kinds) for element in held)


def _is_of_integers(node: ast.List | ast.Tuple) -> bool:
    numbers = [element.operand if isinstance(element, ast.UnaryOp) else element for element in node.elts]
    return all(isinstance(number, ast.Constant) and type(number.value) is int for number in numbers)
