"""`w.data = ...` keeps `w` the leaf whose gradient backward fills; a rebound name would be none."""

import torch


def f(x: torch.Tensor):
    w = torch.ones(2, requires_grad=True)
    w.data = w.data / w.data.norm()
    loss = (w * 2).sum()
    loss.backward()
    return w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
