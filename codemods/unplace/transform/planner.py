"""From sites to findings: one verdict for each site, one set of edits for each statement."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import libcst as cst

from unplace import rules
from unplace.analysis.cancellation import go_on
from unplace.analysis.domain.values import Saved
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.findings import Applicability, Finding, Harm, SavedBy, Status
from unplace.diagnostics.forms import Form, WriteKind
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform import casts, intent, legality
from unplace.transform.decisions import Decision
from unplace.transform.emit.introduced import introduces_writes
from unplace.transform.emit.layout import declared, new_name, put_before, replace_statement, standing_alone
from unplace.transform.emit.snippet import Snippet, assignment, expression, without_data
from unplace.transform.fallbacks import Staying
from unplace.transform.filter import Wanted
from unplace.transform.profitability import Copies
from unplace.transform.recipes import expressions, modules
from unplace.transform.recipes.return_and_rebind import Callers
from unplace.transform.rule import CallRule, StatementRule, is_computed_before, without_places
from unplace.transform.sites import Site, collect, constructors
from unplace.transform.verdicts import Aside, Collect, Copy, CopySaved, Inline, Keep, Rebind, Refuse, Split, Verdict


def load_rules() -> dict[Form, Any]:
    """The rule object of each form."""
    found: dict[Form, Any] = {}
    for code in rules.codes():
        module = import_module(rules.module_name(code))
        for form in module.FORMS:
            found[form] = module.RULE
    return found


@dataclass(slots=True)
class Planner:
    """Plans one module."""

    program: Program
    text: Text
    options: Options
    by_form: dict[Form, Any] = field(default_factory=load_rules)
    findings: list[Finding] = field(default_factory=list)
    _fixes: int = 0
    _copies: Copies = field(default_factory=Copies)
    _callers: Callers = field(init=False)

    def __post_init__(self) -> None:
        """Who calls what is found out when a site asks."""
        self._callers = Callers(self.program, self.text, self.options)

    def plan(self, wanted: Wanted) -> list[Finding]:
        """All findings of the module that are wanted, in order of position."""
        sites = collect(self.program, self._callers, self.options, wanted.reaches)
        groups: dict[ast.stmt, list[Site]] = {}
        left_out: list[Site] = []
        for site in sites:
            if site.write.kind is WriteKind.MODULE:
                continue
            if wanted(self.by_form[site.form].code, _harm(site), site.node):
                groups.setdefault(site.statement, []).append(site)
            else:
                left_out.append(site)
        decided = {statement: self._decide(statement, members) for statement, members in groups.items()}
        for decisions in decided.values():
            for decision in decisions:
                if isinstance(decision.verdict, Copy) and self._callers.edits_of(decision.site):
                    self._judge_handed_store(decision)
        self._refuse_failed(decided, wanted)
        staying = self._staying({s: ds for s, ds in decided.items() if not _failed(ds, wanted)})
        self._veto_data([d for decisions in decided.values() for d in decisions], left_out)
        for statement, decisions in decided.items():
            if statement not in staying:
                self._statement(statement, decisions)
        taken = _made(self.findings)
        placed: list[Edit] = []
        for statement in staying:
            self._stay(statement, decided[statement], taken, placed)
        self._constructors(sites, wanted)
        self.findings.sort(key=lambda f: (f.line, f.column, -f.end_line, -f.end_column))
        return self.findings

    # -- statements -----------------------------------------------------------------------------------------------

    def _judge_handed_store(self, decision: Decision) -> None:
        """A clone in a helper, and its callers changed for it, is too much where nothing needs the old values."""
        if decision.site.harm()[0] is not Harm.HARMFUL:
            decision.verdict = Refuse("its callers read what is written, and nothing is known to have saved it")

    def _refuse_failed(self, decided: dict[ast.stmt, list[Decision]], wanted: Wanted) -> None:
        """Leave alone what neither a write that stays nor another recipe repaired."""
        for decisions in decided.values():
            reasons = _failed(decisions, wanted)
            for decision in decisions if len(reasons) > 1 else ():
                if decision.is_recipe:
                    decision.verdict = Refuse(reasons[-1])

    def _staying(self, decided: dict[ast.stmt, list[Decision]]) -> list[ast.stmt]:
        """The statements whose writes stay, with the verdicts for that."""
        chosen = Staying(self.text, self.options.unsafe, self.by_form, self._copies).choose(decided)
        for decision, verdict in chosen.items():
            decision.instead, decision.verdict = decision.verdict, verdict
        return list(dict.fromkeys(decision.site.statement for decision in chosen))

    def _stay(self, statement: ast.stmt, decisions: list[Decision], taken: list[Edit], placed: list[Edit]) -> None:
        """Report writes that stay; where the copies would stand in rewritten code, what else can be done with them.

        Where a list would, or what else can be done would meet what was placed for other writes that stay, nothing is
        done before the next round.
        """
        edits = [_edits_aside(decision.verdict) for decision in decisions]
        every = [edit for own in edits for edit in own]
        is_taken = _meet(every, taken)
        whole = [Edit(*self.text.span(statement), "")] if is_taken else []
        is_postponed = is_taken
        if not isinstance(decisions[0].verdict, Collect):
            is_postponed = _meet([*(e for e in every if e not in placed), *whole], placed)
        if is_taken and not is_postponed:
            for decision in decisions:
                assert decision.instead is not None
                decision.verdict = decision.instead
            known = len(self.findings)
            self._statement(statement, decisions)
            taken += _made(self.findings[known:])
            return
        fixes: dict[tuple[Edit, ...], int] = {}
        for decision, own in zip(decisions, edits, strict=True):
            if is_postponed:
                decision.verdict = _LATER
            if own not in fixes:
                fixes[own] = self._number()
            self._report(decision, decision.is_recipe, fixes[own], () if is_postponed else own)
        if not is_postponed:
            placed += every

    def _veto_data(self, decisions: list[Decision], left_out: list[Site]) -> None:
        """Leave a `.data` store alone where another write to the tensor stays in place.

        The rebound tensor has a graph, whose saved values that write would overwrite. So would one that overwrites what
        was saved of anything, if what is stored was computed from it.
        """
        remaining = (
            d for d in decisions if not d.is_applied(self.options.unsafe) or isinstance(d.verdict, CopySaved | Aside)
        )
        staying = [*left_out, *(d.site for d in remaining)]
        unrepaired = [*left_out, *(d.site for d in decisions if not d.is_applied(self.options.unsafe))]
        for decision in decisions:
            site = decision.site
            is_hidden = site.form is Form.DATA_STORE or site.write.data is not None
            if not is_hidden or not decision.is_applied(self.options.unsafe):
                continue
            for other in staying:
                made = {(o.label, o.line) for o in other.roots()}  # in this round of a loop or an earlier one
                shared = made & {(o.label, o.line) for o in site.value.objs}
                if other.run is site.run and shared and not self._is_rebound_between(site, other, decisions):
                    line = other.statement.lineno
                    decision.verdict = Refuse(f"the write in line {line} stays in place and would hit the new graph")
            for other in unrepaired if site.cuts_gradient() else ():
                if other is not site and other.run is site.run and other.is_saved():
                    line = other.statement.lineno
                    decision.verdict = Refuse(f"the write in line {line} stays in place and may hit the new graph")

    def _is_rebound_between(self, first: Site, second: Site, decisions: list[Decision]) -> bool:
        """Whether the run gives the tensor new memory after the first write, on every way to the second."""
        return any(
            d.is_applied(self.options.unsafe)
            and isinstance(d.verdict, Rebind)
            and d.site.value.objs & first.value.objs
            and first.run.flow.is_between(first.statement, d.site.statement, second.statement)
            for d in decisions
        )

    def _statement(self, statement: ast.stmt, decisions: list[Decision]) -> None:
        go_on()
        restyled: dict[int, Verdict] = {}
        for decision in decisions:
            decision.verdict = restyled.setdefault(id(decision.verdict), self._restyled(decision.verdict))
        final: dict[int, Verdict] = {}  # the first call of a chain decides for all of it
        for decision in decisions:
            key = id(decision.verdict)
            if key not in final:
                final[key] = self._copies.reconsider(decision.site, decision.verdict)
            decision.verdict = final[key]
        safe = [d for d in decisions if d.is_recipe and not d.assumptions]
        risky = [d for d in decisions if d.is_recipe and d.assumptions]
        applied = safe + risky if self.options.unsafe else safe
        fix = self._number()
        edits: tuple[Edit, ...] = ()
        if applied:
            edits = self._edits(statement, applied)
        for decision in applied:
            self._copies.applied(decision.site, decision.verdict)
        offered = self._edits(statement, safe + risky) if risky and not self.options.unsafe else edits
        for decision in decisions:
            is_applied = any(d is decision for d in applied)
            own = edits if is_applied else offered
            if own:
                own = (*own, *self._callers.edits_of(decision.site), *self._declarations(decision))
            self._report(decision, is_applied, fix, own)

    def _declarations(self, decision: Decision) -> tuple[Edit, ...]:
        """`nonlocal y` for the names of outer scopes that a recipe binds."""
        scope = decision.site.run.scope
        found: list[Edit] = []
        for place in getattr(decision.verdict, "places", ()):
            owner = self.program.module.scopes.owner(scope, place) if place.isidentifier() else None
            if owner is None or owner is scope or place in scope.global_names | scope.nonlocal_names:
                continue
            assert isinstance(scope.node, ast.FunctionDef)
            found.append(declared(self.text, scope.node, "global" if owner.is_module else "nonlocal", place))
        return tuple(found)

    def _restyled(self, verdict: Verdict) -> Verdict:
        """The places and views of a verdict with the quotes that the file prefers."""
        if not isinstance(verdict, Rebind | Copy | Split):
            return verdict
        return replace(
            verdict,
            places=tuple(self.text.quoted(place) for place in verdict.places),
            views=tuple(self.text.quoted(view) for view in verdict.views),
        )

    def _number(self) -> int:
        self._fixes += 1
        return self._fixes

    def _decide(self, statement: ast.stmt, sites: list[Site]) -> list[Decision]:
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
            if site.node in receivers and site.write.kind is not WriteKind.OUT:
                continue  # part of the chain of a call further out
            assert isinstance(site.node, ast.expr)
            chain = expressions.spine(site.node, by_node)
            decisions += self._chain_decisions(chain, self._chain_verdict(statement, chain))
        return decisions

    def _chain_verdict(self, statement: ast.stmt, chain: list[Site]) -> Verdict:
        """One verdict for calls of a chain, which write the same tensor: a recipe that leaves them their purpose."""
        verdict = self._chain_recipe(statement, chain)
        return intent.contradicted(chain[0], chain[-1].node, verdict) or verdict

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
            return Refuse(f"no assignment can stand here; make it a statement of its own{why}")
        verdict = expressions.decide_inline(statement, chain)
        if isinstance(verdict, Split) and chain[0].in_header and not self._can_precede(statement):
            return Refuse("no assignment can stand here; make it a statement of its own")
        return verdict

    def _several_stores(self, statement: ast.stmt, sites: list[Site]) -> list[Decision]:
        """`x[0], y[1] = a, b`: all owners are cloned first, then the statement runs as it is."""
        decisions = [Decision(s, self.by_form[s.form], legality.settled(s) or legality.private_copy(s)) for s in sites]
        reason = legality.several_stores(statement, sites)
        if reason is not None or not all(isinstance(d.verdict, Copy) for d in decisions):
            refusal = reason or Refuse("not all targets of the statement can be given a private copy; split it")
            for decision in decisions:
                if not isinstance(decision.verdict, Keep | Refuse):
                    decision.verdict = refusal
        return decisions

    def _leader(self, site: Site) -> Decision:
        rule: StatementRule = self.by_form[site.form]
        verdict = legality.settled(site) or rule.decide(site)
        return Decision(site, rule, intent.contradicted(site, site.node, verdict) or verdict)

    def _chain_decisions(self, chain: list[Site], verdict: Verdict) -> list[Decision]:
        """All calls of a chain share its fate: one that has no functional form stops the others."""
        if isinstance(verdict, Inline | Rebind | Split) and (risks := [r for site in chain for r in casts.risk(site)]):
            verdict = replace(verdict, assumptions=(*verdict.assumptions, *risks))
        decisions = [self._call_decision(site, verdict) for site in chain]
        refusal = next((d.verdict for d in decisions if isinstance(d.verdict, Refuse)), None)
        if refusal is not None:
            for decision in decisions:
                decision.verdict = refusal
        return decisions

    def _call_decision(self, site: Site, verdict: Verdict) -> Decision:
        rule: CallRule = self.by_form[site.form]
        if not isinstance(verdict, Inline | Rebind | Split):
            return Decision(site, rule, verdict)
        change = rule.functional(site)
        if isinstance(change, Refuse):
            return Decision(site, rule, change)
        return Decision(site, rule, verdict, change)

    def _edits(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """The text edits of a statement for these decisions together."""
        if decisions[0].site.in_header:
            return self._header_edits(statement, decisions)
        snippet = self._snippet(statement, decisions)
        before = self._split_lines(decisions, snippet)
        leaders = [d for d in decisions if isinstance(d.rule, StatementRule)]
        if len(leaders) > 1:
            copies = dict.fromkeys(d.verdict for d in leaders if isinstance(d.verdict, Copy))
            lines = [line for c in copies for line in (without_places(c.places), *c.views)]
            return replace_statement(self.text, statement, [*before, *lines, snippet.render(snippet.statement())], ())
        leader = leaders[0] if leaders else None
        if leader is not None:
            verdict = leader.verdict
            assert isinstance(verdict, Rebind | Copy)
            assert isinstance(leader.rule, StatementRule)
            lines = leader.rule.lines(leader.site, verdict, snippet)
            after = verdict.views if isinstance(verdict, Rebind) else verdict.after
            return replace_statement(self.text, statement, [*before, *lines], after)
        return self._expression_edits(statement, decisions, snippet, before)

    def _snippet(self, root: ast.stmt | ast.expr, decisions: list[Decision]) -> Snippet:
        """The source of `root` with the changes of its calls planned."""
        snippet = Snippet(self.text, root)
        for decision in decisions:
            if decision.change is not None:
                assert isinstance(decision.site.node, ast.expr)
                snippet.change(decision.site.node, decision.change)
            if decision.site.write.data is not None and decision.is_recipe:
                snippet.change(decision.site.write.data, without_data)
        return snippet

    def _header_edits(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """One edit for each expression of a compound statement's header (or a lambda's body) that holds calls."""
        splits = [d for d in decisions if isinstance(d.verdict, Split)]
        if splits:
            return self._before_header(statement, splits)
        groups: dict[ast.expr, list[Decision]] = {}
        for decision in decisions:
            groups.setdefault(_header_expression(statement, decision.site.node), []).append(decision)
        edits: list[Edit] = []
        for root, members in groups.items():
            snippet = self._snippet(root, members)
            edits.append(Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))
        return tuple(edits)

    def _before_header(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """Move a call before an `if` or `for` statement, whose header then reads the rebound name."""
        root = _header_expression(statement, decisions[0].site.node)
        snippet = self._snippet(root, decisions)
        lines = self._split_lines(decisions, snippet)
        before = put_before(self.text, statement, lines)
        return (before, Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))

    def _can_precede(self, statement: ast.stmt) -> bool:
        """Whether a line can be put before a statement: it isn't an `elif` or the body of a one-line suite."""
        start, _ = self.text.span(statement)
        return self.text.indentation(start) is not None and not self.text.text.startswith("elif", start)

    def _split_lines(self, decisions: list[Decision], snippet: Snippet) -> list[str]:
        """The rebindings that are moved before the statement, where their names take the places of the calls."""
        lines: list[str] = []
        chains: dict[int, list[Decision]] = {}
        for decision in decisions:
            if isinstance(decision.verdict, Split):
                chains.setdefault(id(decision.verdict), []).append(decision)
        for chain in chains.values():
            verdict = chain[0].verdict
            assert isinstance(verdict, Split)
            node = chain[-1].site.node
            assert isinstance(node, ast.expr)
            lines += [" = ".join((*verdict.places, standing_alone(snippet.code(snippet.node(node))))), *verdict.views]
            snippet.change(node, lambda _, place=verdict.places[0]: expression(place))  # type: ignore[misc]
        return lines

    def _expression_edits(
        self, statement: ast.stmt, decisions: list[Decision], snippet: Snippet, before: list[str]
    ) -> tuple[Edit, ...]:
        changed = snippet.statement()
        recipe = next((d.verdict for d in decisions if isinstance(d.verdict, Rebind | Copy)), None)
        if isinstance(recipe, Copy):
            hoisted = self._hoist(decisions, snippet)
            lines = [*hoisted, without_places(recipe.places), *recipe.views, snippet.render(snippet.statement())]
            return replace_statement(self.text, statement, lines, recipe.after)
        after: tuple[str, ...] = ()
        if recipe is not None:
            after = recipe.views
            if isinstance(changed, cst.Expr):
                changed = assignment(recipe.places, changed.value, first=self._written(decisions, recipe, snippet))
            elif isinstance(changed, cst.Assign) and recipe.places:
                present = {snippet.module.code_for_node(t.target) for t in changed.targets}
                places = tuple(p for p in recipe.places if p not in present)
                extra = assignment(places, changed.value).targets if places else ()
                changed = changed.with_changes(targets=[*changed.targets, *extra])
        return replace_statement(self.text, statement, [*before, snippet.render(changed)], after)

    def _written(self, decisions: list[Decision], recipe: Rebind, snippet: Snippet) -> cst.BaseExpression | None:
        """The rebound target as the source writes it."""
        for decision in decisions:
            target = decision.site.write.target
            if decision.verdict is recipe and self.text.quoted(ast.unparse(target)) == recipe.places[0]:
                return snippet.node(target)
        return None

    def _hoist(self, decisions: list[Decision], snippet: Snippet) -> list[str]:
        """Compute the arguments that read the written memory before it is cloned."""
        lines: list[str] = []
        taken: set[str] = set()
        for decision in decisions:
            site = decision.site
            taken |= site.run.taken_names()
            for argument in expressions.arguments_of(site) if isinstance(decision.verdict, Copy) else ():
                if not is_computed_before(site, argument):
                    continue
                name = new_name(taken)
                taken.add(name)
                lines.append(f"{name} = {standing_alone(snippet.code(snippet.node(argument)))}")
                snippet.change(argument, lambda _, name=name: cst.Name(name))  # type: ignore[misc]
        return lines

    # -- modules made with inplace=True ---------------------------------------------------------------------------

    def _constructors(self, reached: list[Site], wanted: Wanted) -> None:
        made = [found for found in constructors(self.program) if wanted.reaches(found[1])]
        if not made:
            return
        sites = reached if wanted.apart or wanted.lines is None else collect(self.program, self._callers, self.options)
        calls, judge = modules.calls_of(sites), modules.Judge(self.program)
        busy = {site.statement for site in sites if site.write.kind is not WriteKind.MODULE}
        rule: CallRule = self.by_form[Form.INPLACE_ARGUMENT]
        done = _made(self.findings)
        for scope, node, qualified in made:
            own = calls.get(node, [])
            harm, by = _harm_of_calls(own)
            if not wanted(rule.code, harm, node):
                continue
            verdict = judge.decide(scope, node, qualified, own)
            taking = judge.at_calls(node, qualified, own, rule, busy) if isinstance(verdict, Refuse) else []
            if taking:
                assumptions = tuple(dict.fromkeys(a for decision in taking for a in decision.assumptions))
                verdict = Inline((*judge.of_uses(node), *assumptions))
            edits = self._without_flag(node, qualified, taking) if isinstance(verdict, Inline) else ()
            if any(edit.start < e.end and e.start < edit.end for edit in edits for e in done):
                verdict, edits = Refuse("the statement around it is rewritten in this run; run again for this one"), ()
            assumptions = verdict.assumptions if isinstance(verdict, Inline) else ()
            applied = isinstance(verdict, Inline) and (self.options.unsafe or not assumptions)
            done += edits if applied else ()
            message = f"`{ast.unparse(node.func)}` gives a new tensor instead of overwriting its input"
            self._add(
                node,
                rule.code,
                Form.INPLACE_ARGUMENT,
                verdict,
                applied,
                harm,
                by,
                message,
                assumptions,
                self._number(),
                edits,
            )

    def _without_flag(self, node: ast.Call, qualified: str, taking: list[Decision]) -> tuple[Edit, ...]:
        """The edits of a module's constructor and of the calls that take what the module then makes anew."""
        edits: list[Edit] = []
        for decision in taking:
            edits += self._edits(decision.site.statement, [decision])
        if not any(decision.change is not None for decision in taking):
            snippet = Snippet(self.text, node)
            snippet.change(node, modules.without_flag(qualified))
            edits.append(Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))
        return tuple(edits)

    # -- findings -------------------------------------------------------------------------------------------------

    def _report(self, decision: Decision, applied: bool, fix: int, edits: tuple[Edit, ...]) -> None:
        site = decision.site
        harm, by = site.harm()
        rule: Any = decision.rule
        verdict, forbidden = decision.verdict, site.forbidden()
        if isinstance(verdict, Refuse) and forbidden is not None and forbidden.reason not in verdict.reason:
            verdict = Refuse(f"{forbidden.reason}, and {verdict.reason}")
        message = rule.message(site, verdict) if decision.is_recipe else ""
        if isinstance(verdict, CopySaved):
            message = f"the write stays; {_get(verdict.operations)} a copy to save for backward"
        elif isinstance(verdict, Aside):
            message = verdict.message
        elif by is not None and decision.is_recipe:
            message += f"; {by.operation} in line {by.line} saved it for backward"
        elif forbidden is not None and decision.is_recipe:
            message += f"; {forbidden.reason}"
        if site.write.data is not None and decision.is_recipe:
            message += ", which repairs the gradient that `.data` cuts silently"
        extra = casts.assumption(site) if isinstance(verdict, Rebind | Inline | Split) else ()
        node = site.node
        assumptions = decision.assumptions
        harm = _harm(site) if decision.is_recipe else harm
        self._add(node, rule.code, site.form, verdict, applied, harm, by, message, assumptions, fix, edits, extra)

    def _add(
        self,
        node: ast.AST,
        code: str,
        form: Form,
        verdict: Verdict,
        applied: bool,
        harm: Harm,
        by: Saved | None,
        message: str,
        assumptions: tuple[str, ...],
        fix: int,
        edits: tuple[Edit, ...],
        notes: Iterable[str] = (),
    ) -> None:
        if introduces_writes(self.text.text, edits):
            verdict = Refuse("it would take an operation in place where there was none")
        start, end = self.text.span(node)
        line, column = self.text.place(start)
        end_line, end_column = self.text.place(end)
        applicability: Applicability | None = None
        status = Status.REFUSED
        if isinstance(verdict, Keep):
            status, message = Status.KEPT, verdict.reason
        elif isinstance(verdict, Refuse):
            message = verdict.reason
        else:
            applicability = Applicability.UNSAFE if assumptions else Applicability.SAFE
            if applied:
                status = Status.REWRITTEN
            else:
                message = f"needs --unsafe, which assumes: {'; '.join(assumptions)}"
        self.findings.append(
            Finding(
                line,
                column,
                end_line,
                end_column,
                code,
                form,
                status,
                applicability,
                harm,
                message,
                (*assumptions, *notes) if applicability is not None else (),
                fix if applicability is not None else None,
                edits if applicability is not None else (),
                SavedBy(by.operation, by.line) if by is not None else None,
            )
        )


