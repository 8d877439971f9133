"""Optimizer step between a forward pass and its backward: reported, never rewritten by default.

`optimizer.step()` writes the weights in place. A graph that was made before the step saved the old ones, and a backward
through it fails: in GANs and actor-critic methods, whose losses share a forward pass, and in recurrent networks, whose
hidden state keeps the graph of the last round.

    fake = generator(noise)
    score = discriminator(fake)
    (-score.mean()).backward(retain_graph=True)
    discriminator_optimizer.step()             writes the weights that the next line needs
    score.mean().backward()

    score.mean().backward()                    after `score = discriminator(fake)`, behind the step

The report names the call that saved the weights and the backward that needs them. Moving the step behind that backward
removes the error and trains otherwise: the second backward adds its gradient to the `.grad` that the step then uses.
What keeps the gradients needs a run to prove it, and `unplace diagnose --fix` does so:

- restrict the later backward to the weights of its own optimizer, `loss.backward(inputs=list(net.parameters()))`, and
  only then move the step, if it has to move at all;
- update the other network first, if its loss doesn't need what the first update changes.

`--unsafe` does so where the text shows whose weights the later backward is for, that no step uses the gradients which
are left out, and that nothing which moved lines pass minds the order: not in a branch, not past calls of code that
isn't in sight.

What changes the method is a decision of yours:

- compute the second loss again after the step, most often with `fake.detach()` in the first one;
- detach a hidden state where a round begins: `h = h.detach()`. The gradient stops there.

Possible harm, without any error, is a step that uses what the backward of another optimizer's loss added: the code
clears the gradients of that one between the two backwards, so that each has an optimizer of its own.

Reported as harmful: steps of optimizers, and `load_state_dict`, that change what a module saved which the file calls.
The file is executed on abstract objects, so that helpers, lists of networks and optimizers, objects that own them,
states that modules keep, and what is imported from other files of the run are seen as they are. What writes a weight in
place is reported under the rule of its form (`p -= lr * p.grad`, `weight.data.clamp_()`). Where the optimizer comes
from elsewhere, the step is possible harm. A step in another file is reported at the call that leads there.
"""

from __future__ import annotations

from unplace.diagnostics.forms import Form
from unplace.transform.rule import Rule

FORMS = (Form.OPTIMIZER_STEP,)


class OptimizerStep(Rule):
    """The rule UNP009: see the module's docstring."""

    code = "UNP009"


RULE = OptimizerStep()
