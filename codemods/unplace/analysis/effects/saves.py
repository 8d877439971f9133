"""What autograd keeps for backward when an operation runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import NUMBER, TENSOR, UNKNOWN, Tracked, Value
from unplace.analysis.interpret.run import Run
from unplace.torchapi import Operator


def note(
    run: Run,
    state: State,
    operator: Operator,
    arguments: Mapping[str, Value],
    result: Value | None,
    node: ast.expr | ast.AugAssign,
) -> None:
    """Note what `operator` saves, given its arguments by parameter name.

    Nothing is saved when no argument can need a gradient. Source: `saves` and `guard` of the operator table, which
    come from torch's derivatives.yaml.
    """
    called = f"{operator.name.rsplit('.', 1)[-1]}()"
    tensors = {name: value for name, value in arguments.items() if value.may_be(TENSOR | UNKNOWN)}
    if not any(v.tracked is not Tracked.NO for v in tensors.values()):
        return
    if "*" in operator.saves:
        for value in tensors.values():
            run.save(state, value, called, node, certain=False)
        return
    only_one = sum(1 for v in arguments.values() if not v.must_be(NUMBER)) == 1
    option = _option(operator, node) if operator.saves_with_option else None
    kept = operator.saved(with_numbers=only_one)
    for name in kept if option is None else operator.saves_with_option.get(option, kept):
        if name == "result":
            if result is not None:
                run.save(state, result, called, node, "result")
            continue
        if operator.variadic and name == operator.parameters[-1]:
            for extra, value in tensors.items():
                if extra == name or extra.startswith("*"):
                    run.save(state, value, called, node, extra)
            continue
        saved = tensors.get(name)
        guard = operator.guard.get(name)
        if saved is None:
            continue
        if guard is not None and guard in arguments and arguments[guard].tracked is Tracked.NO:
            continue
        run.save(state, saved, called, node, name)


def _option(operator: Operator, node: ast.expr | ast.AugAssign) -> str | None:
    """The mode that a call of a function asks for; empty where it asks for none, None where that can't be told."""
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return None
    place = operator.parameters.index("mode")
    given = [k.value for k in node.keywords if k.arg == "mode"] or node.args[place : place + 1]
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    if not given:
        return ""
    return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, str) else None


def keeps_no_result(operator: Operator, operands: Iterable[Value]) -> bool:
    """Whether an operation that can save its result doesn't with these operands: `y ** 2` needs only y."""
    has_numbers = all(operand.must_be(NUMBER) for operand in operands)
    return "result" in operator.saves - operator.saved(with_numbers=has_numbers)
