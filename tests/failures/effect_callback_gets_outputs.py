"""A trainer hands the outputs to callbacks, one of which rounds them.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Callback:
    def on_batch_end(self, outputs):
        pass


class RoundedLogger(Callback):
    def __init__(self):
        self.rows = []

    def on_batch_end(self, outputs):
        outputs.mul_(10).round_()
        self.rows.append(outputs.tolist())


class Trainer:
    def __init__(self, model, callbacks):
        self.model = model
        self.callbacks = callbacks

    def step(self, x, y):
        out = torch.sigmoid(self.model(x)).squeeze(-1)
        loss = ((out - y) ** 2 * out).mean()
        for cb in self.callbacks:
            cb.on_batch_end(out)
        return loss


def example():
    torch.manual_seed(0)
    trainer = Trainer(nn.Linear(2, 1), [RoundedLogger()])
    return trainer.step, (torch.randn(3, 2, requires_grad=True), torch.rand(3))
