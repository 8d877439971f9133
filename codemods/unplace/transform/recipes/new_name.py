"""New names for what is computed from a leaf, where the leaf must stay what it is: its gradient is asked for.

    x = torch.ones(3, requires_grad=True)           x = torch.ones(3, requires_grad=True)
    x[0] = 5.0                                      new_x = x.clone()
    loss = (x * x).sum()                            new_x[0] = 5.0
    loss.backward()                                 loss = (new_x * new_x).sum()
    print(x.grad)                                   loss.backward()
                                                    print(x.grad)

The later reads that mean the values take the new name; those that mean the leaf keep the old one. All of them have to
be in sight. What changes a leaf between two gradients, or where autograd doesn't record, is meant for the leaf itself
(`unrecorded`).
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import Objs
from unplace.analysis.queries.leaf_reads import is_asked_before, is_changed_otherwise, is_handed_on, meant_as_leaf
from unplace.analysis.syntax.bindings import root_name, root_of
from unplace.analysis.syntax.carried import Carried, carried, definitions_before
from unplace.diagnostics.catalogue import Forbids, Rewrite
from unplace.diagnostics.forms import Form
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform import casts
from unplace.transform.caught import respected
from unplace.transform.decisions import Decision
from unplace.transform.emit import bindings
from unplace.transform.emit.layout import put_before
from unplace.transform.emit.naming import name_for_changed
from unplace.transform.emit.statements import Statements
from unplace.transform.meant import has_optimizer
from unplace.transform.recipes import expressions
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Copy, Inline, Rebind, Refuse, Split, Verdict

_Rules = Mapping[Form, Any]


def in_new_names(decided: Mapping[ast.stmt, list[Decision]], rules: _Rules, text: Text) -> dict[ast.stmt, Aside]:
    """Return the edits that give names of their own to what writes to leaves compute.

    Other writes that may follow one of them belong to it: they may be writes to what the new name holds, then.
    """
    found: dict[ast.stmt, Aside] = {}
    for statement, decisions in decided.items():
        if _first_of(decisions[0].site, found, decided) is None and _is_of_leaf(decisions):
            made = _beside(decisions, rules, text)
            found |= {statement: made} if made is not None else {}
    firsts = {s: _first_of(ds[0].site, found, decided) for s, ds in decided.items() if s not in found}
    return found | {s: found[first] for s, first in firsts.items() if first is not None}


def _first_of(
    site: Site, found: Mapping[ast.stmt, Aside], decided: Mapping[ast.stmt, list[Decision]]
) -> ast.stmt | None:
    """Return a statement that another one may follow, and that got a new name for what it writes to the same leaf."""
    for statement in found:
        first = decided[statement][0].site
        is_same = first.run is site.run and not site.roots().isdisjoint(_leaf(first))
        if is_same and site.run.flow.may_follow(statement, site.statement):
            return statement
    return None


def _is_of_leaf(decisions: list[Decision]) -> bool:
    """Tell whether a statement has one operation, or one chain, that writes what certainly is a leaf of the scope."""
    site = decisions[0].site
    if not all(_is_refused_as_leaf(d) for d in decisions) or len({d.fate for d in decisions}) > 1:
        return False
    forbidden = site.forbidden()
    if forbidden is None or not forbidden.is_leaf or forbidden.is_doubtful or forbidden.is_passed or site.in_header:
        return False
    last = decisions[-1].site
    if not last.write.kind.is_statement and root_name(site.write.target) in last.other_reads():
        return False
    is_first = site.replaces_all() and isinstance(site.write.target, ast.Name)  # no gradient would reach the leaf
    return bool(_leaf(site)) and not (is_first or site.run.is_guarded(site.statement) or has_optimizer(site))


def _is_refused_as_leaf(decision: Decision) -> bool:
    verdict = decision.verdict
    return isinstance(verdict, Refuse) and verdict.reason.kind in (Refusal.FORBIDDEN_LEAF, Refusal.LEAF)


def _leaf(site: Site) -> Objs:
    """Return what is made with `requires_grad=True` of the tensors that own the written memory, or was passed so."""
    made, forbidden = site.roots() & site.run.leaves, site.forbidden()
    if made or forbidden is None or forbidden.reason.kind is not Forbids.PASSED:
        return made
    return frozenset(o for o in site.roots() if o.parameter is not None)


def _beside(decisions: list[Decision], rules: _Rules, text: Text) -> Aside | None:
    """Return the edits that let a new name hold what a statement writes to a leaf."""
    site, recipe = decisions[0].site, _recipe(decisions, rules)
    forbidden = site.forbidden()
    if forbidden is None or not isinstance(recipe, Rebind | Copy | Split) or len(recipe.places) > 1:
        return None
    name = recipe.places[0].root
    flow = _flow(site, name) if recipe.places[0].is_name else None
    if flow is None or not _can_precede(text, flow.place) or (isinstance(recipe, Copy) and recipe.after):
        return None
    if recipe.views and flow.place is not site.statement:
        return None
    reads = [*flow.reads]
    new = name_for_changed(site.run.taken_names(), name)
    told = Rewrite.NEW_NAME(forbidden=forbidden.reason, new=new, name=name)
    is_alone = flow.place is site.statement and {*ast.walk(site.statement)}.isdisjoint(reads)
    edits = None
    if is_alone and not isinstance(recipe, Copy) and not recipe.views:
        is_used = not site.write.kind.is_statement and not isinstance(site.statement, ast.Expr)
        if is_used and not reads:
            told = Rewrite.FORBIDDEN(rewrite=Rewrite.FUNCTIONAL(), forbidden=forbidden.reason)
            edits = _rewritten(decisions, Inline(()), text)
        else:
            edits = _rewritten(decisions, replace(recipe, places=(AccessPath(new),)), text)
    if edits is None:
        views = [replace(view, value=_renamed(view.value, name, new)) for view in recipe.views]
        edits = (put_before(text, flow.place, [f"{new} = {name}.clone()", *bindings.lines(text, views)]),)
        root = root_of(site.write.target)
        reads = [*dict.fromkeys((*([root] if root is not None and root.id == name else ()), *reads))]
    renamed = {Edit(*text.span(read), new) for read in reads}
    is_misplaced = len(renamed) < len(reads) or any(not _is_written(text, e, name) for e in renamed)
    if is_misplaced:  # older versions of Python do so with the expressions of an f-string
        return None
    return Aside((*edits, *sorted(renamed)), told, recipe.assumptions)


def _is_written(text: Text, edit: Edit, name: str) -> bool:
    """Tell whether an edit replaces a name, which Python reads in its compatible form."""
    return unicodedata.normalize("NFKC", text.text[edit.start : edit.end]) == name


def _renamed(expression: str, name: str, new: str) -> str:
    """Return an expression that reads another name in the place of one."""
    made = ast.parse(expression, mode="eval")
    for node in ast.walk(made):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = new
    return ast.unparse(made)


def _flow(site: Site, name: str) -> Carried | None:
    """Return the reads that the write reaches of the name of a leaf; None where other code is meant to see the change.

    One statement of the scope makes the leaf, and everything that asks for its gradient does so under this name.
    """
    run, leaf, held = site.run, _leaf(site), site.state.env.get(name)
    if name in run.scope.captured | run.scope.volatile | site.callers.returned(run.scope):
        return None
    meant = {*meant_as_leaf(run, leaf)}
    if held is None or held.objs != leaf or any(not isinstance(n, ast.Name) or n.id != name for n in meant):
        return None
    made = definitions_before(run.body, name, site.statement)
    definition = next(iter(made)) if len(made) == 1 else None
    is_passed = definition in {parameter.arg for parameter in run.scope.parameters}
    if is_changed_otherwise(run, site.write, leaf) or not (is_passed or isinstance(definition, ast.Name)):
        return None
    statement = run.statement_of(definition) if isinstance(definition, ast.Name) else None
    if is_asked_before(run, statement, leaf) or is_handed_on(run, site.write, leaf, name):
        return None
    outermost, outer = site.statement, run.parents.get(site.statement)
    while isinstance(outer, ast.stmt | ast.ExceptHandler | ast.match_case) and outer is not run.scope.node:
        if isinstance(outer, ast.stmt):
            if statement is not None and run.flow.is_in(statement, outer):
                break
            outermost = outer
        outer = run.parents.get(outer)
    return carried(run.body, name, site.statement, outermost, meant)


def _recipe(decisions: list[Decision], rules: _Rules) -> Verdict:
    """Return what the rule of the operations would do if the leaf were any other tensor."""
    site, chain = decisions[0].site, list(decisions[0].sites)
    if not isinstance(decisions[0].rule, CallRule):
        return respected((site,), decisions[0].rule.decide(site))  # type: ignore[attr-defined]
    of_calls: dict[Site, CallRule] = {each: rules[each.form] for each in chain}
    if chain[-1].node is expressions.value_of(site.statement):
        verdict = expressions.decide_spine(site.statement, chain, of_calls)
    else:
        verdict = expressions.decide_inline(site.statement, chain)
    if isinstance(verdict, Rebind | Split):
        risks = [risk for each in chain for risk in casts.risk(each)]
        verdict = replace(verdict, assumptions=(*verdict.assumptions, *risks))
    return respected(tuple(chain), verdict)


def _rewritten(decisions: list[Decision], recipe: Rebind | Split | Inline, text: Text) -> tuple[Edit, ...] | None:
    """Return the edits that carry a recipe out for the operations of a statement; None if one has no other form."""
    found: list[Decision] = []
    for decision in decisions:
        change = decision.rule.functional(decision.site) if isinstance(decision.rule, CallRule) else None
        if isinstance(change, Refuse):
            return None
        found.append(replace(decision, verdict=recipe, change=change))
    return Statements(text).edits(decisions[0].site.statement, found)


def _can_precede(text: Text, statement: ast.stmt) -> bool:
    """Tell whether a line can be put before a statement, or a statement of its own into its line."""
    start, _ = text.span(statement)
    is_simple = not hasattr(statement, "body")
    return is_simple or (text.indentation(start) is not None and not text.text.startswith("elif", start))
