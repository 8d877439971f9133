"""Reptile: the meta parameters move towards the adapted ones.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import copy

import torch
import torch.nn as nn


class Reptile:
    def __init__(self, net, eps):
        self.net = net
        self.eps = eps

    def meta_step(self, adapted):
        for p, q in zip(self.net.parameters(), adapted.parameters()):
            p += self.eps * (q.detach() - p.detach())

    def __call__(self, x, y):
        fast = copy.deepcopy(self.net)
        opt = torch.optim.SGD(fast.parameters(), lr=0.1)
        for _ in range(2):
            opt.zero_grad()
            ((fast(x) - y) ** 2).mean().backward()
            opt.step()
        self.meta_step(fast)
        return ((self.net(x) - y) ** 2).mean()


def run(net, x, y):
    return Reptile(net, 0.5)(x, y)


def example():
    torch.manual_seed(0)
    return run, (nn.Linear(2, 1), torch.randn(3, 2), torch.randn(3, 1))
