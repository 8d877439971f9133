"""Stores written out: `y[1:] = y[1:] * 2` for `y[1:] *= 2`, and `y[0] = y[0].add(1)` for `y[0].add_(1)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial

import libcst as cst

from unplace import torchapi
from unplace.analysis.domain.dtypes import keeps_dtype
from unplace.analysis.domain.values import DISCRETE, TENSOR, UNKNOWN
from unplace.analysis.effects.saves import saved_by
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import stays_in_place
from unplace.analysis.queries.reading import computes_alike
from unplace.analysis.syntax.nodes import children, walk
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import InplaceMethod, Operator
from unplace.torchapi.arithmetic import FUNCTION_OF
from unplace.transform.emit.snippet import Snippet, assignment, blanks, needs_parentheses, parenthesized
from unplace.transform.rule import missing
from unplace.transform.sites import Site
from unplace.transform.storable import is_moved

_EFFECTS = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_COUNTING = frozenset(["int", "len", "max", "min", "range", "slice"])


def can_be_written_out(chain: tuple[Site, ...]) -> bool:
    """Tell whether a write can be a plain store: it goes to an element that may be evaluated twice, and has a value.

    So can a comparison of a whole tensor, whose gradient then is zero as it was in place: `y[...] = y.eq(k)`.
    """
    first = chain[0]
    if any(map(may_not_fit, chain)):
        return False
    if first.write.kind is WriteKind.AUGMENTED_STORE:
        assert isinstance(first.node, ast.AugAssign)
        return _is_stable(first, first.node.target)
    target, statement = first.write.target, first.statement
    holder = first.run.values.get(target.value) if isinstance(target, ast.Subscript) else None
    is_part = holder is not None and holder.is_tensor
    if not isinstance(statement, ast.Expr) or not (is_part or _stays_whole(chain)):
        return False
    is_whole = statement.value is chain[-1].node and all(site.write.kind is WriteKind.METHOD for site in chain)
    return is_whole and _is_stable(first, target) and (_is_fill(chain) or all(map(_is_functional, chain)))


def may_not_fit(site: Site) -> bool:
    """Tell whether a plain store may raise where the write casts: a mask or a list of indices takes one dtype alone."""
    target = site.node.target if isinstance(site.node, ast.AugAssign) else site.write.target
    if not isinstance(target, ast.Subscript) or is_basic_index(site.run, target.slice) is True:
        return False
    others = (operand for operand in site.write.operands if operand.may_be(TENSOR | UNKNOWN))
    return any(keeps_dtype(site.value, operand) is not True for operand in others)


def store(site: Site, statement: cst.AugAssign) -> cst.Assign:
    """Build `y[1:] = y[1:] * 2` for `y[1:] *= 2`."""
    target: cst.BaseExpression = statement.target
    value = operation(site, statement, _cloned(target) if _saves_element(site) else target)
    return assignment(("",), value, blanks(statement.operator), statement.target)


def call(chain: tuple[Site, ...], snippet: Snippet) -> cst.Assign:
    """Build `y[0] = y[0].add(1)` for `y[0].add_(1)`, and `y[0] = 0` for `y[0].zero_()`."""
    target = snippet.node(chain[0].write.target)
    if _stays_whole(chain):
        every = cst.SubscriptElement(cst.Index(cst.Ellipsis()))
        target = cst.Subscript(value=target, slice=[every])
    if _is_fill(chain):
        (node,) = (site.node for site in chain)
        assert isinstance(node, ast.Call)
        filled = snippet.node(node.args[0]) if node.args else cst.Integer("0")
        return assignment(("",), filled, first=target)
    if _saves_element(chain[0]):
        snippet.change(chain[0].write.target, _cloned)
    for site in chain:
        assert isinstance(site.node, ast.expr)
        snippet.change(site.node, partial(_renamed, name=_functional(site)))
    changed = snippet.statement()
    assert isinstance(changed, cst.Expr)
    return assignment(("",), changed.value, first=target)


def operation(site: Site, statement: cst.AugAssign, left: cst.BaseExpression) -> cst.BinaryOperation:
    """Build `a + k` for `a += k`, on another left side if that is asked for."""
    node = site.node
    assert isinstance(node, ast.AugAssign)
    right = statement.value
    if needs_parentheses(node.value, node.op):
        right = parenthesized(right)
    before, after = blanks(statement.operator)
    operator = _BINARY[type(node.op)](whitespace_before=before, whitespace_after=after)
    return cst.BinaryOperation(left=left, operator=operator, right=right)


def _saves_element(site: Site) -> bool:
    """Tell whether the operation saves the element that it is computed from, which the store then overwrites."""
    target = site.node.target if isinstance(site.node, ast.AugAssign) else site.write.target
    is_copy = isinstance(target, ast.Subscript) and is_basic_index(site.run, target.slice) is False
    if is_copy or site.value.dtype in DISCRETE:
        return False
    operator = _operator(site)
    if operator is None or not operator.parameters:
        return True
    bound = dict(zip(operator.parameters, (site.value, *site.write.operands), strict=False))
    assert isinstance(site.node, ast.expr | ast.AugAssign)
    return any(save.parameter == operator.parameters[0] for save in saved_by(operator, bound, site.node))


def _operator(site: Site) -> Operator | None:
    if isinstance(site.node, ast.AugAssign):
        return torchapi.function(FUNCTION_OF[type(site.node.op)])
    return torchapi.tensor_method(_functional(site))


def _method(site: Site) -> InplaceMethod | None:
    return torchapi.inplace_method(site.write.name)


def _functional(site: Site) -> str:
    method = _method(site)
    assert method is not None
    assert method.functional is not None
    return method.functional


def _is_functional(site: Site) -> bool:
    """Tell whether a method has a functional counterpart in the torch that the code has to run on."""
    method = _method(site)
    if method is None or method.functional is None or method.kind != "value":
        return False
    return missing(site, f"Tensor.{method.functional}") is None


def _is_fill(chain: tuple[Site, ...]) -> bool:
    """Tell whether a single call stores a value in all elements: the argument of `fill_` or `copy_`, 0 for `zero_`."""
    (first, *others), method = chain, _method(chain[0])
    node = first.node
    if others or method is None or method.kind not in ("fill", "copy") or not isinstance(node, ast.Call):
        return False
    return len(node.args) == (first.write.name != "zero_") and not any(isinstance(a, ast.Starred) for a in node.args)


def _stays_whole(chain: tuple[Site, ...]) -> bool:
    """Tell whether a single call compares a named tensor with a graph, which then sends zeros to its gradient."""
    (first, *others), method = chain, _method(chain[0])
    if (
        others
        or method is None
        or method.kind != "value"
        or not isinstance(first.write.target, ast.Name | ast.Attribute)
    ):
        return False
    return stays_in_place(first.write.kind, first.write.name, first.value)


def _is_stable(site: Site, place: ast.expr) -> bool:
    """Tell whether a place can be evaluated again after the value: nothing binds its names, and nothing has effects."""
    return _is_evaluated_alike(site.run, place) and not is_moved(site, place) and not _may_move(site, place)


def _may_move(site: Site, place: ast.expr) -> bool:
    """Tell whether the value calls code that may change what the index reads: `q[n.i] += bump(n)`."""
    if not isinstance(site.node, ast.AugAssign) or not isinstance(place, ast.Subscript):
        return False
    reads = any(isinstance(node, ast.Attribute | ast.Subscript | ast.Call) for node in walk(place.slice))
    calls = [node for node in walk(site.node.value) if isinstance(node, ast.Call)]
    return reads and not all(computes_alike(site.run, call) for call in calls)


def _is_evaluated_alike(run: Run, node: ast.AST) -> bool:
    """Tell whether an expression can be evaluated twice: that has no effect, and gives the same elements."""
    if isinstance(node, _EFFECTS):
        return False
    if isinstance(node, ast.Call):
        callee = run.values.get(node.func)
        is_counting = isinstance(node.func, ast.Name) and node.func.id in _COUNTING and callee is not None
        if not is_counting and not computes_alike(run, node):
            return False
    return all(_is_evaluated_alike(run, child) for child in children(node))


def _cloned(node: cst.CSTNode) -> cst.Call:
    assert isinstance(node, cst.BaseExpression)
    return cst.Call(func=cst.Attribute(value=node, attr=cst.Name("clone")))


def _renamed(node: cst.CSTNode, name: str) -> cst.CSTNode:
    assert isinstance(node, cst.Call)
    assert isinstance(node.func, cst.Attribute)
    return node.with_changes(func=node.func.with_changes(attr=cst.Name(name)))


_BINARY: Mapping[type[ast.operator], type] = {
    ast.Add: cst.Add,
    ast.Sub: cst.Subtract,
    ast.Mult: cst.Multiply,
    ast.Div: cst.Divide,
    ast.FloorDiv: cst.FloorDivide,
    ast.Mod: cst.Modulo,
    ast.Pow: cst.Power,
    ast.BitAnd: cst.BitAnd,
    ast.BitOr: cst.BitOr,
    ast.BitXor: cst.BitXor,
    ast.LShift: cst.LeftShift,
    ast.RShift: cst.RightShift,
}
