"""The tensors that autograd saves for backward when an operation of torch runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from unplace.analysis.domain.graph import ARGUMENTS, NO_GRAPH
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import CONTAINER, NUMBER, TENSOR, UNKNOWN, Origin, Value
from unplace.analysis.effects.effect import RESULT, RETURNED, Save
from unplace.analysis.effects.graphs import bringing, brought
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.torchapi import Operator, results


def note(
    run: Run,
    state: State,
    saves: Iterable[Save],
    bound: Mapping[str, Value],
    made: Value | None,
    node: ast.expr | ast.AugAssign,
    called: str,
) -> None:
    """Record what autograd saves of a call: its arguments, by parameter, and the value `made` of them by `called`."""
    for name, certain, part, needs in saves:
        value = made if name == RETURNED else bound.get(name)
        named = name if part is None else part
        graph = brought(run, state, bound, needs) if value is not None else NO_GRAPH
        if value is None or not graph:
            continue
        if value.must_be(CONTAINER):
            for slot, held in state.reachable_slots(value.objs):
                if held.may_be(TENSOR | UNKNOWN):
                    run.save(state, held, called, node, named and f"{named}.{slot}", graph=graph, certain=certain)
        elif value.may_be(TENSOR | UNKNOWN):
            run.save(state, value, called, node, named, graph=graph, certain=certain)


def saved_by(operator: Operator, arguments: Mapping[str, Value], node: ast.expr | ast.AugAssign) -> tuple[Save, ...]:
    """Return the saves of `operator`, given its arguments by parameter name.

    Nothing is saved if no argument can need a gradient. Source: `saves` and `guard` of the operator table, which come
    from torch's derivatives.yaml.
    """
    tensors = {name: value for name, value in arguments.items() if value.may_be(TENSOR | UNKNOWN | CONTAINER)}
    values = tensors.values()
    if not any(can_be_tracked(v) or (v.must_be(CONTAINER) and v.objs) for v in values):
        return ()
    if operator.short in results.CONTRACTING and len(tensors) == 1 and not any(v.may_be(CONTAINER) for v in values):
        return ()
    graph = bringing(arguments)
    if "*" in operator.saves:
        return tuple(Save(name, False, "", graph) for name in tensors)
    return tuple(
        save._replace(graph=save.graph & graph or graph) for save in _named(operator, arguments, tensors, node)
    )


def _named(
    operator: Operator, arguments: Mapping[str, Value], tensors: Mapping[str, Value], node: ast.expr | ast.AugAssign
) -> Iterator[Save]:
    """Iterate over the saves that the operator table names, as far as these arguments cause them."""
    others = [v for v in arguments.values() if not v.must_be(NUMBER)][1:]
    option = _option(operator, node) if operator.saves_with_option else None
    kept = operator.saved(with_numbers=not others)
    may_be_numbers = not any(map(_is_tensor_somewhere, others))
    surely = operator.saved(with_numbers=True) if may_be_numbers else kept
    if operator.saves_with_option and option is None:  # it may ask for a mode that saves less
        surely = surely.intersection(*operator.saves_with_option.values())
    if operator.short in results.SELECTING:
        chosen_from = frozenset(operator.parameters[:1])
        along = [v for n, v in arguments.items() if n in operator.result_when]
        is_along = bool(along) and (along[0].must_be(NUMBER) or _names_dimension(operator, node))
        kept = kept - chosen_from if is_along else kept
        surely = surely - chosen_from if along and along[0].may_be(NUMBER | UNKNOWN) else surely
    is_pairwise = any(v.must_be(TENSOR) for n, v in arguments.items() if n in operator.result_when)  # torch.max(a, b)
    for name in kept if option is None else operator.saves_with_option.get(option, kept):
        guard = operator.guard.get(name)
        if name == RESULT and is_pairwise:
            continue
        if name == RESULT:
            yield Save(RETURNED, name in surely, part=RESULT)
        elif operator.variadic and name == operator.parameters[-1]:
            yield from (Save(extra) for extra in tensors if extra == name or extra.startswith("*"))
        elif name in tensors:
            other = arguments.get(guard) if guard is not None else None
            if other is None or can_be_tracked(other):
                # `tau * p.data` is recorded, and saves `p.data`, only if `tau` is a tensor
                is_recorded = can_be_tracked(tensors[name]) or other is None or _is_tensor_somewhere(other)
                needed = ARGUMENTS if guard is None else frozenset((guard,))
                yield Save(name, name in surely and is_recorded, graph=needed)


def _is_tensor_somewhere(value: Value) -> bool:
    """Tell whether a value is a tensor, or is one on some path of the code in sight: `y[i - 1] if i else 0.0`."""
    is_made = value.may_be(TENSOR) and any(o.origin is Origin.FRESH for o in value.objs)
    return not value.kinds & (UNKNOWN | NUMBER) or (is_made and not value.kinds & UNKNOWN)


def _names_dimension(operator: Operator, node: ast.expr | ast.AugAssign) -> bool:
    """Tell whether a call names an argument that only a reduction along a dimension has: `x.max(dim=d)`."""
    return isinstance(node, ast.Call) and any(k.arg in operator.parameters[1:] for k in node.keywords)


def _option(operator: Operator, node: ast.expr | ast.AugAssign) -> str | None:
    """Return the `mode` that a call of a function asks for: empty if it asks for none, None if it can't be told."""
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
    """Tell whether an operation that can save its result doesn't with these operands: `y ** 2` saves only `y`."""
    has_numbers = all(operand.must_be(NUMBER) for operand in operands)
    return RESULT in operator.saves - operator.saved(with_numbers=has_numbers)
