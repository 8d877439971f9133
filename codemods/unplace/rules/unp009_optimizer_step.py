"""Optimizer step between a forward pass and its backward: reported, never rewritten.

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

What changes the method is a decision of yours:

- compute the second loss again after the step, most often with `fake.detach()` in the first one;
- detach a hidden state where a round begins: `h = h.detach()`. The gradient stops there.

Reported as harmful: steps of optimizers that are made with the parameters of a module which the file calls. The calls
of functions and methods are followed (`self.backward_D()`, `update(opt, loss)`, `make_optimizer(net)`), also of objects
that the file makes (`gan.backward(loss)` with `gan = Gan()`) and of what it imports from other files of the run;
elements with a constant key are told apart (`losses["d"]`, `nets["D"]`), so are the rounds of a loop over a few
optimizers (`for opt, loss in zip(optimizers, losses)`), and a state that a module or a method keeps in an attribute
comes from the last call (`out, self.hidden = self.rnn(x, self.hidden)`). Where the optimizer comes from elsewhere, the
step is possible harm. A step in another file is reported at the call that leads there. Not seen: loops over objects
that have optimizers.
"""

from __future__ import annotations

from unplace.diagnostics.forms import Form
from unplace.transform.rule import Rule

FORMS = (Form.OPTIMIZER_STEP,)


class OptimizerStep(Rule):
    """The rule UNP009: see the module's docstring."""

    code = "UNP009"


RULE = OptimizerStep()
