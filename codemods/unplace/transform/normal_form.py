"""The normal form of a store, and what `rewrite` leaves in place because the form is normal or a copy would cost.

Clone-then-assign makes a plain store into memory that nobody else needs. What the source itself writes so stays; what
it writes otherwise becomes such a store:

    y = x.clone()               y = x.clone()
    y[0] = 5                    y[0] = 5
    y[1:] *= 2                  y[1:] = y[1:] * 2
    y[2].zero_()                y[2] = 0
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import Origin
from unplace.analysis.queries.strides import reads_order
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import members
from unplace.transform.emit.written_out import can_be_written_out, may_not_fit
from unplace.transform.legality import of_selection, private_copy
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, CopySaved, Inline, Keep, Plain, Rebind, Refuse, Split, Verdict

_STORES = (WriteKind.STORE, WriteKind.AUGMENTED_STORE)


def normal_form(site: Site) -> Keep | Plain | Refuse | None:
    """Return what becomes of a store into memory that the function has made and nothing saved; None for others."""
    if site.write.kind not in _STORES or not site.fills_own_memory():
        return None
    if site.write.kind is WriteKind.STORE:
        return of_selection(site) or Keep(Purpose.NORMAL_FORM(name=site.name))
    assert isinstance(site.node, ast.AugAssign)
    if may_not_fit(site):
        return Keep(Purpose.NORMAL_FORM(name=site.name))
    return Plain(()) if can_be_written_out((site,)) else Refuse(Refusal.NOT_TWICE(place=code_of(site.node.target)))


def without_clone(chain: tuple[Site, ...], verdict: Verdict) -> Verdict:
    """Return the verdict on a write, or one without the clone of memory that nobody else needs."""
    if not isinstance(verdict, Copy) or not chain[0].fills_own_memory():
        return verdict
    return Plain(verdict.assumptions) if can_be_written_out(chain) else Keep(Purpose.NORMAL_FORM(name=chain[0].name))


def keeping_order(chain: tuple[Site, ...], verdict: Verdict) -> Verdict:
    """Return the verdict on a write, or one that lets it stay on a clone, whose strides are those of the tensor.

    So it is where code asks for the order of the elements in memory, which the functional form wouldn't keep.
    """
    first = chain[0]
    is_copy = _is_made_a_copy(first, verdict)
    is_dense = any(each.form is Form.MASKED_STORE or each.write.short_name in members.DENSE for each in chain)
    is_dense = is_dense or first.write.kind is WriteKind.OUT
    if (isinstance(verdict, Copy) and not verdict.views) or is_copy:
        is_dense = False
    elif not isinstance(verdict, Rebind | Inline | Split):
        return verdict
    reader = reads_order(first.run, first.write, is_dense=is_dense)
    if reader is None:
        return verdict
    can_stay = first.write.kind.is_statement or isinstance(first.statement, ast.Expr)
    if can_stay and is_dense and first.write.kind is not WriteKind.OUT and not first.options.functional:
        if reads_order(first.run, first.write, is_dense=False) is None:  # a clone keeps the order, but no gaps
            return private_copy(first)
    return Refuse(Refusal.ORDER_READ(call=code_of(reader), line=Line(reader.lineno)))


def _is_made_a_copy(site: Site, verdict: Verdict) -> bool:
    """Tell whether a copy for autograd is made of what the written tensor is bound to: `y = make(x).clone()`."""
    written = site.roots() | site.value.objs
    for node in verdict.copied if isinstance(verdict, CopySaved) else ():
        made = site.run.values.get(node) if isinstance(node, ast.expr) else None
        if made is not None and isinstance(site.run.parents.get(node), ast.Assign | ast.Expr):
            if not made.objs.isdisjoint(written):
                return True
    return False


def is_costly(site: Site, verdict: Verdict) -> bool:
    """Tell whether each round of a loop would copy a whole tensor of which a harmless write changes a part."""
    if site.options.every or site.options.functional or not isinstance(verdict, Copy | Rebind):
        return False
    if site.is_hidden() or site.harm()[0] is not Harm.HARMLESS:
        return False
    is_part = isinstance(verdict, Copy) or site.write.name in members.COPYING_FIRST or site.form is Form.MASKED_STORE
    return is_part and is_loop_carried(site, verdict)


@dataclass(slots=True)
class Clones:
    """The clones planned so far, which the stores after them share."""

    _made: dict[frozenset[AccessPath], list[Site]] = field(default_factory=dict)
    _rebound: list[Site] = field(default_factory=list)

    def applied(self, site: Site, verdict: Verdict) -> None:
        """Record what the run does with a site: it clones the tensor, or rebinds it."""
        if isinstance(verdict, Copy):
            self._made.setdefault(frozenset(verdict.places), []).append(site)
        elif not isinstance(verdict, Plain):
            self._rebound.append(site)

    def shared(self, chain: tuple[Site, ...], verdict: Verdict) -> Verdict:
        """Return the verdict on a write, or one without a clone where an earlier statement makes that already."""
        site = chain[0]
        is_store = isinstance(verdict, Copy) or site.write.kind is WriteKind.AUGMENTED_STORE
        if not is_store or not isinstance(verdict, Copy | Rebind) or site.write.data is not None:
            return verdict
        earlier = self._cloned_before(site, verdict)
        if earlier is None:
            return verdict
        is_written = site.write.kind is not WriteKind.STORE and can_be_written_out(chain)
        return Plain(verdict.assumptions) if is_written else Keep(Purpose.CLONE_SHARED(line=Line(earlier.lineno)))

    def _cloned_before(self, site: Site, recipe: Copy | Rebind) -> ast.stmt | None:
        """Return the statement that makes the private memory of a store: a clone right before it, or one planned."""
        before = site.run.flow.before(site.statement)
        if before is not None and makes_clone(before, recipe.places[0]):
            return before
        planned = reversed(self._made.get(frozenset(recipe.places), []))
        return next((each.statement for each in planned if self._shares(each, site)), None)

    def _shares(self, earlier: Site, site: Site) -> bool:
        """Tell whether `site` follows `earlier` in straight line, on the same tensor, with nothing saved in between."""
        if earlier.run is not site.run:
            return False
        flow = site.run.flow
        if not flow.is_led_to(earlier.statement, site.statement):
            return False
        names = set(earlier.state.binds) & {n.id for n in walk(site.write.target) if isinstance(n, ast.Name)}
        if any(earlier.state.binds.get(n) != site.state.binds.get(n) for n in names):
            return False
        roots = site.roots()
        if earlier.roots() - set(earlier.state.bases) != roots - set(site.state.bases):
            return False
        between = set(flow.between(earlier.statement, site.statement))
        saving = {*between, site.statement}
        if earlier.write.kind.is_whole:
            saving.add(earlier.statement)  # `y[0].exp_()` saves its own result
        if any(site.run.saved_in.get(s, set()) & roots for s in saving):
            return False
        if any(s.statement in between and s.value.objs & roots for s in self._rebound):
            return False
        if any(w.statement in between and site.state.roots(w.value.objs) & roots for _, w in site.run.handed.values()):
            return False  # the called function may have handed back a new tensor
        return not any(
            w.statement in between and w.kind.is_whole and w.value.objs & roots for w in site.run.writes.values()
        )


def is_saved_in_loop(site: Site) -> bool:
    """Tell whether an operation in the loop around the write may save its memory, which each round then copies."""
    spot = site.run.flow.spot(site.statement)
    loop, roots = spot.loop if spot is not None else None, site.roots()
    return any(
        loop is None or site.run.flow.is_in(statement, loop)
        for statement, objs in site.run.saved_in.items()
        if objs & roots
    )


def is_loop_carried(site: Site, verdict: Verdict) -> bool:
    """Tell whether a recipe copies in each round of a loop a tensor that the loop doesn't make anew in every round."""
    if not isinstance(verdict, Copy | Rebind):
        return False
    place = verdict.places[0]
    spot = site.run.flow.spot(site.statement)
    loop = spot.loop if spot is not None else None
    if loop is None:
        return False
    owners, flow = site.roots() - site.state.bases.keys(), site.run.flow
    writes = [w for w in site.run.writes.values() if flow.is_in(w.statement, loop) and w.value.objs & owners]
    if any(w.kind.is_whole and w.name not in members.COPYING_FIRST for w in writes):
        return False  # rebound in the loop: every round has its own tensor anyway
    return not any(_makes_anew(s, place.root) or _computes_anew(site, s, place) for s in walk(loop))


