"""Reads parameters of torch's layers by their names, and out of the lists that recurrent layers have of them.

bias = getattr(self.lstm, f"bias_hh_l{layer}")
for names in self.lstm._all_weights:
    for name in filter(lambda n: "bias" in n, names):
        bias = getattr(self.lstm, name)
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import LEAF, UNSEEN, Graph
from unplace.analysis.domain.refs import Instance, ParameterName
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import LIST, MODULE, TENSOR, TEXT, Origin, Value
from unplace.analysis.interpret import module_lists
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.attributes import field_of
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.walking import CallEffects
from unplace.analysis.syntax.nodes import code_of
from unplace.analysis.syntax.patterns import WILD, text_pattern
from unplace.torchapi import modules

_NAME = Value(TEXT, ref=ParameterName())


def of_getattr(calls: CallEffects, node: ast.Call, arguments: Arguments, state: State) -> Value | None:
    """Return what `getattr(x, name)` gives; None where nothing is known of it."""
    found = module_lists.looked_up(calls.run, node, arguments)
    if found is not None or not arguments.exact or len(arguments.nodes) != 2:
        return found
    (holder, name), (base, given) = arguments.nodes, arguments.positional
    pattern = text_pattern(name)
    if pattern.isidentifier():
        return field_of(calls.evaluator, holder, base, state, pattern)
    is_named = isinstance(given.ref, ParameterName) or (pattern != WILD and torchapi.is_registered_name(pattern))
    if not is_named or not base.must_be(MODULE) or isinstance(base.ref, Instance):
        return None
    return _parameter(calls.run, node, UNSEEN if torchapi.is_buffer_name(pattern) else LEAF)


def listed(run: Run, node: ast.Attribute, base: Value, state: State) -> Value | None:
    """Return the parameters of a layer, or their names, in the lists that an attribute has; None for any other."""
    depth = modules.LISTS_OF_PARAMETERS.get(node.attr, 0)
    if not depth or not base.must_be(MODULE) or isinstance(base.ref, Instance):
        return None
    value = _NAME
    if node.attr not in modules.LISTS_OF_NAMES:
        value = _parameter(run, node, LEAF)
    for holder in (node.value, node)[-depth:]:
        value = run.container(holder, state, LIST, {ANY: value})
    return value


def _parameter(run: Run, node: ast.expr, graph: Graph) -> Value:
    """Return a parameter or buffer that a layer holds."""
    return run.foreign((node, "registered"), Origin.REGISTERED, code_of(node), node.lineno, TENSOR, graph=graph)
