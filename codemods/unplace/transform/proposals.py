"""Proposals: the recipe that an operation's rule offers, as far as legality and intent allow one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from unplace import rules
from unplace.analysis.cancellation import go_on
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.refusals import Refusal
from unplace.text.positions import Text
from unplace.transform import casts, caught, intent, legality
from unplace.transform.decisions import Decision
from unplace.transform.normal_form import keeping_order, normal_form, without_clone
from unplace.transform.recipes import expressions
from unplace.transform.recipes.batched_buffers import unfit
from unplace.transform.rule import CallRule, StatementRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Inline, Rebind, Refuse, Split, Verdict


def load_rules() -> dict[Form, Any]:
    """Return the rule object of each form."""
    found: dict[Form, Any] = {}
    for code in rules.codes():
        module = import_module(rules.module_name(code))
        for form in module.FORMS:
            found[form] = module.RULE
    return found


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposes recipes for the operations of one module.

    Without `respects`, whatever handlers of errors around an operation expect is left to whoever takes a recipe.
    """

    text: Text
    by_form: Mapping[Form, Any]
    respects: bool = True

    def of(self, statement: ast.stmt, sites: list[Site]) -> list[Decision]:
        """Propose decisions for the operations of a statement."""
        go_on()
        leaders = [s for s in sites if s.write.kind.is_statement]
        calls = [s for s in sites if not s.write.kind.is_statement]
        if len(leaders) > 1:
            decisions = self._several_stores(statement, leaders)
        else:
            decisions = [self._leader(s) for s in leaders]
        by_node: dict[ast.AST, Site] = {s.node: s for s in calls}
        receivers = {s.write.target for s in calls}
        for site in calls:
            if site.node in receivers and site.write.kind is not WriteKind.MODULE:
                continue  # belongs to the chain of an outer call
            assert isinstance(site.node, ast.expr)
            chain = expressions.spine(site.node, by_node)
            decisions += self._chain_decisions(chain, self._chain_verdict(statement, chain))
        return decisions

    def _chain_verdict(self, statement: ast.stmt, chain: list[Site]) -> Verdict:
        """Return one verdict for the calls of a chain, which write the same tensor; it respects their intent."""
        recipe = keeping_order(tuple(chain), self._chain_recipe(statement, chain))
        verdict = without_clone(tuple(chain), recipe)
        return intent.contradicted(chain[0], chain[-1].node, verdict) or unfit(chain[0], verdict) or verdict

    def _chain_recipe(self, statement: ast.stmt, chain: list[Site]) -> Verdict:
        rules: dict[Site, CallRule] = {s: self.by_form[s.form] for s in chain}
        for site in chain:
            settled = legality.settled(site)
            if settled is not None:
                return settled
        if chain[-1].node is expressions.value_of(statement):
            return expressions.decide_spine(statement, chain, rules)
        if any(s.write.kind is WriteKind.OUT or rules[s].must_stay(s) for s in chain):
            why = expressions.missing(chain, rules)
            return Refuse(Refusal.OWN_STATEMENT() if why is None else Refusal.OWN_STATEMENT_AS(missing=why))
        verdict = expressions.decide_inline(statement, chain)
        if isinstance(verdict, Split) and chain[0].in_header and not self._can_precede(statement):
            return Refuse(Refusal.OWN_STATEMENT())
        return verdict

    def _several_stores(self, statement: ast.stmt, sites: list[Site]) -> list[Decision]:
        """Decide about `x[0], y[1] = a, b`: all owners are cloned first, then the statement runs unchanged."""
        verdicts: list[Verdict] = [legality.settled(s) or normal_form(s) or legality.private_copy(s) for s in sites]
        verdicts = [unfit(s, v) or self._respected((s,), v) for s, v in zip(sites, verdicts, strict=True)]
        if any(isinstance(v, Refuse) and v.reason.kind is Refusal.UNBATCHED for v in verdicts):
            return [Decision(s, self.by_form[s.form], v) for s, v in zip(sites, verdicts, strict=True)]
        decisions = [Decision(s, self.by_form[s.form], v) for s, v in zip(sites, verdicts, strict=True)]
        reason = legality.several_stores(statement, sites)
        if reason is not None or any(isinstance(d.verdict, Refuse) for d in decisions):
            refusal = reason or Refuse(Refusal.NOT_ALL_COPIED())
            return [d.becoming(refusal) if d.is_recipe else d for d in decisions]
        return decisions

    def _leader(self, site: Site) -> Decision:
        rule: StatementRule = self.by_form[site.form]
        verdict = (
            legality.settled(site)
            or normal_form(site)
            or without_clone((site,), keeping_order((site,), rule.decide(site)))
        )
        verdict = intent.contradicted(site, site.node, verdict) or unfit(site, verdict) or verdict
        return Decision(site, rule, self._respected((site,), verdict))

    def _chain_decisions(self, chain: list[Site], verdict: Verdict) -> list[Decision]:
        """Return the decisions about the calls of a chain; if one has no functional form, all are refused."""
        if isinstance(verdict, Inline | Rebind | Split) and (risks := [r for site in chain for r in casts.risk(site)]):
            verdict = replace(verdict, assumptions=(*verdict.assumptions, *risks))
        verdict = self._respected(tuple(chain), verdict)
        decisions = [self._call_decision(site, tuple(chain), verdict) for site in chain]
        refusal = next((d.verdict for d in decisions if isinstance(d.verdict, Refuse)), None)
        if refusal is None and isinstance(verdict, Inline) and isinstance(chain[-1].statement, ast.Expr):
            is_unused = chain[-1].node is chain[-1].statement.value
            refusal = Refuse(Refusal.UNREAD(name=chain[0].name)) if is_unused else None
        return decisions if refusal is None else [d.becoming(refusal) for d in decisions]

    def _call_decision(self, site: Site, chain: tuple[Site, ...], verdict: Verdict) -> Decision:
        rule: CallRule = self.by_form[site.form]
        if not isinstance(verdict, Inline | Rebind | Split):
            return Decision(site, rule, verdict, chain=chain)
        change = rule.functional(site)
        if isinstance(change, Refuse):
            return Decision(site, rule, change, chain=chain)
        return Decision(site, rule, verdict, change, chain)

    def _respected(self, chain: tuple[Site, ...], verdict: Verdict) -> Verdict:
        return caught.respected(chain, verdict) if self.respects else verdict

    def _can_precede(self, statement: ast.stmt) -> bool:
        """Tell whether a line can be put before a statement: it is no `elif` and no body of a one-line suite."""
        start, _ = self.text.span(statement)
        return self.text.indentation(start) is not None and not self.text.text.startswith("elif", start)
