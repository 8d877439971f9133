"""In-place calls inside a statement: which become functional where they stand, and which rebind a name.

The *spine* of a statement is the chain of in-place calls whose value is the statement's value: in
`y = x.sub_(m).div_(s)` both calls write `x`, and the value of the statement is `x` itself. The spine can be turned
into one rebinding; every other in-place call only works as an expression whose tensor nobody reads afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from unplace.analysis.observers import Observers, Watch, reads
from unplace.analysis.run import WriteKind
from unplace.rules import judging
from unplace.rules.base import CallRule
from unplace.rules.verdicts import Copy, Inline, Rebind, Refuse, Verdict
from unplace.sites import Site


def value_of(statement: ast.stmt) -> ast.expr | None:
    """The expression whose value the statement uses."""
    if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
        return statement.value
    return None


def spine(statement: ast.stmt, sites: Mapping[ast.AST, Site]) -> list[Site]:
    """The in-place calls that make up the statement's value, innermost first."""
    node = value_of(statement)
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
    """One verdict for the calls of a spine: they write the same tensor."""
    first = chain[0]
    place = first.write.target
    if isinstance(place, ast.Tuple):
        return _several(first, place)
    for later in chain[1:]:
        objs = first.state.roots(first.value.objs)
        if any(reads(first.run, a, first.state, objs) for a in arguments_of(later)):
            return Refuse(f"`{first.name}` is read again inside the expression; split the statement")
    if any(rules[site].must_stay(site) for site in chain):
        return _stay(statement, chain)
    if first.write.kind is WriteKind.OUT and not isinstance(place, ast.Name):
        return Inline(())  # refused when the functional form is asked for
    live = _live_after_chain(chain)
    observers = Watch(first.run, first.state, live).of(first.value, "")
    result = _rebinding(statement, chain, place, observers)
    if isinstance(result, Refuse) and isinstance(statement, ast.Expr):
        copied = _stay(statement, chain)
        return copied if isinstance(copied, Copy) else result
    return result


def _live_after_chain(chain: list[Site]) -> set[str]:
    """Names read after the outermost call of the chain."""
    return chain[-1].live()


def _rebinding(statement: ast.stmt, chain: list[Site], place: ast.expr, observers: Observers) -> Verdict:
    first = chain[0]
    if observers.blockers:
        return Refuse(observers.blockers[0])
    assumptions = (*judging.kind_assumptions(first), *observers.assumptions)
    written = ast.unparse(place)
    if not observers.together and not observers.views and not isinstance(statement, ast.Expr):
        return Inline(assumptions)
    if isinstance(statement, ast.Return):
        return Refuse(f"`{observers.together[0] if observers.together else written}` sees the write after the return")
    if isinstance(statement, ast.Assign) and any(isinstance(t, ast.Tuple | ast.List) for t in statement.targets):
        return Refuse("the value is unpacked; split the statement")
    if isinstance(statement, ast.AnnAssign) and (observers.together or observers.views):
        return Refuse("an annotated assignment has one target; split the statement")
    if not observers.together and not observers.views and not isinstance(place, ast.Name | ast.Attribute | ast.Subscript):
        return Inline(assumptions)  # a temporary that nobody sees
    is_dead_view = isinstance(place, ast.Subscript | ast.Attribute) and written not in observers.together
    rebound = judging.rebind(first, place)
    if isinstance(rebound, Refuse):
        return rebound
    if is_dead_view and isinstance(statement, ast.Expr):
        return rebound
    places = _ordered(written, observers.together, rebound.places, isinstance(statement, ast.Expr))
    return Rebind(places, judging.replays(observers.views), assumptions)


def _ordered(written: str, together: list[str], rebound: tuple[str, ...], always: bool) -> tuple[str, ...]:
    """The written place first, where it has to be bound at all, then its aliases."""
    rest = tuple(p for p in together if p != written)
    return (written, *rest) if always or written in together else rest


def _stay(statement: ast.stmt, chain: list[Site]) -> Verdict:
    """The statement stays as it is, on a private clone."""
    if not isinstance(statement, ast.Expr):
        return Refuse(f"`{chain[0].write.name}` has to stay a statement of its own; split the statement")
    return judging.private_copy(chain[0])


def _several(site: Site, place: ast.Tuple) -> Verdict:
    """`out=(values, indices)`: every name is bound again, if nobody else sees any of them."""
    if not all(isinstance(e, ast.Name) for e in place.elts) or not isinstance(site.statement, ast.Expr):
        return Refuse("`out=` isn't a tuple of plain names in a statement of its own")
    assumptions: list[str] = []
    for element in place.elts:
        value = site.run.values[element]
        observers = site.watch().of(value, ast.unparse(element))
        if observers.blockers or observers.together or observers.views:
            return Refuse(f"`{ast.unparse(element)}` is seen under another name")
        assumptions += observers.assumptions
    written = ", ".join(ast.unparse(e) for e in place.elts)
    return Rebind((written,), (), tuple(assumptions))


def arguments_of(site: Site) -> list[ast.expr]:
    """The arguments of an in-place call, without the tensor that it writes."""
    node = site.node
    assert isinstance(node, ast.Call)
    return [a for a in (*node.args, *(k.value for k in node.keywords)) if a is not site.write.target]


def decide_inline(site: Site) -> Verdict:
    """An in-place call somewhere inside an expression."""
    result = judging.silent(site)
    return result if isinstance(result, Refuse) else Inline(result)
