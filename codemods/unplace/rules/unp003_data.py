"""Store to `.data`: `h.data = f(h)` becomes `h = f(h)`, which repairs the gradient.

Assigning `.data` swaps the values of a tensor behind autograd's back. The graph, if there is one, still belongs to the
old values, and the new ones have no history. In differentiable code, this cuts the gradient without an error. Rebinding
the name keeps the values and lets gradients flow.

    for x_t in x:
        hidden.data = torch.tanh(cell(x_t, hidden))

    for x_t in x:
        hidden = torch.tanh(cell(x_t, hidden))

This is the one rule that changes gradients on purpose; values stay the same.

A write through `.data` that changes a part or updates the values may be meant to stay unseen by autograd (`h.data +=
k`, `h.data[0] = 1`, `h.data.clamp_()`). Rewriting it needs `--unsafe`, with two exceptions:

- The written value has a graph that nothing else uses, and so do all such writes to the tensor. After
  `h.data += self.out(x)`, for example, `self.out` gets no gradient.
- The gradient is computed from the values that the write changes, such as the result of `exp`, `sigmoid` or `softmax`.
  Nobody means such a gradient.

The stored values may have no graph, if they aren't computed from the old ones, nor by a module with weights. Rebinding
would then cut the graph that is there. It needs `--unsafe`, which assumes that a gradient flows through the new values.

Kept: parameters, leaves whose `.grad` is used, optimizers, and code under `no_grad`. There, `.data` is an update.

Refused: arguments of a function. With `--unsafe` they are rewritten; the assumption is that no caller reads the
argument after the call.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import Link, Value
from unplace.analysis.interpret.stores import is_handed_over
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.analysis.queries import continuation
from unplace.diagnostics.catalogue import Assumption, Rewrite
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.rules.unp001_augmented import as_assignment
from unplace.transform.emit import bindings
from unplace.transform.emit.snippet import Snippet, assignment
from unplace.transform.legality import rebind
from unplace.transform.rule import StatementRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Plain, Rebind, Refuse, Verdict

FORMS = (Form.DATA_STORE,)


class DataStore(StatementRule):
    """The rule UNP003: see the module's docstring."""

    code = "UNP003"

    def decide(self, site: Site) -> Verdict:
        """Rebind the tensor whose `.data` is stored to."""
        place = _owner(site)
        statement = site.statement
        if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
            return Refuse(Refusal.DATA_TARGETS())
        if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Attribute):
            return Refuse(Refusal.DATA_UNPACKED())
        if not isinstance(statement, ast.Assign | ast.AugAssign):
            return Refuse(Refusal.DATA_NO_ASSIGNMENT())
        value = site.state.env.get(place.id) if isinstance(place, ast.Name) else site.run.values.get(place)
        if value is None:
            return Refuse(Refusal.NOTHING_KNOWN(name=ast.unparse(place)))
        if any(b.link is Link.VIEW for o in value.objs if (b := site.state.bases.get(o)) is not None):
            return Refuse(Refusal.DATA_OF_VIEW(name=ast.unparse(place)))
        is_stored = isinstance(statement, ast.Assign)
        is_cut = not any(can_be_tracked(operand) for operand in site.write.operands)
        if is_stored and can_be_tracked(value) and (is_cut or _reads_only_data(statement.value, place)):
            return Refuse(Refusal.DATA_WITHOUT_GRAPH())
        if is_stored and not all(is_handed_over(site.state, operand) for operand in site.write.operands):
            return Refuse(Refusal.DATA_SHARED())
        verdict = rebind(site, place)
        if isinstance(verdict, Rebind) and verdict.views:
            return Refuse(Refusal.DATA_SEEN(name=str(verdict.views[0].targets[0])))
        if isinstance(verdict, Rebind) and is_stored and not _has_graph(site, statement.value, value):
            assumption = Assumption.GRADIENT_FLOWS(stored=ast.unparse(statement.value))
            return replace(verdict, assumptions=(*verdict.assumptions, assumption))
        return verdict

    def lines(self, site: Site, recipe: Rebind | Copy | Plain, snippet: Snippet) -> list[str]:
        """Return `h = f(h)` for `h.data = f(h)`."""
        assert isinstance(recipe, Rebind)
        statement = snippet.statement()
        if isinstance(statement, cst.AugAssign):
            inner = statement.target
            assert isinstance(inner, cst.Attribute)
            plain = statement.with_changes(target=inner.value)
            return [snippet.render(as_assignment(site, recipe, snippet, plain))]
        assert isinstance(statement, cst.Assign)
        old = statement.targets[0]
        around = (old.whitespace_before_equal, old.whitespace_after_equal)
        return [snippet.render(assignment(bindings.targets(snippet.text, recipe), statement.value, around))]

    def message(self, site: Site, recipe: Verdict) -> Reason:
        """Return a message that says that the gradient is meant to change."""
        return Rewrite.DATA_REBOUND(name=ast.unparse(_owner(site)))


def _has_graph(site: Site, stored: ast.expr, value: Value) -> bool:
    """Tell whether rebinding certainly cuts no graph: the stored values have one, or there is none to cut."""
    if not can_be_tracked(value) or continuation.has_no_graph(site.run, value):
        return True
    return continuation.goes_on(site.run, stored, value.objs)


def _reads_only_data(stored: ast.expr, place: ast.expr) -> bool:
    """Tell whether stored values use the old ones, but only without their graph: `h.data = h.data * k + g`."""
    path = AccessPath.of(place)
    nodes = list(ast.walk(stored))
    reads = [n for n in nodes if isinstance(n, ast.expr) and AccessPath.of(n) == path]
    past = [n.value for n in nodes if isinstance(n, ast.Attribute) and n.attr in ("data", "detach")]
    return bool(reads) and all(any(n is value for value in past) for n in reads)


def _owner(site: Site) -> ast.expr:
    """Return `h` for `h.data`."""
    target = site.write.target
    return target.value if isinstance(target, ast.Attribute) and target.attr == "data" else target


RULE = DataStore()
