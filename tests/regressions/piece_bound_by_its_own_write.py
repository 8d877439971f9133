"""A piece that is written again isn't detached from the whole by a statement that binds it to itself."""

import torch


def run(x: torch.Tensor, b: torch.Tensor):
    whole = x + 1
    first, second = whole.unbind(0)
    first = first.mul_(second).add_(1)
    first[-1] = b.sum()
    return first, whole


def example():
    return run, (torch.tensor([[0.5, 1.5], [-0.3, 0.1]], requires_grad=True), torch.tensor([2.0], requires_grad=True))
