"""Copies for a called function that writes what its callers saved: they pass it a copy.

    loss = depth.log().mean() + depth.pow(2).mean()         loss = depth.log().mean() + depth.pow(2).mean()
    keep_valid(depth, metrics)                              keep_valid(depth.clone(), metrics)

What the caller reads afterwards is cloned in a line of its own, before the call: `h = h.clone()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import TENSOR, Saved, in_order
from unplace.analysis.project.callers import Handed, calls_in_file
from unplace.analysis.queries.disjointness import is_reached_otherwise
from unplace.diagnostics.catalogue import Saver
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.caught import respected
from unplace.transform.emit import bindings
from unplace.transform.emit.copies import Copies, cloned
from unplace.transform.emit.layout import put_before
from unplace.transform.emit.returning import OWN
from unplace.transform.legality import assumptions_about, private_copy
from unplace.transform.normal_form import is_loop_carried, keeping_order
from unplace.transform.recipes.entry import is_asked_of_itself
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy


def copies_given(site: Site, text: Text) -> Copies | None:
    """Return the copies that callers of this file pass of what they saved and the function writes, if they may."""
    names = {name for root in site.roots() if (name := site.state.from_callers(root)) is not None}
    if len(names) != 1 or site.forbidden() is not None:
        return None
    (name,) = names
    saves = [(run.scope, saved) for run, _, saved in site.callers.saves_before(site.run.scope, name)]
    saving = {scope for scope, _ in saves}
    calls = [c for c in calls_in_file(site.program, site.run.scope, name) if c.run.scope in saving]
    if saving != {call.run.scope for call in calls} or is_asked_of_itself(site, name):
        return None
    found = Copies()
    for call in calls:
        edits = _copied(call, site, text)
        if edits is None:
            return None
        found.add(call.write.target, OWN, edits)
        found.told[_told(call, [saved for scope, saved in saves if scope is call.run.scope])] = None
    return found


def _copied(call: Handed, site: Site, text: Text) -> tuple[Edit, ...] | None:
    """Return the edits that have a call pass a copy; None where nothing proves that it may."""
    node, passed = call.write.node, call.write.target
    if call.write.inside is not None:  # one copy would serve all rounds of a comprehension
        return None
    if not isinstance(node, ast.Call) or passed not in (*node.args, *(k.value for k in node.keywords)):
        return None
    if not _is_passed_alone(call, node, passed):
        return None
    here = Site(call.program, call.run, call.write, Form.METHOD, site.callers, site.options)
    observers = here.observers()
    is_unseen = not (observers.blockers or observers.together or observers.views)
    if is_unseen:
        copy = Copy((), (), (*assumptions_about(here), *observers.assumptions))
        return cloned(text, passed, call.run.parents) if _is_proved(here, copy) else None
    planned = private_copy(here)
    if not isinstance(planned, Copy) or planned.after or text.indentation(text.span(here.statement)[0]) is None:
        return None
    is_whole = site.write.kind not in (WriteKind.STORE, WriteKind.AUGMENTED_STORE)
    place = AccessPath.of(passed)
    if here.in_header or place not in planned.places or not (is_whole or not is_loop_carried(here, planned)):
        return None
    lines = bindings.cloned(text, planned)
    return (put_before(text, here.statement, lines),) if _is_proved(here, planned) else None


def _is_passed_alone(call: Handed, node: ast.Call, passed: ast.expr) -> bool:
    """Tell whether a call gets a tensor for certain, by no other way too, and nothing else in its statement writes."""
    run, value = call.run, call.run.values.get(passed)
    if value is None or not value.must_be(TENSOR) or value.likely:
        return False
    if any(w.statement is call.write.statement and w.node is not node for w in run.possible_writes()):
        return False
    return not is_reached_otherwise(run, call.write, node, passed)


def _told(call: Handed, saves: Iterable[Saved]) -> Reason:
    """Return which call passes a copy, and what it passes it for."""
    named = dict.fromkeys(Saver.OPERATION(name=s.operation, line=Line(s.line)) for s in in_order(frozenset(saves)))
    return Saver.PASSED(line=Line(call.write.statement.lineno), savers=tuple(named))


def _is_proved(site: Site, copy: Copy) -> bool:
    """Tell whether nobody notices that a copy is written: no readers of the tensor or its strides, no handlers."""
    return not copy.assumptions and respected((site,), keeping_order((site,), copy)) == copy
