"""Finds another order of two updates, in which each backward comes before the steps that change what it goes through.

d_loss.backward(retain_graph=True)
opt_d.step()                               goes behind the next backward, if that one adds nothing to what it uses
opt_g.zero_grad()
g_loss.backward(inputs=g_parameters)

critic_loss.backward()
critic_opt.step()
actor_opt.zero_grad()                      all that follows may go in front of the critic's update instead, where
actor_loss.backward()                      that one clears what this backward adds
actor_opt.step()
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from unplace.analysis.queries.gradients_used import Used, used_in
from unplace.analysis.training.trail import Ran, Trail
from unplace.analysis.training.values import Save, Weights, meet
from unplace.analysis.training.world import Backward, Cleared, Stepped, World

RETAINING = "retain_graph"
"""The argument by which a backward keeps its graph for others."""


@dataclass(frozen=True, slots=True)
class Order:
    """Statements of a block that go behind another one, or in front of it.

    `inputs` is the text of the list to which the backward is restricted. `handed` has the backward that needn't keep
    its graph any more, and the one that has to instead, if there are such.
    """

    block: tuple[ast.stmt, ...]
    moved: tuple[ast.stmt, ...]
    target: ast.stmt
    is_behind: bool
    inputs: str | None = None
    handed: tuple[ast.Call, ...] = ()


def orders(ways: Sequence[World]) -> dict[ast.AST, Order]:
    """Return for backwards that find weights changed the order in which they don't: one that is right in all ways."""
    if any(world.is_incomplete for world in ways):
        return {}
    found: dict[ast.AST, list[_Scene]] = {}
    for world in ways:
        used = used_in(world.ran)
        for later in used:
            found.setdefault(later.node, []).append(_Scene(world, used, later))
    return {node: order for node, scenes in found.items() if (order := _right_in_all(scenes)) is not None}


def _right_in_all(scenes: Sequence[_Scene]) -> Order | None:
    """Return an order for all runs of a backward that find weights changed, and those at the place that it changes."""
    if not any(scene.later.failing for scene in scenes):
        return None
    fit = {scene: [*scene.orders()] for scene in scenes}
    known = (order for scene in scenes if scene.later.failing for order in fit[scene])
    return next((o for o in known if all(o in fit[s] or not (s.later.failing or s.lies_in(o)) for s in scenes)), None)


