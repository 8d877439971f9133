"""Profitability: which clones before a store would only cost time and memory, and repair nothing."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from unplace import torchapi
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.refs import Bound, Function, alternatives
from unplace.analysis.domain.values import DISCRETE, MODULE, NONE, SELECTING, Obj, Origin
from unplace.analysis.interpret.indexing import is_basic_index
from unplace.analysis.project.modes import is_backward
from unplace.analysis.queries.asked_for import ends_without_gradient, is_made_of_indices, may_get_graph, may_have_graph
from unplace.analysis.queries.past_autograd import saves_result_in_place_only
from unplace.analysis.queries.purpose import is_named_in_place
from unplace.analysis.queries.twins import has_twin
from unplace.analysis.queries.unrecorded import is_guarded
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import walk
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line
from unplace.torchapi import members, results
from unplace.transform import casts
from unplace.transform.decisions import Decision
from unplace.transform.sites import Site
from unplace.transform.verdicts import SEVERAL, Copy, Inline, Keep, Rebind, Refuse, Split, Verdict

_STORES = (WriteKind.STORE, WriteKind.AUGMENTED_STORE)


def worthwhile(decision: Decision, options: Options) -> Verdict:
    """Return the verdict of a decision, or one that keeps a harmless write whose rewrite would gain nothing.

    What a harmless write does out of place is to be beyond doubt, dtype included, and to matter to a gradient.
    """
    site, verdict = decision.site, decision.verdict
    if isinstance(verdict, Refuse) and verdict.reason.kind in SEVERAL and site.harm()[0] is Harm.HARMLESS:
        return Keep(Purpose.SEVERAL_TENSORS())
    if not decision.is_recipe or site.write.is_unclear or site.harm()[0] is Harm.HARMFUL:
        return verdict
    is_run_by_autograd = is_backward(site.program.module, site.run.scope)
    if not is_run_by_autograd and is_guarded(site.program, site.run.scope, site.node):
        return Keep(Purpose.GUARDED(name=site.name))
    if is_named_in_place(site.run.scope.name) and any(root.parameter is not None for root in site.roots()):
        return Keep(Purpose.NAMED_SO(function=site.run.scope.name))
    if isinstance(verdict, Rebind | Inline) and has_twin(site.run, site.write):
        return Keep(Purpose.TWIN(name=site.name))
    if site.harm()[0] is not Harm.HARMLESS:
        return verdict
    is_out = site.write.kind is WriteKind.OUT
    if site.value.dtype in DISCRETE or (not is_out and is_made_of_indices(site.run, site.write.target)):
        return Keep(Purpose.NO_GRADIENT(name=site.name))
    if _is_constant(site) and not options.unsafe:
        return Keep(Purpose.NO_GRAPH(name=site.name))
    if _is_bitwise(site) and not options.unsafe:
        return Keep(Purpose.NO_GRADIENT(name=site.name))
    sites = decision.chain or (site,)
    if isinstance(verdict, Inline) and isinstance(site.run.parents.get(sites[-1].node), ast.Expr):
        return Keep(Purpose.NOTHING_SAVED(name=site.name))
    if isinstance(verdict, Inline) and _makes_several_tensors(sites):
        return Keep(Purpose.SEVERAL_TENSORS())
    if isinstance(verdict, Rebind | Inline) and not options.unsafe and _holds_windows(site):
        return Keep(Purpose.HOLDS_WINDOWS(name=site.name))
    if not options.unsafe and isinstance(verdict, Rebind | Inline) and _is_dead_end(sites[-1], verdict):
        return Keep(Purpose.GRADIENT_ENDS(name=site.name))
    if not isinstance(verdict, Rebind | Inline | Split) or options.preserve_dtype:
        return verdict
    if not options.unsafe and any(saves_result_in_place_only(each.write) for each in sites):
        return Keep(Purpose.WOULD_SAVE_INPUT(name=site.name))
    if not options.unsafe and any(map(casts.casts, sites)):
        return Keep(Purpose.WOULD_CAST(name=site.name))
    assumed = [reason for each in sites for reason in casts.assumption(each)]
    return replace(verdict, assumptions=(*verdict.assumptions, *assumed)) if assumed else verdict


def _is_constant(site: Site) -> bool:
    """Tell whether no gradient can reach a tensor, nor what is written into it: `torch.ones(n, n).triu_(1)`.

    A store under a mask is none, since what it replaces is data: `data[mask] = 0`. With `out=`, torch also refuses
    operands that have a gradient.
    """
    if site.form in (Form.MASKED_STORE, Form.DATA_STORE) or site.write.kind is WriteKind.OUT or site.is_hidden():
        return False
    return site.is_untracked() or not may_get_graph(site.run, site.write)


def _is_dead_end(site: Site, verdict: Rebind | Inline) -> bool:
    """Tell whether no gradient flows on from what is written: `rand *= n` in front of `rand.to(torch.long)`.

    What is written past autograd, or to `out`, isn't meant to have one, and what a store under a mask replaces is data.
    """
    if site.form in (Form.MASKED_STORE, Form.DATA_STORE) or site.write.kind is WriteKind.OUT or site.is_hidden():
        return False
    return ends_without_gradient(site.run, site.write, is_used=isinstance(verdict, Inline))


def _holds_windows(site: Site) -> bool:
    """Tell whether a tensor was computed from all windows of another, and is many times as large: `x.unfold(2, 5, 1)`.

    Out of place, each operation would copy all of them.
    """
    sums = [made for made in (_maker(site, obj) for obj in site.roots()) if isinstance(made, ast.BinOp)]
    operands = [site.run.values[node] for made in sums for node in (made.left, made.right) if node in site.run.values]
    return any(obj.operator in results.WINDOWS for operand in operands for obj in operand.objs)


def _makes_several_tensors(chain: tuple[Site, ...]) -> bool:
    """Tell whether a statement would hold several new tensors beside those that it writes now, which names hold on to.

    `return y.clamp_(0).sqrt_()` and `y.exp_() * z.cos_()` make none; out of place, each call makes one.
    """
    run, statement = chain[0].run, chain[0].statement
    written = [w for w in run.writes.values() if w.statement is statement and w.kind.is_whole]
    held = [w for w in written if isinstance(_innermost(w.target), ast.Name | ast.Attribute | ast.Subscript)]
    return len(held) > 1


def _innermost(node: ast.expr) -> ast.expr:
    """Return the expression on which a chain of in-place calls begins: `y` for `y.clamp_(0)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        node = node.func.value
    return node


@dataclass(slots=True)
class Copies:
    """The clones planned so far, which the stores after them share, and the harmless stores left without one."""

    _made: dict[tuple[AccessPath, ...], list[Site]] = field(default_factory=dict)
    _rebound: list[Site] = field(default_factory=list)
    _left: list[Site] = field(default_factory=list)

    def applied(self, site: Site, verdict: Verdict) -> None:
        """Record what the run does with a site: it clones the tensor, or rebinds it."""
        if isinstance(verdict, Copy):
            self._made.setdefault(verdict.places, []).append(site)
        else:
            self._rebound.append(site)

    def reconsider(self, site: Site, verdict: Verdict) -> Verdict:
        """Return the verdict, or one that keeps the store if a rewrite wouldn't pay."""
        if isinstance(verdict, Rebind) and _is_sparse_in_loop(site):
            return Keep(Purpose.SPARSE_IN_LOOP(name=site.name))
        is_store = site.write.kind in _STORES
        is_sparse = site.write.name in members.COPYING_FIRST and isinstance(verdict, Rebind | Inline | Split)
        copies = isinstance(verdict, Copy) or is_sparse
        if not copies and not (is_store and isinstance(verdict, Rebind)):
            return verdict
        if site.saves_its_result() or site.write.data is not None:
            return verdict
        if site.fills_private_memory(constructed=copies):
            return Keep(Purpose.FILLS_UNSAVED_TENSOR(name=site.name))
        if isinstance(verdict, Copy):
            return self._reconsider_copy(site, verdict)
        is_augmented = site.write.kind is WriteKind.AUGMENTED_STORE
        earlier = self._shared(site, verdict.places) if is_augmented and isinstance(verdict, Rebind) else None
        return Keep(Purpose.CLONE_SHARED(line=Line(earlier.statement.lineno))) if earlier is not None else verdict

    def _shared(self, site: Site, places: tuple[AccessPath, ...]) -> Site | None:
        """Return the last store whose clone a store may write, too."""
        return next((s for s in reversed(self._made.get(places, [])) if self._shares(s, site)), None)

    def _reconsider_copy(self, site: Site, copy: Copy) -> Copy | Keep:
        if site.replaces_all() and site.harm()[0] is not Harm.HARMFUL:
            return Keep(Purpose.ALL_REPLACED(name=site.name))
        if site.is_untracked() and not site.is_saved():
            return Keep(Purpose.NO_GRAPH(name=site.name))
        before = site.run.flow.before(site.statement)
        if before is not None and makes_clone(before, copy.places[0]):
            return Keep(Purpose.CLONE_SHARED(line=Line(before.lineno)))
        if site.harm()[0] is Harm.HARMLESS and not may_have_graph(site.run, site.write.target):
            self._left.append(site)
            return Keep(Purpose.NO_GRAPH(name=site.name))
        earlier = self._shared(site, copy.places)
        if earlier is not None:
            return Keep(Purpose.CLONE_SHARED(line=Line(earlier.statement.lineno)))
        if site.harm()[0] is not Harm.HARMLESS:
            return copy
        filled = (s for s in self._rebound if s.write.name in members.COPYING_FIRST or s.form is Form.MASKED_STORE)
        if any(self._shares(earlier, site) for earlier in (*self._left, *filled)):
            return Keep(Purpose.NOTHING_SAVED(name=site.name))
        if _is_in_loop(site):
            return Keep(Purpose.CLONE_IN_LOOP(name=site.name))
        if ends_without_gradient(site.run, site.write):
            return Keep(Purpose.GRADIENT_ENDS(name=site.name))
        return Keep(Purpose.NOTHING_SAVED(name=site.name)) if self._is_in_vain(site, copy) else copy

    def _is_in_vain(self, site: Site, copy: Copy) -> bool:
        """Tell whether a clone before a harmless store would be one of several, or of what is new memory anyway."""
        if _reads_own_copy(site, copy) or _is_in_several_branches(site):
            return True
        roots = site.roots()
        is_cloned = any(earlier.roots() & roots for earlier in self._made.get(copy.places, []))
        return is_cloned or any(_is_new_memory(site, o) for o in roots)

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

    def is_saved_in_loop(self, site: Site) -> bool:
        """Tell whether an operation in the loop around the write may save its memory, which each round then copies."""
        spot = site.run.flow.spot(site.statement)
        loop, roots = spot.loop if spot is not None else None, site.roots()
        return any(
            loop is None or site.run.flow.is_in(statement, loop)
            for statement, objs in site.run.saved_in.items()
            if objs & roots
        )

    def is_loop_carried(self, site: Site, copy: Copy) -> bool:
        """Tell whether the statement stands in a loop that doesn't make the cloned tensor anew in every round."""
        spot = site.run.flow.spot(site.statement)
        loop = spot.loop if spot is not None else None
        if loop is None:
            return False
        owners, flow = site.roots() - site.state.bases.keys(), site.run.flow
        writes = [w for w in site.run.writes.values() if flow.is_in(w.statement, loop) and w.value.objs & owners]
        if any(w.kind.is_whole for w in writes):
            return False  # rebound in the loop: every round has its own tensor anyway
        place = copy.places[0]
        return not any(_makes_anew(s, place.root) or _computes_anew(site, s, place) for s in walk(loop))


def _is_bitwise(site: Site) -> bool:
    """Tell whether a write combines bits, which only integers and truth values have: `good &= weight > 0`."""
    node = site.node
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return site.write.name in members.BITWISE


def _is_sparse_in_loop(site: Site) -> bool:
    """Tell whether each round of a loop would copy a tensor of which a harmless write changes some elements."""
    is_sparse = site.write.name in members.COPYING_FIRST or site.form is Form.MASKED_STORE
    return is_sparse and site.harm()[0] is Harm.HARMLESS and _is_in_loop(site)


def _is_in_loop(site: Site) -> bool:
    spot = site.run.flow.spot(site.statement)
    return spot is not None and spot.loop is not None


def _is_new_memory(site: Site, obj: Obj) -> bool:
    """Tell whether a tensor is more than a value computed element by element: new memory, which nothing else is.

    It was made by copying, picking, filling or combining elements (`torch.sort(x)`, `a @ b`), or by other code.
    """
    run = site.run
    if obj in run.private | run.constructed | run.copied or obj.operator == SELECTING:
        return True
    if f"{obj.operator}_" in members.COPYING_FIRST:
        return True
    maker = _maker(site, obj)
    if isinstance(maker, ast.Subscript):
        return is_basic_index(run, maker.slice) is not True
    if isinstance(maker, ast.BinOp):
        return isinstance(maker.op, ast.MatMult)
    callee = run.values.get(maker.func) if isinstance(maker, ast.Call) else None
    if callee is not None and any(isinstance(ref, Bound | Function) for ref in alternatives(callee.ref)):
        return True
    if obj in site.state.bases:
        return False
    if callee is not None and callee.may_be(MODULE) and callee.must_be(MODULE | NONE):
        return True
    spaces = ("torch", "torch.nn.functional", "torch.Tensor")
    operator = next(filter(None, (torchapi.function(f"{space}.{obj.operator}") for space in spaces)), None)
    return operator is not None and not operator.elementwise


def _maker(site: Site, obj: Obj) -> Hashable:
    """Return the node of the operation that made a tensor, None if the run was given it."""
    key = site.run.names.key_of(obj)
    return key[0] if isinstance(key, tuple) and obj.origin is Origin.FRESH else None


def _is_in_several_branches(site: Site) -> bool:
    """Tell whether another branch of an `if` around a store also writes a part of the tensor, and would clone it."""
    run, roots, node = site.run, site.roots(), site.statement
    stores = [w for w in run.writes.values() if w.kind in _STORES and w.state.roots(w.value.objs) & roots]
    while isinstance(outer := run.parents.get(node), ast.If):
        others = outer.orelse if node in outer.body else outer.body
        if any(run.flow.is_in(w.statement, other) for w in stores for other in others):
            return True
        node = outer
    return False


def _reads_own_copy(site: Site, copy: Copy) -> bool:
    """Tell whether a store reads elements of its own tensor from a copy: `x[..., 0] = x[..., 0].clone() * scale`."""
    value = getattr(site.statement, "value", None)
    calls = [n for n in walk(value) if isinstance(n, ast.Call)] if isinstance(value, ast.AST) else []
    cloned = (c.func.value for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "clone")
    read = {n.id for part in cloned for n in walk(part) if isinstance(n, ast.Name)}
    return any(place.root in read for place in copy.places)


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
    if value is None or not value.is_tensor or value.objs & site.run.private:
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
