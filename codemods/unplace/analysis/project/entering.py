"""Gives the parameters of a function their values, where the walk over it begins."""

from __future__ import annotations

import ast

from unplace.analysis.domain.constants import ABSENT
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    DICT,
    MODULE,
    NONE,
    NUMBER,
    OTHER,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Origin,
    Value,
)
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.project import passed_values
from unplace.analysis.project.modes import grad_mode
from unplace.analysis.syntax.scopes import Scope, all_parameters, variadic
from unplace.analysis.types import kinds, parameters


def enter(program: Analysis, scope: Scope, run: Run, state: State) -> None:
    """Bind the parameters of the function that a run walks over, in the variant of the run."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    fixed, receiver = dict(run.variant.fixed), run.variant.receiver
    for index, argument in enumerate(all_parameters(node.args)):
        value = parameter(program, scope, argument)
        if fixed.get(argument.arg) == ABSENT:
            value = Value(NONE)
        elif index == 0 and receiver is not None:
            value = value._replace(ref=receiver)
        held = state.env[argument.arg] = _as_foreign(run, argument, value)
        state.binds[argument.arg] = argument
        if held.must_be(CONTAINER | NONE):
            _add_contents(program, scope, run, argument, held, state)
    state.record = grad_mode(program.module, scope)


def parameter(program: Analysis, scope: Scope, argument: ast.arg) -> Value:
    """Return the value of a parameter, with what is seen to be called, or read, through it."""
    if argument in variadic(scope):
        return Value(TUPLE if argument is scope.node.args.vararg else DICT)  # type: ignore[union-attr]
    value = parameters.value_of(program, scope, argument)
    if value.ref is not None or not value.kinds & (UNKNOWN | CALLABLE | MODULE | OTHER):
        return value
    return value._replace(ref=passed_values.called_through(program, scope, argument))


def _add_contents(program: Analysis, scope: Scope, run: Run, argument: ast.arg, held: Value, state: State) -> None:
    is_variadic = argument in variadic(scope)
    if is_variadic and held.must_be(TUPLE):
        elements = parameters.extra(program, scope, argument)
    elif is_variadic:
        elements = Value(kinds.of_annotation(argument.annotation))
    else:
        elements = parameters.contents(program, scope, argument)
    if elements.must_be(NUMBER):
        for holder in held.objs:
            state.heap[(holder, ANY)] = Value(NUMBER)
    for holder in held.objs if elements.may_be(TENSOR) or is_variadic else ():
        state.heap[(holder, ANY)] = run.foreign(
            ("element", argument.arg),
            Origin.PARAMETER,
            f"`{argument.arg}`",
            argument.lineno,
            elements.kinds,
            graph=frozenset([argument.arg]),
            likely=elements.likely,
        )


def _as_foreign(run: Run, argument: ast.arg, value: Value) -> Value:
    if value.kinds & ~(NUMBER | TEXT | NONE) == 0:
        return value
    return run.foreign(
        ("parameter", argument.arg),
        Origin.PARAMETER,
        f"`{argument.arg}`",
        argument.lineno,
        value.kinds,
        ref=value.ref,
        graph=frozenset([argument.arg]),
        likely=value.likely,
    )
