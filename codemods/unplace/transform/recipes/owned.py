"""Memory of its own for a tensor where it is made: a copy there, and the writes to it stay.

Elements of an expanded tensor share memory, and torch forbids to write it:

    p = p.sum(1).view(k, 1).expand(k, k)            p = p.sum(1).view(k, 1).expand(k, k).clone()
    p[p < eps] = eps                                p[p < eps] = eps

A write to a part changes what shares memory with it, too, as it wouldn't in a copy, and torch allows `p[:, 0] = 1`. A
mask that is made of the tensor alone takes all elements that share memory, or none.

What code out of sight made may have been saved there. A loop that writes it would copy it in each of its rounds:

    img = blur(img)                                 img = blur(img).clone()
    for row in rows:                                for row in rows:
        img[row] = 0                                    img[row] = 0
"""

from __future__ import annotations

import ast
from itertools import chain

from unplace.analysis.domain.values import NUMBER, Objs, Origin, is_same
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.catalogue import Forbids, Rewrite
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.emit.copies import cloned, laid_out
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Copy


def expanded(site: Site, text: Text) -> Aside | None:
    """Return the clone of what expands the written tensor, if nothing else can see the memory that it expands."""
    forbidden = site.forbidden()
    if forbidden is None or forbidden.reason.kind is not Forbids.EXPANDED:
        return None
    objs = frozenset(obj for obj in site.value.objs if obj.operator in members.EXPANDING)
    calls = _made_by(site, objs)
    is_itself = objs == site.value.objs and len(calls) == len(objs)
    if not is_itself or not (site.write.kind.is_whole or _is_by_own_mask(site)) or _is_seen_otherwise(site, objs):
        return None
    edits = tuple(Edit(end, end, ".clone()") for _, end in sorted(map(text.span, calls)))
    return Aside(edits, Rewrite.EXPANDED_OWNED(name=site.name))


def made_out_of_sight(site: Site, copy: Copy, text: Text) -> Aside | None:
    """Return the clone of what a call in front of the loop made, in place of one in each round; None for other writes.

    Nothing else sees the tensor by the assumptions of `copy`, and nothing else may have written it in between.
    """
    makers = {call for call in _made_by(site, site.value.objs) if site.run.values[call].objs == site.value.objs}
    if len(makers) != 1 or len(copy.places) > 1 or copy.views or copy.after:
        return None
    roots = site.roots()
    saves = {saved.node for root in roots for saved in site.state.saved.get(root, ()) if saved.certain}
    if not saves <= makers or not any(root.origin is Origin.CALL for root in roots):
        return None
    writes = (w for w in site.run.possible_writes() if not w.state.roots(w.value.objs).isdisjoint(roots))
    if any(w.value.objs != site.value.objs for w in writes):
        return None
    edits = laid_out(text, cloned(text, makers.pop(), site.run.parents))
    return Aside(edits, Rewrite.OWNED_WHERE_MADE(name=site.name), copy.assumptions)


def _made_by(site: Site, objs: Objs) -> set[ast.Call]:
    """Return the calls that made some objects."""
    keys = map(site.run.names.key_of, objs)
    return {key[0] for key in keys if isinstance(key, tuple) and isinstance(key[0], ast.Call)}


def _is_by_own_mask(site: Site) -> bool:
    """Tell whether a number is stored where a mask is True that is made of the written tensor and numbers alone."""
    node, values = site.write.node, site.run.values
    if not isinstance(node, ast.Subscript) or not all(operand.must_be(NUMBER) for operand in site.write.operands):
        return False
    read = [values[part] for part in walk(node.slice) if isinstance(part, ast.Name) and part in values]
    is_of_it = values[node.slice].dtype == "bool" and any(is_same(value, site.value) for value in read)
    return is_of_it and all(is_same(value, site.value) or value.must_be(NUMBER) for value in read)


def _is_seen_otherwise(site: Site, expanded: Objs) -> bool:
    """Tell whether something that is read later shares the memory, other than what was made of the expanded tensors."""
    state, live = site.state, site.run.liveness.read_after(site.statement)
    held = chain((value for name, value in state.env.items() if name in live), state.heap.values())
    return any(
        state.may_share(value.objs, site.value.objs) and state.roots(value.objs).isdisjoint(expanded) for value in held
    )
