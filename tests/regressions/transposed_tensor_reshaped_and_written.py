"""`reshape` copies a transposed tensor; of the dense one that `tril` gives out of place it would be a view."""

import torch


def run(x: torch.Tensor):
    y = (x * 1).t()
    z = y.exp()
    y.tril_()
    w = y.reshape(-1)
    w.mul_(2)
    return y, w, z


def example():
    return run, (torch.arange(6.0).view(2, 3).requires_grad_(),)
