"""Calls that pass a parameter to a function which fills it, and torch forbids that: they are put under `no_grad()`.

def sinusoids(n, d, out):                           def sinusoids(n, d, out):
    out[:, 0::2] = torch.sin(angles(n, d))              out[:, 0::2] = torch.sin(angles(n, d))

                                                        with torch.no_grad():
    sinusoids(6, 4, out=self.pos.weight)                    sinusoids(6, 4, out=self.pos.weight)

Other callers may pass a tensor with a graph, which the function goes on recording. That loses no gradient where the
function does nothing but write what has no graph, and the caller nothing but change parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from unplace.analysis.domain.refs import Function
from unplace.analysis.project.callers import Handed, calls_that_hand
from unplace.analysis.queries.reading import computes
from unplace.analysis.queries.saved_by_callers import forbidden_calls
from unplace.analysis.syntax.flow import may_swallow
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.reasons import Line
from unplace.diagnostics.refusals import Refusal
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.recipes.graphless import Graphs
from unplace.transform.recipes.leaf_gradients import only_changes, operands
from unplace.transform.recipes.unrecorded import has_own_lines, indented
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Refuse

_OPAQUE = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom)


def calls_under_no_grad(decided: Mapping[ast.stmt, list[Decision]], text: Text) -> dict[ast.stmt, Aside]:
    """Return the edits that put calls under `no_grad`, by the statements of the functions that torch stops."""
    found: dict[ast.stmt, Aside] = {}
    for statement, decisions in decided.items():
        aside = _around(decisions[0].site, text) if all(map(_is_open, decisions)) else None
        if aside is not None:
            found[statement] = aside
    return found


def _is_open(decision: Decision) -> bool:
    """Tell whether torch forbids a write only because of what callers pass."""
    forbidden, site = decision.site.forbidden(), decision.site
    is_refused = isinstance(decision.verdict, Refuse) and decision.verdict.reason.kind is Refusal.FORBIDDEN_LEAF
    return is_refused and forbidden is not None and forbidden.is_passed and site.registered() is None


def _around(site: Site, text: Text) -> Aside | None:
    scope, forbidden = site.run.scope, site.forbidden()
    names = {root.parameter for root in site.roots()}
    (name,) = names if len(names) == 1 else (None,)
    if name is None or forbidden is None or not _only_fills(site, name):
        return None
    direct = {call.write.node for call in calls_that_hand(site.program, scope, name)}
    calls = forbidden_calls(site.program, scope, name)
    statements = {call.write.statement: call for call in calls}
    if not statements or not all(call.write.node in direct and _is_alone(site, call, text) for call in calls):
        return None
    edits = tuple(
        edit for statement, call in statements.items() for edit in indented(call.run, [statement], text) or ()
    )
    first = min(call.write.statement.lineno for call in calls)
    return Aside(edits, Rewrite.UNRECORDED_CALL(forbidden=forbidden.reason, line=Line(first))) if edits else None


def _only_fills(site: Site, name: str) -> bool:
    """Tell whether a function does nothing but write what certainly has no graph into its argument."""
    run, summary = site.run, site.program.summary(Function(site.run.scope))
    if summary is None or not only_changes(run.scope) or summary.writes != {name}:
        return False
    others = (summary.keeps, summary.changes, summary.puts, summary.may_write, summary.writes_held, summary.replaces)
    if any(others) or summary.keeps_outer or summary.writes_outer:
        return False
    graphs = Graphs(site.program, run, trusts_defaults=True)
    return not any(graphs.may_reach(value) for write in run.all_writes() for value in operands(write))


def _is_alone(site: Site, call: Handed, text: Text) -> bool:
    """Tell whether a call is a statement of this file, whose function only changes parameters, and catches no error."""
    statement = call.write.statement
    spot = call.run.flow.spot(statement)
    if call.program.module is not site.program.module or spot is None or not only_changes(call.run.scope):
        return False
    module, scope = call.program.module, call.run.scope
    if any(may_swallow(guard, lambda node: module.qualified(scope, node)) for guard in spot.guards):
        return False
    node = call.write.node
    if not isinstance(node, ast.Call) or not isinstance(statement, ast.Expr) or statement.value is not node:
        return False
    inside = [n for given in (*node.args, *(k.value for k in node.keywords)) for n in ast.walk(given)]
    if any(isinstance(n, _OPAQUE) or (isinstance(n, ast.Call) and not computes(call.run, n)) for n in inside):
        return False
    return has_own_lines(statement, text) and indented(call.run, [statement], text) is not None
