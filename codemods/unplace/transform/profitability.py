"""Where a clone before a store isn't worth its cost: it would only be paid, nothing would be repaired."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace.analysis.domain.values import Objs
from unplace.analysis.syntax.bindings import assigned_names
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import WriteKind
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Keep, Rebind, Verdict

_SPARSE = frozenset(
    ["index_add_", "index_copy_", "index_fill_", "index_put_", "index_reduce_", "scatter_", "scatter_add_", "put_"]
)


@dataclass(slots=True)
class Copies:
    """Remembers the clones that were planned, so that the stores behind one of them share it."""

    _made: dict[tuple[str, ...], tuple[Site, Objs]] = field(default_factory=dict)
    _rebound: list[Site] = field(default_factory=list)

    def applied(self, site: Site, verdict: Verdict) -> None:
        """Note what the run does with a site: the clone that it makes, or that it rebinds the tensor."""
        if isinstance(verdict, Copy):
            self._made[verdict.places] = (site, site.roots())
        else:
            self._rebound.append(site)

    def reconsider(self, site: Site, verdict: Verdict) -> Verdict:
        """The verdict, unless the store may as well stay as it is."""
        if isinstance(verdict, Rebind) and self._is_sparse_in_loop(site, verdict):
            return Keep(
                f"nothing has saved the memory of `{site.name}` before the write of some elements, and a new tensor in "
                "every round of the loop would copy all of them"
            )
        is_store = site.write.kind in (WriteKind.STORE, WriteKind.AUGMENTED_STORE)
        if not isinstance(verdict, Copy) and not (is_store and isinstance(verdict, Rebind)):
            return verdict
        if site.saves_its_result() or site.write.data is not None:
            return verdict
        if site.fills_private_memory(constructed=isinstance(verdict, Copy)):
            return Keep(f"the write fills a tensor made for it, which nothing has saved: `{site.name}`")
        return self._reconsider_copy(site, verdict) if isinstance(verdict, Copy) else verdict

    def _reconsider_copy(self, site: Site, copy: Copy) -> Copy | Keep:
        if site.replaces_all() and site.harm()[0] is not Harm.HARMFUL:
            return Keep(
                f"nothing is known to have saved the old values of `{site.name}`, which the write replaces all: a "
                "clone of them would be for nothing"
            )
        if site.is_untracked() and not site.is_saved():
            return Keep(f"`{site.name}` never takes part in a graph, so autograd can't miss its old values")
        block, position, _ = _place(site)
        if position and _makes_clone(block[position - 1], copy.places[0]):
            return Keep(f"the write goes to the clone made in line {block[position - 1].lineno}")
        earlier = self._made.get(copy.places)
        if earlier is not None and self._shares(earlier[0], site):
            return Keep(f"the write goes to the clone made in line {earlier[0].statement.lineno}")
        if site.harm()[0] is Harm.HARMLESS and self.is_loop_carried(site, copy):
            return Keep(
                f"nothing has saved the memory of `{site.name}` before the write, and a clone in every round of the "
                "loop would copy all of it"
            )
        return copy

    def _is_sparse_in_loop(self, site: Site, verdict: Rebind) -> bool:
        """Whether each round of a loop writes some elements of a tensor that nothing has saved."""
        loop = _place(site)[2]
        if loop is None or site.write.name not in _SPARSE or site.harm()[0] is not Harm.HARMLESS:
            return False
        inside = {s for s in walk(loop) if isinstance(s, ast.stmt)}
        owners = site.roots() - site.state.bases.keys()
        writes = [w for w in site.run.writes.values() if w.statement in inside and w.value.objs & owners]
        if any(w.kind.is_whole and w.name not in _SPARSE for w in writes):
            return False  # rebound in the loop, so that every round has its own tensor anyway
        name = verdict.places[0].partition(".")[0].partition("[")[0]
        return not any(_makes_anew(statement, name) for statement in walk(loop))

    def _shares(self, earlier: Site, site: Site) -> bool:
        """Whether `site` follows `earlier` in straight line, on the same tensor, with nothing saved in between."""
        if earlier.run is not site.run:
            return False
        block, first, _ = _place(earlier)
        other, second, _ = _place(site)
        if block is not other or first >= second:
            return False
        names = set(earlier.state.binds) & {n.id for n in walk(site.write.target) if isinstance(n, ast.Name)}
        if any(earlier.state.binds.get(n) != site.state.binds.get(n) for n in names):
            return False
        roots = site.roots()
        if earlier.roots() - set(earlier.state.bases) != roots - set(site.state.bases):
            return False
        start = first if earlier.write.kind.is_whole else first + 1  # `y[0].exp_()` saves its own result
        statements = [s for top in block[start : second + 1] for s in ast.walk(top) if isinstance(s, ast.stmt)]
        if any(site.run.saved_in.get(s, set()) & roots for s in statements):
            return False
        between = set(statements) - {site.statement, earlier.statement}
        if any(s.statement in between and s.value.objs & roots for s in self._rebound):
            return False
        if any(w.statement in between and site.state.roots(w.value.objs) & roots for _, w in site.run.handed.values()):
            return False  # the function that was called may have given the tensor back anew
        return not any(
            w.statement in between and w.kind.is_whole and w.value.objs & roots for w in site.run.writes.values()
        )

    def is_loop_carried(self, site: Site, copy: Copy) -> bool:
        """Whether the statement stands in a loop that doesn't make the cloned tensor anew in every round."""
        loop = _place(site)[2]
        if loop is None:
            return False
        inside = {s for s in walk(loop) if isinstance(s, ast.stmt)}
        owners = site.roots() - site.state.bases.keys()
        if any(w.kind.is_whole and w.statement in inside and w.value.objs & owners for w in site.run.writes.values()):
            return False  # rebound in the loop, so that every round has its own tensor anyway
        name = copy.places[0].partition(".")[0].partition("[")[0]
        return not any(_makes_anew(statement, name) for statement in walk(loop))


def _place(site: Site) -> tuple[list[ast.stmt], int, ast.stmt | None]:
    """The block that the statement stands in, its position there, and the loop around it."""
    spot = site.run.flow.spot(site.statement)
    return (spot.block, spot.position, spot.loop) if spot is not None else ([], 0, None)


def _makes_clone(statement: ast.stmt, place: str) -> bool:
    """Whether a statement is `place = place.clone()`."""
    return (
        isinstance(statement, ast.Assign)
        and any(ast.unparse(t) == place for t in statement.targets)
        and (ast.unparse(statement.value) == f"{place}.clone()")
    )


def _makes_anew(node: ast.AST, name: str) -> bool:
    """Whether a node binds the name to something that isn't computed from what it was."""
    if isinstance(node, ast.Assign):
        return name in assigned_names(node) and not any(
            isinstance(n, ast.Name) and n.id == name for n in walk(node.value)
        )
    if isinstance(node, ast.For | ast.AsyncFor):
        return any(isinstance(n, ast.Name) and n.id == name for n in walk(node.target))
    return False
