"""The effects of torch's own operators: what their results may view, and what autograd saves for them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from unplace import torchapi
from unplace.analysis.domain.dtypes import raised
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import ARGUMENTS, LEAF, NO_GRAPH, UNSEEN
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import (
    ARRAY,
    CONTAINER,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Link,
    Origin,
    Token,
    Value,
)
from unplace.analysis.effects import effect, result_types
from unplace.analysis.effects.effect import Effect, Returned
from unplace.analysis.effects.graphs import bringing
from unplace.analysis.effects.saves import saved_by
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import as_arguments
from unplace.torchapi import Operator, Result, View, autocast, results

_FIELDS = 4  # the elements of a returned tuple that are told apart; no operator returns more


def effect_of(
    run: Run,
    node: ast.Call,
    operator: Operator,
    bound: Mapping[str, Value],
    arguments: Arguments,
    state: State,
) -> Effect:
    """Return the effect of a call of an operator, given its arguments by parameter name."""
    kind = _result_of(operator, bound, arguments)
    if kind in (Result.NUMBER, Result.BOOL):
        return Effect(Returned(NUMBER))
    if kind is Result.SHAPE:
        return Effect(Returned(SHAPE))
    if kind is Result.OTHER:
        if operator.writes:  # what it writes may look into the others: `vector_to_parameters(flat, parameters)`
            kept = frozenset(bound) - operator.writes
            return Effect(Returned(OTHER), keeps=kept, surely_keeps=kept, keeper=f"{operator.short}()")
        seen = operator.view_of if operator.view is not View.NEVER else None  # `x.untyped_storage()`
        return Effect(Returned(OTHER, frozenset() if seen is None else frozenset((seen,)), ref=Named(operator.name)))
    if kind is Result.UNKNOWN:
        return Effect(None)
    if operator.short in results.LIKE_TENSOR_CLASS:
        size = {name: value for name, value in bound.items() if name != "self"}
        return of_tensor_class(operator.short, size, len(arguments.positional), bound["self"].dtype)
    first = _looked_at(operator, bound)
    bound = as_arguments(bound)
    if kind is Result.TENSORS:
        return _sequence(run, node, operator, bound, first, state)
    if operator.short in results.FROM_OUTSIDE and any(
        v.may_be(ARRAY | UNKNOWN | OTHER) for v in list(bound.values())[:1]
    ):
        graph = NO_GRAPH if _is_of_no_tensor(operator, bound) else UNSEEN
        given, *_ = bound or [""]
        if given and bound[given].objs and bound[given].must_be(OTHER):  # a capsule with a tensor's memory
            capsule = effect.View((given,), Link.VIEW)
            return Effect(Returned(TENSOR, source=capsule, graph=NO_GRAPH, operator="detach"))
        return Effect(Returned(TENSOR, outside=Origin.CALL, graph=graph))
    if operator.short in results.FROM_OUTSIDE and bound and next(iter(bound.values())).must_be(CONTAINER | NUMBER):
        first = None  # numbers are copied into new memory, also out of tensors of one element
    returned = _tensor(run, node, operator, bound, first, arguments, state)
    return Effect(returned, writes=operator.writes, saves=saved_by(operator, bound, node))


def _is_of_no_tensor(operator: Operator, bound: Mapping[str, Value]) -> bool:
    """Tell whether a function that takes over memory was given an array or a buffer, which has no graph."""
    first = next(iter(bound.values()), None)
    return operator.short in results.FROM_ARRAYS or (first is not None and first.must_be(ARRAY | NUMBER))


def of_variable(data: Value, flag: ast.expr | None) -> Effect:
    """Return the effect of `Variable(x, requires_grad=flag)`: a leaf or a tensor without graph, in the same memory."""
    is_off = flag is None or (isinstance(flag, ast.Constant) and not flag.value)
    graph = NO_GRAPH if is_off else LEAF if isinstance(flag, ast.Constant) else UNSEEN
    view = effect.View(("data",), Link.VIEW, same_shape=True)
    return Effect(Returned(TENSOR, source=view, graph=graph, label="Variable()", operator="detach", dtype=data.dtype))


def _looked_at(operator: Operator, bound: Mapping[str, Value]) -> str | None:
    """Return the parameter that the result may view."""
    if operator.view_of in bound:
        return operator.view_of
    names = [name for name, value in bound.items() if value.may_be(TENSOR | CONTAINER)]
    return next(iter(names), next(iter(bound), None))


def _result_of(operator: Operator, bound: Mapping[str, Value], arguments: Arguments) -> Result:
    """Return the type of the result for these arguments: `x.size(0)` gives a number, `x.max(1)` a pair."""
    for name, other in operator.result_when.items():
        given, node = bound.get(name), arguments.keyword_nodes.get(name)
        if isinstance(node, ast.Constant) and (node.value is None or node.value is False):
            continue
        if name in results.SWITCHES and not isinstance(node, ast.Constant) and given is not None:
            return Result.UNKNOWN  # x.nonzero(as_tuple=flag)
        is_overload = other is Result.TENSORS and given is not None and given.may_be(TENSOR)  # torch.max(a, b)
        if given is not None and not is_overload:
            return other
    return operator.result


def _tensor(
    run: Run,
    node: ast.Call,
    operator: Operator,
    bound: Mapping[str, Value],
    first: str | None,
    arguments: Arguments,
    state: State,
) -> Returned | None:
    """Return the description of a returned tensor, or None if the result may be anything."""
    values, name = list(bound.values()), operator.short
    looked_at = bound[first] if first is not None else None
    dtype = _dtype(run, node, operator, looked_at, values, arguments)
    shape = result_types.shape_of(operator, values)
    if looked_at is not None and operator.view is View.MAYBE and _differ(dtype, looked_at.dtype):
        looked_at = None  # a tensor of another dtype is a copy
    if name in results.CONTRACTING and _sums(node):
        looked_at = None
    is_cast = name == "type"  # returns its receiver where the type is the same
    if (operator.view is View.NEVER and not is_cast) or looked_at is None or first is None:
        return Returned(
            TENSOR,
            dtype=dtype,
            graph=result_types.graph_of(operator, bound, arguments),
            likely=bool(values) and values[0].likely and not operator.name.startswith("torch."),
            shape=shape,
            is_new=results.is_constructor(name),
            may_be_leaf="requires_grad" in arguments.keywords,
            label=f"{name}()",
            operator=name,
        )
    tensors = sum(1 for v in values if v.may_be(TENSOR | UNKNOWN))
    if operator.variadic and operator.saves and tensors > 1 and not any(v.may_be(CONTAINER) for v in values):
        return Returned(TENSOR, dtype=dtype, label=f"{name}()", operator=name)  # several operands are combined into one
    if looked_at.may_be(CONTAINER):
        return None
    maybe = Link.MAYBE if _may_convert(name, looked_at, dtype, state) else Link.EITHER
    link = Link.VIEW if operator.view is View.ALWAYS else maybe
    return Returned(
        TENSOR,
        dtype=dtype,
        graph=NO_GRAPH if name == "detach" else ARGUMENTS,
        overlapping=name in results.OVERLAPPING,
        source=effect.View(_viewed(operator, bound, first), link, same_shape=shape is not None),
        label=f"{name}()",
        operator=name,
    )


def _viewed(operator: Operator, bound: Mapping[str, Value], first: str) -> tuple[str, ...]:
    """Return the arguments that a view may look at: `first`, and the others of `torch.meshgrid(x, y)`."""
    takes_tensors = operator.variadic and operator.name.startswith("torch.")  # the methods take sizes
    return first, *(other for other in bound if takes_tensors and other != first)


def _sums(node: ast.Call) -> bool:
    """Tell whether the equation of a call of `einsum` leaves out an index: it sums, and so makes a new tensor."""
    equation = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    given, arrow, made = equation.partition("->") if isinstance(equation, str) else ("", "", "")
    return bool(arrow) and not {*filter(str.isalpha, given)} <= {*made}


def _may_convert(name: str, value: Value, dtype: Token, state: State) -> bool:
    """Tell whether the code is made for converting a tensor, and nothing in sight shows that it has no need to."""
    if name == results.COMPACTING:
        return bool(value.objs & state.bases.keys())
    is_known = name in results.CASTS and value.dtype in (dtype, "default" if dtype == "float32" else dtype)
    return name in results.CONVERTING and not is_known


def _dtype(
    run: Run, node: ast.Call, operator: Operator, looked_at: Value | None, values: list[Value], arguments: Arguments
) -> Token:
    """Return the dtype of a returned tensor."""
    dtype = result_types.dtype_of(run, operator, looked_at, values, arguments)
    if run.autocast and operator.short in autocast.RAISED:
        return raised((node, "dtype")) if dtype is None else dtype
    is_known = operator.short in autocast.LOWERED or operator.short in results.TOTALS
    if run.autocast and not operator.elementwise and operator.view is View.NEVER and not is_known:
        dtype = None
    if dtype is None and operator.view is not View.NEVER and operator.short in ("to", "einsum"):
        return (node, "dtype")  # it may differ from that of the viewed tensor
    return dtype


def _differ(first: Token, second: Token) -> bool:
    """Tell whether two dtypes are known to differ; torch's default dtype may be any float dtype."""
    return isinstance(first, str) and isinstance(second, str) and first != second and "default" not in (first, second)


