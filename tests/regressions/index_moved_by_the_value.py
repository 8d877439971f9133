"""An augmented assignment finds its element first: the value that it computes then may move the index."""

import torch


def walked(x):
    levels = [x.exp(), x.sin(), x.cos()]
    i = 0

    def advance():
        nonlocal i
        i += 1
        return float(i)

    for _ in range(2):
        levels[i] *= advance()
    k = 0
    levels[k] += (k := k + 1)
    return levels


def example():
    torch.manual_seed(0)
    return walked, (torch.randn(4, requires_grad=True),)
