"""Writes through `.data` that lose the graph of what they write, which nothing else uses.

    r = self.fc2(x)
    h.data += r                                 no gradient reaches `fc2`
    norm = w.flatten(1).norm(dim=1)
    w.data.div_(norm.view(-1, 1) + 1e-6)        what `w.data = w / (norm.view(-1, 1) + 1e-6)` says, too

Nothing shows that such a graph is meant to be lost: that is what a store of all values to `.data` is repaired for. It
may be meant where the values have no graph (`h.data[mask] = 0`, `h.data.clamp_(0, 1)`), or are used elsewhere, too, as
the codes of a straight-through estimator are:

    codes = self.codebook(index)
    z.data.copy_(codes)
    return self.decode(z) + F.mse_loss(codes, x)

Nor can a write be meant to pass autograd by that spoils what the gradient is computed from, the result of `exp()`:

    sigma = torch.exp(raw)
    sigma.data.clamp_(min=0.1)

But it may be meant to where the new values have no gradient of their own: `scale.data.round_()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace import torchapi
from unplace.analysis.domain.values import Objs
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, is_data_attribute
from unplace.analysis.queries.continuation import carriers
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import WriteKind
from unplace.torchapi import members, results
from unplace.transform.sites import Site


def loses_graphs(site: Site) -> bool:
    """Tell whether each write through the tensor's `.data` loses a graph that only the written values have."""
    hidden = _hidden_writes(site)
    return site.write in hidden and all(_loses_graph(site.run, write, site.roots()) for write in hidden)


def spoils_gradient(site: Site) -> bool:
    """Tell whether a hidden write certainly changes the values that the gradient of what made the tensor is made of.

    What is written without a graph on purpose, `w.data /= w.data.sum()`, would stay without one; rounded values would
    end the gradient.
    """
    harm, saved = site.harm()
    if harm is not Harm.HARMFUL or saved is None:
        return False
    saving = saved.operation.partition(INSIDE)[0].rstrip("()").rpartition(".")[2]
    hidden = _hidden_writes(site)
    written = (value for write in hidden for value in _written(write))
    is_cut = any(isinstance(n, ast.Attribute) and n.attr in members.CUTTING for v in written for n in ast.walk(v))
    is_meant = is_cut or any(_ends_gradient(site.run.scope, write) for write in hidden)
    return saving in results.DERIVED_FROM_RESULT and not is_meant


def _ends_gradient(scope: Scope, write: Write) -> bool:
    """Tell whether no gradient would flow through a write: it rounds, replaces all values, or those that it compares.

    scale.data.round_(), scale.data[:] = codes, p.data[p > 0.5] = 1
    """
    node, name = write.node, write.name.rpartition(".")[2]
    written = write.target if isinstance(node, ast.Call | ast.AugAssign) else node
    chosen = [n.slice for n in ast.walk(written) if isinstance(n, ast.Subscript)]
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.FloorDiv)
    if name.rstrip("_") in members.FLAT:
        return True
    operator = torchapi.inplace_method(name)
    if operator is not None and (operator.dtype == "bool" or operator.kind == "random"):
        return True
    if isinstance(node, ast.Call) and name in members.MASKED:
        chosen += [*_written(write)]
    elif isinstance(node, ast.Call) and (operator is None or operator.kind not in ("fill", "copy")):
        return False
    return all(map(_is_everything, chosen)) or not all(_is_given(scope, index) for index in chosen)


def _is_everything(index: ast.expr) -> bool:
    """Tell whether an index chooses all elements: `:` or `...`."""
    if isinstance(index, ast.Slice):
        return index.lower is None and index.upper is None
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def _is_given(scope: Scope, index: ast.expr) -> bool:
    """Tell whether an index is made of arguments and constants, and so of no values of the written tensor."""
    named = [n for n in ast.walk(index) if isinstance(n, ast.Name)]
    given = {p.arg for p in scope.parameters} - {n.id for n in scope.names if not isinstance(n.ctx, ast.Load)}
    return all(n.id in given for n in named)


def _hidden_writes(site: Site) -> list[Write]:
    """Return the writes through `.data` that update or change some values of the written tensor."""
    roots = site.roots()
    return [w for w in site.run.writes.values() if _is_hidden(w) and w.state.roots(w.value.objs) & roots]


def _is_hidden(write: Write) -> bool:
    """Tell whether a write updates or changes some values of a tensor through its `.data`."""
    if write.kind is WriteKind.DATA:
        return False
    return write.data is not None or any(is_data_attribute(n) for n in ast.walk(write.target))


def _loses_graph(run: Run, write: Write, roots: Objs) -> bool:
    found = [carriers(run, value, roots) for value in _written(write)]
    statement = write.statement
    return any(carried is not None and all(_is_read_in(run, n, statement) for n in carried) for carried in found)


def _written(write: Write) -> Iterator[ast.expr]:
    """Iterate over the expressions whose values a write puts or works into its target."""
    node = write.node
    if isinstance(node, ast.Call):
        yield from node.args[write.kind is WriteKind.FUNCTION :]
        yield from (keyword.value for keyword in node.keywords)
    elif isinstance(write.statement, ast.Assign | ast.AugAssign):
        yield write.statement.value


def _is_read_in(run: Run, name: ast.Name, statement: ast.stmt) -> bool:
    """Tell whether a local name is read nowhere but in a statement."""
    scope = run.scope
    if name.id not in scope.bound or name.id in scope.captured | scope.global_names | scope.nonlocal_names:
        return False
    inside = {node for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return all(n in inside for n in scope.names if n.id == name.id and isinstance(n.ctx, ast.Load))
