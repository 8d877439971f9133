"""A function detaches tensors in place, which torch forbids for the view that squeeze() would return."""

import torch


def state(x):
    return [torch.zeros(1).squeeze_() for _ in x]


def run(x):
    found = state(x)
    for each in found:
        each.detach_().add_(1)
    return [x * each for each in found]


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