def _failed(decisions: list[Decision], wanted: Wanted) -> Sequence[str]:
    """Why the recipes for a statement repaired nothing that were tried."""
    tried = [wanted.failures(d.rule.code, d.site.node) for d in decisions]
    return max(tried, key=len, default=())


def _harm(site: Site) -> Harm:
    """Whether the operation can make backward fail, or makes it err."""
    return Harm.HARMFUL if site.cuts_gradient() else site.harm()[0]


def _harm_of_calls(calls: list[Site]) -> tuple[Harm, Saved | None]:
    """What is known of the harm that a module with `inplace=True` does in the calls that the file shows."""
    harms = [site.harm() for site in calls]
    harmful = next((found for found in harms if found[0] is Harm.HARMFUL), None)
    if harmful is not None:
        return harmful
    is_harmless = bool(harms) and all(harm is Harm.HARMLESS for harm, _ in harms)
    return (Harm.HARMLESS if is_harmless else Harm.UNKNOWN), None


def _get(operations: Sequence[str]) -> str:
    """`exp() gets`, `exp() and mul() get`."""
    *others, last = operations
    return f"{', '.join(others)} and {last} get" if others else f"{last} gets"


_LATER = Refuse("another rewrite of this run is in the way; run again for this one")


def _made(findings: Iterable[Finding]) -> list[Edit]:
    """The edits that are made, each once for every finding that has it."""
    return [edit for finding in findings if finding.status is Status.REWRITTEN for edit in finding.edits]


def _meet(edits: Iterable[Edit], others: list[Edit]) -> bool:
    """Whether an edit overlaps or touches one of the others."""
    return any(edit.start <= other.end and other.start <= edit.end for edit in edits for other in others)


def _edits_aside(verdict: Verdict) -> tuple[Edit, ...]:
    return verdict.edits if isinstance(verdict, CopySaved | Aside | Collect) else ()


def _header_expression(statement: ast.stmt, node: ast.AST) -> ast.expr:
    """The outermost expression of a statement that holds a node."""
    current: ast.AST = statement
    while not isinstance(current, ast.expr):
        current = next(c for c in ast.iter_child_nodes(current) if any(n is node for n in ast.walk(c)))
    return current
