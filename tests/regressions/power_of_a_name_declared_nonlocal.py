"""A power writes a tensor that an inner function may rebind, before a statement that stores and rebinds at once."""

import torch


def run(x: torch.Tensor):
    h = x + 1

    def squash():
        nonlocal h

    h.pow_(2)
    h[0], h = (h[1], h.clone())
    return h


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