def makes_clone(statement: ast.stmt, place: AccessPath) -> bool:
    """Tell whether a statement is `place = place.clone()`."""
    if not isinstance(statement, ast.Assign) or place not in map(AccessPath.of, statement.targets):
        return False
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return False
    return call.func.attr == "clone" and AccessPath.of(call.func.value) == place


def _computes_anew(site: Site, node: ast.AST, place: AccessPath) -> bool:
    """Tell whether a node binds a place to a new tensor, which no clone made of the old one: `h = h.div(h.norm())`."""
    if not isinstance(node, ast.Assign) or place not in map(AccessPath.of, node.targets):
        return False
    value = site.run.values.get(node.value)
    if value is None or not value.is_tensor or makes_clone(node, place):
        return False
    return all(obj.origin is Origin.FRESH and obj not in site.state.bases for obj in value.objs)


def _makes_anew(node: ast.AST, name: str) -> bool:
    """Tell whether a node binds the name to a value that isn't computed from its old one."""
    if isinstance(node, ast.Assign):
        return name in assigned_names(node) and not any(
            isinstance(n, ast.Name) and n.id == name for n in walk(node.value)
        )
    if isinstance(node, ast.For | ast.AsyncFor):
        return any(isinstance(n, ast.Name) and n.id == name for n in walk(node.target))
    return False
