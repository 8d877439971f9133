"""Records in-place operations that are called by other names than their own, or by a function that gets them.

torch.Tensor.add_(y, 1)                 y.__iadd__(1)
operator.iadd(y, 1)                     functools.reduce(operator.iadd, ys)
list(map(torch.relu_, hs))               functools.partial(torch.relu_, y)()
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import CONTAINER, TENSOR, UNKNOWN, Value
from unplace.analysis.interpret import method_calls
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.stores import may_write
from unplace.analysis.interpret.walking import CallEffects
from unplace.diagnostics.forms import PARTIAL, WriteKind
from unplace.torchapi import members

_OF_CLASS = "torch.Tensor."
_HOLDING = frozenset([PARTIAL])
"""Functions whose result calls the function which they get, on what they get with it."""


def of_class_or_operator(
    calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State
) -> Value | None:
    """Return what a method of `torch.Tensor` or an operator returns that writes its first argument; else None."""
    name = _method(qualified)
    if name is None or not arguments.exact or not arguments.positional:
        return None
    target, base = arguments.nodes[0], arguments.positional[0]
    if qualified.startswith(_OF_CLASS):
        base = state.narrow_to_tensor(base)
    if not base.is_tensor:
        if base.kinds & UNKNOWN:
            may_write(calls.run, node, WriteKind.BOUND, target, base, tuple(arguments.positional[1:]), state, name)
        return None
    others = Arguments(arguments.positional[1:], arguments.nodes[1:], arguments.keywords, arguments.keyword_nodes)
    return method_calls.of_name(calls, node, name, target, base, others, state)


def of_handed(calls: CallEffects, node: ast.Call, qualified: str, arguments: Arguments, state: State) -> None:
    """Record that a function which gets an in-place function calls it on the elements of what it gets with it.

    `functools.partial` gets the tensor itself, if one.
    """
    refs = (value.ref for value in arguments.positional)
    named = (ref.qualified for ref in refs if isinstance(ref, Named))
    name = next((found for given in named if (found := _function(given)) is not None), None)
    if name is None:
        return
    for given, value in zip(arguments.nodes, arguments.positional, strict=True):
        if not value.kinds & (TENSOR | CONTAINER | UNKNOWN) or isinstance(value.ref, Named):
            continue
        element = value if qualified in _HOLDING else calls.evaluator.iterate(given, value, state)
        if element.is_tensor:
            calls.run.write(node, WriteKind.BOUND, given, element, state, name)
            return
        if element.kinds & UNKNOWN:
            may_write(calls.run, node, WriteKind.BOUND, given, element, (), state, name)
            return


def _function(qualified: str) -> str | None:
    """Return the name of the in-place method or function that a qualified name is; None where it is none."""
    if torchapi.inplace_function(qualified) is not None:
        return qualified.rpartition(".")[2]
    return _method(qualified)


def _method(qualified: str) -> str | None:
    """Return the in-place method that `torch.Tensor.add_` or `operator.iadd` is; None for other names."""
    module, _, name = qualified.rpartition(".")
    if module == "operator":
        return members.OF_OPERATORS.get(name.strip("_"))
    if not qualified.startswith(_OF_CLASS):
        return None
    own = members.OF_OPERATORS.get(name.strip("_"), name)
    return own if torchapi.inplace_method(own) is not None else None
