"""Lookahead: slow and fast weights are interpolated every k steps.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Lookahead:
    def __init__(self, params, alpha=0.5, k=2):
        self.params = list(params)
        self.slow = [p.clone().detach() for p in self.params]
        self.alpha = alpha
        self.k = k
        self.counter = 0

    def step(self):
        self.counter += 1
        if self.counter % self.k != 0:
            return
        for slow, fast in zip(self.slow, self.params):
            slow += self.alpha * (fast.detach() - slow)
            fast.copy_(slow)


def loss_after(model, x, y):
    look = Lookahead(model.parameters(), k=1)
    look.step()
    return nn.functional.mse_loss(model(x), y)


def example():
    torch.manual_seed(0)
    return loss_after, (nn.Linear(2, 1), torch.randn(3, 2, requires_grad=True), torch.randn(3, 1))
