"""Casts for functional forms whose result may have another dtype than the target had in place.

In place the target keeps its dtype. The functional result is cast back where the operands are known to widen it, and
where there is a sign of a mix: their dtypes come from different sources, such as a convolution and a buffer. Without
such a sign, an edit only notes what it assumes.
"""

from __future__ import annotations

import ast
from enum import Enum

import libcst as cst

from unplace.analysis.domain.dtypes import is_floating, keeps_dtype, parameter_of, promoted
from unplace.analysis.domain.values import DISCRETE, INTEGERS, NUMBER, TENSOR, UNKNOWN, Objs, Token, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.callers import calls_that_hand
from unplace.analysis.project.calling import calls_of
from unplace.analysis.project.enclosing import Block, around_calls
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import lineage
from unplace.analysis.types.lineage import Source
from unplace.analysis.types.parameters import argument_for
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.torchapi import autocast, results
from unplace.transform.emit.snippet import expression, parenthesized
from unplace.transform.rule import bottom, is_number
from unplace.transform.sites import Site


class _Need(Enum):
    """The need to cast the functional form to the dtype of the target."""

    NONE = "none"
    SIGN = "sign"  # there is a sign that it is needed
    CERTAIN = "certain"


def assumption(site: Site) -> tuple[Reason, ...]:
    """Return what is assumed of the operands' dtypes; nothing where they are known, or the result is cast back."""
    if site.write.kind is WriteKind.OUT:
        known = site.value.dtype is not None and site.value.dtype == result_dtype(site)
        return () if known else (Assumption.DTYPE_OF_RESULT(name=site.name, line=Line(site.statement.lineno)),)
    is_noted = _need(site) is _Need.NONE and _effect(site) == "promotes" and None in _kept(site)
    return (_not_wider(site),) if is_noted else ()


def risk(site: Site) -> tuple[Reason, ...]:
    """Return the assumption that no operand is wider, where a sign contradicts it and no cast is possible."""
    return (_not_wider(site),) if _need(site) is _Need.SIGN and not _can_cast(site) else ()


def casts(site: Site) -> bool:
    """Tell whether the functional form is cast to the dtype of the target."""
    need = _need(site)
    return need is _Need.CERTAIN or (need is _Need.SIGN and _can_cast(site))


def _not_wider(site: Site) -> Reason:
    return Assumption.NOT_WIDER(line=Line(site.statement.lineno), name=site.name)


def accumulates(site: Site) -> bool:
    """Tell whether the functional form must be given `dtype=`: sums of narrow integers are int64 out of place."""
    is_told = isinstance(site.node, ast.Call) and any(keyword.arg == "dtype" for keyword in site.node.keywords)
    if _effect(site) != "accumulates" or is_told or site.value.dtype in ("int64", "complex64"):
        return False
    return not _is_float(site.value, lineage.of(site.run, site.value)) or _is_raised(site)


def _is_float(value: Value, sources: Source) -> bool:
    """Tell whether the dtype of a tensor is certainly a floating-point one."""
    return is_floating(value.dtype) or Source.LOWERED in sources


def of_target(site: Site) -> cst.BaseExpression | None:
    """Return `x.dtype` for the written tensor; None if no name leads to it."""
    place = bottom(site)
    while isinstance(place, ast.Subscript) and (holder := site.run.values.get(place.value)) and holder.must_be(TENSOR):
        place = place.value  # a part of a tensor has the dtype of the whole
    return None if place is None else expression(f"{ast.unparse(place)}.dtype")


def cast(value: cst.BaseExpression, dtype: cst.BaseExpression) -> cst.Call:
    """Build `value.to(dtype)`."""
    whole = parenthesized(value) if isinstance(value, cst.BinaryOperation) else value
    to = cst.Attribute(value=whole, attr=cst.Name("to"))
    return cst.Call(func=to, args=[cst.Arg(dtype)])


def told(call: cst.Call, dtype: cst.BaseExpression) -> cst.Call:
    """Add `dtype=x.dtype` to a call."""
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args, cst.Arg(dtype, cst.Name("dtype"), equal)])


def result_dtype(site: Site) -> Token:
    """Return the dtype that a function with `out=` computes, if it follows from the operands."""
    tensors = [o for o in site.write.operands if o.may_be(TENSOR)]
    if not tensors:
        return None
    dtype = tensors[0].dtype
    for other in tensors[1:]:
        dtype = promoted(dtype, other.dtype)
    return dtype


def promotes(site: Site) -> bool:
    """Tell whether the functional form has the dtype to which its operands are promoted."""
    return _effect(site) == "promotes"


