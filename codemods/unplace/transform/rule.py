"""Base classes of the rules, and questions about a site that several rules ask."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import ClassVar

import libcst as cst

from unplace.analysis.domain.refs import Function
from unplace.analysis.domain.values import CONTAINER, NUMBER
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.stores import is_replayable
from unplace.analysis.queries.reading import may_save, reads
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi.releases import since
from unplace.transform.emit.naming import name_for
from unplace.transform.emit.snippet import Change, Snippet
from unplace.transform.sites import Site
from unplace.transform.verdicts import Collect, Copy, Plain, Rebind, Refuse, Scatter, Verdict


class Rule(ABC):
    """A rule: decides about the sites of some forms, and writes the code that replaces them."""

    code: ClassVar[str]


class StatementRule(Rule):
    """A rule for operations that are statements: stores and augmented assignments."""

    @abstractmethod
    def decide(self, site: Site) -> Verdict:
        """Return the recipe for the site, or why there is none."""

    @abstractmethod
    def lines(self, site: Site, recipe: Rebind | Copy | Plain, snippet: Snippet) -> list[str]:
        """Return the statements that replace the site's statement, without the rematerialised views after it."""

    def value(self, site: Site, statement: cst.BaseSmallStatement) -> cst.BaseExpression:
        """Return the expression whose value the site's statement writes."""
        assert isinstance(statement, cst.Assign)
        return statement.value

    def message(self, site: Site, recipe: Verdict) -> Reason:
        """Return what the rewrite does, in a few words."""
        if isinstance(recipe, Scatter):
            return Rewrite.REBOUND(name=site.name)
        if isinstance(recipe, Copy):
            return Rewrite.CLONED(name=site.name)
        if isinstance(recipe, Plain):
            return Rewrite.WRITTEN_OUT(name=site.name)
        if isinstance(recipe, Collect):
            return Rewrite.COLLECTED(name=site.name, list_name=recipe.list_name)
        return Rewrite.REBOUND(name=site.name)


class CallRule(Rule):
    """A rule for operations that are calls, and so can stand inside expressions."""

    @abstractmethod
    def functional(self, site: Site) -> Change | Refuse:
        """Return the change of the call into its functional form, or why there is none."""

    def must_stay(self, site: Site) -> bool:
        """Tell whether no expression does the same, so that the call must stay, on a private clone."""
        return self.missing(site) is not None

    def missing(self, site: Site) -> Reason | None:
        """Return why the functional form doesn't exist in the oldest torch that the code has to run on, if so."""
        return None

    def message(self, site: Site, recipe: Verdict) -> Reason:
        """Return what the rewrite does, in a few words."""
        if isinstance(recipe, Copy) and not isinstance(recipe, Scatter):
            return Rewrite.CLONED(name=site.name)
        if isinstance(recipe, Plain):
            return Rewrite.WRITTEN_OUT(name=site.name)
        return Rewrite.FUNCTIONAL()


def is_computed_before(site: Site, value: ast.expr) -> bool:
    """Tell whether an operand must be computed before the clone is made, because it may save the written memory.

    If it were computed from the clone, autograd would save a view of the clone, and the write would invalidate that.
    """
    if isinstance(value, ast.Constant | ast.Name):
        return False
    objs = site.roots()
    if _may_write_outer(site, value):
        return True
    return reads(site.run, value, site.state, objs) and may_save(site.run, (value, site.node), site.state, objs)


def _may_write_outer(site: Site, value: ast.expr) -> bool:
    """Tell whether computing the value calls an inner function that writes tensors of this scope."""
    for node in ast.walk(value):
        callee = site.run.values.get(node.func) if isinstance(node, ast.Call) else None
        if callee is not None and isinstance(callee.ref, Function):
            summary = site.program.summary(callee.ref)
            if summary is None or summary.writes_outer:
                return True
    return False


def is_repeatable(run: Run, node: ast.expr) -> bool:
    """Tell whether evaluating an expression twice in a row gives the same tensor: a name, a view, an element."""
    if any(isinstance(n, ast.Call) for n in ast.walk(node)):
        return False
    if is_replayable(run, node, top=True):
        return True
    holder = run.values.get(node.value) if isinstance(node, ast.Attribute | ast.Subscript) else None
    if isinstance(node, ast.Subscript):
        index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        is_plain = holder is not None and holder.must_be(CONTAINER) and isinstance(index, ast.Constant | ast.Name)
        return is_plain and is_repeatable(run, node.value)
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    owner = getattr(holder.ref, "of", None) if holder is not None else None
    return owner is not None and not owner.lookup("special", node.attr)


def bottom(site: Site) -> ast.expr | None:
    """Return the written tensor under a chain of in-place calls, if its expression may be evaluated twice."""
    node = site.write.target
    while isinstance(node, ast.Call) and node in site.run.writes:
        node = site.run.writes[node].target
    return node if is_repeatable(site.run, node) else None


def fresh_name(site: Site, value: ast.expr) -> str:
    """Return a name for a value computed beforehand, unused in the function and the module."""
    return name_for(site.run.taken_names(), site.node, site.write.target, value)


def is_number(site: Site, node: ast.expr) -> bool:
    """Tell whether an expression of the statement is certainly a Python number."""
    value = site.run.values.get(node)
    return value is not None and value.must_be(NUMBER)


def missing(site: Site, name: str) -> Reason | None:
    """Return why a function, or an argument of one, can't be used; None if it can."""
    target = site.options.target_torch
    if target is None or since(name) <= target:
        return None
    return Refusal.TOO_NEW(name=name, since=str(since(name)), target=str(target))
