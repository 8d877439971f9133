"""Elements of a list that a loop yields: the loop counts, so that the list can take the new tensors.

    for w, g in zip(fast, grads):
        w.data -= lr * g

    for i, (w, g) in enumerate(zip(fast, grads)):
        w.data -= lr * g

The next round binds the element: `w = fast[i] = w - lr * g`.
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.project.compiled import compiled
from unplace.analysis.queries.yielded import listed
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform import casts
from unplace.transform.emit.layout import new_index, without_parentheses
from unplace.transform.legality import assumptions_about
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside


def counted(site: Site, text: Text) -> Aside | None:
    """Return the edits that let the loop count which yields the written element of a list; None for other writes."""
    node = site.write.target
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "data"):
        node = node.value
    if not isinstance(node, ast.Name) or site.run.scope in compiled(site.program.module):
        return None
    place = AccessPath(node.id)
    blockers = site.watch().of(site.value, place, None, only_itself=False).blockers
    if not blockers or any(reason.kind is not Refusal.IN_CONTAINER for reason in blockers):
        return None
    found = listed(site.run, site.state, place, site.value)
    if found is None or found.counter:
        return None
    target, iterable = text.span(found.loop.target), text.span(found.loop.iter)
    header = text.slice(found.loop.target)
    bracketed = (
        f"({header})" if isinstance(found.loop.target, ast.Tuple) and without_parentheses(header) is None else header
    )
    index = new_index(site.run.taken_names())
    edits = (
        Edit(*target, f"{index}, {bracketed}"),
        Edit(iterable[0], iterable[0], "enumerate("),
        Edit(iterable[1], iterable[1], ")"),
    )
    message = Rewrite.ELEMENT_COUNTED(row=node.id, whole=found.name)
    return Aside(edits, message, (*assumptions_about(site), *casts.risk(site)))
