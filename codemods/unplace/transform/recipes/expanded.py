"""Writes to expanded tensors, whose elements share memory: torch forbids them, and a copy gives each its own.

p = p.sum(1).view(k, 1).expand(k, k)            p = p.sum(1).view(k, 1).expand(k, k).clone()
p[p < eps] = eps                                p[p < eps] = eps
"""

from __future__ import annotations

import ast
from itertools import chain

from unplace.analysis.domain.values import Objs
from unplace.diagnostics.catalogue import Forbids, Rewrite
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside


def cloned(site: Site, text: Text) -> Aside | None:
    """Return the clone of what expands the written tensor, if nothing else can see the memory that it expands."""
    forbidden = site.forbidden()
    if forbidden is None or forbidden.reason.kind is not Forbids.EXPANDED:
        return None
    expanded = frozenset(obj for obj in site.roots() if obj.operator in members.EXPANDING)
    keys = [site.run.names.key_of(obj) for obj in expanded]
    calls = {key[0] for key in keys if isinstance(key, tuple) and isinstance(key[0], ast.Call)}
    if len(calls) < len(keys) or _is_seen_otherwise(site, expanded):
        return None
    edits = tuple(Edit(end, end, ".clone()") for _, end in sorted(map(text.span, calls)))
    return Aside(edits, Rewrite.EXPANDED_OWNED(name=site.name))


def _is_seen_otherwise(site: Site, expanded: Objs) -> bool:
    """Tell whether something that is read later shares the memory, other than what was made of the expanded tensors."""
    state, live = site.state, site.run.liveness.read_after(site.statement)
    held = chain((value for name, value in state.env.items() if name in live), state.heap.values())
    return any(
        state.may_share(value.objs, site.value.objs) and state.roots(value.objs).isdisjoint(expanded) for value in held
    )
