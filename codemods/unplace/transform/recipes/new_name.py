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
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.queries.leaf_reads import (
    is_asked_before,
    is_changed_otherwise,
    is_handed_on,
    meant_as_leaf,
)
from unplace.analysis.syntax.carried import Carried, carried, definitions_at
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.forms import Form
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform import casts, caught
from unplace.transform.decisions import Decision
from unplace.transform.emit.layout import put_before
from unplace.transform.emit.naming import name_for_changed
from unplace.transform.emit.statements import Statements
from unplace.transform.legality import has_optimizer
from unplace.transform.recipes import expressions
from unplace.transform.recipes.unrecorded import has_own_lines
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Copy, Inline, Rebind, Refuse, Split, Verdict

_Rules = Mapping[Form, Any]


def in_new_names(decided: Mapping[ast.stmt, list[Decision]], rules: _Rules, text: Text) -> dict[ast.stmt, Aside]:
    """Return the edits that give names of their own to what writes to leaves compute."""
    found = {s: _beside(decisions, rules, text) for s, decisions in decided.items() if _is_of_leaf(decisions)}
    return {statement: aside for statement, aside in found.items() if aside is not None}


def _is_of_leaf(decisions: list[Decision]) -> bool:
    """Tell whether a statement has one operation, or one chain, that writes what certainly is a leaf of the scope."""
    site = decisions[0].site
    if not all(isinstance(d.verdict, Refuse) for d in decisions) or len({d.fate for d in decisions}) > 1:
        return False
    forbidden = site.forbidden()
    if forbidden is None or not forbidden.is_leaf or forbidden.is_doubtful or site.in_header:
        return False
    is_own = site.roots() - site.state.bases.keys() <= site.run.leaves
    return is_own and not site.run.is_guarded(site.statement) and not has_optimizer(site)


def _beside(decisions: list[Decision], rules: _Rules, text: Text) -> Aside | None:
    """Return the edits that let a new name hold what a statement writes to a leaf; None where a read isn't in sight."""
    site = decisions[0].site
    root = _root(site)
    flow = _flow(site, root) if root is not None else None
    if root is None or flow is None or not has_own_lines(flow.place, text):
        return None
    meant = {*meant_as_leaf(site.run, site.roots())}
    if any(not isinstance(node, ast.Name) or node.id != root.id for node in meant):
        return None
    recipe = _recipe(decisions, rules)
    if not isinstance(recipe, Rebind | Copy | Split) or recipe.places != (AccessPath(root.id),) or recipe.views:
        return None
    values = [read for read in flow.reads if read not in meant]
    new = name_for_changed(site.run.taken_names(), root.id)
    is_alone = flow.place is site.statement and {*ast.walk(site.statement)}.isdisjoint(values)
    edits = _functional(decisions, recipe, rules, text, new, bool(values)) if is_alone else None
    if edits is None:
        edits = (put_before(text, flow.place, [f"{new} = {root.id}.clone()"]),)
        values = [*dict.fromkeys((root, *values))]
    renamed = [Edit(*text.span(read), new) for read in values]
    forbidden = site.forbidden()
    if forbidden is None or any(text.text[edit.start : edit.end] != root.id for edit in renamed):
        return None  # before Python 3.12, the expressions of an f-string have no places of their own
    told = Rewrite.NEW_NAME(forbidden=forbidden.reason, new=new, name=root.id)
    return Aside((*edits, *renamed), told, recipe.assumptions)


def _root(site: Site) -> ast.Name | None:
    """Return the name of the leaf in the written expression; it holds nothing else."""
    node: ast.AST = site.write.target
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    held = site.state.env.get(node.id) if isinstance(node, ast.Name) else None
    is_leaf = held is not None and held.objs == site.roots()
    return node if isinstance(node, ast.Name) and is_leaf else None


def _flow(site: Site, root: ast.Name) -> Carried | None:
    """Return the reads that the write reaches, where no other code reads the name, nor is meant to see the change."""
    run, leaf = site.run, site.roots()
    named = {n for n in ast.walk(run.scope.node) if isinstance(n, ast.Name) and n.id == root.id}
    if root.id in run.scope.volatile or not named <= {*run.scope.names}:
        return None
    made = definitions_at(run.body, root)
    definition = next(iter(made)) if len(made) == 1 else None
    if not isinstance(definition, ast.Name) or is_changed_otherwise(run, site.write, leaf):
        return None
    statement = run.statement_of(definition)
    if is_asked_before(run, statement, site.statement) or is_handed_on(run, site.write, leaf, root.id):
        return None
    outermost = site.statement
    while isinstance(outer := run.parents.get(outermost), ast.stmt | ast.ExceptHandler | ast.match_case):
        if outer is run.scope.node or run.flow.is_in(statement, outer):  # type: ignore[arg-type]
            break
        outermost = outer  # type: ignore[assignment]
    return carried(run.body, root.id, site.statement, outermost)


def _recipe(decisions: list[Decision], rules: _Rules) -> Verdict:
    """Return what the rule of the operations would do if the leaf were any other tensor."""
    site, chain = decisions[0].site, list(decisions[0].chain or (decisions[0].site,))
    if not isinstance(decisions[0].rule, CallRule):
        verdict: Verdict = decisions[0].rule.decide(site)  # type: ignore[attr-defined]
        return verdict
    of_calls: dict[Site, CallRule] = {each: rules[each.form] for each in chain}
    if chain[-1].node is expressions.value_of(site.statement):
        verdict = expressions.decide_spine(site.statement, chain, of_calls)
    else:
        verdict = expressions.decide_inline(site.statement, chain)
    if isinstance(verdict, Rebind | Split):
        risks = [risk for each in chain for risk in (*casts.risk(each), *caught.risk(each))]
        verdict = replace(verdict, assumptions=(*verdict.assumptions, *risks))
    return verdict


def _functional(
    decisions: list[Decision], recipe: Rebind | Copy | Split, rules: _Rules, text: Text, new: str, is_read: bool
) -> tuple[Edit, ...] | None:
    """Return the edits that make a statement bind the new name, or just use the result where nothing else reads it."""
    if isinstance(recipe, Copy):
        return None
    site, made = decisions[0].site, recipe
    is_used = isinstance(decisions[0].rule, CallRule) and not isinstance(site.statement, ast.Expr)
    verdict = Inline(()) if is_used and not is_read else replace(made, places=(AccessPath(new),))
    found: list[Decision] = []
    for decision in decisions:
        change = decision.rule.functional(decision.site) if isinstance(decision.rule, CallRule) else None
        if isinstance(change, Refuse):
            return None
        found.append(replace(decision, verdict=verdict, change=change))
    return Statements(text).edits(site.statement, found)