def _effect(site: Site) -> str:
    """Return the effect of going out of place on the dtype: see `InplaceMethod.dtype`."""
    kind = site.write.kind
    if kind.value.dtype is not None:
        return kind.value.dtype
    operator = site.write.operator
    return "same" if operator is None else operator.dtype


def _need(site: Site) -> _Need:
    """Return how much speaks for a cast: the out-of-place result has, or may have, another dtype than the target."""
    effect = _effect(site)
    if effect == "bool":
        return _Need.CERTAIN if site.value.dtype != "bool" else _Need.NONE
    known = _kept(site) if effect == "promotes" else []
    if False in known or (None in known and (site.write.autocast or site.options.preserve_dtype)):
        return _Need.SIGN if site.value.may_be(NUMBER) else _Need.CERTAIN
    unsure = [o for o, kept in zip(site.write.operands, known, strict=False) if kept is None]
    is_sign = (_is_raised(site) and effect != "accumulates") or any(_is_mixed(site, operand) for operand in unsure)
    return _Need.SIGN if is_sign else _Need.NONE


def _kept(site: Site) -> list[bool | None]:
    """Tell for each operand whether it leaves the target's dtype unchanged; None where that isn't known."""
    is_float = is_floating(site.value.dtype) or is_division(site)
    absorbed = INTEGERS if is_float else ()
    found = [True if o.dtype in absorbed else keeps_dtype(site.value, o) for o in site.write.operands]
    is_started = site.value.may_be(NUMBER) and site.value.dtype is None  # a sum from `0` takes the operands' dtype
    return [None if kept is False and is_started else kept for kept in found]


def is_division(site: Site) -> bool:
    """Tell whether the operation is a true division, which raises in place for integers: the target is floating."""
    node = site.node
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Div)
    is_rounded = isinstance(node, ast.Call) and any(keyword.arg == "rounding_mode" for keyword in node.keywords)
    return site.write.kind is WriteKind.METHOD and site.write.name in results.DIVISIONS and not is_rounded


def _is_raised(site: Site) -> bool:
    """Tell whether autocast would run the functional form in float32, on a tensor that it made in low precision."""
    node = site.node
    name = site.write.short_name
    if isinstance(node, ast.AugAssign):
        name = "pow" if isinstance(node.op, ast.Pow) else ""
    if name not in autocast.RAISED:
        return False
    return lineage.of(site.run, site.value) & (Source.LOWERED | Source.RAISED) == Source.LOWERED


def _is_mixed(site: Site, operand: Value) -> bool:
    """Tell whether an operand seems to have another dtype: its sources differ from those of the target."""
    is_given = Source.GIVEN in lineage.of(site.run, site.value) & lineage.of(site.run, operand)
    if is_given and (
        is_mixed_by_callers(site) or _is_mixed_by_a_call(site.program, site.run.scope, site.value, operand)
    ):
        return True
    if _are_mixed(site.run, site.value, operand, is_scalar=is_scalar(site), is_float=is_division(site)):
        return True
    return _is_lowered(site, operand) and next(around_calls(site.run.scope, _autocast), None) is not None


def _is_lowered(site: Site, operand: Value) -> bool:
    """Tell whether autocast would lower the target, and may not the operand: `y = self.fc(x)`, then `y += x`."""
    target, other = lineage.of(site.run, site.value), lineage.of(site.run, operand)
    return Source.LOWERED in target and Source.LOWERED not in other and operand.dtype not in DISCRETE


@once
def _autocast(module: ModuleIndex) -> list[Block]:
    """Return the blocks of a module that run under autocast."""
    return [
        Block.of(scope, block)
        for scope in module.scopes.by_node.values()
        for block in scope.of(ast.With)
        if any("autocast" in code_of(item.context_expr) for item in block.items)
    ]


def is_mixed_by_callers(site: Site) -> bool:
    """Tell whether a call in the file passes the written tensor with others of a different dtype or dtype source."""
    return _is_mixed_by_a_caller(site.program, site.run.scope, site.roots(), set())


def _is_mixed_by_a_caller(program: Program, scope: Scope, written: Objs, seen: set[Scope]) -> bool:
    """Tell whether a caller, direct or further out, passes the written tensor with one of another dtype or source."""
    seen.add(scope)
    names = sorted({obj.parameter for obj in written if obj.parameter is not None})
    for call in [call for name in names for call in calls_that_hand(program, scope, name)]:
        run, write = call.run, call.write
        others = [o for o in write.operands if o.may_be(TENSOR | UNKNOWN)]
        kept = [keeps_dtype(write.value, o) for o in others]
        if False in kept or (write.autocast and None in kept):
            return True
        if any(_are_mixed(run, write.value, o) for o in others):
            return True
        outer = write.state.roots(write.value.objs)
        if run.scope not in seen and _is_mixed_by_a_caller(program, run.scope, outer, seen):
            return True
    return False


