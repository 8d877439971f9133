"""Finds which steps use the gradients that a backward adds, and what follows for backwards with an optimizer each.

critic_loss.backward(retain_graph=True)
actor_opt.zero_grad()                      each backward has an optimizer of its own
actor_loss.backward()                      goes through the critic, too
critic_opt.step()                          uses the gradients of both
actor_opt.step()
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unplace.analysis.training.values import Weights, meet
from unplace.analysis.training.world import Backward, Cleared, Ran, Stepped

Used = dict[Backward, list[tuple[Stepped, frozenset[Weights]]]]
"""The steps that use gradients of each backward, and the weights of these gradients."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A step that uses what the backward of another optimizer's loss added to its gradients."""

    step: ast.AST
    backward: ast.AST
    inputs: str | None


def restricted(ways: Iterable[Sequence[Ran]]) -> dict[ast.AST, str]:
    """Return the failing backwards that work if they are restricted, each with the text of the list for `inputs=`.

    It has the parameters of the optimizer that steps next. Nothing on the way to these was changed, and no step uses
    other gradients that the backward adds.
    """
    failing: set[ast.AST] = set()
    texts: dict[ast.AST, list[str]] = {}
    for ran in ways:
        used = used_in(ran)
        for backward in (each for each in ran if isinstance(each, Backward)):
            failing |= {backward.node} if backward.failing else set()
            own = next((own for own in backward.spelled if meet(own[0].weights, backward.weights)), None)
            if own is not None or backward.failing:
                fit = _fit(backward, used[backward], *own) if own is not None else ()
                known = texts.get(backward.node, list(fit))
                texts[backward.node] = [text for text in known if text in fit]
    return {node: found[0] for node, found in texts.items() if found and node in failing}


def _fit(
    backward: Backward, used: Sequence[tuple[Stepped, frozenset[Weights]]], own: Stepped, texts: Sequence[str]
) -> Sequence[str]:
    """Return the texts with which a backward can be restricted to the parameters of an optimizer."""
    is_changed = any(save.is_needed_for(own.weights) for save in backward.failing)
    is_used = any(not each.are_in(own.weights) for _, weights in used for each in weights)
    return () if is_changed or is_used or backward.is_shared else texts


def mixed(ways: Iterable[Sequence[Ran]]) -> list[Mixed]:
    """Return the steps that use what the backward of another optimizer's loss added, each once."""
    found: dict[ast.AST, Mixed] = {}
    for ran in ways:
        used = used_in(ran)
        for later in used:
            for step, _ in used[later]:
                if step.node not in found and any(_is_apart(ran, used, first, later, step) for first in used):
                    found[step.node] = Mixed(step.node, later.node, _own(used[later], later, step))
    return list(found.values())


def _is_apart(ran: Sequence[Ran], used: Used, first: Backward, later: Backward, step: Stepped) -> bool:
    """Tell whether a step alone uses an earlier backward, and the code keeps a later one apart for another optimizer.

    It clears the gradients of that one in between.
    """
    uses = [own for own, _ in used[first]]
    if step not in uses or first.node is later.node or any(own.weights != step.weights for own in uses):
        return False
    between = ran[ran.index(first) : ran.index(later)]
    cleared = [each.weights for each in between if isinstance(each, Cleared) and not meet(each.weights, step.weights)]
    others = [own.weights for own, _ in used[later] if not meet(own.weights, step.weights)]
    return any(meet(weights, other) for weights in cleared for other in others)


def _own(used: Sequence[tuple[Stepped, frozenset[Weights]]], later: Backward, step: Stepped) -> str | None:
    """Return the text of the parameters that a backward is meant for: those of the one other optimizer that uses it."""
    others = [own for own, _ in used if not meet(own.weights, step.weights)]
    if any(own.weights != others[0].weights for own in others):
        return None
    return next((text for own, texts in later.spelled if own is others[0] for text in texts), None)


def used_in(ran: Sequence[Ran]) -> Used:
    """Return which steps use gradients of each backward, before these are cleared."""
    used: Used = {each: [] for each in ran if isinstance(each, Backward)}
    added: dict[Weights, list[Backward]] = {}
    for each in ran:
        if isinstance(each, Backward):
            for weights in each.weights:
                added.setdefault(weights, []).append(each)
        elif isinstance(each, Cleared):
            added = {weights: backwards for weights, backwards in added.items() if not weights.are_in(each.weights)}
        else:
            own = {weights: backwards for weights, backwards in added.items() if meet([weights], each.weights)}
            for backward in dict.fromkeys(itertools.chain(*own.values())):
                used[backward].append((each, frozenset(w for w, backwards in own.items() if backward in backwards)))
    return used
