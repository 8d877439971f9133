"""`pair[0].mul_(pair[0])` saves what it overwrites, and can't bind an element of a tuple."""

import torch


def run(x: torch.Tensor):
    pair = (x * 2, x * 3)
    flat = pair[0].reshape(-1)
    pair[0].mul_(pair[0])
    flat *= flat
    pair[1].add_(pair[0])
    return pair, flat


def example():
    return run, (torch.tensor([[0.5, -1.0]], requires_grad=True),)
