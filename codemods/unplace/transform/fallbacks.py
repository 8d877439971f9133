"""Fallbacks for writes that stay in place: autograd saves copies, or code around the statement changes.

The recipes are a list (`Fallbacks.recipes`), from what costs least to what costs most: no copy and no write any more,
no copy, a copy for each operation that saved, a copy of all. A statement gets the first that repairs it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.project.compiled import compiled
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Purpose
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form
from unplace.diagnostics.refusals import Refusal
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.legality import assumptions_about
from unplace.transform.normal_form import is_costly, is_loop_carried, is_saved_in_loop
from unplace.transform.recipes import elements, entry, owned, pieces, rows, saved, splits
from unplace.transform.recipes.batched_buffers import made_batched
from unplace.transform.recipes.collect import collect as collect_slots
from unplace.transform.recipes.known_calls import KnownCalls
from unplace.transform.recipes.new_name import in_new_names
from unplace.transform.recipes.unrecorded import under_no_grad
from unplace.transform.sites import Site
from unplace.transform.spanning import blamed, is_about_callers, is_private
from unplace.transform.verdicts import Aside, Collect, Copy, CopySaved, Keep, Meant, Refuse, Verdict

_Plan = Mapping[ast.stmt, list[Decision]]
_Verdicts = dict[Decision, Verdict]
_Recipe = Callable[[list[Decision]], _Verdicts]


@dataclass(slots=True)
class Fallbacks:
    """Chooses the writes of one module that had better stay, and the fallback for each."""

    text: Text
    options: Options
    rules: Mapping[Form, Any]
    later: set[Decision] = field(default_factory=set)  # what edits of several files may rewrite

    def choose(self, decided: _Plan) -> _Verdicts:
        """Return the decisions whose writes stay, with their new verdicts."""
        decided = {s: ds for s, ds in decided.items() if all(d.site.read_while_written_in() is None for d in ds)}
        self.later |= {d for ds in decided.values() for d in ds if self._may_span(d)}
        if self.options.spans_later:
            decided = {s: ds for s, ds in decided.items() if self.later.isdisjoint(ds)}
        chosen: _Verdicts = {}
        for recipe in self.recipes(decided, chosen):
            for decisions in decided.values():
                if chosen.keys().isdisjoint(decisions):
                    chosen |= recipe(decisions)
        return chosen

    def recipes(self, decided: _Plan, chosen: Mapping[Decision, Verdict]) -> Iterator[_Recipe]:
        """Iterate over the recipes for a statement's writes, what costs least first; `chosen` grows meanwhile."""
        yield self._collected
        if self.options.functional:  # the others leave a write
            yield partial(self._changed_there, lambda decision: isinstance(decision.verdict, Refuse))
            return
        around = self._around(decided)
        yield partial(_one_of, around)
        yield self._copied_once
        yield self._copied
        made = (v for v in chosen.values() if isinstance(v, CopySaved) and self._is_made(v))
        yield partial(self._copied_already, frozenset(node for verdict in made for node in verdict.copied))
        yield partial(self._changed_there, self._had_better_stay)

    # -- recipes: from the decisions about a statement to those of them that get another verdict --------------------

    def _collected(self, decisions: list[Decision]) -> _Verdicts:
        """Replace the written tensor by a list, if that repairs something and is allowed."""
        decision = decisions[0]
        site, verdict = decision.site, decision.verdict
        if len(decisions) > 1 or site.form is not Form.SUBSCRIPT_STORE or not isinstance(verdict, Copy):
            return {}
        if site.run.scope in compiled(site.program.module):
            return {}
        if not self.options.functional and is_costly(site, verdict):
            return {}
        collected = collect_slots(site, verdict, self.text)
        return {decision: collected} if collected is not None and self._is_made(collected) else {}

    def _copied_once(self, decisions: list[Decision]) -> _Verdicts:
        """Copy a tensor where the function gets or makes it, in place of a clone in every round of a loop."""
        site, copies = decisions[0].site, [d.verdict for d in decisions if isinstance(d.verdict, Copy)]
        is_carried = len(copies) == len(decisions) and len({copy.places for copy in copies}) == 1
        if not is_carried or not self._is_doubted(decisions) or not is_loop_carried(site, copies[0]):
            return {}
        if is_saved_in_loop(site):
            return {}
        aside = owned.made_out_of_sight(site, copies[0], self.text) or (
            entry.own_copy(site, self.text) if len(decisions) == 1 else None
        )
        return dict.fromkeys(decisions, aside) if aside is not None and self._is_made(aside) else {}

    def _copied(self, decisions: list[Decision]) -> _Verdicts:
        """Have autograd save copies, so that all writes of a statement may stay; not if one would still fail."""
        found: _Verdicts = {}
        for decision in decisions if self._is_doubted(decisions) else ():
            copied = saved.copy_saved(decision.site, self.rules, self.text, is_costly=self._is_costly(decision))
            if copied is not None and copied.elsewhere and not self.options.spans_files:
                self.later.update(decisions)
                return {}
            if copied is not None and self._is_offered(decision, copied):
                found[decision] = copied
            elif decision.site.harm()[0] is Harm.HARMLESS and len(decisions) > 1:
                if decision.is_beside_others(self.options):
                    continue
                found[decision] = Keep(Purpose.NORMAL_FORM(name=decision.site.name))
            else:
                return {}
        return found if any(isinstance(verdict, CopySaved) for verdict in found.values()) else {}

    def _copied_already(self, copied: frozenset[ast.AST], decisions: list[Decision]) -> _Verdicts:
        """Let a write stay without a clone where the copies that others need, `copied`, are all that it needs."""
        decision = decisions[0]
        if len(decisions) > 1 or not isinstance(decision.verdict, Copy):
            return {}
        same = saved.copy_saved(decision.site, self.rules, self.text)
        is_there = same is not None and not same.elsewhere and copied >= same.copied and self._is_made(same)
        return {decision: same} if same is not None and is_there else {}

    # -- what the recipes are made of -------------------------------------------------------------------------------

    def _around(self, decided: _Plan) -> dict[ast.stmt, Aside]:
        """Return changes around statements, each of which may serve several: new names, `no_grad`, batched buffers."""
        named = in_new_names(decided, self.rules, self.text)
        named = {statement: aside for statement, aside in named.items() if self._is_made(aside)}
        others = {statement: ds for statement, ds in decided.items() if statement not in named}
        return under_no_grad(others, self.text, self.options) | named | made_batched(decided, self.text)

    def _may_span(self, decision: Decision) -> bool:
        """Tell whether edits of several files may rewrite the operation, so that its fallback can wait for those."""
        verdict, site = decision.verdict, decision.site
        names: set[str] = set()
        if isinstance(verdict, Refuse):
            is_whole = KnownCalls(site.program, self.options).is_whole(site.program)
            names = blamed(verdict.reason, site.harm()[0], self.options, is_whole=is_whole)
        elif decision.is_recipe and not decision.is_applied(self.options):
            is_open = is_about_callers(decision.assumptions) and is_private(site.run.scope.name)
            names = {site.run.scope.name} if is_open else set()
        return any(map(site.program.module.is_named_elsewhere, names))

    def _changed_there(self, is_due: Callable[[Decision], bool], decisions: list[Decision]) -> _Verdicts:
        """Change code around writes that are due: it cuts forbidden pieces differently, or copies arguments."""
        if not any(map(is_due, decisions)):
            return {}
        site, text = decisions[0].site, self.text
        is_alone = len({decision.fate for decision in decisions}) == 1  # one operation, or one chain of calls
        if site.run.scope in compiled(site.program.module):  # TorchScript takes no generators
            aside = rows.by_index(site, text) if is_alone else None
            return dict.fromkeys(decisions, aside) if aside is not None else {}
        if is_alone:
            aside = rows.by_index(site, text) or pieces.private_pieces(site, text) or splits.writable(site, text)
            aside = aside or owned.expanded(site, text)
        else:
            aside = splits.writable(site, text)
        pays = site.is_hidden() or site.harm()[0] is Harm.HARMFUL
        if aside is None and is_alone and pays and _is_blocked_by_list(decisions[0].verdict):
            aside = elements.counted(site, text)
        is_meant = isinstance(decisions[0].verdict, Meant)
        if aside is None and not is_meant and site.harm()[0] is not Harm.HARMLESS:
            aside = entry.own_copy(site, text)
        return dict.fromkeys(decisions, aside) if aside is not None and self._is_made(aside) else {}

    def _is_made(self, verdict: Aside | CopySaved | Collect) -> bool:
        """Tell whether the run may carry a fallback out."""
        return self.options.accepts(verdict.assumptions)

    def _is_offered(self, decision: Decision, verdict: CopySaved) -> bool:
        """Tell whether copies are made, or are all that can be offered to runs with other options."""
        return self._is_made(verdict) or isinstance(decision.verdict, Refuse)

    def _is_costly(self, decision: Decision) -> bool:
        """Tell whether a clone would be made in every round of a loop, or for one store that alone saves its part."""
        verdict, site = decision.verdict, decision.site
        if not isinstance(verdict, Copy) or is_costly(site, verdict):
            return False  # the clone wouldn't be made
        return is_loop_carried(site, verdict) or saved.is_saved_by_stores_alone(site)

    def _is_doubted(self, decisions: list[Decision]) -> bool:
        """Tell whether a write had better stay, or its recipe is doubtful."""
        return any(self._had_better_stay(decision) or _is_doubtful(decision) for decision in decisions)

    def _had_better_stay(self, decision: Decision) -> bool:
        """Tell whether the write can't be rewritten by this run, or only at a cost."""
        verdict, site = decision.verdict, decision.site
        if self._is_costly(decision):
            return True
        if isinstance(verdict, Copy) and verdict.views:
            if not saved.saves_its_operands(site) or _saves_again(site, verdict):
                return True
        if decision.is_applied(self.options):
            return False
        return (
            isinstance(verdict, Refuse) or decision.is_recipe or (isinstance(verdict, Keep) and _is_due(site, verdict))
        )


