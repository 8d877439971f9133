"""In-place operations that save their own result, which is written later: they store an out-of-place result instead.

    y.sigmoid_()                    y[...] = y.sigmoid()
    y *= 2                          y *= 2

Every alias of the memory sees the same values as before, and sigmoid() saved a tensor that nobody writes. An operation
that out of place saves its input as well gets a copy of the input: `y[...] = F.elu(y.clone())`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from unplace import torchapi
from unplace.analysis.domain.values import NUMBER
from unplace.diagnostics.forms import Form, WriteKind
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import standing_alone
from unplace.transform.emit.snippet import Snippet, expression
from unplace.transform.rule import CallRule, is_repeatable
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse


def stored(site: Site, rules: Mapping[Form, Any], text: Text) -> tuple[Edit, ...] | None:
    """Return the edits that compute a result out of place and store it; None where no assignment can stand."""
    place = site.write.target
    is_alone = site.statement is site.node or getattr(site.statement, "value", None) is site.node
    if not is_alone or not isinstance(site.statement, ast.Expr) or not is_repeatable(site.run, place):
        return None
    rule = rules[site.form]
    if isinstance(rule, CallRule) and rule.missing(site) is not None:
        return None
    written = standing_alone(text.slice(place))
    if site.write.kind is WriteKind.METHOD:
        return _method(site, written, text)
    is_function = site.write.kind in (WriteKind.FUNCTION, WriteKind.FLAG)
    return _function(site, written, rules, text) if is_function else None


def _target(site: Site, place: str) -> str:
    """Return the target that stores into all of the written tensor: `y[...]`, or a part such as `y[:2]` unchanged."""
    written = site.write.target
    holder = site.run.values.get(written.value) if isinstance(written, ast.Subscript) else None
    return place if holder is not None and holder.is_tensor else f"{place}[...]"


def _read(site: Site, place: str, functional: torchapi.Operator | None) -> str:
    """Return the operand of the out-of-place operation: a copy if it is saved, because the result overwrites it."""
    has_numbers = all(operand.must_be(NUMBER) for operand in site.write.operands)
    if functional is not None:
        if not functional.saved(with_numbers=has_numbers) & {"*", *functional.parameters[:1]}:
            return place
    return f"{place}.clone()"


def _method(site: Site, place: str, text: Text) -> tuple[Edit, ...] | None:
    """Turn `y.sigmoid_()` into `y[...] = y.sigmoid()`."""
    node = site.node
    method = torchapi.inplace_method(site.write.name)
    if method is None or method.functional is None or not isinstance(node, ast.Call):
        return None
    assert isinstance(node.func, ast.Attribute)
    start, name_end = text.span(node.func)
    read = _read(site, place, torchapi.tensor_method(method.functional))
    return (Edit(start, name_end, f"{_target(site, place)} = {read}.{method.functional}"),)


def _function(site: Site, place: str, rules: Mapping[Form, Any], text: Text) -> tuple[Edit, ...] | None:
    """Turn `F.relu(y, inplace=True)` into `y[...] = F.relu(y)`."""
    change = rules[site.form].functional(site)
    if isinstance(change, Refuse):
        return None
    assert isinstance(site.node, ast.Call)
    entry = torchapi.inplace_function(site.write.name)
    functional = entry.functional if entry is not None else site.write.name
    read = _read(site, place, torchapi.function(functional) if functional is not None else None)
    snippet = Snippet(text, site.node)
    snippet.change(site.node, change)
    snippet.change(site.write.target, lambda _: expression(read))
    return (Edit(snippet.start, snippet.end, f"{_target(site, place)} = {snippet.code(snippet.node(site.node))}"),)
