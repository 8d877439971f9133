"""An inner step rewrites the weight of a functional model through .data.

Torch: nothing, the gradient is wrong
"""
import torch


class InnerLoop:
    def __init__(self, lr):
        self.lr = lr

    def step(self, w, x, y):
        err = (x @ w - y) / len(y)
        g = x.t() @ err
        w.data.sub_(self.lr * g)
        return w


def outer(theta, x, y):
    inner = InnerLoop(0.5)
    w = theta.clone()
    for _ in range(2):
        w = inner.step(w, x, y)
    return ((x @ w - y) ** 2).mean()


def example():
    torch.manual_seed(0)
    return outer, (torch.randn(2, requires_grad=True), torch.randn(3, 2), torch.randn(3))