class _Scene:
    """One run of a backward, in one way through the code; `own` is the next step that uses it."""

    def __init__(self, world: World, used: Used, later: Backward) -> None:
        self.later = later
        self._world = world
        self._used = used
        self._trail = world.trail or Trail()
        steps = (step for step, _ in used[later])
        self._own = next(steps, None)

    def orders(self) -> Iterator[Order]:
        """Yield the orders in which the backward finds its weights as they were, those that change least first."""
        own = self._own
        if own is not None and not self.later.is_shared and all(step is own for step, _ in self._used[self.later]):
            yield from filter(None, (self._swapped(own), self._stepping_later(own)))

    def lies_in(self, order: Order) -> bool:
        """Tell whether an order changes this run of the backward: its arguments, or its place."""
        if order.inputs is not None:
            return True
        around = (ran for ran in self._trail.statements if ran.start <= self.later.time <= ran.end)
        return any(ran.block[ran.place] in order.moved for ran in around)

    # -- the step goes behind the backward ------------------------------------------------------------------------

    def _stepping_later(self, own: Stepped) -> Order | None:
        """Return the order in which the step that comes too early stands behind the backward, which is restricted."""
        steps = self._culprits(save for save in self.later.failing if save.is_needed_for(own.weights))
        inputs = next((text for step, texts in self.later.spelled if step is own for text in texts), None)
        if steps is None or len(steps) != 1 or inputs is None:
            return None
        (step,) = steps
        found = self._trail.together([step.time, self.later.time])
        if found is None or found[0].place >= found[1].place:
            return None
        moved, target = found
        passed, stepping = self._trail.between(moved.end, target.end), self._trail.between(moved.start, moved.end)
        events = [each for each in self._ran(moved.end, target.end) if each is not self.later]
        is_alone = self._ran(moved.start, moved.end) == [step] and not stepping.bound
        is_clear = not (passed.is_unclear or stepping.is_unclear or passed.bound & stepping.read)
        passing = [passed.touched, own.weights, *(each.weights for each in events)]
        meets = any(meet(weights, step.weights) for weights in passing)
        if not is_alone or not is_clear or meets or not self._is_only_culprit(step):
            return None
        block = tuple(moved.block)
        return Order(block, (block[moved.place],), block[target.place], is_behind=True, inputs=inputs)

    # -- the later update goes first ------------------------------------------------------------------------------

    def _swapped(self, own: Stepped) -> Order | None:
        """Return the order in which the update of the later backward stands in front of those that come too early."""
        steps = self._culprits(self.later.failing)
        zero = self._cleared(own.weights, self.later.time)
        if not steps or zero is None or self.later.retains is not False or not all(map(self._is_only_culprit, steps)):
            return None
        first = [event for step in steps for event in self._update(step)]
        times = [each.time for each in (self.later, own, *steps, *first)]
        found = self._trail.together(times)
        if found is None:
            return None
        later, last, *before = found
        begin, end = min(before, key=_place), max(before, key=_place)
        around = [
            ran for ran in self._trail.statements if ran.entered == later.entered and ran.start <= zero.time <= ran.end
        ]
        start = around[0] if around and around[0].place > end.place else later
        clears = start.start <= zero.time
        if end.place >= start.place or not (clears or zero.time < begin.start):
            return None
        handed = self._handed(begin, start)
        if handed is None or not self._may_swap(own, begin.start, start.start - 1, last.end, clears=clears):
            return None
        block = tuple(later.block)
        moved = block[start.place : last.place + 1]
        return Order(block, moved, block[begin.place], is_behind=False, handed=handed)

    def _may_swap(self, own: Stepped, begin: int, end: int, last: int, *, clears: bool) -> bool:
        """Tell whether an update may go in front of what is done in a time before it."""
        first, second = self._trail.between(begin, end), self._trail.between(end + 1, last)
        events = self._ran(end + 1, last)
        steps = [each for each in self._ran(begin, end) if isinstance(each, Stepped)]
        backwards = [each for each in self._ran(begin, end) if isinstance(each, Backward)]
        return (
            first.is_independent_of(second)
            and not meet(first.touched, second.touched)
            and [each for each in events if not isinstance(each, Cleared)] == [self.later, own]
            and all(w.are_in(own.weights) for each in events if isinstance(each, Cleared) for w in each.weights)
            and all(step in steps for each in backwards for step, _ in self._used[each])
            and not any(meet([save.weights], own.weights) for each in backwards for save in each.needed)
            and (clears or not any(meet(each.weights, own.weights) for each in backwards))
            and all(self._starts_anew(step, begin) for step in steps)
        )

    def _starts_anew(self, step: Stepped, begin: int) -> bool:
        """Tell whether an update clears what the later backward adds before its own backwards add to it."""
        added = [each.time for each, uses in self._used.items() if any(s is step for s, _ in uses)]
        shared = frozenset(weights for weights in self.later.weights if meet([weights], step.weights))
        zero = self._cleared(shared, min(added, default=step.time))
        return zero is not None and zero.time >= begin

    def _update(self, step: Stepped) -> Iterator[Backward | Cleared]:
        """Yield what a step belongs to: the backwards that it uses, and what clears before them."""
        added = [each for each, uses in self._used.items() if any(s is step for s, _ in uses)]
        yield from added
        zero = self._cleared(step.weights, min((each.time for each in added), default=step.time))
        if zero is not None:
            yield zero

    def _cleared(self, weights: frozenset[Weights], before: int) -> Cleared | None:
        cleared = (each for each in reversed(self._world.ran) if isinstance(each, Cleared) and each.time < before)
        return next((each for each in cleared if all(w.are_in(each.weights) for w in weights)), None)

    def _handed(self, begin: Ran, later: Ran) -> tuple[ast.Call, ...] | None:
        """Return the backwards of which the second has to keep the graph that both go through; None if that fails."""
        passed = self._ran(begin.start, later.start)
        retaining = [each for each in passed if isinstance(each, Backward) and each.retains is not False]
        if not retaining:
            return ()
        earlier = retaining[0]
        sharing = [each for each in self._used if each is not earlier and each.needed & earlier.needed]
        block = {node for statement in begin.block for node in ast.walk(statement)}
        nodes = [node for node in (earlier.node, self.later.node) if isinstance(node, ast.Call) and node in block]
        has = [any(keyword.arg == RETAINING for keyword in node.keywords) for node in nodes]
        is_here = earlier.frame is not None and self.later.frame is not None
        is_plain = len(retaining) == 1 and earlier.retains and sharing == [self.later] and has == [True, False]
        return tuple(nodes) if is_here and is_plain else None

    # -- what happened --------------------------------------------------------------------------------------------

    def _culprits(self, saves: Iterable[Save]) -> list[Stepped] | None:
        """Return the steps that changed saved weights before the backward; None where something else did."""
        found: dict[Stepped, None] = {}
        for save in saves:
            for change in save.weights.changes_since(save.time):
                step = self._step_at(change.time)
                if change.time < self.later.time:
                    if step is None:
                        return None
                    found[step] = None
        return list(found)

    def _step_at(self, time: int) -> Stepped | None:
        """Return the step whose change has a time: it is noted just before."""
        return next((each for each in self._world.ran if isinstance(each, Stepped) and each.time == time - 1), None)

    def _is_only_culprit(self, step: Stepped) -> bool:
        """Tell whether a step comes too early for no other backward."""
        victims = {early.backward for early in self._world.early if early.change.time == step.time + 1}
        return victims <= {self.later.node}

    def _ran(self, start: int, end: int) -> list[Cleared | Stepped | Backward]:
        return [each for each in self._world.ran if start <= each.time <= end]


def _place(ran: Ran) -> int:
    return ran.place
