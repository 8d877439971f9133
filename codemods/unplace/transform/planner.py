"""The planner: from sites to findings, with one choice for each statement.

Rules propose legal recipes (`proposals`); recipes that failed before are refused; writes that had better stay get a
fallback (`fallbacks`); a write that would copy a whole in every round of a loop is kept, and clones are shared
(`normal_form`); the rest becomes text (`emit.statements`) and findings (`report`). No stage changes the decisions of an
earlier one: it makes new ones.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unplace.analysis.cancellation import go_on
from unplace.analysis.domain.gradmode import GradMode
from unplace.analysis.project.program import Program
from unplace.analysis.queries.early_steps import steps_of
from unplace.analysis.queries.elsewhere import written_elsewhere
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Finding, Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit, meet
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.caught import respected
from unplace.transform.collecting import collect, flagged
from unplace.transform.constructors import Constructors
from unplace.transform.decisions import Decision
from unplace.transform.emit.layout import declared
from unplace.transform.emit.returning import OWN
from unplace.transform.emit.statements import Statements
from unplace.transform.fallbacks import Fallbacks
from unplace.transform.filter import Filter
from unplace.transform.flags import flags
from unplace.transform.functional.planning import without_stores
from unplace.transform.intent import is_hardly_of_tensor
from unplace.transform.normal_form import Clones, is_costly, is_loop_carried, keeping_order
from unplace.transform.proposals import Proposals, load_rules
from unplace.transform.recipes.return_and_rebind import Callers
from unplace.transform.report import Report, harm_of
from unplace.transform.sites import Site
from unplace.transform.stepping import Steps
from unplace.transform.verdicts import Aside, Collect, Copy, CopySaved, Keep, Plain, Rebind, Refuse, Split, Verdict

_Plan = dict[ast.stmt, list[Decision]]
_Groups = dict[ast.stmt, list[Site]]


@dataclass(slots=True)
class Planner:
    """Plans one module."""

    program: Program
    text: Text
    options: Options
    by_form: dict[Form, Any] = field(default_factory=load_rules)
    _clones: Clones = field(default_factory=Clones)
    _callers: Callers = field(init=False)
    _report: Report = field(init=False)
    _statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the callers, the report and the edits of the module; callers are only examined when a site asks."""
        self._callers = Callers(self.program, self.text, self.options)
        self._report = Report(self.text, self.program.module)
        self._statements = Statements(self.text)

    def plan(self, wanted: Filter) -> list[Finding]:
        """Return all findings of the module that the run is about, in order of position.

        Rules propose legal recipes; those that failed before are refused; writes that had better stay get a fallback;
        every other statement gets its recipe, unless that costs a copy in every round of a loop.
        """
        sites = collect(
            self.program, self._callers, self.options, wanted.reaches, wanted.facts, is_edited=wanted.is_edited
        )
        steps = steps_of(self.program.module)
        early = {step.step for step in steps.early}
        steps = steps.without({s.node for s in sites if s.node in early and harm_of(s) is Harm.HARMFUL})
        groups, left_out, counted = self._groups(sites, wanted, {step.step for step in steps.early})
        proposals = Proposals(self.text, self.by_form)
        proposed = {
            statement: [self._without_unclear(d) for d in proposals.of(statement, members)]
            for statement, members in groups.items()
        }
        proposed = {s: [_not_contradicted(d) for d in ds] for s, ds in proposed.items()}
        legal = {s: _not_failed(map(self._without_handed_store, ds), wanted) for s, ds in proposed.items()}
        staying = self._staying({s: ds for s, ds in legal.items() if not _failures(ds, wanted)})
        chosen = self._without_hidden_writes({s: staying.get(s, ds) for s, ds in legal.items()}, left_out)
        chosen = {s: [self._without_meant(d) for d in ds] for s, ds in chosen.items()}
        chosen = self._without_early_clones(chosen) if wanted.goes_on else chosen
        for statement, decisions in chosen.items():
            if statement not in staying:
                self._rewrite(statement, decisions)
        taken = self._report.made()
        placed: list[Edit] = []
        beside = {s: self._stay(s, chosen[s], legal[s], taken, placed) for s in staying}
        for statement, decisions in beside.items():
            self._rewrite_beside(statement, decisions, placed)
        self._plan_constructors(sites, wanted)
        reported = Steps(self.text, self._report, {site.node: site.form for site in sites}, self.by_form, self.options)
        reported.report(steps, wanted)
        counting = Proposals(self.text, self.by_form, respects=False)
        for statement, here in counted.items():
            self._count(counting.of(statement, here))
        return sorted(self._report.findings, key=lambda f: (f.line, f.column, -f.end_line, -f.end_column))

    def _groups(
        self, sites: Sequence[Site], wanted: Filter, early: Collection[ast.AST]
    ) -> tuple[_Groups, list[Site], _Groups]:
        """Group the sites that the run handles by statement, list the others, and group those of them that it counts.

        Calls of modules go with constructors, and what changes weights too early is reported as a step is.
        """
        groups: _Groups = {}
        left_out: list[Site] = []
        counted: _Groups = {}
        for site in sites:
            code = self.by_form[site.form].code
            if site.write.kind is WriteKind.MODULE:
                continue
            if site.node in early:
                left_out.append(site)
                continue
            if wanted(code, harm_of(site), site.node):
                groups.setdefault(site.statement, []).append(site)
                continue
            left_out.append(site)
            if self.options.counts and wanted.counts(code, site.node):
                counted.setdefault(site.statement, []).append(site)
        return groups, left_out, counted

    # -- what is refused and what stays ---------------------------------------------------------------------------

    def _without_unclear(self, decision: Decision) -> Decision:
        """Keep a write to what may be no tensor, unless the run may assume that it is one, or a caller shows it.

        To assume that pays only where the write may do harm: `count *= n` counts, most often. A number in an attribute,
        `count = self.count`, would even change with the local name, which is all that Python rebinds then.
        """
        facts, harm = decision.facts, decision.site.harm()[0]
        if not decision.site.write.is_unclear or (facts is not None and facts.tensors):
            return decision
        pays = harm is Harm.HARMFUL or (
            harm is Harm.POSSIBLE and not is_hardly_of_tensor(decision.site) and _suits_others(decision)
        )
        if self._is_applied(decision) and pays:
            return decision
        if facts is not None and facts.types:
            return decision.becoming(Keep(Purpose.NO_TENSOR(types=", ".join(sorted(facts.types)))))
        if harm is Harm.HARMFUL:
            return decision
        is_open = decision.is_recipe and pays
        reason = Purpose.UNKNOWN_KIND_UNSAFE if is_open else Purpose.UNKNOWN_KIND
        return decision.becoming(Keep(reason(name=decision.site.name)))

    def _without_meant(self, decision: Decision) -> Decision:
        """Keep a write that isn't rewritten by proof where all runs show that it is meant.

        So it is where autograd was off, and where it went to a parameter or its data, past autograd. A write that the
        source shows to be harmless, or that runs once, when its module is imported, is kept where it hit no save.
        """
        facts = decision.facts
        is_proved = self._is_applied(decision) and not decision.observed
        if facts is None or not facts.tensors or isinstance(decision.verdict, Keep) or is_proved:
            return decision
        if facts.off == facts.tensors and decision.site.write.record.mode is not GradMode.FUNCTION:
            return decision.becoming(Keep(Purpose.OBSERVED_OFF()))
        if facts.parameters == facts.tensors and not facts.recorded:
            return decision.becoming(Keep(Purpose.OBSERVED_LEAF(name=decision.site.name)))
        site = decision.site
        is_settled = site.harm()[0] is Harm.HARMLESS or isinstance(site.run.scope.node, ast.Module)
        if is_settled and isinstance(decision.verdict, Refuse) and facts.searched and facts.unsaved == facts.searched:
            return decision.becoming(Keep(Purpose.OBSERVED_HARMLESS(runs=f"{facts.searched:,}")))
        return decision

    def _without_handed_store(self, decision: Decision) -> Decision:
        """Refuse a clone in a helper that would change its callers, too, where nothing needs the old values."""
        if not isinstance(decision.verdict, Copy) or not self._callers.edits_of(decision.site):
            return decision
        if self.options.functional or decision.site.harm()[0] is Harm.HARMFUL:
            return decision
        return decision.becoming(Refuse(Refusal.CALLERS_READ()))

    def _staying(self, legal: Mapping[ast.stmt, list[Decision]]) -> _Plan:
        """Return the statements whose writes stay, with their new decisions."""
        fallbacks = Fallbacks(self.text, self.options, self.by_form)
        verdicts = fallbacks.choose(legal)
        self._report.later |= {decision.site for decision in fallbacks.later}
        statements = dict.fromkeys(decision.site.statement for decision in verdicts)
        return {s: [self._allowed(d.becoming(verdicts.get(d, d.verdict))) for d in legal[s]] for s in statements}

    def _allowed(self, decision: Decision) -> Decision:
        """Return a decision about a write that stays, if autograd, handlers, readers of strides and runs allow it."""
        unrecorded = next((s for s in decision.sites if s.write.short_name in members.UNRECORDED), None)
        if unrecorded is not None and isinstance(decision.verdict, CopySaved) and not unrecorded.is_untracked():
            return decision.becoming(Refuse(Refusal.UNRECORDED(method=unrecorded.write.name)))
        verdict = respected(decision.sites, keeping_order(decision.sites, decision.verdict))
        return _not_contradicted(decision.becoming(verdict))

    def _without_early_clones(self, plan: _Plan) -> _Plan:
        """Let clones wait for the next round where this one binds anew, or stores, what is cloned: it may need none."""
        every = [decision for decisions in plan.values() for decision in decisions]
        rebound = [d.site for d in every if isinstance(d.verdict, Rebind | Plain) and self._is_applied(d)]
        early = {
            clone.site
            for clone in every
            for site in (rebound if isinstance(clone.verdict, Copy) else ())
            if site.run is clone.site.run and site.statement.lineno < clone.site.statement.lineno
            if site.roots() & clone.site.roots()
        }
        return {s: [d.becoming(_LATER) if d.site in early else d for d in decisions] for s, decisions in plan.items()}

    def _without_hidden_writes(self, plan: _Plan, left_out: list[Site]) -> _Plan:
        """Leave a `.data` store alone where another write to the tensor stays in place.

        The rebound tensor has a graph, whose saved values the other write would overwrite. So would any write to saved
        memory, if the stored values were computed from that memory. And where the other write goes through `.data`,
        too, the gradient would be neither the one that the code had nor the one that it lacks.
        """
        decisions = [decision for members in plan.values() for decision in members]
        hidden = [i for i, d in enumerate(decisions) if d.site.form is Form.DATA_STORE or d.site.write.data is not None]
        if not hidden:
            return plan
        unrepaired = [*left_out, *(d.site for d in decisions if not self._is_applied(d))]
        aside = (d for d in decisions if not self._is_applied(d) or isinstance(d.verdict, CopySaved | Aside))
        staying = [*left_out, *(d.site for d in aside)]
        moved = {d.site.node for d in decisions} - {site.node for site in staying}
        for index in hidden:
            if self._is_applied(decisions[index]) and not isinstance(decisions[index].verdict, Aside):
                self._veto(decisions, index, staying, unrepaired, moved)
        remaining = iter(decisions)
        return {statement: [next(remaining) for _ in members] for statement, members in plan.items()}

    def _veto(
        self,
        decisions: list[Decision],
        index: int,
        staying: list[Site],
        unrepaired: list[Site],
        moved: set[ast.AST],
    ) -> None:
        """Refuse the store at an index of `decisions` if one of the other writes would hit the new graph."""
        decision, site = decisions[index], decisions[index].site
        for other in staying:
            made = {(o.label, o.line) for o in other.roots()}  # in this round of a loop or in an earlier one
            shared = made & {(o.label, o.line) for o in site.value.objs}
            if other.run is site.run and shared and not self._is_rebound_between(site, other, decisions):
                refusal = Refuse(Refusal.WOULD_HIT_GRAPH(line=Line(other.statement.lineno)))
                decisions[index] = decision.becoming(refusal)
        elsewhere = self._written_elsewhere(site, moved) if _is_saved(site) else None
        if elsewhere is not None:
            decisions[index] = decision.becoming(Refuse(Refusal.MAY_HIT_GRAPH(line=Line(elsewhere))))
        for other in unrepaired if site.cuts_gradient() else ():
            if other is not site and other.run is site.run and other.is_saved():
                refusal = Refuse(Refusal.MAY_HIT_GRAPH(line=Line(other.statement.lineno)))
                decisions[index] = decision.becoming(refusal)
        for other in unrepaired:
            if other is not site and other.hides_gradient() and other.owners() & site.owners():
                refusal = Refuse(Refusal.STAYS_CUT(line=Line(other.statement.lineno)))
                decisions[index] = decision.becoming(refusal)

    def _written_elsewhere(self, site: Site, moved: set[ast.AST]) -> int | None:
        return written_elsewhere(self.program, site.run, site.write, lambda node: node not in moved)

    def _is_rebound_between(self, first: Site, second: Site, decisions: list[Decision]) -> bool:
        """Tell whether the run rebinds the tensor after the first write on every path to the second."""
        return any(
            self._is_applied(d)
            and isinstance(d.verdict, Rebind)
            and d.site.value.objs & first.value.objs
            and first.run.flow.is_between(first.statement, d.site.statement, second.statement)
            for d in decisions
        )

    def _is_applied(self, decision: Decision) -> bool:
        """Tell whether the run makes the rewrite."""
        return decision.is_applied(self.options)

    # -- statements -----------------------------------------------------------------------------------------------

    def _rewrite(self, statement: ast.stmt, decisions: list[Decision]) -> None:
        """Report the recipes with the edits for all operations of the statement together."""
        go_on()
        decisions = self._with_shared_clones(decisions)
        recipes = sorted((d for d in decisions if d.is_recipe), key=lambda d: bool(d.assumptions))
        applied = [d for d in recipes if self._is_applied(d)]
        fix = self._report.number()
        edits: tuple[Edit, ...] = ()
        if applied:
            edits = self._statements.edits(statement, applied)
        for decision in applied:
            self._clones.applied(decision.site, decision.verdict)
        offered = edits
        if len(applied) < len(recipes):
            offered = self._statements.edits(statement, recipes)
        for decision in decisions:
            is_applied = any(d is decision for d in applied)
            own = edits if is_applied else offered
            placed: dict[str, tuple[Edit, ...]] = {}
            if own:
                placed = self._callers.edits_of(decision.site)
                own = (*own, *placed.pop(OWN, ()), *self._declarations(decision))
            self._report.decided(decision, is_applied, fix, own, tuple(placed.items()) if own else ())

    def _count(self, decisions: Iterable[Decision]) -> None:
        """Report operations of a statement that the run counts and doesn't rewrite."""
        decided = (d.becoming(respected(d.sites, d.verdict)) if _may_be_kept(d) else d for d in decisions)
        decided = (self._without_meant(_not_contradicted(self._without_unclear(d))) for d in decided)
        for decision in self._with_shared_clones(decided):
            if self._is_applied(decision):
                self._clones.applied(decision.site, decision.verdict)
            self._report.decided(decision, False, self._report.number(), ())

    def _with_shared_clones(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Return the decisions without clones that are there already, or that the principle of `rewrite` leaves out."""
        if self.options.functional:
            return without_stores(self.text, list(decisions))
        final: dict[Hashable, Verdict] = {}
        found: list[Decision] = []
        for decision in decisions:
            if decision.fate not in final:
                site, verdict = decision.site, decision.verdict
                left = Keep(Purpose.COST(name=site.name)) if is_costly(site, verdict) else None
                final[decision.fate] = left or self._clones.shared(decision.sites, verdict)
            found.append(decision.becoming(final[decision.fate]))
        return found

    def _stay(
        self,
        statement: ast.stmt,
        decisions: list[Decision],
        before: list[Decision],
        taken: list[Edit],
        placed: list[Edit],
    ) -> list[Decision]:
        """Report writes that stay; where their copies would stand in rewritten code, carry out the decisions `before`.

        Where a list would stand in rewritten code, the edits would meet those `placed` for other writes that stay, or
        the decisions before would copy a whole in each round, nothing is done before the next round. The decisions that
        are returned can be carried out beside the writes.
        """
        edits = [_edits_aside(decision.verdict) for decision in decisions]
        every = [edit for d, own in zip(decisions, edits, strict=True) if self._is_applied(d) for edit in own]
        is_taken = meet(every, taken)
        whole = [Edit(*self.text.span(statement), "")] if is_taken else []
        is_postponed = is_taken
        if not isinstance(decisions[0].verdict, Collect):
            is_postponed = meet([*(e for e in every if e not in placed), *whole], placed)
        is_postponed |= is_taken and any(
            isinstance(d.verdict, Copy) and is_loop_carried(d.site, d.verdict) for d in before
        )
        if is_taken and not is_postponed:
            known = len(self._report.findings)
            self._rewrite(statement, before)
            taken += self._report.made(known)
            return []
        beside = [d for d in decisions if d.is_beside_others(self.options)]
        fixes: dict[Hashable, int] = {}
        for decision, own in zip(decisions, edits, strict=True):
            verdict = decision.verdict
            if decision in beside:
                continue
            elsewhere = verdict.elsewhere if isinstance(verdict, CopySaved) else ()
            if (own, elsewhere) not in fixes:
                fixes[own, elsewhere] = self._report.number()
            fix = fixes[own, elsewhere]
            if decision.is_recipe and not self._is_applied(decision):
                self._report.decided(decision, False, fix, own, elsewhere)
            elif is_postponed:
                self._report.decided(decision.becoming(_LATER), False, fix, ())
            else:
                self._report.decided(decision, decision.is_recipe, fix, own, elsewhere)
        if not is_postponed:
            placed += every
        return beside

    def _rewrite_beside(self, statement: ast.stmt, decisions: list[Decision], placed: list[Edit]) -> None:
        """Rewrite operations of a statement in which others stay; those that meet a copy wait for the next round."""
        if meet([Edit(*self.text.span(statement), "")], placed):
            for decision in decisions:
                self._report.decided(decision.becoming(_LATER), False, self._report.number(), ())
        elif decisions:
            self._rewrite(statement, decisions)

    def _declarations(self, decision: Decision) -> tuple[Edit, ...]:
        """Return the edits that declare the names of outer scopes that a recipe binds: `nonlocal y`."""
        scope = decision.site.run.scope
        found: list[Edit] = []
        verdict = decision.verdict
        for place in verdict.places if isinstance(verdict, Rebind | Copy | Split) else ():
            name = place.root
            owner = self.program.module.scopes.owner(scope, name) if place.is_name else None
            if owner is None or owner is scope or name in scope.global_names | scope.nonlocal_names:
                continue
            assert isinstance(scope.node, ast.FunctionDef)
            found.append(declared(self.text, scope.node, "global" if owner.is_module else "nonlocal", name))
        return tuple(found)

    def _plan_constructors(self, reached: list[Site], wanted: Filter) -> None:
        """Plan the flags that have modules and functions work in place."""
        made = [flag for flag in flags(self.program) if wanted.reaches(flag.node)]
        if made:
            is_all = wanted.apart or wanted.is_whole
            sites = reached if is_all else collect(self.program, self._callers, self.options)
            perhaps = flagged(self.program, made, self._callers, self.options)
            planned = Constructors(self.program, self.text, self.options, self.by_form, self._report, perhaps)
            planned.report(made, sites, wanted)


def _is_saved(site: Site) -> bool:
    """Tell whether an operation may have saved the stored values for backward."""
    stored = site.state.roots(o for operand in site.write.operands for o in operand.objs)
    return any(o in site.state.saved for o in stored)


def _failures(decisions: Iterable[Decision], wanted: Filter) -> Sequence[Reason]:
    """Return why the recipes tried for a statement repaired nothing."""
    tried = [wanted.failures(d.rule.code, d.site.node) for d in decisions]
    return max(tried, key=len, default=())


def _not_failed(decisions: Iterable[Decision], wanted: Filter) -> list[Decision]:
    """Refuse the recipes of a statement that neither a staying write nor another recipe repaired."""
    found = list(decisions)
    reasons = _failures(found, wanted)
    if len(reasons) < 2:
        return found
    return [d.becoming(Refuse(reasons[-1])) if d.is_recipe else d for d in found]


def _may_be_kept(decision: Decision) -> bool:
    """Tell whether an operation with a recipe may be kept all the same: of an unknown kind, by cost, by a clone."""
    site, verdict = decision.site, decision.verdict
    return site.write.is_unclear or isinstance(verdict, Copy) or is_costly(site, verdict)


def _suits_others(decision: Decision) -> bool:
    """Tell whether a recipe does little to what is no tensor: it asks for no clone, and binds no other place to it."""
    verdict = decision.verdict
    return not isinstance(verdict, Copy) and not (isinstance(verdict, Rebind | Split) and len(verdict.places) > 1)


def _not_contradicted(decision: Decision) -> Decision:
    """Refuse a recipe that runs contradict."""
    refusal = decision.contradicted
    return decision if refusal is None else decision.becoming(Refuse(refusal))


_LATER = Refuse(Refusal.LATER())


def _edits_aside(verdict: Verdict) -> tuple[Edit, ...]:
    return verdict.edits if isinstance(verdict, CopySaved | Aside | Collect) else ()
