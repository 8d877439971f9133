"""A hook keeps what autograd saves, and sees a later write to it."""

import torch


def f(x):
    kept = []

    def pack(t):
        kept.append(t)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x.exp()
    z = y * 2
    y = y.detach()
    y += 1
    return kept, z, y


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
