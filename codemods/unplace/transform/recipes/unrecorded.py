"""Changes of parameters that torch forbids: they are put under `torch.no_grad()`, where torch allows them.

    b = self.conv.bias.view(3, -1)                  b = self.conv.bias.view(3, -1)
    b[:, 4] += math.log(8 / 640 ** 2)               with torch.no_grad():
    b[:, 5:] += self.prior                              b[:, 4] += math.log(8 / 640 ** 2)
                                                        b[:, 5:] += self.prior

That is done by default where no gradient can be lost, for leaves that the code optimises, and for updates by values
without a graph (`leaf_gradients`). Any other change is put there on the assumption that no gradient is meant to flow
through it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace

from unplace.analysis.domain.graph import LEAF
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.computed_parameters import may_be_computed
from unplace.analysis.project.handling import handler_of
from unplace.analysis.project.recording import may_be_off
from unplace.analysis.queries.forbidden import is_allowed
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Purpose, Rewrite
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit.layout import put_before
from unplace.transform.meant import is_like_a_parameter
from unplace.transform.observed import refused_without_gradient
from unplace.transform.recipes.leaf_gradients import (
    is_given_up,
    is_of_new_layer,
    is_of_optimised_leaf,
    is_step_along_own_gradient,
    is_update,
    keeps_gradients,
    only_changes,
)
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside, Keep, Refuse

_Decided = Mapping[ast.stmt, list[Decision]]


def under_no_grad(decided: _Decided, text: Text, options: Options) -> dict[ast.stmt, Aside]:
    """Return the edits that put changes of parameters under `no_grad`: one block for those that follow each other.

    With `--unsafe`, parameters count that the file may freeze, so that torch may allow the change.
    """
    found: dict[ast.stmt, Aside] = {}
    changing = {
        statement for statement, decisions in decided.items() if _is_change(statement, decisions, text, options)
    }
    for statement in decided:
        if statement not in changing or statement in found:
            continue
        site = decided[statement][0].site
        group = [statement, *_next_changes(site.run, statement, changing)]
        edits = indented(site.run, group, text)
        if edits is not None:
            assumptions = _assumptions(decision.site for member in group for decision in decided[member])
            found |= {s: Aside(edits, _words(decided[s][0].site), assumptions) for s in group}
    return found


def _is_change(statement: ast.stmt, decisions: list[Decision], text: Text, options: Options) -> bool:
    """Tell whether a statement does nothing but change parameters, which torch forbids; it has lines of its own."""
    if isinstance(statement, ast.Assign):
        is_plain = all(isinstance(target, ast.Subscript) for target in statement.targets)
    else:
        is_plain = isinstance(statement, ast.AugAssign | ast.Expr)
    if not is_plain or not _has_own_lines(statement, text):
        return False
    return all(
        _is_forbidden(d) or (options.unsafe and _may_be_forbidden(d)) or _was_forbidden(d, options) for d in decisions
    )


def _has_own_lines(statement: ast.stmt, text: Text) -> bool:
    """Tell whether no other statement stands in the lines of a statement."""
    start, end = text.span(statement)
    rest = text.text[end : text.line_end(end)].strip()
    return text.indentation(start) is not None and (not rest or rest.startswith("#"))


def _is_forbidden(decision: Decision) -> bool:
    verdict, forbidden = decision.verdict, decision.site.forbidden()
    if not isinstance(verdict, Refuse):
        return False
    if forbidden is None:
        return is_like_a_parameter(decision.site) or is_step_along_own_gradient(decision.site)
    is_refused = verdict.reason.kind in (Refusal.FORBIDDEN_LEAF, Refusal.LEAF)
    return forbidden.is_leaf and is_refused and not _is_caught(decision.site)


def _may_be_forbidden(decision: Decision) -> bool:
    """Tell whether torch forbids a change that is kept, unless the file freezes the parameter."""
    verdict, site = decision.verdict, decision.site
    if not isinstance(verdict, Keep) or verdict.reason.kind is not Purpose.REGISTERED:
        return False
    owner = site.registered()
    if is_allowed(site.write) or _is_caught(site) or (owner and may_be_computed(site.program.module, owner.label)):
        return False
    is_recorded = site.write.record.records and not may_be_off(site.program.module, site.run.scope)
    return is_recorded and site.value.graph == LEAF and not site.is_hidden()


def _was_forbidden(decision: Decision, options: Options) -> bool:
    """Tell whether torch forbade a change of a parameter in all runs, and none of the values had a gradient."""
    facts = decision.facts
    if facts is None or not refused_without_gradient(facts) or decision.is_applied(replace(options, unsafe=False)):
        return False
    return decision.site.was_harmful and not _is_caught(decision.site)


def _is_caught(site: Site) -> bool:
    """Tell whether the run handles the error that the write raises."""
    spot = site.run.flow.spot(site.statement)
    return spot is None or handler_of(site.run.scope, spot.guards) is not None


def _next_changes(run: Run, statement: ast.stmt, changing: set[ast.stmt]) -> Iterable[ast.stmt]:
    """Iterate over the changes that directly follow a statement in its block."""
    for follower in run.flow.behind(statement):
        if follower not in changing:
            return
        yield follower


def indented(run: Run, group: list[ast.stmt], text: Text) -> tuple[Edit, ...] | None:
    """Return the edits that put statements, with the comments between them, into a `with` block."""
    name, imported = _named(run, text)
    start, _ = text.span(group[0])
    _, end = text.span(group[-1])
    indent = text.indentation(start)
    if name is None or indent is None or any(_spans_lines(node) for s in group for node in ast.walk(s)):
        return None
    step = "\t" if indent.endswith("\t") else "    "
    first, last = text.place(start)[0], text.place(end)[0]
    edits = [*imported, Edit(start, start, f"with {name}():{text.newline}{indent}{step}")]
    for number in range(first + 1, last + 1):
        offset = text.starts[number - 1]
        if text.line(number).strip():
            edits.append(Edit(offset, offset, step))
    return tuple(edits)


def _named(run: Run, text: Text) -> tuple[str | None, list[Edit]]:
    """Return a spelling of `torch.no_grad` for the scope of a run, with the edit that imports it where none does."""
    module, scope = run.program.module, run.scope
    name = module.name_for(scope, "torch.no_grad")
    if name is not None or module.scopes.owner(scope, "torch") is not None:
        return name, []
    whole = module.scopes.module.node
    assert isinstance(whole, ast.Module)
    body = [s for s in whole.body if not _comes_first(s)]
    imports = [s for s in body if isinstance(s, ast.Import | ast.ImportFrom)]
    of_torch = (s for s in imports if ast.unparse(s).split()[1].split(".")[0] == "torch")
    place = next(of_torch, next(iter(imports), None))
    is_definition = isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    if place is None and is_definition and body[0].decorator_list:  # type: ignore[attr-defined]
        return None, []
    if place is None:
        return "torch.no_grad", [put_before(text, body[0], ["import torch", "", ""])]
    return "torch.no_grad", [put_before(text, place, ["import torch"])]


def _comes_first(statement: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, or an import that no other may precede."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _spans_lines(node: ast.AST) -> bool:
    """Tell whether a node is a string of several lines, whose text would be indented with the code."""
    is_text = isinstance(node, ast.JoinedStr | ast.Constant)
    return is_text and node.lineno != node.end_lineno  # type: ignore[attr-defined]


def _words(site: Site) -> Reason:
    forbidden = site.forbidden()
    if forbidden is None:
        return Rewrite.MAYBE_UNRECORDED()
    if is_update(site) and not keeps_gradients(site):
        if not only_changes(site.run.scope):
            return Rewrite.UNRECORDED_PARAMETERS(forbidden=forbidden.reason)
        return Rewrite.UNRECORDED_UPDATE(forbidden=forbidden.reason, function=site.run.scope.name)
    if is_of_optimised_leaf(site) and not keeps_gradients(site):
        return Rewrite.UNRECORDED_LEAF(forbidden=forbidden.reason)
    if is_of_new_layer(site):
        return Rewrite.UNRECORDED_NEW(forbidden=forbidden.reason)
    if is_given_up(site):
        return Rewrite.UNRECORDED_GIVEN_UP(forbidden=forbidden.reason)
    return Rewrite.UNRECORDED(forbidden=forbidden.reason)


def _assumptions(sites: Iterable[Site]) -> tuple[Reason, ...]:
    """Return the assumptions under which changes of parameters need no gradient."""
    proofs = (keeps_gradients, is_update, is_of_optimised_leaf, is_of_new_layer, is_given_up)
    doubtful = (site for site in sites if not any(proves(site) for proves in proofs))
    return tuple(dict.fromkeys(Assumption.UNDIFFERENTIATED(name=site.name) for site in doubtful))
