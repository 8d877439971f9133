"""Casts for functional forms whose result may have another dtype than the target had in place.

In place the target keeps its dtype. The functional result is cast back where the operands are known to widen it, and
where they may, under autocast and where nothing is to rest on a convention. Anywhere else, an edit only notes what it
assumes.
"""

from __future__ import annotations

import ast
from enum import Enum

import libcst as cst

from unplace.analysis.domain.dtypes import is_floating, is_raised, keeps_dtype, parameter_of, promoted
from unplace.analysis.domain.gradmode import turns_autocast_on
from unplace.analysis.domain.values import INTEGERS, NUMBER, TENSOR, UNKNOWN, Objs, Token, Value
from unplace.analysis.project.callers import calls_that_hand
from unplace.analysis.project.calling import calls_of
from unplace.analysis.project.enclosing import Block, around_calls
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.torchapi import autocast, results
from unplace.transform.emit.snippet import expression, parenthesized
from unplace.transform.rule import bottom, is_number
from unplace.transform.sites import Site

_WIDE = ("float32", "float64", "complex64", "complex128")
"""The dtypes that autocast doesn't make wider."""


class _Need(Enum):
    """The need to cast the functional form to the dtype of the target."""

    NONE = "none"
    POSSIBLE = "possible"
    CERTAIN = "certain"


def assumption(site: Site) -> tuple[Reason, ...]:
    """Return what is assumed of the operands' dtypes; nothing where they are known, or the result is cast back."""
    if site.write.kind is WriteKind.OUT:
        known = site.value.dtype is not None and site.value.dtype == result_dtype(site)
        return () if known else (Assumption.DTYPE_OF_RESULT(name=site.name, line=Line(site.statement.lineno)),)
    is_noted = _need(site) is _Need.NONE and _effect(site) == "promotes" and None in _kept(site)
    return (_not_wider(site),) if is_noted else ()


def risk(site: Site) -> tuple[Reason, ...]:
    """Return the assumption about the dtype of the result, where another one is likely and no cast can be made."""
    is_open = _need(site) is _Need.POSSIBLE and not _can_cast(site)
    return (Assumption.DTYPE_OF_RESULT(name=site.name, line=Line(site.statement.lineno)),) if is_open else ()


def casts(site: Site) -> bool:
    """Tell whether the functional form is cast to the dtype of the target."""
    need = _need(site)
    return need is _Need.CERTAIN or (need is _Need.POSSIBLE and _can_cast(site))


def _not_wider(site: Site) -> Reason:
    return Assumption.NOT_WIDER(line=Line(site.statement.lineno), name=site.name)


def accumulates(site: Site) -> bool:
    """Tell whether the functional form must be given `dtype=`: sums of narrow integers are int64 out of place."""
    is_told = isinstance(site.node, ast.Call) and any(keyword.arg == "dtype" for keyword in site.node.keywords)
    if _effect(site) != "accumulates" or is_told or site.value.dtype in ("int64", "complex64"):
        return False
    return not is_floating(site.value.dtype) or _is_raised(site)


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
    if False in known:
        return _Need.POSSIBLE if site.value.may_be(NUMBER) else _Need.CERTAIN
    is_asked_for = site.options.preserve_dtype or site.options.strict
    is_lowered = not is_raised(site.value.dtype) and _is_under_autocast(site)
    is_open = None in known and (is_asked_for or is_lowered or _is_passed_wider(site))
    is_widened = effect != "accumulates" and _is_raised(site)
    return _Need.POSSIBLE if is_open or is_widened else _Need.NONE


def _kept(site: Site) -> list[bool | None]:
    """Tell for each operand whether it leaves the target's dtype unchanged; None where that isn't known."""
    is_float = is_floating(site.value.dtype) or is_division(site)
    absorbed = INTEGERS if is_float else ()
    operands = [o for o in site.write.operands if o.may_be(TENSOR | UNKNOWN)]
    found = [True if o.dtype in absorbed else keeps_dtype(site.value, o) for o in operands]
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
    """Tell whether the functional form runs under autocast in float32, on a tensor that may have another dtype."""
    node = site.node
    name = site.write.short_name
    if isinstance(node, ast.AugAssign):
        name = "pow" if isinstance(node.op, ast.Pow) else ""
    return name in autocast.RAISED and site.value.dtype not in _WIDE and _is_under_autocast(site)


def _is_under_autocast(site: Site) -> bool:
    """Tell whether calls of the run lead to an operation through autocast."""
    return site.write.autocast or next(around_calls(site.run.scope, _autocast), None) is not None


@once
def _autocast(module: ModuleIndex) -> list[Block]:
    """Return the blocks of a module that run under autocast."""
    return [
        Block.of(scope, block)
        for scope in module.scopes.by_node.values()
        for block in scope.of(ast.With)
        if any(turns_autocast_on(item.context_expr) for item in block.items)
    ]


def _is_passed_wider(site: Site) -> bool:
    """Tell whether a call in the file passes a wider operand than the written tensor."""
    program, scope, operands = site.program, site.run.scope, site.write.operands
    is_of_call = any(_is_wider_in_a_call(program, scope, site.value, operand) for operand in operands)
    return is_of_call or is_passed_with_wider(site)


def is_passed_with_wider(site: Site) -> bool:
    """Tell whether a call in the file passes the written tensor with others of a wider dtype."""
    return _is_wider_for_a_caller(site.program, site.run.scope, site.roots(), set())


def _is_wider_for_a_caller(program: Program, scope: Scope, written: Objs, seen: set[Scope]) -> bool:
    """Tell whether a caller, direct or further out, passes the written tensor with one of a wider dtype."""
    seen.add(scope)
    names = sorted({obj.parameter for obj in written if obj.parameter is not None})
    for call in [call for name in names for call in calls_that_hand(program, scope, name)]:
        run, write = call.run, call.write
        kept = [keeps_dtype(write.value, o) for o in write.operands if o.may_be(TENSOR | UNKNOWN)]
        if False in kept or (write.autocast and None in kept):
            return True
        outer = write.state.roots(write.value.objs)
        if run.scope not in seen and _is_wider_for_a_caller(program, run.scope, outer, seen):
            return True
    return False


def _is_wider_in_a_call(program: Program, scope: Scope, value: Value, operand: Value) -> bool:
    """Tell whether a call in the file passes tensors of different dtypes for what the target and an operand have."""
    target, other = parameter_of(value.dtype), parameter_of(operand.dtype)
    if not target or not other or target == other:
        return False
    question = _is_wider_in_a_call, scope, target, other
    return program.answer(question, lambda: _are_passed_so(program, scope, target, other), False)


def _are_passed_so(program: Program, scope: Scope, target: str, other: str) -> bool:
    for caller, call in calls_of(program, scope):
        run = program.run(caller)
        given = [argument_for(scope, call, name) for name in (target, other)]
        found = [run.values[node] for node in given if node in run.values] if run is not None else []
        if run is not None and len(found) == 2:
            if keeps_dtype(*found) is False or _is_wider_in_a_call(program, caller, *found):
                return True
    return False


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
    return place is not None and site.value.is_tensor and not site.value.may_be(NUMBER)
