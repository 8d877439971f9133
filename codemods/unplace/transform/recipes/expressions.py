"""In-place calls inside a statement: which become functional where they stand, and which rebind a name.

The *spine* of a statement is the chain of in-place calls whose value is the statement's value: in
`y = x.sub_(m).div_(s)` both calls write `x`, and the value of the statement is `x` itself. The spine can be turned
into one rebinding; every other in-place call only works as an expression whose tensor nobody reads afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.queries.observers import Observers, replays
from unplace.analysis.queries.reading import reads
from unplace.analysis.syntax.evaluation import around
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.transform import legality
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.storable import unstorable
from unplace.transform.verdicts import Copy, Inline, Rebind, Refuse, Split, Verdict


def value_of(statement: ast.stmt) -> ast.expr | None:
    """Return the expression whose value the statement uses."""
    if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
        return statement.value
    return None


def spine(node: ast.expr | None, sites: Mapping[ast.AST, Site]) -> list[Site]:
    """Return the chain of in-place calls that gives an expression its value, innermost first."""
    found: list[Site] = []
    while node is not None and node in sites:
        site = sites[node]
        if site.write.kind is WriteKind.MODULE:
            break
        found.append(site)
        if site.write.kind is WriteKind.OUT:
            break
        node = site.write.target
    return found[::-1]


def decide_spine(statement: ast.stmt, chain: list[Site], rules: Mapping[Site, CallRule]) -> Verdict:
    """Return one verdict for all calls of a spine, which write the same tensor."""
    first = chain[0]
    place = first.write.target
    if isinstance(place, ast.Tuple):
        return _several(first, place)
    for later in chain[1:]:
        objs = first.roots()
        if any(reads(first.run, a, first.state, objs) for a in arguments_of(later)):
            return Refuse(Refusal.READ_AGAIN(name=first.name))
    if any(rules[site].must_stay(site) for site in chain):
        return _stay(statement, chain, missing(chain, rules))
    if first.write.kind is WriteKind.OUT and not isinstance(place, ast.Name):
        if first.options.functional and isinstance(statement, ast.Expr):
            return legality.private_copy(first)
        return Inline(())  # refused when the functional form is asked for
    result = _rebinding(statement, chain, place, _observers(chain))
    if isinstance(result, Refuse) and not isinstance(statement, ast.Expr):
        split = decide_split(statement, chain)
        return split if isinstance(split, Split) else result
    if isinstance(result, Refuse):
        copied = _stay(statement, chain)
        return copied if isinstance(copied, Copy) or first.options.functional else result
    return result


def _observers(chain: list[Site]) -> Observers:
    """Return everything that sees the write of a chain, the written place itself included where it is read later."""
    first = chain[0]
    watch = first.watch(chain[-1].live() if len(chain) > 1 else None)
    target = first.write.target
    written = AccessPath.of(target)
    observers = watch.of(first.value, written, legality.container_of(first, target), only_itself=first.is_metadata())
    is_read = written.is_name and written.root in watch.live
    if is_read or (isinstance(target, ast.Attribute | ast.Subscript) and _is_slot(first)):
        return replace(observers, together=[written, *observers.together])
    return observers


def _is_slot(site: Site) -> bool:
    """Tell whether the written expression is an attribute or element that holds the tensor, not a view of another."""
    target = site.write.target
    assert isinstance(target, ast.Attribute | ast.Subscript)
    holder = site.run.values.get(target.value)
    return holder is not None and not holder.is_tensor


def decide_split(statement: ast.stmt, chain: list[Site]) -> Split | Refuse:
    """Move a chain of in-place calls before its statement, if nothing to its left could notice."""
    first, last = chain[0], chain[-1]
    if first.write.inside is not None or first.write.kind is WriteKind.OUT or last.in_lambda:
        return Refuse(Refusal.NO_ASSIGNMENT())
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Return | ast.AnnAssign | ast.If | ast.For):
        return Refuse(Refusal.NO_ASSIGNMENT())
    objs = first.roots()
    if any(reads(first.run, a, first.state, objs) for later in chain[1:] for a in arguments_of(later)):
        return Refuse(Refusal.READ_AGAIN(name=first.name))
    if is_noticed_before(statement, chain):
        return Refuse(Refusal.NOTICED_BEFORE(name=ast.unparse(last.node)))
    rebound = legality.rebind(first, first.write.target)
    if isinstance(rebound, Refuse):
        return rebound
    return Split(rebound.places, rebound.views, rebound.assumptions)


def is_noticed_before(statement: ast.stmt, chain: list[Site]) -> bool:
    """Tell whether calls that move before their statement could be noticed by what ran before them, or may not run."""
    first, objs = chain[0], chain[0].roots()
    order = around(statement, chain[-1].node)
    if order is None or not order.is_sure:
        return True
    return any(_has_effects(node) or reads(first.run, node, first.state, objs) for node in order.before)


def _has_effects(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr) for n in ast.walk(node))


def _rebinding(statement: ast.stmt, chain: list[Site], place: ast.expr, observers: Observers) -> Verdict:
    first = chain[0]
    if observers.blockers:
        return legality.rebind(first, place) if isinstance(statement, ast.Expr) else Refuse(observers.blockers[0])
    assumptions = (*legality.assumptions_about(first), *observers.assumptions)
    written = AccessPath.of(place)
    if not observers.together and not observers.views and not isinstance(statement, ast.Expr):
        return Inline(assumptions)
    if isinstance(statement, ast.Return):
        return Refuse(Refusal.SEEN_AFTER_RETURN(name=str(observers.together[0] if observers.together else written)))
    if isinstance(statement, ast.Assign) and any(isinstance(t, ast.Tuple | ast.List) for t in statement.targets):
        return Refuse(Refusal.UNPACKED())
    if isinstance(statement, ast.AnnAssign) and (observers.together or observers.views):
        return Refuse(Refusal.ONE_TARGET())
    if (
        not observers.together
        and not observers.views
        and not isinstance(place, ast.Name | ast.Attribute | ast.Subscript)
    ):
        return Inline(assumptions)  # a temporary that nobody sees
    rebound = legality.rebind(first, place)
    if isinstance(rebound, Refuse):
        return rebound
    if isinstance(statement, ast.Expr):
        return rebound
    together = observers.together
    if observers.views and written not in together:
        together = [written, *together]  # not read itself, but the views are rematerialised from it
    return Rebind(tuple(together), replays(observers.views), assumptions)


def missing(chain: list[Site], rules: Mapping[Site, CallRule]) -> Reason | None:
    """Return what the target torch lacks for the functional form of a chain; None where it lacks nothing."""
    reasons = (rules[site].missing(site) for site in chain)
    return next((reason for reason in reasons if reason is not None), None)


def _stay(statement: ast.stmt, chain: list[Site], why: Reason | None = None) -> Verdict:
    """Keep a call statement as it is, on a private clone; refuse a call inside another statement."""
    if not isinstance(statement, ast.Expr):
        name = chain[0].write.name
        if why is not None:
            return Refuse(Refusal.STAYS_A_STATEMENT_AS(name=name, missing=why))
        return Refuse(Refusal.STAYS_A_STATEMENT(name=name))
    return legality.private_copy(chain[0])


def _several(site: Site, place: ast.Tuple) -> Verdict:
    """Rebind every name of `out=(values, indices)`, if nothing else sees any of their tensors."""
    if not all(isinstance(e, ast.Name) for e in place.elts) or not isinstance(site.statement, ast.Expr):
        return Refuse(Refusal.NOT_PLAIN_NAMES())
    assumptions: list[Reason] = []
    for element in place.elts:
        refusal = unstorable(site, element)
        if refusal is not None:
            return refusal
        value = site.run.values[element]
        observers = site.watch().of(value, AccessPath.of(element))
        if observers.blockers or observers.together or observers.views:
            return Refuse(Refusal.OTHER_NAME(name=ast.unparse(element)))
        assumptions += observers.assumptions
    return Rebind(tuple(map(AccessPath.of, place.elts)), (), tuple(assumptions), is_unpacked=True)


def arguments_of(site: Site) -> list[ast.expr]:
    """Return the arguments of an in-place call, without the tensor that it writes."""
    node = site.node
    assert isinstance(node, ast.Call)
    return [a for a in (*node.args, *(k.value for k in node.keywords)) if a is not site.write.target]


def decide_inline(statement: ast.stmt, chain: list[Site]) -> Verdict:
    """Return the verdict on a chain of in-place calls inside a larger expression."""
    result = legality.silent(chain[0]) if len(chain) == 1 else _silent(chain)
    if not isinstance(result, Refuse):
        return Inline(result)
    split = decide_split(statement, chain)
    return split if isinstance(split, Split) else result


def _silent(chain: list[Site]) -> tuple[Reason, ...] | Refuse:
    for site in chain:
        result = legality.silent(site)
        if isinstance(result, Refuse):
            return result
    return legality.silent(chain[0])
