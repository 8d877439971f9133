"""A function that `map` calls writes the tensor whose `.data` was stored to: rebound, backward would meet that write."""

import torch


def run(x: torch.Tensor):
    k = x + 1
    k.data = torch.sigmoid(k)
    for _ in map(lambda v: v.mul_(2), [k]):
        pass
    return k


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
