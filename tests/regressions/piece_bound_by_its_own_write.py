"""A piece that is written again isn't detached from the whole by a statement that binds it to itself."""

import torch


def run(x, b):
    whole = x + 1
    first, second = whole.unbind(0)
    first = first.mul_(second).add_(1)
    first[...][-1] = whole.mean() + torch.ones(())
    return first, whole


def example():
    def drive(x, b):
        return run(x, b), run(x, b * 1)

    return drive, (torch.tensor([[0.5, 1.5], [-0.3, 0.1]], requires_grad=True), torch.tensor([2.0], requires_grad=True))
