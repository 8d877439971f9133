"""A truth value picks a copy, which is written for nothing."""

import torch


def run(x):
    v = x * x
    first = True
    v[first].mul_(2)
    return v


def example():
    return run, (torch.tensor([[-0.7, 0.5], [-1.8, 1.2]], requires_grad=True),)
