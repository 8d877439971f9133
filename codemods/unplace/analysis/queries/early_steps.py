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
from dataclasses import dataclass

from unplace.analysis.domain.values import Saved
from unplace.analysis.project.module import ModuleIndex, once
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


def early_steps(module: ModuleIndex) -> list[EarlyStep]:
    """Return the early steps of a file, at most one for each step; those that are certain count more.

    A step in a function of another file stands at the call that leads there.
    """
    found, read = _early_steps(module)
    for path in read:
        assert module.place is not None
        module.place.others.module_at(path)  # tells the run once more that the result depends on the file
    return found


@once
def _early_steps(module: ModuleIndex) -> tuple[list[EarlyStep], frozenset[str]]:
    """Return the early steps of a file, and the paths of the other files that were read for them."""
    found: dict[ast.AST, EarlyStep] = {}
    read: set[str] = set()
    for world in ways(module):
        read |= world.read
        for early in world.early:
            known = found.get(early.change.node)
            if known is None or (early.change.is_certain and not known.is_certain):
                found[early.change.node] = _as_step(early)
    return list(found.values()), frozenset(read)


def _as_step(early: Early) -> EarlyStep:
    save, change = early.save, early.change
    return EarlyStep(change.node, save.node, save.module, early.backward, early.carried, change.is_certain)
