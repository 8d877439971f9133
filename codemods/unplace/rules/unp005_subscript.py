"""Slice or index store: `y[i] = v` becomes `y = y.clone()` and `y[i] = v`.

A store through an index writes into the tensor's memory, which an earlier operation may have saved. After the clone,
the store goes to memory that nothing has saved and nobody else sees.

    y = x.exp()
    y[1:] = f(y[:-1])

    y = x.exp()
    new_y = f(y[:-1])
    y = y.clone()
    y[1:] = new_y

If the computation of the value may save the tensor, the value is computed before the clone. Otherwise autograd would
save a view of the clone, and the store would break it. If `y = y.clone()` is there already, only the value moves before
it.

Memory that the function has made and nothing saved needs no clone. A plain store into it is the normal form and stays;
an augmented one is written out: `y[1:] *= 2` becomes `y[1:] = y[1:] * 2`. With `rewrite --functional`, no store stays:
`y = y.slice_scatter(y[1:] * 2, start=1)`.

A leaf must stay what it is where the code asks for its gradient. The clone gets a name of its own there, and the later
reads of the values take it, if all of them are in sight:

    x[0] = 5.0
    (x * x).sum().backward()
    print(x.grad)

    new_x = x.clone()
    new_x[0] = 5.0
    (new_x * new_x).sum().backward()
    print(x.grad)

Other names of the same tensor get the same clone, and views that are read later are made again before the store. A
store through a view clones the base of the view.

A loop may fill a tensor slot by slot: `out[t] = f(out[t - 1])`. The slots are then collected in a list and stacked
after the loop. The stored values must be known to have the shape and dtype of a slot; `--unsafe` assumes it.

Torch forbids writing the outputs of `split`, `chunk`, `unbind` and loops over a tensor. They are cut with
`tensor_split` or indices instead.

Not rewritten: lists, dicts and arrays; expanded tensors; tensors that a container, a closure or a caller sees.
"""

from __future__ import annotations

import ast

import libcst as cst

from unplace.analysis.domain.values import TENSOR
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.refusals import Refusal
from unplace.transform.emit import bindings
from unplace.transform.emit.snippet import Snippet
from unplace.transform.emit.written_out import can_be_written_out, operation, store
from unplace.transform.legality import private_copy
from unplace.transform.rule import StatementRule, fresh_name, is_computed_before
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Plain, Rebind, Refuse, Verdict

FORMS = (Form.SUBSCRIPT_STORE,)


class SubscriptStore(StatementRule):
    """The rule UNP005: see the module's docstring."""

    code = "UNP005"

    def decide(self, site: Site) -> Verdict:
        """Clone the owner of the memory first."""
        statement = site.statement
        if site.write.kind is WriteKind.STORE:
            if not isinstance(statement, ast.Assign):
                return Refuse(Refusal.NO_PLAIN_STORE())
            if len(statement.targets) > 1 or statement.targets[0] is not site.node:
                return Refuse(Refusal.SEVERAL_TARGETS())
        if not _is_repeatable(site):
            return Refuse(Refusal.ANOTHER_ORDER())
        return private_copy(site)

    def lines(self, site: Site, recipe: Rebind | Copy | Plain, snippet: Snippet) -> list[str]:
        """Return the value, if it reads the tensor, then the clone, the views and the store."""
        statement = snippet.statement()
        assert isinstance(statement, cst.Assign | cst.AugAssign)
        assert isinstance(site.statement, ast.Assign | ast.AugAssign)
        if isinstance(recipe, Plain):
            assert isinstance(statement, cst.AugAssign)
            return [snippet.render(store(site, statement))]
        assert isinstance(recipe, Copy)
        lines: list[str] = []
        if is_computed_before(site, site.statement.value):
            name = fresh_name(site, site.statement.value)
            lines.append(snippet.line(f"{name} = ", statement.value))
            statement = statement.with_changes(value=cst.Name(name))
        if isinstance(statement, cst.AugAssign) and can_be_written_out((site,)):
            statement = store(site, statement)
        return [*lines, *bindings.cloned(snippet.text, recipe), snippet.render(statement)]

    def value(self, site: Site, statement: cst.BaseSmallStatement) -> cst.BaseExpression:
        """Return the stored value, or `y[i] + k`."""
        if isinstance(statement, cst.AugAssign):
            return operation(site, statement, statement.target)
        return super().value(site, statement)


def _is_repeatable(site: Site) -> bool:
    """Tell whether target and index may be evaluated after the value and the clone.

    A plain store evaluates the value first anyway; an augmented one fetches the element before the value, which only a
    call in the index could notice.
    """
    node = site.node
    if not isinstance(node, ast.AugAssign):
        return True
    index_calls = [n for n in ast.walk(node.target) if isinstance(n, ast.Call | ast.Await | ast.NamedExpr)]
    if not index_calls:
        return True
    values = [site.run.values.get(n) for n in index_calls if isinstance(n, ast.Call)]
    return all((v is not None and not v.may_be(TENSOR)) or (v is not None and v.is_tensor) for v in values)


RULE = SubscriptStore()
