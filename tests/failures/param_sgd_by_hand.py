"""A step of gradient descent written by hand, before the next forward.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class SGD:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr

    def step(self):
        for p in self.params:
            if p.grad is not None:
                p -= self.lr * p.grad


def next_loss(net, xs, ys, lr=0.1):
    SGD(net.parameters(), lr).step()
    return nn.MSELoss()(net(xs), ys)


def example():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    for p in net.parameters():
        p.grad = torch.randn_like(p)
    return next_loss, (net, torch.randn(4, 2), torch.randn(4, 1))