def _sequence(
    run: Run, node: ast.Call, operator: Operator, bound: Mapping[str, Value], first: str | None, state: State
) -> Effect:
    """Return the effect of an operator that returns several tensors: pieces of an argument, or new ones."""
    label = f"{operator.short}()"
    if operator.view is View.MULTI and first is not None and bound[first].objs:
        overlapping = operator.short in results.OVERLAPPING
        of = _viewed(operator, bound, first)
        view = effect.View(of, Link.VIEW, is_piece=not overlapping, forbidden=not operator.writable)
        element = Returned(TENSOR, overlapping=overlapping, source=view, label=label, operator=operator.short)
        return Effect(Returned(TUPLE, elements=((ANY, element),), graph=NO_GRAPH, label="container"))
    graph = bringing(bound)
    may_look = first is not None and operator.view is View.MAYBE
    parameters = frozenset((first,)) if may_look and first is not None else effect.NOBODY
    element = Returned(TENSOR, parameters, graph=graph, label=label, operator=operator.short)
    fields = tuple((index, element) for index in range(_FIELDS))
    if operator.short in results.WITH_INDICES:
        indices = Returned(TENSOR, dtype="int64", graph=NO_GRAPH, label=label, operator=operator.short)
        fields = ((0, element), (1, indices))
    kept = tuple(saved for saved in saved_by(operator, bound, node) if saved.parameter != effect.RETURNED)
    return Effect(Returned(TUPLE, elements=fields, graph=NO_GRAPH, label="container"), saves=kept)


