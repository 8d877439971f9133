"""Changes of parameters that torch forbids: they are put under `torch.no_grad()`, where torch allows them.

    b = self.conv.bias.view(3, -1)                  b = self.conv.bias.view(3, -1)
    b[:, 4] += math.log(8 / 640 ** 2)               with torch.no_grad():
    b[:, 5:] += self.prior                              b[:, 4] += math.log(8 / 640 ** 2)
                                                        b[:, 5:] += self.prior

A parameter that is added to what has no graph has the same gradient before and after. Any other change is put there
on the assumption that no gradient is meant to flow through it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from unplace import torchapi
from unplace.analysis.domain.values import Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import can_be_tracked
from unplace.diagnostics.catalogue import Assumption, Refusal, Rewrite
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.decisions import Decision
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Refuse

_Decided = Mapping[ast.stmt, list[Decision]]


def under_no_grad(decided: _Decided, text: Text) -> dict[ast.stmt, Aside]:
    """Return the edits that put changes of parameters under `no_grad`: one block for those that follow each other."""
    found: dict[ast.stmt, Aside] = {}
    changing = {statement for statement, decisions in decided.items() if _is_change(statement, decisions, text)}
    for statement in decided:
        if statement not in changing or statement in found:
            continue
        site = decided[statement][0].site
        group = [statement, *_followers(site.run, statement, changing)]
        edits = _indented(site, group, text)
        if edits is not None:
            assumptions = _assumptions(decision.site for member in group for decision in decided[member])
            found |= {s: Aside(edits, _said(decided[s][0].site), assumptions) for s in group}
    return found


def _is_change(statement: ast.stmt, decisions: list[Decision], text: Text) -> bool:
    """Tell whether a statement does nothing but change parameters, which torch forbids; it has lines of its own."""
    if isinstance(statement, ast.Assign):
        is_plain = all(isinstance(target, ast.Subscript) for target in statement.targets)
    else:
        is_plain = isinstance(statement, ast.AugAssign | ast.Expr)
    start, end = text.span(statement)
    rest = text.text[end : text.line_end(end)].strip()
    has_lines = text.indentation(start) is not None and (not rest or rest.startswith("#"))
    return is_plain and has_lines and all(map(_is_forbidden, decisions))


def _is_forbidden(decision: Decision) -> bool:
    verdict, forbidden = decision.verdict, decision.site.forbidden()
    if not isinstance(verdict, Refuse):
        return False
    if forbidden is None:
        return _is_named_like_a_parameter(decision.site)
    is_refused = verdict.reason.kind in (Refusal.FORBIDDEN_LEAF, Refusal.LEAF)
    return forbidden.is_leaf and is_refused and not _is_caught(decision.site)


def _is_caught(site: Site) -> bool:
    """Tell whether the code around the write may be there to catch the error that it raises."""
    spot = site.run.flow.spot(site.statement)
    return spot is None or any(not isinstance(guard, ast.With | ast.AsyncWith) for guard in spot.guards)


def _is_named_like_a_parameter(site: Site) -> bool:
    """Tell whether the write goes to `layer.weight` or `layer.bias` of an object of which nothing is known."""
    roots = site.roots()
    if not site.write.grad.records or site.write.data is not None or site.write.kind is WriteKind.DATA:
        return False
    owners = [o for o in roots if o not in site.state.bases]
    return bool(owners) and all(
        o.origin is Origin.ATTRIBUTE and torchapi.is_registered_name(o.label.rsplit(".", 1)[-1]) for o in owners
    )


def _followers(run: Run, statement: ast.stmt, changing: set[ast.stmt]) -> Iterable[ast.stmt]:
    """Iterate over the changes that directly follow a statement in its block."""
    for follower in run.flow.behind(statement):
        if follower not in changing:
            return
        yield follower


def _indented(site: Site, group: list[ast.stmt], text: Text) -> tuple[Edit, ...] | None:
    """Return the edits that put statements, with the comments between them, into a `with` block."""
    name = site.program.module.name_for(site.run.scope, "torch.no_grad")
    start, _ = text.span(group[0])
    _, end = text.span(group[-1])
    indent = text.indentation(start)
    if name is None or indent is None or any(_spans_lines(node) for s in group for node in ast.walk(s)):
        return None
    step = "\t" if indent.endswith("\t") else "    "
    first, last = text.place(start)[0], text.place(end)[0]
    edits = [Edit(start, start, f"with {name}():{text.newline}{indent}{step}")]
    for number in range(first + 1, last + 1):
        offset = text.starts[number - 1]
        if text.line(number).strip():
            edits.append(Edit(offset, offset, step))
    return tuple(edits)


def _spans_lines(node: ast.AST) -> bool:
    """Tell whether a node is a string of several lines, whose text would be indented with the code."""
    is_text = isinstance(node, ast.JoinedStr | ast.Constant)
    return is_text and node.lineno != node.end_lineno  # type: ignore[attr-defined]


def _said(site: Site) -> Reason:
    forbidden = site.forbidden()
    return Rewrite.MAYBE_UNRECORDED() if forbidden is None else Rewrite.UNRECORDED(forbidden=forbidden.reason)


def _assumptions(sites: Iterable[Site]) -> tuple[Reason, ...]:
    """Return the assumptions under which changes of parameters need no gradient."""
    return tuple(dict.fromkeys(Assumption.UNDIFFERENTIATED(name=s.name) for s in sites if not _keeps_gradients(s)))


def _keeps_gradients(site: Site) -> bool:
    """Tell whether the change adds what certainly has no graph to what certainly is a leaf."""
    if site.forbidden() is None or not _adds(site):
        return False
    return not any(_may_have_graph(site, operand) for operand in _operands(site.node))


def _operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.AugAssign):
        return [node.value]
    return [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []


def _may_have_graph(site: Site, node: ast.expr) -> bool:
    """Tell whether a value may have a graph: a gradient has one only where `create_graph` asks for it."""
    value = site.run.values.get(node)
    if value is not None and not can_be_tracked(value):
        return False
    if isinstance(node, ast.BinOp):  # a step along a gradient
        is_step = "create_graph" not in site.program.module.text and any(map(_is_gradient, (node.left, node.right)))
        return not is_step and (_may_have_graph(site, node.left) or _may_have_graph(site, node.right))
    return not _is_gradient(node) or "create_graph" in site.program.module.text


def _is_gradient(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


def _adds(site: Site) -> bool:
    if isinstance(site.node, ast.AugAssign):
        return isinstance(site.node.op, ast.Add | ast.Sub)
    return site.write.kind is WriteKind.METHOD and site.write.name in members.ADDING