def _one_of(around: Mapping[ast.stmt, Aside], decisions: list[Decision]) -> _Verdicts:
    """Return the change around a statement that is known already."""
    aside = around.get(decisions[0].site.statement)
    return dict.fromkeys(decisions, aside) if aside is not None else {}


def _is_due(site: Site, kept: Keep) -> bool:
    """Tell whether a write that is meant to stay needs a copy: what was saved before is asked for, or a buffer."""
    is_meant = kept.reason.kind in (Purpose.REGISTERED, Purpose.NOT_RECORDED)
    return site.is_buffer() or site.layout() is not None or (is_meant and site.harm()[0] is Harm.HARMFUL)


def _is_doubtful(decision: Decision) -> bool:
    """Tell whether a recipe assumes that another tensor, which is made from the written one, has memory of its own."""
    assumed = set(decision.assumptions).difference(assumptions_about(decision.site))
    return any(assumption.kind is Assumption.NOT_SHARED for assumption in assumed)


def _is_blocked_by_list(verdict: Verdict) -> bool:
    return isinstance(verdict, Refuse) and verdict.reason.kind is Refusal.IN_CONTAINER


def _saves_again(site: Site, verdict: Copy) -> bool:
    """Tell whether an operand would be the clone, which the operation would then save and write like the original."""
    if not site.write.kind.is_whole:
        return False
    rebound = {*verdict.places, *(target for view in verdict.views for target in view.targets)}
    node = site.node
    given = (
        [*node.args, *(k.value for k in node.keywords)]
        if isinstance(node, ast.Call)
        else [getattr(node, "value", node)]
    )
    used = (n for operand in given if operand is not site.write.target for n in ast.walk(operand))
    return any(isinstance(n, ast.Name | ast.Attribute) and AccessPath.of(n) in rebound for n in used)
