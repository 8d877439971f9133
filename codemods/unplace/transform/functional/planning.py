"""Plans of a run that leaves no store: clones before a store become expressions that make the new tensor."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from unplace.analysis.domain.paths import AccessPath
from unplace.diagnostics.reasons import Reason
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit.snippet import Change, Snippet
from unplace.transform.functional import scatter
from unplace.transform.functional.code import InexpressibleError
from unplace.transform.rule import CallRule, missing
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Inline, Refuse, Scatter


def without_stores(text: Text, decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions about a statement, each clone before a store made an expression, or refused."""
    copying = [d for d in decisions if isinstance(d.verdict, Copy)]
    if not copying:
        return list(decisions)
    inner = [d for d in decisions if _is_stored_back(d, copying)]
    try:
        made = {id(d): _rendered(d) for d in copying} | {id(d): _inline(d) for d in inner}
        planned = [made.get(id(d), d) for d in decisions]
        scatter.lines(text, [made[id(d)] for d in copying], planned_snippet(text, planned))
    except InexpressibleError as obstacle:
        return [d.becoming(Refuse(obstacle.reason)) if d in copying else d for d in decisions]
    return planned


def planned_snippet(text: Text, decisions: Sequence[Decision]) -> Snippet:
    """Return the source of a statement with the changes of its calls planned."""
    snippet = Snippet(text, decisions[0].site.statement)
    for decision in decisions:
        if decision.change is not None and decision.is_recipe:
            snippet.change(decision.site.node, decision.change)  # type: ignore[arg-type]
    return snippet


def _is_stored_back(decision: Decision, copying: Sequence[Decision]) -> bool:
    """Tell whether a chain of calls writes the very part in which its statement then stores the value of the chain.

    y[:, 0] = y[:, 0].sub_(1).neg_()
    """
    if len(copying) != 1 or not decision.chain or copying[0].chain:
        return False
    store, last = copying[0].site, decision.chain[-1]
    is_value = isinstance(store.statement, ast.Assign) and last.node is store.statement.value
    written = decision.chain[0].write.target
    is_part = isinstance(store.node, ast.Subscript) and isinstance(written, ast.Subscript)
    return is_value and is_part and AccessPath.of(store.node) == AccessPath.of(written)  # type: ignore[arg-type]


def _inline(decision: Decision) -> Decision:
    """Return the decision that makes a call functional where it stands."""
    assumptions = getattr(decision.verdict, "assumptions", ())
    return replace(decision, verdict=Inline(assumptions), change=_change(decision, decision.site))


def _rendered(decision: Decision) -> Decision:
    copy, site = decision.verdict, decision.site
    assert isinstance(copy, Copy)
    too_new = missing(site, "Tensor.slice_scatter")
    if too_new is not None:
        raise InexpressibleError(too_new)
    live = site.live() if not decision.chain else decision.chain[-1].live()
    views = tuple(view for view in copy.views if any(not t.is_name or t.root in live for t in view.targets))
    scattered = Scatter(copy.places, views, copy.assumptions, copy.after)
    return replace(decision, verdict=scattered, change=_change(decision, site))


def _change(decision: Decision, site: Site) -> Change | None:
    """Return the change of a call into its functional form, which a clone before the call doesn't need."""
    if not isinstance(decision.rule, CallRule):
        return None
    change = decision.rule.functional(site)
    if isinstance(change, Refuse):
        raise InexpressibleError(change.reason)
    reason: Reason | None = decision.rule.missing(site)
    if reason is not None:
        raise InexpressibleError(reason)
    return change
