"""Finds the changes of weights between a forward pass and a backward that still goes through it.

    value = self.critic(state)
    self.optimizer.step()              writes the weights that `self.critic(state)` saved
    loss = -value.mean()
    loss.backward()                    needs them as they were

The same happens from round to round of a loop, where a hidden state keeps the graph of the last round:

    for x in batches:
        out, h = net(x, h)             goes on from the `h` of the last round
        out.mean().backward(retain_graph=True)
        optimizer.step()
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from unplace.analysis.domain.values import Saved
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.queries.gradients_used import Mixed, mixed, restricted
from unplace.analysis.queries.update_orders import Order, orders
from unplace.analysis.training.ways import ways
from unplace.analysis.training.world import Early


@dataclass(frozen=True, slots=True, eq=False)
class EarlyStep:
    """A change of weights that a backward still needs as they were: a step, or any other write of them.

    `forward` is the call of the module that saved them, and `module` its path. `carried` is the path that takes the
    graph from one round of a loop to the next; None where all happens in one round. `is_certain` is False where the
    code in sight doesn't show that the optimizer has the parameters of the module.
    """

    step: ast.AST
    forward: ast.AST
    module: str
    backward: ast.AST
    carried: str | None
    is_certain: bool

    @property
    def optimizer(self) -> str:
        """What steps, as the code writes it: `optimizer` of `optimizer.step()`, and of `scaler.step(optimizer)`."""
        if not isinstance(self.step, ast.Call) or not isinstance(self.step.func, ast.Attribute):
            return ast.unparse(self.step)
        return ast.unparse((self.step.args or [self.step.func.value])[0])

    @property
    def saved(self) -> Saved:
        """The record that the module saved its weights."""
        return Saved(f"{self.module}()", getattr(self.forward, "lineno", 0))


@dataclass(frozen=True, slots=True)
class Steps:
    """What is wrong with the steps of a file.

    `early` has at most one change for each place; those that are certain count more. A step in a function of another
    file stands at the call that leads there. `mixed` are the steps that use what another optimizer's loss added.
    `inputs` has the text of the list for `inputs=` by which a backward that finds weights changed works, if one does,
    and `orders` the order in which it works.
    """

    early: tuple[EarlyStep, ...] = ()
    mixed: tuple[Mixed, ...] = ()
    inputs: Mapping[ast.AST, str] = field(default_factory=dict)
    orders: Mapping[ast.AST, Order] = field(default_factory=dict)
    read: frozenset[str] = frozenset()

    def without(self, known: Collection[ast.AST]) -> Steps:
        """Return the same without the changes that are known as harmful writes."""
        return replace(self, early=tuple(early for early in self.early if early.step not in known))

    @property
    def nodes(self) -> list[ast.AST]:
        """The places where something is wrong."""
        return [*(early.step for early in self.early), *(mixed.step for mixed in self.mixed)]


def steps_of(module: ModuleIndex) -> Steps:
    """Return what is wrong with the steps of a file."""
    found = _steps_of(module)
    for path in found.read:
        assert module.place is not None
        module.place.others.module_at(path)  # tells the run once more that the result depends on the file
    return found


@once
def _steps_of(module: ModuleIndex) -> Steps:
    found: dict[ast.AST, EarlyStep] = {}
    read: set[str] = set()
    executed = list(ways(module))
    for world in executed:
        read |= world.read
        for early in world.early:
            known = found.get(early.change.node)
            if known is None or (early.change.is_certain and not known.is_certain):
                found[early.change.node] = _as_step(early)
    apart = tuple(each for each in mixed(world.ran for world in executed) if each.step not in found)
    inputs = restricted(world.ran for world in executed) if not any(world.is_incomplete for world in executed) else {}
    is_done = all(early.backward in inputs for early in found.values() if early.is_certain)
    reordered = {} if is_done else orders(list(ways(module, leave_trails=True)))
    return Steps(tuple(found.values()), apart, inputs, reordered, frozenset(read))


def _as_step(early: Early) -> EarlyStep:
    save, change = early.save, early.change
    return EarlyStep(change.node, save.node, save.module, early.backward, early.carried, change.is_certain)
