"""Renders the plan of a store into a clone without the store: the owner is bound to what `*_scatter` makes.

y = y.clone()                       y = y.select_scatter(v, 0, i)
y[i] = v

A store through the name of a view puts the new view back into its base: `y = y_rows.select_scatter(v, 0, i).t()`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import Obj
from unplace.analysis.queries.reading import computes_alike
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.refusals import Refusal
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit import bindings
from unplace.transform.emit.layout import new_name, standing_alone
from unplace.transform.emit.naming import name_for
from unplace.transform.emit.snippet import Snippet
from unplace.transform.functional.code import InexpressibleError
from unplace.transform.functional.indices import Code, Slot, stored
from unplace.transform.functional.values import New
from unplace.transform.functional.views import put_back
from unplace.transform.legality import chain_root
from unplace.transform.rule import StatementRule, fresh_name
from unplace.transform.sites import Site
from unplace.transform.verdicts import Scatter

_STEPS = (ast.Attribute, ast.Call, ast.Subscript)


_LONG, _LONG_VALUE = 88, 24
"""The number of characters from which on a line is too long for one expression, and a value worth a name."""

Lines = tuple[list[str], list[str]]
"""The statements in the place of the old one, and those behind it."""


def lines(text: Text, decisions: Sequence[Decision], snippet: Snippet) -> Lines:
    """Return the statements that bind what a statement writes; raise `InexpressibleError` where a store has to stay."""
    leaders = [d for d in decisions if isinstance(d.rule, StatementRule)]
    if len(leaders) > 1:
        return _several(text, leaders, snippet), []
    decision = leaders[0] if leaders else decisions[-1]
    if isinstance(decision.rule, StatementRule):
        return _stored(text, decision, snippet, decision.rule.value(decision.site, snippet.statement()))
    site = decision.site
    assert isinstance(site.node, ast.expr)
    given = _given(site) if len(decisions) == 1 else None
    node = given or site.node
    value = standing_alone(snippet.code(snippet.node(node))) if hasattr(node, "lineno") else ast.unparse(node)
    made, behind = _bound(text, decision, value, given, {})
    return [made], behind


def _stored(text: Text, decision: Decision, snippet: Snippet, value: cst.BaseExpression) -> Lines:
    """Return the lines for a store or an augmented one; a value that would make them long gets a name before."""
    site, code = decision.site, standing_alone(snippet.module.code_for_node(value))
    node = site.statement.value if site.write.kind is WriteKind.STORE else None  # type: ignore[attr-defined]
    before, names = _named_before(text, site, node, code)
    if not names:
        made, behind = _bound(text, decision, code, node, names)
        if "\n" not in code and (len(made) <= _LONG or len(code) < _LONG_VALUE):
            return [made], behind
        name = fresh_name(site, node if node is not None else ast.Constant(None))
        before, code = [snippet.line(f"{name} = ", value)], name
    made, behind = _bound(text, decision, names.get(node, code) if node is not None else code, node, names)
    return [*before, made], behind


def _given(site: Site) -> ast.expr | None:
    """Return what a call puts into all of a part as a store would: `v` for `y[0].copy_(v)`, 0 for `y[0].zero_()`."""
    call = site.node
    if not isinstance(call, ast.Call) or call.keywords:
        return None
    if site.write.name == "zero_":
        return ast.Constant(0)
    return call.args[0] if site.write.name in ("copy_", "fill_") and len(call.args) == 1 else None


def _several(text: Text, leaders: Sequence[Decision], snippet: Snippet) -> list[str]:
    """Return the lines for `x[0], y[1] = a, b`: a name for each value, then one store after the other."""
    statement = leaders[0].site.statement
    assert isinstance(statement, ast.Assign)
    taken = leaders[0].site.run.taken_names()
    targets = statement.targets[0].elts if isinstance(statement.targets[0], ast.Tuple | ast.List) else []
    if [leader.site.node for leader in leaders] != targets or len(statement.targets) > 1:
        raise InexpressibleError(Refusal.SEVERAL_TARGETS())
    written = frozenset[Obj]().union(*(leader.site.roots() for leader in leaders))
    read = (o for leader in leaders for operand in leader.site.write.operands for o in operand.objs)
    if not written.isdisjoint(leaders[0].site.state.roots(read)):  # `x[0], x[1] = x[1], x[0]` stores views, not values
        raise InexpressibleError(Refusal.SEVERAL_TARGETS_READ())
    given = statement.value.elts if isinstance(statement.value, ast.Tuple | ast.List) else []
    if len(given) == len(leaders) and all(isinstance(node, ast.Constant) for node in given):
        return _one_by_one(text, leaders, [text.slice(node) for node in given], given)
    values: list[str] = []
    for leader in leaders:
        values.append(name_for(taken, leader.site.node, leader.site.write.target, statement.value))
        taken.add(values[-1])
    changed = snippet.statement()
    assert isinstance(changed, cst.Assign)
    line = f"{', '.join(values)} = {standing_alone(snippet.module.code_for_node(changed.value))}"
    is_each = len(given) == len(leaders) and not any(isinstance(node, ast.Starred | ast.Constant) for node in given)
    nodes = given if is_each else [ast.Name(value, ast.Load()) for value in values]
    return [line, *_one_by_one(text, leaders, values, nodes)]


def _one_by_one(text: Text, leaders: Sequence[Decision], values: Sequence[str], nodes: Sequence[ast.expr]) -> list[str]:
    """Return the lines of several stores, one after the other."""
    found: list[str] = []
    for leader, value, node in zip(leaders, values, nodes, strict=True):
        made, behind = _bound(text, leader, value, node, {})
        found += [made, *behind]
    return found


def _named_before(text: Text, site: Site, value: ast.expr | None, code: str) -> tuple[list[str], dict[ast.expr, str]]:
    """Return lines that give names to parts of an index that may be evaluated once only, and to the value before."""
    target = site.node.target if isinstance(site.node, ast.AugAssign) else site.node
    index = target.slice if isinstance(target, ast.Subscript) else None
    parts = index.elts if isinstance(index, ast.Tuple) else [index] if index is not None else []
    once = [part for part in parts if not _is_repeatable(site, part)]
    if not once:
        return [], {}
    if isinstance(site.node, ast.AugAssign) or any(isinstance(part, ast.Slice | ast.NamedExpr) for part in once):
        raise InexpressibleError(Refusal.INDEX_ONCE(index=text.slice(once[0])))
    taken, found, names = site.run.taken_names(), list[str](), dict[ast.expr, str]()
    if value is not None and not _is_repeatable(site, value):
        names[value] = name_for(taken, site.node, site.write.target, value)
        found.append(f"{names[value]} = {code}")
        taken.add(names[value])
    for part in once:
        names[part] = new_name(taken, "index")
        taken.add(names[part])
        found.append(f"{names[part]} = {standing_alone(text.slice(part))}")
    return found, names


def _is_repeatable(site: Site, node: ast.expr) -> bool:
    """Tell whether an expression may be evaluated twice: it calls nothing but methods that compute a value."""
    if any(isinstance(n, ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom) for n in ast.walk(node)):
        return False
    return all(_computes(site, call) for call in ast.walk(node) if isinstance(call, ast.Call))


def _computes(site: Site, call: ast.Call) -> bool:
    """Tell whether a call does nothing but compute a value, the same one each time: `len(x)`, `torch.arange(n)`."""
    name = site.program.module.qualified(site.run.scope, call.func, with_builtins=True)
    return name in ("builtins.len", "builtins.int") or computes_alike(site.run, call)


def _bound(
    text: Text, decision: Decision, value: str, node: ast.expr | None, names: dict[ast.expr, str]
) -> tuple[str, list[str]]:
    """Return the line that binds the owner anew, and those that make its views again."""
    recipe, site = decision.verdict, decision.site
    assert isinstance(recipe, Scatter)

    def code(part: ast.expr) -> str:
        if part in names:
            return names[part]
        source = text.slice(part) if hasattr(part, "lineno") else ast.unparse(part)
        return text.quoted(ast.unparse(part)) if "\n" in source else source

    targets = bindings.targets(text, recipe)
    path = _Path(site, _segments(site, recipe, decision), New(value, targets[0], node), code)
    made = path.with_value(targets[0], 0, 0)
    return " = ".join((*targets, made)), bindings.lines(text, (*recipe.views, *recipe.after))


def _segments(site: Site, recipe: Scatter, decision: Decision) -> list[tuple[str, list[ast.expr]]]:
    """Return the ways from the owner to the written part, from name to name: the code of a start, and the views."""
    target = decision.chain[0].write.target if decision.chain else site.write.target
    if site.write.kind in (WriteKind.STORE, WriteKind.AUGMENTED_STORE):
        written = site.node.target if isinstance(site.node, ast.AugAssign) else site.node
        assert isinstance(written, ast.Subscript)
        last = _steps(written, stop=chain_root(site, target))
    else:
        last = _steps(target, stop=chain_root(site, target))
    found = [last]
    places = set(recipe.places)
    while AccessPath.of(found[0][0]) not in places:
        start = found[0][0]
        held = site.state.env.get(start.id) if isinstance(start, ast.Name) else None
        objs = held.objs if held is not None else frozenset()
        definition = site.state.definitions.get(next(iter(objs))) if len(objs) == 1 else None
        if definition is None or len(found) > len(site.state.definitions):
            raise InexpressibleError(Refusal.VIEW_UNKNOWN(name=ast.unparse(start)))
        found.insert(0, _steps(definition.expression, stop=None))
    return [(ast.unparse(root), steps) for root, steps in found]


def _steps(node: ast.expr, stop: ast.expr | None) -> tuple[ast.expr, list[ast.expr]]:
    """Return the start of a chain of views, and the views in the order in which they are taken."""
    steps: list[ast.expr] = []
    while node is not stop and isinstance(node, _STEPS):
        steps.insert(0, node)
        inner = node.func if isinstance(node, ast.Call) else node
        if not isinstance(inner, ast.Attribute | ast.Subscript):
            raise InexpressibleError(Refusal.NO_INVERSE(view=ast.unparse(node)))
        node = inner.value
    return node, steps


@dataclass(frozen=True, slots=True)
class _Path:
    """The way from the owner to the written part, and the value that goes there."""

    site: Site
    segments: Sequence[tuple[str, list[ast.expr]]]
    new: New
    code: Code

    def with_value(self, whole: str, segment: int, step: int) -> str:
        """Return the code of a tensor like `whole`, at which the way has come to a step, with the value in its part."""
        steps = self.segments[segment][1]
        if step == len(steps):
            if segment + 1 < len(self.segments):
                return self.with_value(self.segments[segment + 1][0], segment + 1, 0)
            return self._fitted(Slot(whole, whole, is_whole=True), is_outermost=not any(s for _, s in self.segments))
        view = steps[step]
        is_last = step + 1 == len(steps) and segment + 1 == len(self.segments)
        part = self.code(view)
        if not isinstance(view, ast.Subscript):
            return put_back(self.site, whole, view, self.with_value(part, segment, step + 1), self.code)

        def value(slot: Slot) -> str:
            if not is_last:
                return self.with_value(part, segment, step + 1)
            return self._fitted(slot, is_outermost=slot.is_whole and segment == step == 0)

        return stored(self.site, whole, view.slice, self.code, value, self.new.fill(self.site) if is_last else None)

    def _fitted(self, slot: Slot, *, is_outermost: bool) -> str:
        return self.new.fitted(self.site, slot, is_outermost=is_outermost)
