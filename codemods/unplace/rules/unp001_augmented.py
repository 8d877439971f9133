"""Augmented assignment of a tensor: `y += k` becomes `y = y + k`.

An augmented assignment writes into the memory of its target. If an earlier operation saved that memory, autograd fails
in backward. Every other name of the tensor sees the change.

    y = x.exp()
    y += 1          # exp() saved its result

    y = x.exp()
    y = y + 1

Other names of the same tensor are rebound with it (`a = b = a + 1`), and views that are read later are made again after
the statement. A write through a view whose base is read later goes to a clone of the base. In place, the target keeps
its dtype. Where the operands are known to differ, the result is cast back.

Where the code asks for the gradient of a leaf, its new values get a name of their own: `new_x = x * 2` (see UNP005).

Not an operation of this rule: numbers, lists, strings and arrays; `x @= w` (tensors have no in-place matrix product).

Kept: parameters, buffers, gradients, and code under `no_grad`.

Refused: targets that a container, a closure or a caller can see. With `--unsafe`, arguments are rewritten, too; the
assumption is that no caller reads the argument after the call.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from unplace.diagnostics.forms import Form
from unplace.transform import casts
from unplace.transform.emit import bindings
from unplace.transform.emit.snippet import Snippet, assignment, blanks
from unplace.transform.emit.written_out import operation
from unplace.transform.legality import private_copy, rebind
from unplace.transform.rule import StatementRule, fresh_name, is_computed_before
from unplace.transform.sites import Site
from unplace.transform.verdicts import Copy, Plain, Rebind, Verdict

FORMS = (Form.AUGMENTED,)


class Augmented(StatementRule):
    """The rule UNP001: see the module's docstring."""

    code = "UNP001"

    def decide(self, site: Site) -> Verdict:
        """Rebind the target, or clone the base that it is a view of."""
        verdict = rebind(site, site.write.target)
        if isinstance(verdict, Rebind):
            return replace(verdict, assumptions=(*verdict.assumptions, *casts.risk(site)))
        copied = private_copy(site)
        return copied if isinstance(copied, Copy) else verdict

    def lines(self, site: Site, recipe: Rebind | Copy | Plain, snippet: Snippet) -> list[str]:
        """Return `y = y + k`, or the clone and the unchanged statement."""
        statement = snippet.statement()
        assert isinstance(statement, cst.AugAssign)
        if isinstance(recipe, Copy):
            before: list[str] = []
            assert isinstance(site.node, ast.AugAssign)
            if is_computed_before(site, site.node.value):
                name = fresh_name(site, site.node.value)
                before.append(snippet.line(f"{name} = ", statement.value))
                statement = statement.with_changes(value=cst.Name(name))
            return [*before, *bindings.cloned(snippet.text, recipe), snippet.render(statement)]
        assert isinstance(recipe, Rebind)
        return [snippet.render(as_assignment(site, recipe, snippet, statement))]

    def value(self, site: Site, statement: cst.BaseSmallStatement) -> cst.BaseExpression:
        """Return `y + k`."""
        assert isinstance(statement, cst.AugAssign)
        return operation(site, statement, statement.target)


def as_assignment(site: Site, recipe: Rebind, snippet: Snippet, statement: cst.AugAssign) -> cst.Assign:
    """Turn `a += k` into `a = b = a + k`."""
    value: cst.BaseExpression = operation(site, statement, statement.target)
    if casts.casts(site):
        value = casts.cast(value, cst.Attribute(value=statement.target, attr=cst.Name("dtype")))
    is_new = isinstance(statement.target, cst.Name) and statement.target.value != recipe.places[0].root
    first = None if is_new else statement.target
    return assignment(bindings.targets(snippet.text, recipe), value, blanks(statement.operator), first)


RULE = Augmented()