def of_each(run: Run, name: str, operator: Operator | None, bound: Mapping[str, Value], state: State) -> Effect:
    """Return the effect of `torch._foreach_exp(xs)`: a tuple of new tensors.

    Autograd may save all that goes in, more than for one tensor, and the results where the operator for one says so.
    """
    element = Returned(
        TENSOR,
        graph=bringing(bound),
        label=name,
        operator=operator.short if operator is not None else None,
    )
    is_result_saved = operator is None or not operator.saves.isdisjoint((effect.RESULT, "*"))
    saved = (*bound, effect.RETURNED) if is_result_saved else tuple(bound)
    saves = tuple(effect.Save(parameter, False, "") for parameter in saved)
    return Effect(Returned(TUPLE, elements=((ANY, element),), graph=NO_GRAPH, label="container"), saves=saves)


def of_tensor_class(label: str, bound: Mapping[str, Value], count: int, dtype: Token = None) -> Effect:
    """Return the effect of a call of `torch.FloatTensor` or the like, which may take over the tensor passed to it.

    Where more than one argument is passed (`count`), they are sizes.
    """
    given = frozenset(name for name, v in bound.items() if count < 2 and v.may_be(TENSOR | UNKNOWN) and v.objs)
    graph = ARGUMENTS if given else NO_GRAPH
    return Effect(Returned(TENSOR, given, graph=graph, is_new=not given, dtype=dtype, label=f"{label}()"))


def perhaps_in_place(label: str, bound: Mapping[str, Value], first: str) -> Effect:
    """Return the effect of a call that either overwrites and returns its input or makes a new tensor."""
    if not bound[first].objs:
        return Effect(Returned(TENSOR, likely=bound[first].likely, label=f"{label}()"))
    view = effect.View((first,), Link.EITHER, same_shape=True)
    save = effect.Save(effect.RETURNED, _saves_result_anyway(label), "")
    return Effect(Returned(TENSOR, source=view, label=f"{label}()"), saves=(save,))


def _saves_result_anyway(label: str) -> bool:
    """Tell whether autograd saves what a function or layer returns whether or not it works in place: a ReLU."""
    module, function = torchapi.module(label), torchapi.function(label)
    is_saved = module.saves_result if module is not None else function is not None and "result" in function.saves
    return is_saved and torchapi.saves_result_in_place(label)