def _is_mixed_by_a_call(program: Program, scope: Scope, value: Value, operand: Value) -> bool:
    """Tell whether a call in the file passes tensors of different dtypes for what the target and an operand have."""
    target, other = parameter_of(value.dtype), parameter_of(operand.dtype)
    if not target or not other or target == other:
        return False
    question = _is_mixed_by_a_call, scope, target, other
    return program.answer(question, lambda: _are_passed_mixed(program, scope, target, other), False)


def _are_passed_mixed(program: Program, scope: Scope, target: str, other: str) -> bool:
    for caller, call in calls_of(program, scope):
        run = program.run(caller)
        given = [argument_for(scope, call, name) for name in (target, other)]
        found = [run.values[node] for node in given if node in run.values] if run is not None else []
        if run is None or len(found) < 2:
            continue
        is_open = found[1].dtype not in DISCRETE
        if keeps_dtype(*found) is False or (is_open and _are_mixed(run, *found)):
            return True
        if _is_mixed_by_a_call(program, caller, *found):
            return True
    return False


def _are_mixed(run: Run, value: Value, operand: Value, *, is_scalar: bool = False, is_float: bool = False) -> bool:
    """Tell whether the sources of two tensors' dtypes, or one known dtype, suggest that they differ.

    `is_scalar`: the operand has no dimensions; `is_float`: the operation doesn't take integers.
    """
    if isinstance(value.dtype, str) and isinstance(operand.dtype, str):
        return False
    target = lineage.of(run, value)
    if operand.dtype in DISCRETE:
        return not target & (Source.LOWERED | Source.RAISED)
    other = lineage.of(run, operand)
    if is_scalar:
        other &= ~(Source.RAISED | Source.SUMMED)
    extra = other & ~target
    made = Source.MADE | Source.CAST
    is_float = is_float or _is_float(value, target | other)
    if Source.SUMMED in other & ~target and not is_float:
        return True
    is_made = bool(target) and not target & ~made and (other != target or Source.MADE in target)
    return is_made or bool(extra & (Source.HELD | Source.MADE) or (extra & Source.RAISED and target & Source.LOWERED))


def is_scalar(site: Site) -> bool:
    """Tell whether the operands have no dimensions, and so widen no tensor that has any."""
    return all(map(is_total, _given(site)))


def is_integral(site: Site) -> bool:
    """Tell whether the numbers among the operands are integers that are written out."""
    return all(_written_type(n) in (int, bool) or not is_number(site, n) for n in _given(site))


def is_fraction(site: Site) -> bool:
    """Tell whether an operand is a fraction that is written out."""
    return any(_written_type(n) is float for n in _given(site))


def is_imaginary(site: Site) -> bool:
    """Tell whether an operand is an imaginary number that is written out."""
    return any(_written_type(n) is complex for n in _given(site))


def _given(site: Site) -> list[ast.expr]:
    """Return the operands as they are written."""
    node = site.node
    if isinstance(node, ast.Call):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return [node.value] if isinstance(node, ast.AugAssign) else []


def _written_type(node: ast.expr) -> type | None:
    """Return the type of a number that is written out, with or without a sign; None for other expressions."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    return type(node.value) if isinstance(node, ast.Constant) else None


def is_total(node: ast.expr) -> bool:
    """Tell whether an expression combines only numbers and reductions over all dimensions: `x.norm() + 1e-6`."""
    if isinstance(node, ast.BinOp):
        return is_total(node.left) and is_total(node.right)
    if isinstance(node, ast.Call):
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in results.TOTALS
        return is_method and not node.args and not node.keywords
    return isinstance(node, ast.Constant)


def _can_cast(site: Site) -> bool:
    """Tell whether the target can be asked for its dtype: a name leads to it, and it is no number."""
    place = bottom(site) if not isinstance(site.node, ast.AugAssign) else site.node.target
    if place is None or site.value.may_be(NUMBER):
        return False
    return not (isinstance(place, ast.Attribute) and _stores_number(site.program.module, place.attr))


@once
def _stores_number(module: ModuleIndex, attribute: str) -> bool:
    """Tell whether a file stores a number that is written out in attributes of a name: `layer.total = 0`."""
    parents = module.scopes.parents
    stores = (parents.get(store.node) for store in module.stores_of(attribute) if not store.of_element)
    return any(isinstance(node, ast.Assign) and _written_type(node.value) in (int, float) for node in stores)
