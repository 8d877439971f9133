"""An endless loop with a break in the middle normalises before it leaves.

Torch: modified by an inplace operation
"""
import torch


def power_iteration(a, v, steps=3):
    i = 0
    v = torch.tanh(v)
    while True:
        v = a @ v
        if i == steps:
            break
        v /= v.norm()
        i += 1
    return (v * v).sum()


def example():
    torch.manual_seed(0)
    return power_iteration, (torch.randn(3, 3, requires_grad=True), torch.randn(3))
