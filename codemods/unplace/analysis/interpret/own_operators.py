"""Applies operators that classes of the run define: each is a call, which may keep, write and return its operands.

class Log:
    def __lshift__(self, x):
        self.items.append(x)
        return x

log << h
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeAlias

from unplace.analysis.domain.graph import UNSEEN
from unplace.analysis.domain.refs import Class, Function, Instance, alternatives
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import MODULE, OTHER, TENSOR, UNKNOWN, Value
from unplace.analysis.effects.clobbering import clobber
from unplace.analysis.effects.effect import Effect, hands_on, leaves_alone
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import Evaluation
from unplace.analysis.interpret.writes import anything
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.nodes import code_of

_Predicate: TypeAlias = Callable[[Effect, str], bool]
_NAMES: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.UAdd: "pos",
    ast.USub: "neg",
    ast.Invert: "invert",
}
_COMPARING: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("eq", "eq"),
    ast.NotEq: ("ne", "ne"),
    ast.Lt: ("lt", "gt"),
    ast.LtE: ("le", "ge"),
    ast.Gt: ("gt", "lt"),
    ast.GtE: ("ge", "le"),
    ast.In: ("", "contains"),
    ast.NotIn: ("", "contains"),
}


def binary(
    evaluator: Evaluation, node: ast.BinOp | ast.AugAssign, left: Value, right: Value, state: State
) -> Value | None:
    """Return the result of `left op right`, or of `left op= right`, if a class may define it."""
    name = _NAMES[type(node.op)]
    names = [name, f"i{name}"] if isinstance(node, ast.AugAssign) else [name]
    run = evaluator.run
    is_own = _may_define(run, left, names, leaves_alone) or _may_define(run, right, [f"r{name}"], leaves_alone)
    if not is_own and not _is_object(left) and not _is_object(right):
        return None
    if _acts(run, left, names) or _acts(run, right, [f"r{name}"]):
        _act(run, node, [left, right], state)
    place = node.target if isinstance(node, ast.AugAssign) else node
    return evaluator.inside(place, left._replace(objs=left.objs | right.objs), state)


def methods_of(op: ast.operator) -> frozenset[str]:
    """Return the methods by which classes define an operator: in place, out of place, and for the operand behind it."""
    return frozenset(f"__{prefix}{_NAMES[type(op)]}__" for prefix in ("i", "", "r"))


def unary(evaluator: Evaluation, node: ast.UnaryOp, operand: Value, state: State) -> Value | None:
    """Return the result of an operator before its operand, if a class may define it."""
    name = _NAMES[type(node.op)]
    if not _may_define(evaluator.run, operand, [name], leaves_alone):
        return None
    if _may_define(evaluator.run, operand, [name], hands_on):
        _act(evaluator.run, node, [operand], state)
    return evaluator.inside(node, operand, state)


def compare(evaluator: Evaluation, node: ast.Compare, operands: list[Value], state: State) -> Value | None:
    """Return the result of a comparison if a class may define it."""
    for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
        name, reflected = _COMPARING.get(type(op), ("", ""))
        sides = ((left, [name]), (right, [reflected]))
        if any(_may_define(evaluator.run, side, names, leaves_alone) for side, names in sides):
            if any(_may_define(evaluator.run, side, names, hands_on) for side, names in sides):
                _act(evaluator.run, node, operands, state)
            return evaluator.inside(node, left._replace(objs=anything(operands)), state)
    return None


def _is_object(value: Value) -> bool:
    return value.may_be(OTHER | MODULE) and bool(value.objs)


def _act(run: Run, node: ast.expr | ast.AugAssign, given: list[Value], state: State) -> None:
    """Assume that a method keeps and changes whatever it can reach."""
    reachable = state.reachable(anything(given))
    if reachable:
        run.keep_all(state, reachable, f"`{code_of(node)}`", node.lineno)
        clobber(run, node, reachable, state)
    for value in given:
        if value.may_be(TENSOR | UNKNOWN) and value.objs:
            run.save(state, value, f"`{code_of(node)}`", node, graph=UNSEEN, certain=False)


def _acts(run: Run, value: Value, names: Iterable[str]) -> bool:
    """Tell whether an operator of an object may do more than make something new of its operands."""
    instances = [ref for ref in alternatives(value.ref) if isinstance(ref, Instance)]
    if not instances:
        return _is_object(value) or _may_define(run, value, names, hands_on)
    return any(_is_open(instance.of) for instance in instances) or _may_define(run, value, names, hands_on)


def _is_open(of: Class) -> bool:
    """Tell whether a class may inherit operators from one that the run doesn't contain."""
    return not of.is_module and any(len(cls.ancestors) < len(cls.bases) for cls in of.linearized())


def _may_define(run: Run, value: Value, names: Iterable[str], is_harmless: _Predicate) -> bool:
    """Tell whether the class of an object may have a method, in sight, that isn't harmless to each argument.

    For an object of unknown class, all classes of the file count.
    """
    is_unknown = bool(value.kinds & UNKNOWN) or value.likely
    if value.ref is None and not is_unknown:
        return False
    instances = [ref for ref in alternatives(value.ref) if isinstance(ref, Instance)]
    if not instances and not is_unknown:
        return False
    family = [cls for instance in instances for cls in _family(run, instance)]
    for method in [f"__{name}__" for name in names]:
        defining = family if instances else _defining(home(run.scope), method)
        if any(not _is_plain(run, cls, method, is_harmless) for cls in defining):
            return True
    return False


@once
def _defining(module: ModuleIndex, method: str) -> list[Class]:
    """Return the classes of a file with a method of a name, but for those of tensors."""
    return [cls for cls in module.classes.values() if method in cls.scope.bound and not cls.is_tensor]


def _family(run: Run, instance: Instance) -> list[Class]:
    """Return the classes whose methods an operator of an object may run."""
    own = instance.of.linearized()
    return own if instance.is_exact else [*own, *run.program.descendants(instance.of)]


def _is_plain(run: Run, of: Class, name: str, is_harmless: _Predicate) -> bool:
    """Tell whether a class has no method of a name, or one that is harmless to each argument."""
    if name not in of.scope.bound:
        return True
    method = next((inner for inner in of.scope.inner if inner.name == name), None)
    effect = run.program.summary(Function(method, of), run.scope) if method is not None else None
    if effect is None or method is None or effect.keeps_outer or effect.writes_outer:
        return False
    return all(is_harmless(effect, a.arg) for a in method.parameters)
